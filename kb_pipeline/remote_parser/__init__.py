"""The remote parser: a PP-StructureV3 layout-parsing service in place of the local vision engine."""
