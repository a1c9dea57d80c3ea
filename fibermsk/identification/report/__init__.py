"""Reports of an identification."""
