"""Search for Schieber: what a seat knows, and the solver."""
