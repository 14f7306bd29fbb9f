"""Whether a text repeats a value."""
