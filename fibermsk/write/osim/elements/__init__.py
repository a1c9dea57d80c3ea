"""Forces and constraints of a model as those of OpenSim."""
