"""Bundles for the muscles of a model, placed with knowledge of each other and guided."""
