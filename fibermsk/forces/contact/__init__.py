"""Contact of bodies with each other and with the ground."""
