"""Derivative of the internal forces of cable elements in the activation.

Compiled for models whose activation is an unknown. Symbols as in `fibermsk.kernels.fibers.cable`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from fibermsk._compile import Rebuilding, inlined, kernel, uncached
from fibermsk.kernels.fibers.element import chord, dot, slope
from fibermsk.kernels.fibers.own_stress import label_of, with_curves
from fibermsk.kernels.fibers.shape import shape_d1
from fibermsk.kernels.own_law import compiled_activation_slope, constants_at
from fibermsk.laws.active import AMPLITUDE
from fibermsk.laws.layout import StressLayout
from fibermsk.laws.stress import nominal_stress

_nominal_stress = kernel(nominal_stress)


@inlined
def law_activation_slope(stretch, stretch_rate, activation, law, e, k):
    """Derivative of the nominal stress at a point in the activation."""
    # the built-in active stress is linear in the activation
    P, _, _ = _nominal_stress(
        stretch, 0.0, 1.0, 0.0, 0.0, law[e, k, 2], law[e, k, 3], law[e, k, 4], law[e, k, 5], 0.0,
        0.0, 1.0,
    )  # fmt: skip
    return P


@kernel
def activation_slopes(nodes, velocity, cable, activation, slopes):
    """Fill the derivative of each element's part of the residual in its activation.

    Parameters
    ----------
    nodes, velocity : (n_nodes, 6) float array
    cable : CableArrays
    activation : (n_elements,) float array
    slopes : (n_elements, 2, 6) float array
        Rows of the first and the second node: position, theta-tangent. Output.
    """
    for e in range(cable.elements.shape[0]):
        i, j = cable.elements[e, 0], cable.elements[e, 1]
        x, v = chord(nodes, i, j), chord(velocity, i, j)
        slopes[e] = 0.0
        for k in range(cable.xi.size):
            _, p, g, q = shape_d1(cable.xi[k], cable.h[e])
            a1, a1_dot = slope(g, p, q, x), slope(g, p, q, v)
            length, G0 = math.sqrt(dot(a1, a1)), cable.G0[e, k]
            rate = dot(a1, a1_dot) / (length * G0)
            dP = law_activation_slope(length / G0, rate, activation[e], cable.law, e, k)
            w = cable.weight[e, k] * cable.area[e, k] * dP / length
            for r in range(3):
                slopes[e, 0, r] -= w * g * a1[r]
                slopes[e, 0, 3 + r] += w * p * a1[r]
                slopes[e, 1, r] += w * g * a1[r]
                slopes[e, 1, 3 + r] += w * q * a1[r]


def activation_kernel(layout: StressLayout) -> Any:
    """`activation_slopes` for the laws of a layout, as they are now.

    Raises
    ------
    ModelError
        If a user-defined law of muscle accepts no complex activation.
    """
    return _rebuilt(layout, layout.digest) if layout.digest else activation_slopes


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
        activation_slopes
    )


def _with_own(before: Any, own: Any, constants: Any, share: int) -> Any:
    @uncached
    def law_activation_slope(stretch, stretch_rate, activation, law, e, k):
        total, part = before(stretch, stretch_rate, activation, law, e, k), law[e, k, share]
        if part != 0.0:
            total += part * own(constants(law[e], k), stretch, stretch_rate, activation)
        return total

    return law_activation_slope


def _with_active(before: Any, active: Any, first: int) -> Any:
    @uncached
    def law_activation_slope(stretch, stretch_rate, activation, law, e, k):
        total = before(stretch, stretch_rate, activation, law, e, k)
        P, _, _ = active(stretch, stretch_rate, law[e, k, first], law[e], k)
        return total + P

    return law_activation_slope
