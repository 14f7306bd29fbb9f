"""HTTP: who is let in, sessions, headers, logs, the server."""
