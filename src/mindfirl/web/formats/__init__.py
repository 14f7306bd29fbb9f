"""How days and times are written, by language: the same way everywhere."""
