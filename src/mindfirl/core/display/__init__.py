"""What a cell shows: how two values differ, and the marks of each level."""
