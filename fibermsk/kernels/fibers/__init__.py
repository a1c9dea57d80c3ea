"""Cable elements: inertia, stress, bending, and ends that are attached to bodies."""
