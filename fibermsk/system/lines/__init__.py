"""Line muscles in a system: their paths."""
