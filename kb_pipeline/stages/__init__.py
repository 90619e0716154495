"""The nine stages as plain functions, one module per stage, and the runner that takes a document through them."""
