"""Markdown files: blocks and inline text through markdown-it, with the line of every character."""
