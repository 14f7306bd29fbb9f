"""The manual inside the application: its pages, and a search over them."""
