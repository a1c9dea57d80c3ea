"""Reports of states and runs: histories, stills, energy, inverse dynamics, identity, flaws."""
