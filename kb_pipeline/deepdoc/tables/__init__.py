"""Table grids: structure models, rulings, and the text of the cells."""
