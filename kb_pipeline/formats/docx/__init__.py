"""Word processor documents (DOCX): paragraphs with their numbering, tables, text boxes, notes, pictures, equations."""
