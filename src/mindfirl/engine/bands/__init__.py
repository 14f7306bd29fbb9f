"""Two thresholds cut candidate pairs into three bands: linked, for people, not linked."""
