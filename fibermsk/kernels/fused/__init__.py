"""Many kernels in one call from Python, for models that take less time in them than between."""
