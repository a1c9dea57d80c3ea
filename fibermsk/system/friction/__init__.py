"""Friction of contacts."""
