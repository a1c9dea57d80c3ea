"""Other simulators at work that ours does too, each run from its own documentation.

Each module imports its simulator inside its functions and is called in a process of its own.
"""
