"""Bodies of tasks that the tests run on the CPU and compile for a GPU, with arguments for them."""

import numpy as np

from fibermsk._compile import kernel
from fibermsk.elements import gauss_rule
from fibermsk.kernels import bending, cable
from fibermsk.kernels.cable import element_tangent
from fibermsk.kernels.closest_point import nearest
from fibermsk.kernels.rows import N_COLUMNS, fill_rows


@kernel
def nearest_of_all(i, power, rows, elements, points, found):
    """found[i]: element, parameter and distance of the point of a fiber nearest to points[i]."""
    x, y, z = points[i, 0], points[i, 1], points[i, 2]
    found[i, 0], found[i, 1], found[i, 2] = nearest(
        0, elements.size, elements, x, y, z, power, rows
    )


@kernel
def cable_element(
    e, nodes, velocity, elements, h, xi, weight, area, G0, law, activation, cx, cv, force, K
):
    """Element e's nodal force and stiffness: force[e] (4, 3), K[e] (2, 3, 6, 6)."""
    element_tangent(
        nodes, velocity, elements, e, h, xi, weight, area, G0, law, activation, cx, cv, force[e],
        K[e],
    )  # fmt: skip


def arguments(body, n_tasks=70):
    """Arguments of a body for n_tasks tasks; the arrays that it fills come last."""
    rng = np.random.default_rng(5)
    if body is nearest_of_all:
        power, points = rng.standard_normal((3, 4, 3)), rng.standard_normal((n_tasks, 3))
        rows, radius = np.zeros((3, N_COLUMNS)), np.tile([0.1, 0.0, 0.0, 0.0, 0.0], (3, 1))
        fill_rows(power, power, radius, np.ones(3), rows)
        return power, rows, np.arange(3), points, np.zeros((n_tasks, 3))
    nodes = np.zeros((n_tasks + 1, 6))
    nodes[:, 0], nodes[:, 3] = 0.01 * np.arange(n_tasks + 1), 0.01
    nodes += 5e-4 * rng.standard_normal(nodes.shape)
    elements = np.arange(n_tasks)[:, None] + np.arange(2)
    xi, weight = gauss_rule(3)
    shape = (n_tasks, xi.size)
    # shear modulus, viscosity, active stress, its three shape constants, prestress
    law = np.tile([6e4, 5e3, 3e5, 1.3, 0.3, 4.0, 5e3], (*shape, 1))
    return (
        nodes, 0.1 * rng.standard_normal(nodes.shape), elements, np.ones(n_tasks), xi,
        np.tile(weight, (n_tasks, 1)), np.full(shape, 1e-5), np.full(shape, 0.01), law,
        rng.uniform(size=n_tasks), 1.0, 100.0, np.zeros((n_tasks, 4, 3)),
        np.zeros((n_tasks, 2, 3, 6, 6)),
    )  # fmt: skip


def fiber_bodies():
    """Bodies over fibers, with arguments of the types that they are called with."""
    nodes, lines = np.zeros((4, 6)), np.zeros((4, 3, 6, 6))
    start, elements = np.array([0, 1, 3]), np.arange(3)[:, None] + np.arange(2)
    per_element, per_point = np.ones(3), np.ones((3, 5))
    quadrature = elements, per_element, np.zeros(5), per_point
    elastic = (
        start, nodes, nodes, nodes, *quadrature, per_point, per_point, np.ones((3, 5, 7)),
        per_element, np.ones((3, 4, 4)),
    )  # fmt: skip
    bent = start, nodes, *quadrature, per_point
    return [
        (cable.fiber_residual, (*elastic, nodes)),
        (cable.fiber_tangent, (*elastic, 1.0, 1.0, 1.0, nodes, lines)),
        (bending.fiber_residual, (*bent, nodes)),
        (bending.fiber_tangent, (*bent, nodes, lines)),
    ]
