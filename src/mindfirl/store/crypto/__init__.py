"""Keys, sealing, streams, signatures: each once."""
