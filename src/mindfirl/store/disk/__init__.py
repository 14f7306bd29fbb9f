"""Files beside the vault: private files, locks, marks, a sign of life."""
