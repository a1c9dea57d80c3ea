"""External loads: files of forces over time, such as ground reactions."""
