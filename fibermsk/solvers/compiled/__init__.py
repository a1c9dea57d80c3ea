"""Methods whose whole run is one compiled loop."""
