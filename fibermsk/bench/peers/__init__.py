"""Other simulators on the same problems, each used as its documentation describes.

Each module imports its simulator inside its functions and is called in a process of its own.
"""
