"""Work of contact points on bones; see `fibermsk.kernels.virtual_work.curves`.

Formulations as in `fibermsk.kernels.contact.contact` and `fibermsk.kernels.contact.variational`,
friction as in `fibermsk.kernels.friction.bones`. A contact point depends on these numbers:

===== =====================================================================================
0     logarithm of h
1, 2  reference radius, and logarithm of the square of the reference's derivative
3     radius of the bone
4, 5  start and end of a capsule, along its axis
6, 7  coefficient of friction, and speed
8 on  constants of the law
===== =====================================================================================
"""

from __future__ import annotations

import math

from fibermsk._compile import body, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.bones.bone_shape import CAPSULE, MESH, distance_slopes
from fibermsk.kernels.contact.bone_border import crossed
from fibermsk.kernels.virtual_work.curves import (
    STEP,
    add_radius,
    add_reference,
    curve,
    dot,
    law_beside,
    minus,
    own_section,
    reference_square,
    root,
    step,
)

_OF_LAW = 8
"""First number of the law."""


@body
def _beside(values, twist, link, x):
    """A vector of a fiber's point less that of the bone, which has a twist."""
    if link < 0:
        return values
    t = crossed(twist[link], x)
    return minus(values, (twist[link, 3] + t[0], twist[link, 4] + t[1], twist[link, 5] + t[2]))


@body
def _fill_way(x, b, shapes, way):
    """Fill way (2, 3) with the axis of a capsule where its start, or its end, is closest."""
    place, length, along = shapes.place, 0.0, 0.0
    way[:] = 0.0
    if shapes.kind[b, 0] != CAPSULE:
        return
    for c in range(3):
        axis = place[b, 1, c] - place[b, 0, c]
        length += axis * axis
        along += (x[c] - place[b, 0, c]) * axis
    if length == 0.0 or 0.0 < along < length:
        return
    end = 0 if along <= 0.0 else 1
    for c in range(3):
        way[end, c] = (place[b, 1, c] - place[b, 0, c]) / math.sqrt(length)


@body
def _work(
    k, e, xi, weight, b, link, d0, normal, bend, way, gap, law, potential, of, fibers, shapes,
    laws, steps, virtual,
):  # fmt: skip
    """Work of a contact point with number k changed.

    d0, normal, bend: distance with its first and second derivatives; way: see `_fill_way`.
    """
    mu, speed, own = of[law, 0] + step(6, k), of[law, 1] + step(7, k), step(0, k)
    x, a, wx, wa, J, r0, r_x = own_section(k, e, xi, fibers, virtual)
    radius = shapes.field[b, 0] + step(3, k)
    moved = (
        complex(0.0, x[0].imag) - step(4, k) * way[0, 0] - step(5, k) * way[1, 0],
        complex(0.0, x[1].imag) - step(4, k) * way[0, 1] - step(5, k) * way[1, 1],
        complex(0.0, x[2].imag) - step(4, k) * way[0, 2] - step(5, k) * way[1, 2],
    )
    n = (
        normal[0] + dot(bend[0], moved),
        normal[1] + dot(bend[1], moved),
        normal[2] + dot(bend[2], moved),
    )
    d, R = d0 + dot(normal, moved), r_x + radius
    if shapes.kind[b, 0] == MESH:
        d += step(3, k)
    beside = complex(0.0, (d / R).imag)
    F, psi = law_beside(gap, beside, k - _OF_LAW, potential, laws, law, steps)
    w = _beside(wx, virtual.work_twist, link, x)
    share = complex(1.0, 0.0)
    if potential:
        share, along = r0 + radius, dot(a, wa)
        by_gap = (dot(n, w) + 0.5 * d / R * r_x * along / (J * J)) / R
        total = weight * share * (psi * along / J - F * J * by_gap)
        share /= R
    else:
        total = -weight * F * J * dot(n, w)
    if mu == 0.0:
        return total
    size = root(dot(n, n))
    vx, _, _ = curve(virtual.velocity, e, xi, own)
    u = _beside(vx, virtual.twist, link, x)
    nu = dot(n, u) / (size * size)
    across = (u[0] - nu * n[0], u[1] - nu * n[1], u[2] - nu * n[2])
    limit = mu * weight * share * F * J * size
    return total + limit * dot(across, w) / root(dot(across, across) + speed * speed)


@body
def _add(value, k, e, xi, b, law, fibers, slopes):
    """Add the derivative of a contact point's work in number k."""
    if k == 0:
        slopes.shape[e, 0] += value / fibers.h[e]
    elif k == 1:
        add_radius(value, e, xi, slopes.shape)
    elif k == 2:
        square = reference_square(fibers.reference, fibers.shape_of[e], xi)
        add_reference(value, e, xi, square, slopes.shape)
    elif k == 3:
        slopes.radius[b] += value
    elif k <= 5:
        slopes.ends[b, k - 4] += value
    elif k < _OF_LAW:
        slopes.friction[law, k - 6] += value
    else:
        slopes.constants[law, k - _OF_LAW] += value


@kernel
def bone_work(fibers, runs, shapes, laws, points, links, potential, of, steps, virtual, slopes):
    """Add the derivatives of the work of all closed contact points.

    links (n_shapes,): that carry the shapes; others as in
    `fibermsk.kernels.virtual_work.fibers.fiber_work`.
    """
    x, normal, bend, way = scratch(3), scratch(3), scratch((3, 3)), scratch((2, 3))
    last = _OF_LAW + steps.weight.shape[0]
    for run in range(runs.element.size):
        e, b, law = runs.element[run], runs.shape[run], runs.law[run]
        for q in range(laws.n_points[law]):
            s, xi = runs.point_start[run] + q, laws.xi[law, q]
            d, R = points.state[s, 0], points.state[s, 1] + points.state[s, 2]
            if d >= R or points.state[s, 3] <= 0.0:
                continue
            x[:] = points.x[s]
            d = distance_slopes(x, b, shapes, normal, bend)
            _fill_way(x, b, shapes, way)
            gap = d / R - 1.0
            for k in range(last):
                if of[law, 0] == 0.0 and k == 7:
                    continue
                value = _work(
                    k, e, complex(xi, 0.0), laws.weight[law, q], b, links[b], d, normal, bend, way,
                    gap, law, potential, of, fibers, shapes, laws, steps, virtual,
                )  # fmt: skip
                _add(value.imag / STEP, k, e, xi, b, law, fibers, slopes)
