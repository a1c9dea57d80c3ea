"""Scene files, and runs of them: progress, interruption, checkpoints and saving."""
