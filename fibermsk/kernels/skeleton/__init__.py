"""Joint axes, rigid bodies and the points fixed to them."""
