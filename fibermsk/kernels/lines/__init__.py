"""Kernels of line muscles: geometry of paths, Hill forces."""
