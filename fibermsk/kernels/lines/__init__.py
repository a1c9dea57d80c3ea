"""Line muscles: geometry of their paths, and Hill forces."""
