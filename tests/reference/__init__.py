"""Slow, plain NumPy twin of the fiber model, written from the paper, not from the kernels.

Equation numbers "G n" refer to Gfrerer and Simeon, "Fiber-based modeling and simulation of skeletal
muscles", Multibody System Dynamics 52 (2021). Every function accepts complex nodal values, so that
derivatives can be taken by the complex step (exact to rounding). Nodal values of a cable are an
(n+1, 6) array: position and tangent dx/dtheta of each node.
"""
