"""Patterns of text that several rooms share: captions, list markers, joining, drop reasons."""
