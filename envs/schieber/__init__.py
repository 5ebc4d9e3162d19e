"""Schieber (Swiss Jass, 2 × 2). The rules are in RULES.md beside this file."""
