"""What can be typed into the pages: one module per stage, and the fields that they share."""
