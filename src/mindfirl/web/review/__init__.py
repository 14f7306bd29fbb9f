"""Review: the pairs of an assignment, and the practice."""
