"""Scored pairs from elsewhere: from Splink, from dedupe, or a plain list of two ids."""

from mindfirl.engine.pairs.scored_files.reader import External, read_external

__all__ = ["External", "read_external"]
