"""Other simulators on the same problems, used as their documentation describes.

Modules import their simulator in functions, which run in a separate process.
"""
