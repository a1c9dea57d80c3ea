"""Motions from measured markers and sensors."""
