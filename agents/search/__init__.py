"""Search: deals drawn exactly from what a seat knows, perfect-information solvers, and agents made of both."""
