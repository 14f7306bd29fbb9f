"""Commands of the release stage."""
