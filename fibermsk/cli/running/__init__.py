"""Loading and running of scene files: progress, interruption, checkpoints, saving."""
