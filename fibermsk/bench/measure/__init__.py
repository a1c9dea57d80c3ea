"""Measurement of wall times and memory, in separate processes."""
