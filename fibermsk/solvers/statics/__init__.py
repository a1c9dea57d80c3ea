"""Static equilibrium, linearization and stability."""
