"""What is typed into pages, read: one module per stage, and the fields that they share."""
