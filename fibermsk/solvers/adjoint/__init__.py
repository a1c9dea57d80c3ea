"""Derivatives of discrete runs: one sweep back for all parameters, or ahead for one direction."""
