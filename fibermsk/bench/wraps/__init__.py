"""Length and moment arms of a muscle around a surface, here and in other simulators."""
