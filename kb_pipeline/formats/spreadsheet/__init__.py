"""Spreadsheets: a workbook's cells as they are shown, and tables found among them."""
