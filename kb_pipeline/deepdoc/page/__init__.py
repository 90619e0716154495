"""One page: the verdict on its characters, its lines, regions and tables."""
