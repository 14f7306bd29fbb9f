"""Merging: records become persons by the mean weight between groups, not by chains of links."""
