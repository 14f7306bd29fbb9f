"""What people fill in, one module per stage: each field with a sentence for what is wrong."""
