"""Kernels of line muscles: geometry of paths, and Hill forces."""
