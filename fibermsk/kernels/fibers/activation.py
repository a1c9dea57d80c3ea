"""Derivative of the internal force of cable elements in the activation of their fiber.

Symbols as in `fibermsk.kernels.fibers.cable`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from numba import prange

from fibermsk._compile import Rebuilding, body, inlined, kernel, parallel, uncached
from fibermsk.kernels.fibers.cable import nominal_stress_of
from fibermsk.kernels.fibers.element import ZERO_3, add_3, chord, dot, slope
from fibermsk.kernels.fibers.own_stress import label_of, with_curves
from fibermsk.kernels.fibers.shape import shape_d1
from fibermsk.kernels.own_law import compiled_activation_slope, constants_at
from fibermsk.laws.active import AMPLITUDE
from fibermsk.laws.layout import StressLayout


@inlined
def law_activation_slope(stretch, stretch_rate, activation, law, row, k):
    """Derivative of the nominal stress at a point in the activation.

    The built-in stress is linear in it: the active part at full activation.
    """
    return nominal_stress_of(
        stretch, 0.0, 1.0, 0.0, 0.0, law[row, k, 2], law[row, k, 3], law[row, k, 4],
        law[row, k, 5], 0.0, 0.0, 1.0,
    )[0]  # fmt: skip


@kernel
def fiber_activation_slope(f, element_start, nodes, velocity, cable, activation, found):
    """Add the derivative of one fiber's residual; see `activation_slope`."""
    for e in range(element_start[f], element_start[f + 1]):
        i, row = cable.elements[e, 0], cable.row_of[e]
        x, v = chord(nodes, i, i + 1), chord(velocity, i, i + 1)
        on_g, on_p, on_q = ZERO_3, ZERO_3, ZERO_3
        for k in range(cable.xi.size):
            _, p, g, q = shape_d1(cable.xi[k], cable.h[e])
            a1, a1_dot = slope(g, p, q, x), slope(g, p, q, v)
            length, G0 = math.sqrt(dot(a1, a1)), cable.G0[row, k]
            rate = dot(a1, a1_dot) / (length * G0)
            by_a = law_activation_slope(length / G0, rate, activation[e], cable.law, row, k)
            # dN/da t = A0 dP/da a1 / |a1|
            w = cable.weight[row, k] * cable.area[row, k] * by_a / length
            on_g = add_3(on_g, w * g, a1)
            on_p = add_3(on_p, w * p, a1)
            on_q = add_3(on_q, w * q, a1)
        for r in range(3):
            found[i, r] -= on_g[r]
            found[i, 3 + r] += on_p[r]
            found[i + 1, r] += on_g[r]
            found[i + 1, 3 + r] += on_q[r]


@body
def add_activation_column(k, nodes, states, slope, first, columns):
    """Add the derivatives slope (n_nodes, 6) at a node to the column of its fiber's state.

    nodes, states (n,): node k of those whose fiber is activated by a state, and that state; first:
    column of the first state.
    """
    node = nodes[k]
    for r in range(6):
        columns[6 * node + r, first + states[k]] += slope[node, r]


@parallel("element_start", least=64)
def activation_slope(element_start, nodes, velocity, cable, activation, found):
    """Add to `found` (n_nodes, 6) the derivative of the residual in the activation.

    Each fiber has an activation of its own; the residual is inertia minus internal force.
    """
    for f in prange(element_start.size - 1):
        fiber_activation_slope(f, element_start, nodes, velocity, cable, activation, found)


def activation_kernel(layout: StressLayout) -> Any:
    """`activation_slope` for the laws of a layout, as they are now.

    Raises
    ------
    ModelError
        If a user-defined law of muscle accepts no complex activation.
    """
    return _rebuilt(layout, layout.digest) if layout.digest else activation_slope


@lru_cache
def _rebuilt(layout: StressLayout, digest: str) -> Any:
    found: Any = law_activation_slope
    if layout.muscle is not None:
        share = layout.columns["muscle/share"]
        own = compiled_activation_slope(layout.muscle)
        found = _with_own(found, own, constants_at(layout.muscle, share + 1), share)
    if layout.curves:
        found = _with_active(found, with_curves(layout), layout.columns[AMPLITUDE])
    return Rebuilding([(law_activation_slope, found)], label_of(layout), digest).of(
        activation_slope
    )


def _with_own(before: Any, own: Any, constants: Any, share: int) -> Any:
    @uncached
    def law_activation_slope(stretch, stretch_rate, activation, law, row, k):
        total, part = before(stretch, stretch_rate, activation, law, row, k), law[row, k, share]
        if part != 0.0:
            total += part * own(constants(law[row], k), stretch, stretch_rate, activation)
        return total

    return law_activation_slope


def _with_active(before: Any, active: Any, first: int) -> Any:
    @uncached
    def law_activation_slope(stretch, stretch_rate, activation, law, row, k):
        total = before(stretch, stretch_rate, activation, law, row, k)
        P, _, _ = active(stretch, stretch_rate, law[row, k, first], law[row], k)
        return total + P

    return law_activation_slope
