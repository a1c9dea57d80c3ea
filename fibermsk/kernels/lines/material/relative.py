"""Points with velocities and accelerations, seen from moving surfaces and from the ground.

V, A (6,): twist and spatial acceleration of a surface, angular part first. Vectors of triples are
arrays (3, 3), component first; see `fibermsk.kernels.lines.material.triples`.
"""

from __future__ import annotations

from fibermsk._compile import inner_body
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.material.carried import fill_rates
from fibermsk.kernels.lines.material.triples import plus, root, times
from fibermsk.kernels.skeleton.rigid import add_cross


@inner_body
def into_surface(R, p, V, A, jet, out):
    """Fill out (3, 3) with a point in the frame of a moving surface."""
    x, v, a = scratch(3), scratch(3), scratch(3)
    for r in range(3):
        x[r] = jet[r, 0]
    fill_rates(V, A, x, 1.0, v, a)
    for r in range(3):
        v[r] = jet[r, 1] - v[r]  # relative to the surface
        a[r] = jet[r, 2] - a[r]
    add_cross(-2.0, V[:3], v, a)
    for c in range(3):
        for k in range(3):
            out[c, k] = 0.0
        for r in range(3):
            out[c, 0] += R[r, c] * (x[r] - p[r])
            out[c, 1] += R[r, c] * v[r]
            out[c, 2] += R[r, c] * a[r]


@inner_body
def out_of_surface(R, p, V, A, local, out):
    """Fill out (3, 3) with a point given in the frame of a moving surface."""
    x, v, a, w, b = scratch(3), scratch(3), scratch(3), scratch(3), scratch(3)
    for r in range(3):
        x[r], v[r], a[r] = p[r], 0.0, 0.0
        for c in range(3):
            x[r] += R[r, c] * local[c, 0]
            v[r] += R[r, c] * local[c, 1]
            a[r] += R[r, c] * local[c, 2]
    fill_rates(V, A, x, 1.0, w, b)
    add_cross(2.0, V[:3], v, b)
    for r in range(3):
        out[r, 0], out[r, 1], out[r, 2] = x[r], v[r] + w[r], a[r] + b[r]


@inner_body
def triple(array, r):
    """Row of an array as a triple."""
    return (array[r, 0], array[r, 1], array[r, 2])


@inner_body
def store(array, r, jet):
    """Store a triple in a row of an array."""
    array[r, 0], array[r, 1], array[r, 2] = jet


@inner_body
def norm(x, y, z):
    """Length of a vector of triples."""
    return root(plus(plus(times(x, x), times(y, y)), times(z, z)))
