"""Thousand (Тысяча) for two, three and four players. The rules are in RULES.md beside this file."""
