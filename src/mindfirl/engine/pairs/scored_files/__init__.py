"""Scored pairs from elsewhere: from Splink, from dedupe, or a plain list of two ids."""
