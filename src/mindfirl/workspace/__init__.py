"""An opened version of a project: what services share, opened and counted once."""
