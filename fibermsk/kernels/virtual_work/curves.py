"""Curves of fibers at one step in the imaginary direction, and what the work of contact shares.

The work of a contact point along virtual displacements is a real function of few numbers. Each of
them is changed by i `STEP` in turn: the imaginary part of the work over `STEP` is the derivative
in it, exact to round-off, since the square of the step vanishes beside one. Contact does not depend
on the parameter along a fiber, so curves are in powers of xi here, with the length h of an element
inside of their tangents: where h grows by a factor, they do.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from fibermsk._compile import body
from fibermsk.kernels.contact_law import law_energy, law_force
from fibermsk.kernels.section import reference_radius

STEP = 1e-40


class LawSteps(NamedTuple):
    """Differences in the constants of contact laws.

    Attributes
    ----------
    constants : (n_constants, n_steps, n_laws, n_constants) float array
        Constants of all laws at the steps of each.
    weight : (n_constants, n_steps, n_laws) float array
        Weights of the difference.
    """

    constants: Any
    weight: Any


class Virtual(NamedTuple):
    """Virtual displacements, and velocities.

    Attributes
    ----------
    work, velocity : (n_elements, 4, 3) float array
        Of the fibers, in powers of xi.
    work_twist, twist : (n_links, 6) float array
        Of the links; angular part first.
    """

    work: Any
    velocity: Any
    work_twist: Any
    twist: Any


class WorkSlopes(NamedTuple):
    """Derivatives of the work in what contact has of a model, which kernels add to.

    Attributes
    ----------
    shape : (n_elements, 15) float array
        In h, in the coefficients of the reference radius, and in the products of the reference's
        coefficients 1 to 3 (row by row).
    constants, friction : (n_laws, n_constants) and (n_laws, 2) float array
        In the constants of the laws, and in coefficients and speeds of friction.
    radius : (n_shapes,) float array
        In the radii of bones.
    ends : (n_shapes, 2) float array
        In places of the start and the end of capsules along their axes.
    """

    shape: Any
    constants: Any
    friction: Any
    radius: Any
    ends: Any


@body
def step(number, k):
    """i times the step if the number is the one that is changed."""
    return complex(0.0, STEP if number == k else 0.0)


@body
def root(z):
    """Square root to first order in the imaginary part."""
    real = math.sqrt(z.real)
    return complex(real, 0.5 * z.imag / real)


@body
def dot(a, b):
    """Scalar product, without conjugation."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@body
def minus(a, b):
    """Difference of two vectors."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@body
def _component(power, e, c, xi, grow):
    p1, p2, p3 = power[e, 1, c], power[e, 2, c], power[e, 3, c]
    q1 = p1 + grow * p1
    q2 = p2 - grow * (3.0 * p1 + 2.0 * p2 + 3.0 * p3)
    q3 = p3 + grow * (2.0 * p1 + 2.0 * p2 + 3.0 * p3)
    return (
        power[e, 0, c] + xi * (q1 + xi * (q2 + xi * q3)),
        q1 + xi * (2.0 * q2 + 3.0 * xi * q3),
        2.0 * q2 + 6.0 * xi * q3,
    )


@body
def curve(power, e, xi, grow):
    """Point of a curve with its two derivatives in xi, where h grows by a factor 1 + grow."""
    x, y, z = (
        _component(power, e, 0, xi, grow),
        _component(power, e, 1, xi, grow),
        _component(power, e, 2, xi, grow),
    )
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


@body
def reference_square(reference, own, xi):
    """Square of the derivative in xi of a row of the reference."""
    total = 0.0 * xi
    for c in range(3):
        A = reference[own, 1, c] + xi * (
            2.0 * reference[own, 2, c] + 3.0 * xi * reference[own, 3, c]
        )
        total += A * A
    return total


@body
def own_section(k, e, xi, fibers, virtual):
    """The point of the integrated fiber with number k changed, as both kinds of contact have it.

    Its position and tangent and those of the virtual displacement, |a|, reference radius and
    radius.
    """
    grow, own = step(0, k), fibers.shape_of[e]
    x, a, _ = curve(fibers.power, e, xi, grow)
    wx, wa, _ = curve(virtual.work, e, xi, grow)
    aa, r0 = dot(a, a), reference_radius(fibers.radius_poly[own], xi) + step(1, k)
    AA = reference_square(fibers.reference, own, xi) * (1.0 + step(2, k))
    return x, a, wx, wa, root(aa), r0, r0 * root(root(AA / aa))


@body
def law_beside(gap, beside, constant, potential, laws, law, steps):
    """Line force and, of potentials, energy at a gap beside one of the run.

    beside: difference of the gap; constant: that of the law which is changed, negative for none.
    """
    F, dF = law_force(gap, laws.constants, law)
    force, energy = F + dF * beside, -F * beside
    if potential:
        energy += law_energy(gap, laws.constants, law)
    if constant < 0:
        return force, energy
    by_force, by_energy = 0.0, 0.0
    for m in range(steps.weight.shape[1]):
        weight = steps.weight[constant, m, law]
        F, _ = law_force(gap, steps.constants[constant, m], law)
        by_force += weight * F
        by_energy += weight * law_energy(gap, steps.constants[constant, m], law)
    return force + complex(0.0, STEP * by_force), energy + complex(0.0, STEP * by_energy)


@body
def add_radius(value, e, xi, shape):
    """Add a derivative in the reference radius at a point to those in its coefficients."""
    for m in range(5):
        shape[e, 1 + m] += value
        value *= xi


@body
def add_reference(value, e, xi, square, shape):
    """Add one in the logarithm of `reference_square` at a point to those in the products."""
    v = (1.0, 2.0 * xi, 3.0 * xi * xi)
    for i in range(3):
        for j in range(3):
            shape[e, 6 + 3 * i + j] += value / square * v[i] * v[j]
