"""Commands that need no installation: scores on files, synthetic people, the demonstration."""
