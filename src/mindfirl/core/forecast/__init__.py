"""What a budget buys: how well pairs can be decided, against what deciding them discloses."""
