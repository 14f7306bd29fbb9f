"""The machine reviewer."""
