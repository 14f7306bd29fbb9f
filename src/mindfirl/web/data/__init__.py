"""Data: what a project is for, and its databases."""
