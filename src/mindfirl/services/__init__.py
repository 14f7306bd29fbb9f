"""One package or module per stage. Stages never import each other: they meet in the workspace."""
