"""Training of the networks for the paths of muscles with mass; needs JAX, `fibermsk[train]`."""
