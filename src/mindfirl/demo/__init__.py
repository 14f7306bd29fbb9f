"""Demonstrations: projects about synthetic people, reviewed by simulated reviewers."""
