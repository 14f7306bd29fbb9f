"""One module per stage of a project."""
