"""Material that rides on a path: points at fractions of the length, and the inertia of its mass."""
