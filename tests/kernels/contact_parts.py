"""Fibers that touch each other or bones, and direct calls of the contact kernels.

No broad phase is involved here: every element of a fiber is a candidate for every other fiber.
"""

from types import SimpleNamespace

import numpy as np
from kernel_parts import bow, deform, fiber, spindle, system_of

import fibermsk as fm
from fibermsk.elements import gauss_rule
from fibermsk.kernels import contact as kernels
from fibermsk.kernels.shape import power_coefficients

KAPPA, GAMMA = 700.0, 3.0
LAW = fm.PenaltyContact(KAPPA, GAMMA)

# Two fibers each: path, radius, elements and where the second one lies, all within contact.
THIN, THICK = spindle(0.01, 0.0), spindle(0.01)
PAIRS = {
    "crossing": (
        (bow((0, 0, 0), (0.2, 0, 0)), THIN, 12),
        (bow((0.05, -0.08, 0.016), (0.14, 0.09, 0.016)), THIN, 9),
    ),
    "parallel": (
        (bow((0, 0, 0), (0.2, 0, 0)), THIN, 4),
        (bow((0.01, 0.002, 0.018), (0.22, 0.001, 0.018)), THIN, 5),
    ),
    "tapered": (
        (bow((0, 0, 0), (0.2, 0, 0)), THICK, 4),
        (bow((0.01, 0.004, 0.033), (0.2, 0.001, 0.03)), THICK, 5),
    ),
    "curved": (
        (bow((0, 0, 0), (0.2, 0, 0), sag=(0, 0, 0.04), twist=(0, 0.02, 0)), THICK, 6),
        (bow((0.05, -0.08, 0.082), (0.14, 0.09, 0.082), sag=(0, 0, -0.01)), THICK, 5),
    ),
    "wrapped": (
        (bow((0, 0, 0), (0.2, 0, 0)), THIN, 6),
        (
            lambda s: np.column_stack(
                (
                    0.05 + 0.1 * s,
                    0.0165 * np.cos(2 * np.pi * s),
                    0.0165 * np.sin(2 * np.pi * s),
                )
            ),
            THIN,
            8,
        ),
    ),
    "end beside": (
        (bow((0, 0, 0), (0.2, 0, 0)), THIN, 4),
        (bow((0.1, 0.001, 0.016), (0.13, 0.02, 0.2)), THIN, 3),
    ),
    "end on end": (
        (bow((0, 0, 0), (0.2, 0, 0)), THIN, 4),
        (bow((0.206, 0.004, 0.014), (0.4, 0.0, 0.03)), THIN, 3),
    ),
}


def make_pair(rng, kind, points=5, noise=0.02, contact=True):
    """System of two fibers in contact, and random admissible nodes near the reference."""
    fibers = [
        fiber(f"f{i}", path, rng, radius=radius, n_elements=n)
        for i, (path, radius, n) in enumerate(PAIRS[kind])
    ]
    contacts = [fm.Contact(*fibers, LAW, points_per_element=points)] if contact else []
    system = system_of(fibers, contacts=contacts)
    c = system.cables
    nodes = c.reference.copy()
    for f in range(2):
        own = slice(c.node_start[f], c.node_start[f + 1])
        nodes[own] = deform(rng, c.reference[own], noise) / 1.05
    return system, nodes


def power_of(system, nodes):
    """Power coefficients of all elements."""
    c = system.cables
    power = np.empty((c.h.size, 4, 3))
    power_coefficients(nodes, c.elements, c.h, power)
    return power


def own_elements(system, f):
    """Elements of fiber f."""
    c = system.cables
    return np.arange(c.element_start[f], c.element_start[f + 1])


def fiber_slots(system, power, elements, partner, points=5, law=(KAPPA, GAMMA)):
    """All points of some elements against one other fiber, by `fiber_runs`."""
    c = system.cables
    candidates = own_elements(system, partner)
    n, k = len(elements), candidates.size
    n_slots = n * points
    out = SimpleNamespace(
        element=np.full(n_slots, -9, np.int64),
        xi=np.full(n_slots, np.nan),
        state=np.full((n_slots, 6), np.nan),
        force=np.full((n_slots, 3), np.nan),
        jacobian=np.full((n_slots, 4, 3, 3), np.nan),
    )
    out.least = kernels.fiber_runs(
        power, c.reference_power, c.radius_poly, c.h, c.end_flag, np.asarray(elements, np.int64),
        np.arange(n + 1) * k, np.tile(candidates, n), np.zeros(n, np.int64),
        np.array([law]), np.array([points]), gauss_rule(points)[0][None, :],
        np.arange(n + 1) * points, out.element, out.xi, out.state, out.force, out.jacobian,
    )  # fmt: skip
    return out


def bone_slots(system, power, elements, bone, points=5, law=(KAPPA, GAMMA)):
    """All points of some elements against one bone (a dict of the reference's), by `bone_runs`."""
    c = system.cables
    n = len(elements)
    n_slots = n * points
    out = SimpleNamespace(
        point=np.full((n_slots, 3), np.nan),
        state=np.full((n_slots, 6), np.nan),
        force=np.full((n_slots, 3), np.nan),
        jacobian=np.full((n_slots, 2, 3, 3), np.nan),
    )
    out.least = kernels.bone_runs(
        power, c.reference_power, c.radius_poly, c.h, np.asarray(elements, np.int64),
        np.zeros(n, np.int64), np.zeros(n, np.int64), np.array([bone["a"]], float),
        np.array([bone["b"]], float), np.array([bone["radius"]], float),
        np.array([bone["kind"] == "infinite_cylinder"]), np.array([law]), np.array([points]),
        gauss_rule(points)[0][None, :], np.arange(n + 1) * points, out.point, out.state,
        out.force, out.jacobian,
    )  # fmt: skip
    return out


def nodal_force(system, f, out, points=5):
    """Gather the slots of all elements of fiber f as nodal forces (n_nodes of f, 6), plainly."""
    from reference.hermite import assemble, shape

    c = system.cables
    h = c.h[own_elements(system, f)]
    xi, w = gauss_rule(points)
    T = out.force.reshape(h.size, points, 3)
    N = shape(xi[None, :], h[:, None])
    return assemble(np.einsum("e,k,eka,eki->eai", h, w, N, T))


def nodes_of(system, nodes, f):
    """Nodes of fiber f."""
    c = system.cables
    return nodes[c.node_start[f] : c.node_start[f + 1]]
