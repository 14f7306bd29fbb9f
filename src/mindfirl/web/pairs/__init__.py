"""Pairs: found or uploaded, and the thresholds that cut them."""
