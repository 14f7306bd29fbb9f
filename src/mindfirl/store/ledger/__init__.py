"""The ledgers: the only writer, signed heads, files."""
