"""Ranking of titled prose, such as articles: what is named in the question, and what leads from one text to another."""
