"""One module per sub-command; each is imported when it is run."""
