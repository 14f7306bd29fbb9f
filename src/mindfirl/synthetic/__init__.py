"""Made-up people with known truth. Everything comes from one seed; nobody is real."""
