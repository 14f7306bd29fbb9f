"""SQL written by hand for what every opening takes."""
