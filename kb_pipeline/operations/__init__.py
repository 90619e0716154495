"""What people do with knowledge bases, behind the command line: ingest, status, removal, repair, reading one file."""
