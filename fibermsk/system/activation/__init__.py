"""Activation as a state: rows of the states, and the recorded past of reflexes."""
