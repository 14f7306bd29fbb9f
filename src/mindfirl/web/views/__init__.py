"""The pages, one module per stage."""
