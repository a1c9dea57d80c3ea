"""Forces, muscles and their paths in an OpenSim model."""
