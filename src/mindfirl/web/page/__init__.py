"""What pages of all stages share: figures, steps, fields, long work, the layout."""
