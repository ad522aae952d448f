"""Which files are looked at, and how files are written."""
