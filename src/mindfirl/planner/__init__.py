"""The machine reviewer: how likely a pair is the same person, given what its cells show."""
