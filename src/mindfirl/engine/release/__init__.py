"""The linked de-identified file, and the check that reads it back before it leaves."""
