"""Review: openings, decisions, comments, and the practice before them."""
