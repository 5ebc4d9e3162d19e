"""Training, tournaments and benchmarks."""
