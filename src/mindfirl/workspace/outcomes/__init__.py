"""What becomes of pairs: how they stand, what a linkage of them is, and the errors to expect."""
