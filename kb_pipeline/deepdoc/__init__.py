"""The vision engine: pages of PDFs and pictures in, lines, regions and tables with their boxes out."""
