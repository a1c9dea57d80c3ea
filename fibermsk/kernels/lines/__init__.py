"""Paths of line muscles: straight sections, and sections around one surface in closed form."""
