"""Measuring: wall times, memory, machine, processes of their own."""
