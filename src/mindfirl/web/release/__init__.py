"""Release: linked data checked and downloaded."""
