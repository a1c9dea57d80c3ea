"""Distance to triangles, and winding number, at many points, with a bounding volume tree.

``corners`` (n, 3, 3): triangles in the order of the tree; ``boxes`` (n_nodes, 6): low and high
corners of the nodes; ``spans`` (n_nodes, 3): first and last triangle and second child (the first is
the next node; 0 for a leaf); ``dipoles`` (n_nodes, 7): center, sum of area times normal, and radius
of the bounding ball.

[1] Barill, Dickson, Schmidt, Levin and Jacobson, ACM Trans. Graph. 37 (2018), 43: far triangles as
a dipole. [2] van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983), 125-126: solid angles.
[3] Ericson, Real-Time Collision Detection, 2005, section 5.1.5: closest point of a triangle.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from fibermsk._compile import kernel, parallel

_LEAF = 4

# Nodes beyond this many radii use the dipole: error of the winding number about 1e-3.
_FAR = 2.5

_DEPTH = 64


@kernel
def _order_triangles(corners, order, boxes, spans):
    """Fill the order of triangles and the tree; return the number of its nodes."""
    n = corners.shape[0]
    center = np.empty((n, 3))
    for f in range(n):
        for c in range(3):
            center[f, c] = (corners[f, 0, c] + corners[f, 1, c] + corners[f, 2, c]) / 3.0
        order[f] = f
    first, last = np.empty(_DEPTH, np.int64), np.empty(_DEPTH, np.int64)
    parent = np.empty(_DEPTH, np.int64)
    first[0], last[0], parent[0] = 0, n, -1
    depth, count = 1, 0
    while depth > 0:
        depth -= 1
        a, b, above = first[depth], last[depth], parent[depth]
        node = count
        count += 1
        if above >= 0:
            spans[above, 2] = node
        for c in range(3):
            boxes[node, c], boxes[node, 3 + c] = math.inf, -math.inf
        for i in range(a, b):
            for k in range(3):
                for c in range(3):
                    boxes[node, c] = min(boxes[node, c], corners[order[i], k, c])
                    boxes[node, 3 + c] = max(boxes[node, 3 + c], corners[order[i], k, c])
        spans[node, 0], spans[node, 1], spans[node, 2] = a, b, 0
        if b - a <= _LEAF:
            continue
        axis = 0
        for c in range(1, 3):
            if boxes[node, 3 + c] - boxes[node, c] > boxes[node, 3 + axis] - boxes[node, axis]:
                axis = c
        own = order[a:b].copy()
        own = own[np.argsort(center[own, axis], kind="mergesort")]
        order[a:b] = own
        middle = (a + b) // 2
        # the second child follows all nodes of the first
        first[depth], last[depth], parent[depth] = middle, b, node
        first[depth + 1], last[depth + 1], parent[depth + 1] = a, middle, -1
        depth += 2
    return count


@kernel
def _fill_dipoles(corners, spans, n_nodes, dipoles):
    for node in range(n_nodes):
        area, center, vector = 0.0, np.zeros(3), np.zeros(3)
        for f in range(spans[node, 0], spans[node, 1]):
            a, b, c = corners[f, 0], corners[f, 1], corners[f, 2]
            normal = 0.5 * np.cross(b - a, c - a)
            size = math.sqrt(normal @ normal)
            area += size
            vector += normal
            center += size / 3.0 * (a + b + c)
        center /= area
        radius = 0.0
        for f in range(spans[node, 0], spans[node, 1]):
            for k in range(3):
                apart = corners[f, k] - center
                radius = max(radius, apart @ apart)
        dipoles[node, :3], dipoles[node, 3:6] = center, vector
        dipoles[node, 6] = math.sqrt(radius)


def build_tree(corners):
    """Build a tree of triangles (n, 3, 3); return order, corners, boxes, spans, dipoles."""
    n = corners.shape[0]
    order = np.empty(n, np.int64)
    boxes, spans = np.empty((2 * n, 6)), np.empty((2 * n, 3), np.int64)
    n_nodes = _order_triangles(corners, order, boxes, spans)
    corners = np.ascontiguousarray(corners[order])
    dipoles = np.empty((n_nodes, 7))
    _fill_dipoles(corners, spans, n_nodes, dipoles)
    return order, (corners, boxes[:n_nodes].copy(), spans[:n_nodes].copy(), dipoles)


@kernel
def _on_triangle(corners, x, y, z):
    """Closest point of a triangle (3, 3), as a tuple; after [3]."""
    a0, a1, a2 = corners[0, 0], corners[0, 1], corners[0, 2]
    u0, u1, u2 = corners[1, 0] - a0, corners[1, 1] - a1, corners[1, 2] - a2
    v0, v1, v2 = corners[2, 0] - a0, corners[2, 1] - a1, corners[2, 2] - a2
    p0, p1, p2 = x - a0, y - a1, z - a2
    d1, d2 = u0 * p0 + u1 * p1 + u2 * p2, v0 * p0 + v1 * p1 + v2 * p2
    uu, uv = u0 * u0 + u1 * u1 + u2 * u2, u0 * v0 + u1 * v1 + u2 * v2
    vv = v0 * v0 + v1 * v1 + v2 * v2
    d3, d4, d5, d6 = d1 - uu, d2 - uv, d1 - uv, d2 - vv
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        s, t = 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        s, t = 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        s, t = 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s, t = d1 / (d1 - d3), 0.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s, t = 0.0, d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        s = 1.0 - t
    else:
        below = va + vb + vc
        s, t = vb / below, vc / below
    return a0 + s * u0 + t * v0, a1 + s * u1 + t * v1, a2 + s * u2 + t * v2


@kernel
def _box_distance(box, x, y, z):
    """Squared distance to a box (6,)."""
    dx = max(box[0] - x, 0.0, x - box[3])
    dy = max(box[1] - y, 0.0, y - box[4])
    dz = max(box[2] - z, 0.0, z - box[5])
    return dx * dx + dy * dy + dz * dz


@kernel
def _closest(corners, boxes, spans, x, y, z, best, stack):
    """Squared distance to the triangles if below `best`, triangle, and closest point."""
    at, nearest = (math.nan, math.nan, math.nan), -1
    stack[0], depth = 0, 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if _box_distance(boxes[node], x, y, z) >= best:
            continue
        second = spans[node, 2]
        if second == 0:
            for f in range(spans[node, 0], spans[node, 1]):
                p = _on_triangle(corners[f], x, y, z)
                apart = (p[0] - x) ** 2 + (p[1] - y) ** 2 + (p[2] - z) ** 2
                if apart < best:
                    best, at, nearest = apart, p, f
            continue
        near, far = node + 1, second
        if _box_distance(boxes[near], x, y, z) > _box_distance(boxes[far], x, y, z):
            near, far = far, near
        stack[depth], stack[depth + 1] = far, near
        depth += 2
    return best, nearest, at


@kernel
def _solid_angle(corners, x, y, z):
    """Solid angle of a triangle (3, 3) over 4 pi; after [2]."""
    a0, a1, a2 = corners[0, 0] - x, corners[0, 1] - y, corners[0, 2] - z
    b0, b1, b2 = corners[1, 0] - x, corners[1, 1] - y, corners[1, 2] - z
    c0, c1, c2 = corners[2, 0] - x, corners[2, 1] - y, corners[2, 2] - z
    la = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    lb = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
    lc = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
    volume = a0 * (b1 * c2 - b2 * c1) + a1 * (b2 * c0 - b0 * c2) + a2 * (b0 * c1 - b1 * c0)
    below = (
        la * lb * lc
        + (a0 * b0 + a1 * b1 + a2 * b2) * lc
        + (b0 * c0 + b1 * c1 + b2 * c2) * la
        + (c0 * a0 + c1 * a1 + c2 * a2) * lb
    )
    return math.atan2(volume, below) / (2.0 * math.pi)


@kernel
def _winding(corners, spans, dipoles, x, y, z, skip, stack):
    """Winding number around a point, without the triangle `skip`; after [1]."""
    total = 0.0
    stack[0], depth = 0, 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        dx, dy, dz = dipoles[node, 0] - x, dipoles[node, 1] - y, dipoles[node, 2] - z
        apart = dx * dx + dy * dy + dz * dz
        far = _FAR * dipoles[node, 6]
        if apart > far * far:
            flux = dipoles[node, 3] * dx + dipoles[node, 4] * dy + dipoles[node, 5] * dz
            total += flux / (4.0 * math.pi * apart * math.sqrt(apart))
            continue
        second = spans[node, 2]
        if second != 0:
            stack[depth], stack[depth + 1] = second, node + 1
            depth += 2
            continue
        for f in range(spans[node, 0], spans[node, 1]):
            if f != skip:
                total += _solid_angle(corners[f], x, y, z)
    return total


@parallel("rows", least=256)
def fill_distances(corners, boxes, spans, spacing, origin, size, rows, out):
    """Reduce the values of a grid to the distance to triangles, where that is less.

    out (nx * ny, nz): the grid's nodes, from origin; rows: rows to fill, in this order.
    """
    for i in prange(rows.size):
        row = rows[i]
        stack = np.empty(_DEPTH, np.int64)
        x, y = origin[0] + spacing * (row // size[1]), origin[1] + spacing * (row % size[1])
        nearest = 0
        for k in range(size[2]):
            z = origin[2] + spacing * k
            # the closest triangle of the previous node gives a tight bound
            p = _on_triangle(corners[nearest], x, y, z)
            bound = min((p[0] - x) ** 2 + (p[1] - y) ** 2 + (p[2] - z) ** 2, out[row, k] ** 2)
            found, closer, _ = _closest(corners, boxes, spans, x, y, z, bound, stack)
            nearest = closer if closer >= 0 else nearest
            out[row, k] = math.sqrt(found)


@parallel("rows", least=256)
def fill_windings(corners, spans, dipoles, closed, spacing, origin, size, rows, apart, out):
    """Fill a grid, as in `fill_distances`, with winding numbers.

    apart (nx * ny, nz): distances to the triangles. In the ball of this radius around a node the
    winding number of a closed mesh is constant, and that of an open one is harmonic: near 0 or 1
    it stays on its side of one half in part of the ball (Harnack's inequality).
    """
    for i in prange(rows.size):
        row = rows[i]
        stack = np.empty(_DEPTH, np.int64)
        x, y = origin[0] + spacing * (row // size[1]), origin[1] + spacing * (row % size[1])
        holds, found = -1.0, 0.0
        for k in range(size[2]):
            if k > holds:
                z = origin[2] + spacing * k
                found = _winding(corners, spans, dipoles, x, y, z, -1, stack)
                part = 0.99 if closed else 0.3 if abs(abs(found - 0.5) - 0.5) < 0.1 else 0.0
                holds = k + part * apart[row, k] / spacing
            out[row, k] = found


@parallel("points", least=1024)
def fill_closest(corners, boxes, spans, points, out):
    """Fill out (n, 3) with the closest point of the triangles to each point (n, 3)."""
    for i in prange(points.shape[0]):
        stack = np.empty(_DEPTH, np.int64)
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        _, _, found = _closest(corners, boxes, spans, x, y, z, math.inf, stack)
        out[i, 0], out[i, 1], out[i, 2] = found


@parallel("points", least=1024)
def fill_closest_triangles(corners, boxes, spans, points, triangles, out):
    """Fill out (n, 3) as `fill_closest`, and triangles (n,) with the triangle that has it."""
    for i in prange(points.shape[0]):
        stack = np.empty(_DEPTH, np.int64)
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        _, triangles[i], found = _closest(corners, boxes, spans, x, y, z, math.inf, stack)
        out[i, 0], out[i, 1], out[i, 2] = found


@kernel
def fill_winding_beside(corners, spans, dipoles, out):
    """Fill out (n,) with the least winding number of the other triangles on each triangle."""
    stack, point = np.empty(_DEPTH, np.int64), np.empty(3)
    for f in range(corners.shape[0]):
        least = math.inf
        for k in range(4):
            for c in range(3):
                middle = (corners[f, 0, c] + corners[f, 1, c] + corners[f, 2, c]) / 3.0
                point[c] = middle if k == 3 else 0.1 * middle + 0.9 * corners[f, k, c]
            found = _winding(corners, spans, dipoles, point[0], point[1], point[2], f, stack)
            least = min(least, found)
        out[f] = least
