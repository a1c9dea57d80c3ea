"""Fibers that touch each other or bones, and direct calls of the contact kernels.

No broad phase is involved here: every element of a fiber is a candidate for every other fiber.
"""

from types import SimpleNamespace

import numpy as np
from kernel_parts import bow, build_sparse, deform, fiber, rotation, spindle, system_of
from line_matrices import line_matrix
from reference.hermite import assemble, shape

import fibermsk as fm
from fibermsk.elements import gauss_rule
from fibermsk.kernels.bones.bone_shape import CAPSULE, INFINITE_CYLINDER
from fibermsk.kernels.closest import gaps
from fibermsk.kernels.closest.rows import N_COLUMNS, fill_rows
from fibermsk.kernels.contact import contact as kernels
from fibermsk.kernels.contact.shares import N_SHARE
from fibermsk.kernels.contact_arrays import (
    BonePoints,
    BoneShapes,
    ContactLaws,
    FiberPoints,
    FiberShapes,
    QuadraturePoints,
)
from fibermsk.kernels.fibers.shape import power_coefficients
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.sets import Border

KAPPA, GAMMA = 700.0, 3.0
LAW = fm.PenaltyContact(KAPPA, GAMMA)
BONE_GAMMA = 3.5

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


def make_pair(rng, kind, points=5, noise=0.02, formulation="half_pass"):
    """System of two fibers in contact, and random admissible nodes near the reference."""
    fibers = [
        fiber(f"f{i}", path, rng, radius=radius, n_elements=n)
        for i, (path, radius, n) in enumerate(PAIRS[kind])
    ]
    contact = fm.Contact(*fibers, LAW, points_per_element=points, formulation=formulation)
    system = system_of(fibers, contacts=[contact])
    c = system.cables
    nodes = c.reference.copy()
    for f in range(2):
        own = slice(c.node_start[f], c.node_start[f + 1])
        nodes[own] = deform(rng, c.reference[own], noise) / 1.05
    return system, nodes


def make_arm(rng, shape="capsule", attach=False, formulation="half_pass"):
    """Two fibers across two segments of a chain of three hinges.

    attach: pin the fibers to ground and to the last segment. Returns the system, nodes near the
    reference, and the chain and its bones as the reference's plain data.
    """
    if shape == "capsule":
        upper = fm.Capsule((0, -0.2, 0), (0, 0.3, 0.01), 0.035)
        ends = np.array([(0.02, 0.02, 0.005), (0.2, 0.04, 0.0)])
    else:
        upper = fm.InfiniteCylinder((0, 0, 0), (0.1, 1.0, 0), 0.035)
        ends = np.array([(0.0, 0.01, 0.008), (1.0, 0.21, 0.008)])
    chain = [
        {"at": (0.05, -0.5, -0.3), "axis": (0.2, 1.0, 0.1), "rotation": np.eye(3)},
        {"at": (0.05, 0.45, 0.266), "axis": (1.0, 0.2, 0.0), "rotation": np.eye(3)},
        {"at": (0.08, 0.05, -0.001), "axis": (0.3, 0.1, 1.0), "rotation": rotation(rng)},
    ]
    place, R = sum(np.array(joint["at"]) for joint in chain), chain[2]["rotation"]
    ends = ends @ R  # into the last segment's own axes
    if shape == "capsule":
        lower = fm.Capsule(ends[0], ends[1], 0.03)
    else:
        lower = fm.InfiniteCylinder(ends[0], ends[1] - ends[0], 0.03)
    inertia = {"mass": 1.0, "inertia": (0.01, 0.01, 0.01)}
    model = fm.Model("arm", gravity=(0, 0, 0))
    bodies = [model.ground]
    for i, shapes in enumerate(((), upper, lower)):
        bodies.append(model.add(fm.Body(f"segment {i}", shapes=shapes, **inertia)))
        model.add(fm.Hinge(f"q{i}", bodies[i], bodies[i + 1], **chain[i]))
    paths = (
        ((-0.1, 0.02, 0.0), (0.3, 0.02, 0.0), (0, 0, 0.005)),
        ((-0.1, 0.06, 0.01), (0.3, 0.03, 0.01), (0, 0, 0.004)),
    )
    fibers = []
    for i, (start, end, sag) in enumerate(paths):
        stations = (bodies[0].at(start), bodies[3].at(R.T @ (end - place)))
        fibers.append(
            model.add(
                fiber(
                    f"f{i}",
                    bow(start, end, sag=sag),
                    rng,
                    radius=spindle(0.006, 0.3),
                    n_elements=8,
                    attach=stations if attach else (None, None),
                )  # fmt: skip
            )
        )
    model.add(
        fm.Contact(
            fibers, bodies[2:], fm.PenaltyContact(KAPPA, BONE_GAMMA), formulation=formulation
        )
    )
    model.add(fm.Contact(*fibers, LAW, formulation=formulation))
    system = build_sparse(model)

    plain = {"child_at": np.zeros(3), "mass": 1.0, "com": np.zeros(3), "inertia": np.eye(3)}
    chain = [
        {**plain, **joint, "axis": np.array(joint["axis"]), "parent": i - 1}
        for i, joint in enumerate(chain)
    ]
    kind = "capsule" if shape == "capsule" else "infinite_cylinder"
    upper_end = upper.end if shape == "capsule" else upper.point + upper.axis
    upper_start = upper.start if shape == "capsule" else upper.point
    bones = [
        {"kind": kind, "body": 1, "radius": 0.035, "a": upper_start, "b": upper_end},
        {"kind": kind, "body": 2, "radius": 0.03, "a": ends[0], "b": ends[1]},
    ]
    nodes = system.cables.reference.copy()
    for f in range(2):
        own = slice(9 * f, 9 * f + 9)
        moved = deform(rng, nodes[own], 0.02) / 1.05
        if attach:
            moved[[0, -1], :3] = nodes[own][[0, -1], :3]
        nodes[own] = moved
    return system, nodes, chain, bones


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


def contact_laws(law, points):
    """One law with a Gauss rule."""
    xi, weight = (part[None, :] for part in gauss_rule(points))
    return ContactLaws(np.array([law]), np.array([points]), xi, weight)


def quadrature_points(element, law, points):
    """A set of quadrature points for every run."""
    n = len(element)
    none = np.zeros(0, np.int64)
    values = np.empty((n, points, 8)), np.empty((0, 0, N_SHARE))
    return QuadraturePoints(np.arange(n), none, element, law, *values)


def fiber_slots(system, power, elements, partner, points=5, law=(KAPPA, GAMMA)):
    """All points of some elements against one other fiber, by `fiber_runs`."""
    c = system.cables
    candidates = own_elements(system, partner)
    n, k = len(elements), candidates.size
    n_slots = n * points
    slots = FiberPoints(
        np.full(n_slots, -9, np.int64), np.full(n_slots, np.nan), np.full((n_slots, 3), np.nan),
        np.full((n_slots, 3), np.nan), np.zeros(n_slots, bool),
    )  # fmt: skip
    quadrature = quadrature_points(np.asarray(elements), np.zeros(n, np.int64), points)
    own = quadrature.values.reshape(-1, 8)  # a run is an element: radius and |a1| of its points
    out = SimpleNamespace(**slots._asdict(), own=own, jacobian=np.full((n_slots, 4, 3, 3), np.nan))
    runs = FiberRuns(
        np.asarray(elements, np.int64), np.zeros(n, np.int64), np.arange(n + 1) * k,
        np.tile(candidates, n), np.arange(n + 1) * points,
    )  # fmt: skip
    fibers, laws = FiberShapes.of(c, power), contact_laws(law, points)
    rows = np.empty((c.h.size, N_COLUMNS))
    fill_rows(*fibers[:5], rows)
    out.least, _ = kernels.fiber_runs(fibers, rows, runs, laws, quadrature, slots, np.empty((n, 2)))
    kernels.fiber_slopes(fibers, runs, laws, quadrature, slots, out.jacobian)
    return out


def axis_shape(kind, a, b, radius):
    """Arrays of one capsule or cylinder for the kernels."""
    place, field, code = np.zeros((1, 4, 3)), np.zeros((1, 5)), np.zeros((1, 5), np.int64)
    place[0, :2], field[0, 0] = (a, b), radius
    code[0, 0] = INFINITE_CYLINDER if kind == "infinite_cylinder" else CAPSULE
    return BoneShapes(place, field, code, np.zeros(0))


def bone_slots(system, power, elements, bone, points=5, law=(KAPPA, GAMMA)):
    """All points of some elements against one bone (a dict of the reference's), by `bone_runs`."""
    c = system.cables
    n = len(elements)
    n_slots = n * points
    slots = BonePoints(
        np.full((n_slots, 3), np.nan), np.full((n_slots, 6), np.nan), np.full((n_slots, 3), np.nan)
    )
    out = SimpleNamespace(
        point=slots.x, state=slots.state, force=slots.force,
        jacobian=np.full((n_slots, 2, 3, 3), np.nan),
    )  # fmt: skip
    none = np.zeros(n, np.int64)
    runs = BoneRuns(np.asarray(elements, np.int64), none, none, np.arange(n + 1) * points)
    out.least, _ = kernels.bone_runs(
        FiberShapes.of(c, power), runs, axis_shape(**bone), contact_laws(law, points), slots,
        out.jacobian,
    )  # fmt: skip
    return out


class AllPairs:
    """Least 1 + gamma g of two fibers and all bones of a system, every element with every other."""

    def __init__(self, system, gamma=GAMMA, bone_gamma=BONE_GAMMA, formulation="half_pass"):
        _c, n_bones = system.cables, system.partners.shape_link.size
        own = [own_elements(system, f) for f in (0, 1)]
        self.system = system
        self.laws = ContactLaws(
            np.array([[KAPPA, gamma], [KAPPA, bone_gamma]]), np.full(2, 5),
            *(np.tile(part, (2, 1)) for part in gauss_rule(5)),
        )  # fmt: skip
        self.potential = formulation == "variational"
        element = np.concatenate(own)
        lengths = np.repeat([own[1].size, own[0].size], [own[0].size, own[1].size])
        self.pairs = FiberRuns(
            element, np.zeros(element.size, np.int64), np.r_[0, np.cumsum(lengths)],
            np.concatenate([np.tile(own[1], own[0].size), np.tile(own[0], own[1].size)]),
            np.arange(0, 5 * element.size + 1, 5),
        )  # fmt: skip
        shape = np.repeat(np.arange(n_bones), element.size)
        self.bones = BoneRuns(
            np.tile(element, n_bones), shape, np.ones(shape.size, np.int64),
            np.arange(0, 5 * shape.size + 1, 5),
        )  # fmt: skip

    def least(self, nodes, state):
        """At one configuration, at most 1."""
        c, partners = self.system.cables, self.system.partners
        pairs, bones, laws = self.pairs, self.bones, self.laws
        n, m = int(pairs.point_start[-1]), int(bones.point_start[-1])
        fibers, shapes = FiberShapes.of(c, power_of(self.system, nodes)), partners.shapes.at(state)
        rows, found = np.empty((c.h.size, N_COLUMNS)), np.empty((pairs.element.size, 2))
        fill_rows(*fibers[:5], rows)
        quadrature = quadrature_points(pairs.element, pairs.law, 5)
        points = FiberPoints(
            np.empty(n, np.int64), np.empty(n), np.empty((n, 3)), np.empty((n, 3)),
            np.zeros(n, bool),
        )  # fmt: skip
        at_bones = BonePoints(np.empty((m, 3)), np.empty((m, 6)), np.empty((m, 3)))
        if self.potential:
            everywhere = np.full(c.h.size, np.inf)
            among = gaps.find_gaps(
                fibers, everywhere, rows, pairs, laws, quadrature, points, np.empty(n, bool), found
            )
        else:
            among = kernels.fiber_runs(fibers, rows, pairs, laws, quadrature, points, found)
        jacobian = np.empty((0 if self.potential else m, 2, 3, 3))
        beside = kernels.bone_runs(fibers, bones, shapes, laws, at_bones, jacobian)
        return min(among[0], beside[0], 1.0)


def nodal_force(system, f, out, points=5):
    """Gather the slots of all elements of fiber f as nodal forces (n_nodes of f, 6), plainly."""
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


def closed(out):
    """Slots with a force."""
    between = out.state.shape[1] == 3
    reach = out.state[:, 1] if between else out.state[:, 1] + out.state[:, 2]
    return np.flatnonzero(out.state[:, 0] < reach)


def element_moved(power, e, h, xi, block, step):
    """Elements after a change of x or of its tangent alone, at xi of element e."""
    moved = power.copy()
    if block == 0:
        moved[e, 0] += step
    else:
        moved[e, 0] -= h * xi * step
        moved[e, 1] += h * step
    return moved


def forces(system, nodes, q, tangent=False):
    """Residuals (n_nodes, 6) and (n,) of contact alone; with the dense tangent where wanted."""
    contact, n = system.contact, system.tree.n
    zero = np.zeros(n)
    least = contact.evaluate(nodes, system.tree.evaluate(q, zero, zero))
    assert least > 0.0
    out = Border(
        np.zeros_like(nodes), np.zeros(n), np.zeros((nodes.shape[0], 3, 6, 6)),
        np.zeros((nodes.size, n)), np.zeros((n, nodes.size)), np.zeros((n, n)),
    )  # fmt: skip
    couplings = contact.scatter_fibers(out, tangent)
    contact.scatter_bones(out, tangent)
    if not tangent:
        assert not any(np.any(part) for part in out[2:])
        return out.residual, out.residual_q
    K = line_matrix(system.cables, out.lines, couplings)
    return out.residual, out.residual_q, K, out.B, out.R, out.D
