"""Index and query tokens of Chinese and English text, identifiers, term weights, and the language of a text."""
