"""Plans: who reviews how much, what that would cost, and what it would bring."""
