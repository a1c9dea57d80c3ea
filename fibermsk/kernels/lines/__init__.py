"""Paths of line muscles over surfaces: taut, with first and second derivatives."""
