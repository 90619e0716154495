"""A table as text, as HTML, as cell ranges; its header cells: one home for all formats."""
