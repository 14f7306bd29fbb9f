"""Review: plans, decisions, votes resolved, quality, agreement."""
