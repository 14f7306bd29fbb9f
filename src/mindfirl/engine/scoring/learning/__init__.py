"""What pairs have in common, counted and learnt: from patterns of levels to a model of classes."""
