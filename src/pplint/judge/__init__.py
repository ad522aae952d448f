"""From files to findings."""
