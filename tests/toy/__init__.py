"""Dozen, a toy game on the public extension points only: it proves what CONTRIBUTING.md says of new games."""
