"""Window on the desktop."""
