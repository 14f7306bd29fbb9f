"""What screens, reports and services read, one file per stage."""
