"""Equations of fibers in contact with each other and with bones on a tree of joints.

The same kernels in the same order as in `fibermsk.system.assembly`, where the meaning of the arrays
is described.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fibermsk._compile import kernel
from fibermsk._prepared import argument, call, exchanged, unpacked
from fibermsk.kernels.contact_arrays import BoneAxes, BoneSums
from fibermsk.kernels.skeleton.rigid import TreeState

# Values of an array are assigned one by one: `a[:] = b` compiles a message on their shapes.


class Fixed(NamedTuple):
    """Arrays that do not change with the state.

    Attributes
    ----------
    couplings : Couplings
        Without blocks; see `fibermsk.linalg.Couplings`.
    moments, corners
        Of `fibermsk.kernels.contact_arrays.BoneSums`.
    link, moves
        Of `fibermsk.kernels.contact_arrays.BoneAxes`.
    rest : (n, 6) float array
        Twists of links that rest.
    """

    couplings: Any
    moments: Any
    corners: Any
    link: Any
    moves: Any
    rest: Any


class HalfPasses(NamedTuple):
    """Prepared kernels of half passes."""

    mark: Any
    slopes: Any
    fibers: Any
    bones: Any


class Potentials(NamedTuple):
    """Prepared kernels of potentials, and packed `BoneShapes`, of which the places are not read."""

    mark: Any
    gradients: Any
    tangents: Any
    bones: Any
    shapes: Any


class Assembling(NamedTuple):
    """Prepared kernels, in their order, and the packed `Fixed`."""

    residual: Any
    tangent: Any
    dynamics: Any
    dynamics_slopes: Any
    velocity_slope: Any
    acceleration_slope: Any
    end_rates: Any
    reactions: Any
    eliminate: Any
    curvature: Any
    fixed: Any


class Bending(NamedTuple):
    """Prepared kernels of fibers with bending stiffness."""

    residual: Any
    tangent: Any


class Sums(NamedTuple):
    """Residual (n,), forces on attached ends, and matrix; empty without tangent."""

    residual: Any
    reactions: Any
    lines: Any
    B: Any
    R: Any
    D: Any


class Rates(NamedTuple):
    """Velocities and accelerations: of nodes (n_nodes, 6) and of coordinates (n,)."""

    velocity: Any
    acceleration: Any
    p: Any
    p_dot: Any


class Applied(NamedTuple):
    """Loads on the nodes (n_nodes, 6), passive forces (n,), and their derivative (n, n)."""

    nodes: Any
    passive: Any
    slope: Any


@kernel
def _count_blocks(mark):
    """Fill the first block of each row of the couplings; returns the number of blocks."""
    start = argument(mark, 8).block_start
    start[:] = 0
    call(mark, ())
    for row in range(1, start.size):  # from counts to the first block of each row
        start[row] += start[row - 1]
    return start[start.size - 1]


@kernel
def _add_half_passes(of, nodes, lines, tangent):
    """Add the half passes between fibers; returns blocks of the couplings."""
    n = 0
    if tangent:
        n = _count_blocks(of.mark)
        call(of.slopes, ())
    upper, lower = np.zeros((n, 6, 6), np.float32), np.zeros((n, 6, 6), np.float32)
    call(of.fibers, (tangent, nodes, lines, (upper, lower)))
    return upper, lower


@kernel
def _add_potentials(of, nodes, lines, tangent):
    """Add the gradient of the energies between fibers; returns blocks of the couplings.

    The lower ones are the transposes of the upper ones.
    """
    n = 0
    if tangent:
        n = _count_blocks(of.mark)
    upper = np.zeros((n, 6, 6), np.float32)
    if tangent:
        call(of.tangents, (nodes, lines, upper))
    else:
        call(of.gradients, (nodes,))
    return upper, np.zeros((0, 6, 6), np.float32)


@kernel
def _largest(values, least):
    """Largest size of numbers (n, m), at least `least`; NaN if any is."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            size = abs(values[i, j])
            if not size <= least:
                least = size
    return least


@kernel
def assemble(
    of, passes, potentials, bent, nodes, links, C, place, rates, applied, tangent, slopes, out
):
    """Fill the equations, which are zero, at one state.

    passes or potentials are kernels of contact, the other is None; bent those of bending, or None;
    C (n_points, 3, n) the derivatives of the attached ends; place (n_shapes, 4, 3) the bones;
    slopes those of the rates and the round-off [N]; see `fibermsk.system.contribution.Slopes`.
    Returns the imbalance, whether the residual is finite, and the blocks of the couplings.
    """
    fixed = unpacked(of.fixed)
    b, a, of_time, round_off = slopes
    n_x, n = nodes.size, rates.p.size
    r_nodes, r_q = out.residual[:n_x].reshape(nodes.shape), out.residual[n_x:]
    for i in range(nodes.shape[0]):
        for c in range(6):
            r_nodes[i, c] -= applied.nodes[i, c]
    if tangent:
        call(
            of.tangent,
            (nodes, rates.velocity, rates.acceleration, 1.0, b, b * a, r_nodes, out.lines),
        )
    else:
        call(of.residual, (nodes, rates.velocity, rates.acceleration, r_nodes))
    if bent is not None:
        if tangent:
            call(bent.tangent, (nodes, r_nodes, out.lines))
        else:
            call(bent.residual, (nodes, r_nodes))
    upper = lower = np.zeros((0, 6, 6), np.float32)
    if passes is not None:  # without else: what is None is left out
        upper, lower = _add_half_passes(passes, r_nodes, out.lines, tangent)
    if potentials is not None:
        upper, lower = _add_potentials(potentials, r_nodes, out.lines, tangent)
    force, weight, D = np.zeros(n), np.zeros(n), out.D
    sums = BoneSums(r_nodes, out.lines, out.B, out.R, fixed.moments, fixed.corners)
    axes = BoneAxes(fixed.link, fixed.moves, links.S)
    if passes is not None:
        call(passes.bones, (axes, tangent, sums))
    if potentials is not None:
        shapes = exchanged(unpacked(potentials.shapes), 0, (place,))
        call(potentials.bones, (shapes, axes, tangent, sums))
    for task in range(fixed.moments.shape[0]):
        for i in range(n):
            force[i] += fixed.moments[task, i]
            for j in range(n if tangent else 0):
                D[i, j] += fixed.corners[task, i, j]
    call(of.dynamics, (links, force))
    if tangent:
        dq, dp, M = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        call(of.dynamics_slopes, (rates.p, rates.p_dot, links, dq, dp, M))
        for i in range(n):
            for j in range(n):
                D[i, j] += dq[i, j] + b * dp[i, j] + b * a * M[i, j]
                D[i, j] += applied.slope[i, j]
        by_axes, bent = np.empty(C.shape), np.empty(C.shape)
        call(of.velocity_slope, (links.S, C, rates.p, by_axes))
        if of_time:
            call(of.acceleration_slope, (links.S, C, rates.p, rates.p_dot, b, bent))
        else:
            for m in range(C.shape[0]):
                for c in range(3):
                    for j in range(n):
                        bent[m, c, j] = a * by_axes[m, c, j]
        call(of.end_rates, (nodes, rates.velocity, by_axes, bent, out.B))
    call(of.reactions, (C, r_nodes, r_q, out.reactions))
    if tangent:
        couplings = exchanged(fixed.couplings, 6, (upper, lower))
        call(of.eliminate, (C, couplings, out.lines, out.B, out.R, D))
        call(of.curvature, (links.S, C, out.reactions, D))
    at_rest = TreeState(links.rotation, links.position, links.S, fixed.rest, fixed.rest)
    call(of.dynamics, (at_rest, weight))
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(r_q[i]) + abs(force[i]) + abs(weight[i]))
        r_q[i] = r_q[i] + force[i] + applied.passive[i]
    unbalanced = 0.0
    present = _largest(out.reactions, round_off)
    if present > 0.0:
        unbalanced = _largest(r_nodes, 0.0) / present
    if largest > 0.0:
        unbalanced = max(unbalanced, _largest(r_q.reshape((1, n)), 0.0) / largest)
    finite = True
    for value in out.residual:
        finite = finite and -np.inf < value < np.inf
    return unbalanced, finite, upper, lower
