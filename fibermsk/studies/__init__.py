"""Studies: one scene at many values of its parameters."""
