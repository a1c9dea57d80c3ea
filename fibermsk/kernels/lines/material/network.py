"""A path around a surface by a neural network, and its length, as jets.

wang2022 §3.3: origin o, insertion i and the fraction alpha of the length give the point. Here with
the symmetries of the surface built in: lengths are over its radius r, the frame has the middle
azimuth between the ends along x, and the networks N of tanh layers give what is added to the
straight line,

    x = (1 - alpha) o + alpha i + D alpha (1 - alpha) N,    Lambda = straight length + D N_L,

so that the path ends at its ends; Lambda is the length in the plane across a cylinder, or that in
space. D = (delta^2 / (delta^2 + 1/4))^2 of the angle delta between the ends about the axis makes
both smooth where the side changes. Mirror images have mirrored paths. Inputs are also what the
closed forms are made of: with the free lengths a and b from the cylinder, the angles A and B
between ends and tangent points, and the angle phi = |delta| - A - B of the arc, a point lies at
alpha (a + phi + b) - a from the arc.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._compile import inner, kernel
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.cylinder import winding
from fibermsk.kernels.lines.material.jets import (
    angle,
    constant,
    cosine_and_sine,
    hyperbolic_tangent,
    minus,
    over,
    plus,
    root,
    scaled,
    times,
)
from fibermsk.kernels.lines.material.vectors import get, product, put
from fibermsk.kernels.lines.path_arrays import CYLINDER

WIDEST = 96
"""Largest number of inputs or of units of a layer."""

PHI, ANGLE_A, ANGLE_B, RHO_O, RHO_I, EXCESS = 0, 1, 2, 3, 4, 5
Z_O, Z_I, OVER, FREE_O, FREE_I, Z_P, Z_Q = 6, 7, 8, 9, 10, 11, 12
"""Inputs for the length: those above, distances of the ends from the axis, and how much longer than
the straight line a path around an endless cylinder is. Those from Z_O on only of a capped cylinder:
heights of the ends, how far the cosine of the angle between them, seen from the center, exceeds
that of a path that touches the sphere, free lengths from the sphere, and heights of the tangent
points on the cylinder."""
FREE_A, FREE_B, PLANAR, DAMPING, STRAIGHT, COSINE, SINE = 13, 14, 15, 16, 17, 18, 19
"""Further rows: a, b, a + phi + b, D, the straight length, and the middle azimuth."""
ROWS = 20
INPUTS = ((6, 9), (13, 18))
"""Inputs of the networks of length and position, over a cylinder and over a capped one."""


class Network(NamedTuple):
    """Networks of one surface.

    Attributes
    ----------
    kind : int
        `CYLINDER` or `CAPPED` of `fibermsk.kernels.lines.path_arrays`.
    length_sizes, position_sizes : (n_layers + 1,) int array
        Inputs, units of each layer, and outputs.
    length, position : (n,) float array
        Of each layer its matrix (outputs, inputs), row by row, and its offsets.
    """

    kind: int
    length_sizes: Index
    length: Array
    position_sizes: Index
    position: Array


@inner
def run_network(sizes, values, inputs, outputs):
    """Fill outputs (n, 6), jets, from inputs (m, 6)."""
    units, at = scratch((2, WIDEST, 6)), 0
    for k in range(sizes[0]):
        for d in range(6):
            units[0, k, d] = inputs[k, d]
    for layer in range(sizes.size - 1):
        n, m, last = sizes[layer], sizes[layer + 1], layer == sizes.size - 2
        before, after = units[layer % 2], units[(layer + 1) % 2]
        for k in range(m):
            own = outputs[k] if last else after[k]
            for d in range(6):
                own[d] = 0.0
            for j in range(n):
                c = values[at + k * n + j]
                for d in range(6):
                    own[d] += c * before[j, d]
            own[0] += values[at + m * n + k]
            if not last:
                put(after, k, hyperbolic_tangent(get(after, k)))
        at += m * (n + 1)


@inner
def _free(square):
    """Free length from a surface of radius 1 at the square of a distance, as a jet."""
    return root(minus(square, constant(1.0)))


@inner
def fill_known(kind, reference, o, i, known):
    """Fill known (ROWS, 6) from ends o and i (3, 6) in the frame of the surface, over its radius.

    The angle between the ends is that nearest to the reference. Returns its sign.
    """
    flat_o = plus(times(get(o, 0), get(o, 0)), times(get(o, 1), get(o, 1)))
    flat_i = plus(times(get(i, 0), get(i, 0)), times(get(i, 1), get(i, 1)))
    rho_o, rho_i, one = root(flat_o), root(flat_i), constant(1.0)
    a, b = _free(flat_o), _free(flat_i)
    A, B = angle(a, one), angle(b, one)
    across = minus(times(get(o, 0), get(i, 1)), times(get(o, 1), get(i, 0)))
    along = plus(times(get(o, 0), get(i, 0)), times(get(o, 1), get(i, 1)))
    turn = angle(across, along)
    delta = ((winding(o[:, 0], i[:, 0], reference), turn[0][1], turn[0][2]), turn[1])
    side = 1.0 if delta[0][0] >= 0.0 else -1.0
    phi = minus(minus(scaled(side, delta), A), B)
    square = times(delta, delta)
    damping = over(square, plus(square, constant(0.25)))
    c, s = cosine_and_sine(scaled(0.5, delta))
    x, y = over(get(o, 0), rho_o), over(get(o, 1), rho_o)
    planar = plus(plus(a, b), phi)
    put(known, PHI, phi)
    put(known, ANGLE_A, A)
    put(known, ANGLE_B, B)
    put(known, RHO_O, rho_o)
    put(known, RHO_I, rho_i)
    put(known, FREE_A, a)
    put(known, FREE_B, b)
    put(known, PLANAR, planar)
    put(known, DAMPING, times(damping, damping))
    put(known, COSINE, minus(times(c, x), times(s, y)))
    put(known, SINE, plus(times(c, y), times(s, x)))
    straight = minus(plus(flat_o, flat_i), scaled(2.0, along))
    rise, around = minus(get(i, 2), get(o, 2)), times(planar, planar)
    if kind != CYLINDER:
        around = plus(around, times(rise, rise))
        straight = plus(straight, times(rise, rise))
        square_o, square_i = product(o, o), product(i, i)
        first, last = _free(square_o), _free(square_i)
        # (cos AOI - cos(A + B)) d_o d_i, with cos A = 1 / d_o and sin A = a / d_o
        over_it = minus(product(o, i), minus(one, times(first, last)))
        put(known, OVER, over(over_it, root(times(square_o, square_i))))
        put(known, Z_O, get(o, 2))
        put(known, Z_I, get(i, 2))
        put(known, FREE_O, first)
        put(known, FREE_I, last)
        put(known, Z_P, plus(get(o, 2), times(rise, over(a, planar))))
        put(known, Z_Q, minus(get(i, 2), times(rise, over(b, planar))))
    put(known, STRAIGHT, root(straight))
    put(known, EXCESS, minus(root(around), root(straight)))
    return side


@inner
def _fill_runs(alpha, total, first, last, row, inputs):
    """Fill two inputs: how far a point is from the first tangent point and from the last one."""
    at, one = scaled(alpha, total), constant(1.0)
    put(inputs, row, angle(minus(at, first), one))
    put(inputs, row + 1, angle(minus(at, minus(total, last)), one))


@inner
def fill_inputs(kind, known, alpha, inputs):
    """Fill the inputs for a position at the fraction alpha."""
    n = INPUTS[0][0] if kind == CYLINDER else INPUTS[1][0]
    for k in range(n):
        put(inputs, k, get(known, k))
    put(inputs, n, constant(alpha))
    _fill_runs(alpha, get(known, PLANAR), get(known, FREE_A), get(known, FREE_B), n + 1, inputs)
    if kind != CYLINDER:
        first, last = get(known, FREE_O), get(known, FREE_I)
        _fill_runs(alpha, get(known, STRAIGHT), first, last, n + 3, inputs)


@inner
def network_length(network, o, i, known):
    """Length, a jet, over the radius."""
    out = scratch((1, 6))
    run_network(network.length_sizes, network.length, known, out)
    length = plus(get(known, STRAIGHT), times(get(known, DAMPING), get(out, 0)))
    if network.kind != CYLINDER:
        return length
    rise = minus(get(i, 2), get(o, 2))
    return root(plus(times(length, length), times(rise, rise)))


@inner
def network_point(network, alpha, side, o, i, known, out):
    """Fill out (3, 6) with the point at the fraction alpha, over the radius."""
    inputs, n = scratch((WIDEST, 6)), scratch((3, 6))
    fill_inputs(network.kind, known, alpha, inputs)
    put(n, 2, constant(0.0))
    run_network(network.position_sizes, network.position, inputs, n)
    most = scaled(alpha * (1.0 - alpha), get(known, DAMPING))
    x, y = times(most, get(n, 0)), scaled(side, times(most, get(n, 1)))
    c, s = get(known, COSINE), get(known, SINE)
    put(n, 0, minus(times(c, x), times(s, y)))
    put(n, 1, plus(times(s, x), times(c, y)))
    put(n, 2, times(most, get(n, 2)))
    for r in range(3):
        straight = plus(scaled(1.0 - alpha, get(o, r)), scaled(alpha, get(i, r)))
        put(out, r, plus(straight, get(n, r)))


@kernel
def fill_samples(kind, o, i, alpha, length_inputs, position_inputs, scales):
    """Fill the inputs (n, ..) of n paths at fractions alpha (n,), for training.

    scales (n, 2): the straight length and D.
    """
    known, inputs, ends = np.zeros((ROWS, 6)), np.zeros((WIDEST, 6)), np.zeros((2, 3, 6))
    for k in range(alpha.size):
        for r in range(3):
            ends[0, r, 0], ends[1, r, 0] = o[k, r], i[k, r]
        reference = math.pi if kind == CYLINDER else 0.0
        fill_known(kind, reference, ends[0], ends[1], known)
        fill_inputs(kind, known, alpha[k], inputs)
        for j in range(length_inputs.shape[1]):
            length_inputs[k, j] = known[j, 0]
        for j in range(position_inputs.shape[1]):
            position_inputs[k, j] = inputs[j, 0]
        scales[k, 0], scales[k, 1] = known[STRAIGHT, 0], known[DAMPING, 0]


@kernel
def evaluate(network, reference, o, i, alpha, x, length):
    """Fill x (3, 6) and length (1, 6), jets, of one path from its ends o and i (3, 6).

    In the frame of the surface, over its radius; see `fill_known`.
    """
    known = np.zeros((ROWS, 6))
    side = fill_known(network.kind, reference, o, i, known)
    network_point(network, alpha, side, o, i, known, x)
    put(length, 0, network_length(network, o, i, known))


@kernel
def evaluate_paths(network, reference, o, i, alpha, x, length, turned):
    """Fill points x (n, 3) at fractions alpha (n,) of n paths, and lengths (n,), as `evaluate`.

    turned (n,): derivative of the length in the rotation of the insertion i about the axis.
    """
    ends, out = np.zeros((2, 3, 6)), np.zeros((4, 6))
    for k in range(alpha.size):
        for r in range(3):
            ends[0, r, 0], ends[1, r, 0] = o[k, r], i[k, r]
        ends[1, 0, 1], ends[1, 1, 1] = -i[k, 1], i[k, 0]
        evaluate(network, reference, ends[0], ends[1], alpha[k], out[:3], out[3:])
        length[k], turned[k] = out[3, 0], out[3, 1]
        for r in range(3):
            x[k, r] = out[r, 0]
