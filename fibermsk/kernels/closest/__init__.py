"""Closest points and least gaps between centerlines."""
