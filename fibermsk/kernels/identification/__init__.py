"""Muscles along measured motions: activation from EMG, curves as tables, forces of fibers."""
