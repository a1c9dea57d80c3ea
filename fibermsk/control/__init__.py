"""Optimal control by discrete mechanics, with CasADi (extra `control`)."""
