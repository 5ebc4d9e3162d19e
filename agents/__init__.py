"""Agents: the protocol, and policies named by strings."""
