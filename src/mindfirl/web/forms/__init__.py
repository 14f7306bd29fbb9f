"""What can be typed into the pages, one module per stage."""
