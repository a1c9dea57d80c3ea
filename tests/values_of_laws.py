"""Values that laws of `own_laws` take from another module."""

FACTOR = 3.0
