"""Inertia and weight of bodies, and the passive forces of their joints."""
