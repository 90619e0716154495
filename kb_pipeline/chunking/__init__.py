"""Sections to chunks."""
