"""Forward run of arm26 with its line muscles, here and in OpenSim."""
