"""Recorded motions: coordinates, markers and orientations of sensors, and their treatment."""
