"""The nine stages as plain functions, one module a stage, and the runner that takes a document through them."""
