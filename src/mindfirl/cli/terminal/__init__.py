"""What commands share: tables, progress bars, inputs, passphrases."""
