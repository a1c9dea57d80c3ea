"""Distance of a point to a bone, for every kind of shape.

A shape defines a distance ``d`` to a point in the ground frame, with gradient and Hessian, and a
reference radius ``R``: the gap of a fiber of radius r is g = d/(r + R) - 1. For a capsule and a
cylinder d is the distance to the axis and R the radius; for a mesh d = phi + R with the signed
distance phi (`fibermsk.kernels.bones.mesh_field`).

Shapes are four arrays, `fibermsk.kernels.contact_arrays.BoneShapes`: ``place`` (n_shapes, 4, 3) in
ground, both ends of an axis, or a mesh's rotation and position; ``field`` (n_shapes, 5) holds R
and, for meshes, origin and spacing of the grid; ``kind`` (n_shapes, 5) the kind, the grid's size
along each axis and where its coefficients begin among ``grids``.
"""

from __future__ import annotations

import math

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.bones.mesh_field import field_slopes, field_value

CAPSULE, INFINITE_CYLINDER, MESH = 0, 1, 2


@body
def _closest_on_axis(x, start, end, infinite, axis, m):
    """Fill m = y - x to the closest axis point, and the axis direction (zero for a sphere).

    Returns the distance, and whether the closest point moves along the axis with x.
    """
    length = 0.0
    for c in range(3):
        axis[c] = end[c] - start[c]
        length += axis[c] * axis[c]
    length = math.sqrt(length)
    along = 0.0
    for c in range(3):
        axis[c] = axis[c] / length if length > 0.0 else 0.0
        along += (x[c] - start[c]) * axis[c]
    free = infinite or (0.0 < along < length)
    if not free:
        along = min(max(along, 0.0), length)
    d = 0.0
    for c in range(3):
        m[c] = start[c] + along * axis[c] - x[c]
        d += m[c] * m[c]
    return math.sqrt(d), free


@kernel
def place_shapes(local, link, kind, rotation, position, place):
    """Fill place (n_shapes, 4, 3) from that in the frames of links (n_shapes,), -1 for the ground.

    rotation (n, 3, 3), position (n, 3): poses of the links.
    """
    for s in range(link.size):
        k = link[s]
        if k < 0:
            for i in range(4):
                for c in range(3):
                    place[s, i, c] = local[s, i, c]
            continue
        is_mesh = kind[s, 0] == MESH
        for i in range(4):
            for c in range(3):
                value = 0.0
                if is_mesh and i < 3:  # the rows of a rotation; all others are points
                    for j in range(3):
                        value += rotation[k, i, j] * local[s, j, c]
                elif is_mesh or i < 2:
                    for j in range(3):
                        value += local[s, i, j] * rotation[k, c, j]
                    value += position[k, c]
                place[s, i, c] = value


@body
def _into_frame(x, place, local):
    """Fill local (3,) with a point in the frame of a mesh."""
    for c in range(3):
        local[c] = 0.0
        for k in range(3):
            local[c] += (x[k] - place[3, k]) * place[k, c]


@body
def distance(x, b, shapes):
    """Distance d of a point (3,) to shape b."""
    place, field, kind = shapes.place, shapes.field, shapes.kind
    if kind[b, 0] != MESH:
        axis, m = scratch(3), scratch(3)
        infinite = kind[b, 0] == INFINITE_CYLINDER
        return _closest_on_axis(x, place[b, 0], place[b, 1], infinite, axis, m)[0]
    local = scratch(3)
    _into_frame(x, place[b], local)
    origin, size = field[b, 1:4], kind[b, 1:4]
    return field_value(local, origin, field[b, 4], size, kind[b, 4], shapes.grids) + field[b, 0]


@body
def distance_slopes(x, b, shapes, gradient, hessian):
    """Distance d of a point (3,) to shape b; fills its gradient (3,) and Hessian (3, 3)."""
    place, field, kind = shapes.place, shapes.field, shapes.kind
    m, axis = scratch(3), scratch(3)
    if kind[b, 0] != MESH:
        infinite = kind[b, 0] == INFINITE_CYLINDER
        d, free = _closest_on_axis(x, place[b, 0], place[b, 1], infinite, axis, m)
        for c in range(3):
            gradient[c] = -(m[c] / d)
        for r in range(3):
            for c in range(3):
                projector = -gradient[r] * gradient[c]
                if r == c:
                    projector += 1.0
                if free:
                    projector -= axis[r] * axis[c]
                hessian[r, c] = projector / d
        return d
    slopes, turned = scratch((3, 3)), scratch((3, 3))
    _into_frame(x, place[b], m)
    origin, size = field[b, 1:4], kind[b, 1:4]
    phi = field_slopes(m, origin, field[b, 4], size, kind[b, 4], shapes.grids, axis, slopes)
    for r in range(3):
        gradient[r] = 0.0
        for c in range(3):
            gradient[r] += place[b, r, c] * axis[c]
            turned[r, c] = 0.0
            for k in range(3):
                turned[r, c] += place[b, r, k] * slopes[k, c]
    for r in range(3):
        for c in range(3):
            hessian[r, c] = 0.0
            for k in range(3):
                hessian[r, c] += turned[r, k] * place[b, c, k]
    return phi + field[b, 0]


@kernel
def fill_slopes(points, shapes, d, gradient):
    """Fill distances (n,) to the first shape, and their gradients (n, 3), at points (n, 3)."""
    hessian = scratch((3, 3))
    for i in range(points.shape[0]):
        d[i] = distance_slopes(points[i], 0, shapes, gradient[i], hessian)
