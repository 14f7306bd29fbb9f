"""The process that does long work; a worker is a person here."""
