"""Fibers: nodes and elements, loads, attached ends, inertia, stress and bending."""
