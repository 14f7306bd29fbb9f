"""Projects: the list, one project, its end."""
