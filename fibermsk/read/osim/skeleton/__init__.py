"""Bodies, joints, coordinates and constraints of an OpenSim model."""
