"""The population: a bitmap index over all records X, and how many of them fit what a row shows."""
