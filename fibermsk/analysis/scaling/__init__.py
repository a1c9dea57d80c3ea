"""Models of other sizes, from measured distances."""
