"""From page layouts and table grids to sections in reading order, with an exact account of every character."""
