"""Privacy risk: KAPR, banded prices, attackers, percentages."""
