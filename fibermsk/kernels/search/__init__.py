"""Candidate pairs, collision detection, and the safeguard of updates."""
