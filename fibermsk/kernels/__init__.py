"""The physics as compiled functions over arrays: without objects and state."""
