"""Ranking of conversations: who said it, when, and what was said around it."""
