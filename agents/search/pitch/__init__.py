"""Search for Pitch: what a seat knows, the exact solver, and what actions are worth in sampled deals."""
