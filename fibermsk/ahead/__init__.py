"""Compilation of what a run needs before it begins, by several processes.

Kernels are compiled when they are first called, one after the other. Lists of this folder have the
functions that runs of common models compile, so that several processes can take them in turn.
"""
