"""Implicit stages: Newton's method and its linear solves."""
