"""Charts as SVG, drawn here: no browser, no script, nothing from elsewhere."""
