"""Searches for numbers that explain data, and how sure they are."""
