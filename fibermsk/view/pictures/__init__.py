"""Pictures and movies, drawn off the screen."""
