"""The physics as compiled functions over arrays: one module per idea, no objects and no state."""
