"""Pairs of records by position: candidates, lists, scored files, truth."""
