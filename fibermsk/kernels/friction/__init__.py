"""Compiled kernels of friction, used only by models with friction."""
