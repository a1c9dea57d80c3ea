"""Step size control."""
