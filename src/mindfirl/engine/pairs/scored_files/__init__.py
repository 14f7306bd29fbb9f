"""Scored pairs from elsewhere: from Splink, from dedupe, or a plain list of two ids.

``layout``
    which columns hold what, told by their names.
``scores``
    weights and probabilities as they are written, to weights.
``reading``
    a file to candidates, or an error that names the rows.
"""

from mindfirl.engine.pairs.scored_files.reader import External, read_external

__all__ = ["External", "read_external"]
