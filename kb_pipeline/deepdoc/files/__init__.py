"""PDF through pdfium, and pictures: geometry, characters, paths, rendering."""
