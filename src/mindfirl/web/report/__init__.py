"""Report: what was disclosed, on pages and on paper."""
