"""What is in a backup: rows and files, and how far the tables had come."""
