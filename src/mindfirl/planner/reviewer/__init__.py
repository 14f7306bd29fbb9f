"""The learned reviewer: what a drawn pair tells, and a model that decides by it."""
