"""Plan: who reviews, within which budgets, and what these buy."""
