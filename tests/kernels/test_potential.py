"""Contact from pair potentials: gradients of an energy, exact balance, least gaps."""

import numpy as np
import pytest
from contact_parts import (
    GAMMA,
    KAPPA,
    LAW,
    PAIRS,
    forces,
    make_arm,
    make_pair,
    nodes_of,
    own_elements,
)
from kernel_parts import build_sparse, fiber, plain_cable, system_of
from numpy.testing import assert_allclose
from reference import cable as plain
from reference.hermite import element_values, shape
from reference.rigid import rotation_about

import fibermsk as fm
from fibermsk.kernels.bones.bone_shape import CAPSULE, INFINITE_CYLINDER, distance_slopes
from fibermsk.kernels.contact.potential import energy_terms, fill_bone_gap
from fibermsk.kernels.contact_arrays import BoneShapes


def energy(system, nodes, q):
    """Energy of all pairs [J]."""
    zero = np.zeros(q.size)
    system.contact.evaluate(nodes, system.tree.evaluate(q, zero, zero))
    return sum(system.contact.energies)


def moments(nodes, residual):
    """Resultant and moment about the origin of nodal values."""
    moment = np.cross(nodes[:, :3], residual[:, :3]) + np.cross(nodes[:, 3:], residual[:, 3:])
    return residual[:, :3].sum(axis=0), moment.sum(axis=0)


@pytest.mark.parametrize("kind", PAIRS)
def test_fiber_forces_are_the_gradient(rng, kind):
    system, nodes = make_pair(rng, kind, formulation="variational")
    q, h = np.zeros(0), 1e-6
    residual, _ = forces(system, nodes, q)
    assert energy(system, nodes, q) > 0.0
    for _ in range(6):
        u = 0.1 * rng.normal(size=nodes.shape)
        slope = (energy(system, nodes + h * u, q) - energy(system, nodes - h * u, q)) / (2.0 * h)
        # (h u / gap)^2 with gaps of 1e-3 m: 1e-8
        scale = np.abs(residual * u).sum()
        assert_allclose(np.sum(residual * u), slope, rtol=0.0, atol=1e-6 * scale)


@pytest.mark.parametrize("shape_of_bone", ["capsule", "cylinder"])
def test_all_forces_are_the_gradient(rng, shape_of_bone):
    """With bones on moving links: in the nodes and in the coordinates."""
    system, nodes, _, _ = make_arm(rng, shape_of_bone, formulation="variational")
    q, h = 0.003 * rng.normal(size=3), 1e-7
    residual, residual_q = forces(system, nodes, q)
    for _ in range(6):
        u, dq = rng.normal(size=nodes.shape), rng.normal(size=3)
        ahead, behind = (energy(system, nodes + s * u, q + s * dq) for s in (h, -h))
        # as above
        scale = np.abs(residual * u).sum() + np.abs(residual_q * dq).sum()
        found = np.sum(residual * u) + residual_q @ dq
        assert_allclose(found, (ahead - behind) / (2.0 * h), rtol=0.0, atol=1e-6 * scale)


@pytest.mark.parametrize("kind", PAIRS)
def test_action_is_reaction(rng, kind):
    """On any mesh: no resultant and no moment, to rounding."""
    system, nodes = make_pair(rng, kind, formulation="variational")
    residual, _ = forces(system, nodes, np.zeros(0))
    total, moment = moments(nodes, residual)
    # rounding; the moment balances as far as the least-gap point is stationary, to 1e-14
    assert_allclose(total, 0.0, rtol=0.0, atol=1e-13 * np.abs(residual).max())
    assert_allclose(moment, 0.0, rtol=0.0, atol=1e-12 * np.abs(residual).max())


@pytest.mark.parametrize("kind", PAIRS)
def test_fiber_tangent_is_symmetric(rng, kind):
    system, nodes = make_pair(rng, kind, formulation="variational")
    _, _, K, *_ = forces(system, nodes, np.zeros(0), tangent=True)
    assert_allclose(K, K.T, rtol=0.0, atol=1e-13 * np.abs(K).max())  # rounding
    # translations of everything cost nothing
    for axis in np.eye(3):
        shift = np.tile(np.r_[axis, 0.0, 0.0, 0.0], len(nodes))
        assert_allclose(K @ shift, 0.0, rtol=0.0, atol=1e-11 * np.abs(K).max())


@pytest.mark.parametrize("shape_of_bone", ["capsule", "cylinder"])
def test_bordered_tangent_is_symmetric(rng, shape_of_bone):
    system, nodes, _, _ = make_arm(rng, shape_of_bone, formulation="variational")
    _, _, K, B, R, D = forces(system, nodes, 0.003 * rng.normal(size=3), tangent=True)
    scale = np.abs(K).max()
    assert_allclose(K, K.T, rtol=0.0, atol=1e-13 * scale)  # rounding
    assert_allclose(R, B.T, rtol=0.0, atol=1e-13 * scale)
    assert_allclose(D, D.T, rtol=0.0, atol=1e-12 * scale)


def test_energy_does_not_see_rigid_motions(rng):
    system, nodes, chain, _ = make_arm(rng, formulation="variational")
    q = 0.003 * rng.normal(size=3)
    axis = chain[0]["axis"] / np.linalg.norm(chain[0]["axis"])
    T, center = rotation_about(axis, 0.9), np.array(chain[0]["at"])
    moved = (nodes.reshape(-1, 2, 3) @ T.T).reshape(-1, 6)
    moved[:, :3] += center - T @ center
    # eps over gaps of a few hundredths
    expected = energy(system, nodes, q)
    assert_allclose(energy(system, moved, q + [0.9, 0, 0]), expected, rtol=1e-11)


def test_equal_fibers_repel_with_the_line_force_once():
    """Unstretched, parallel, of one radius: F per length on each of them."""
    items = [
        fiber(f"f{i}", [(0, 0, z), (0.2, 0, z)], radius=0.01, n_elements=3)
        for i, z in enumerate((0.0, 0.018))
    ]
    system = system_of(items, contacts=[fm.Contact(*items, LAW, formulation="variational")])
    residual, _ = forces(system, system.cables.reference, np.zeros(0))
    F = KAPPA * 0.1 / (1.0 - GAMMA * 0.1)
    for f, sign in ((0, 1.0), (1, -1.0)):
        total = nodes_of(system, residual, f)[:, :3].sum(axis=0)
        # 5 points are exact for a constant; the held ends have the same gap
        assert_allclose(total, [0.0, 0.0, sign * F * 0.2], rtol=0.0, atol=1e-10 * F)


def test_bone_repels_with_the_line_force():
    """Unstretched along a cylinder: (r0 + R) Psi has the slope F."""
    bone = fm.Body("bone", shapes=fm.InfiniteCylinder((0, 0, -0.048), (1, 0, 0), 0.04))
    item = fiber("f", [(0, 0, 0), (0.2, 0, 0)], radius=0.01, n_elements=3)
    model = fm.Model("bone")
    model.add(bone)
    model.add(fm.Weld(model.ground, bone))
    model.add(item)
    model.add(fm.Contact(item, bone, LAW, formulation="variational"))
    system = build_sparse(model)
    residual, _ = forces(system, system.cables.reference, np.zeros(0))
    F = KAPPA * 0.04 / (1.0 - GAMMA * 0.04)
    assert_allclose(residual[:, :3].sum(axis=0), [0.0, 0.0, -F * 0.2], rtol=0.0, atol=1e-10 * F)


@pytest.mark.parametrize("kind", PAIRS)
def test_least_gaps_against_dense_sampling(rng, kind):
    """Along the whole partner no sampled point has a smaller gap, where there is contact."""
    system, nodes = make_pair(rng, kind, formulation="variational")
    forces(system, nodes, np.zeros(0))
    part, c = system.contact.sets.fibers[0], system.cables
    radii, left = part.radii(), part.admissibility
    xi = np.linspace(0.0, 1.0, 401)
    closed = 0
    for s in range(part.points.xi.size):
        r_x = radii[s]
        f = int(c.fiber[part.points.element[s]])
        cable, y = plain_cable(system, f), nodes_of(system, nodes, f)
        run = np.searchsorted(part.runs.point_start, s, side="right") - 1
        e = part.runs.element[run]
        at = c.xi[s - part.runs.point_start[run]]
        x = shape(at, c.h[e]) @ nodes[c.elements[e]].reshape(4, 3)
        elements, samples = np.meshgrid(range(len(cable.h)), xi, indexing="ij")
        N = shape(samples, cable.h[elements])
        points = np.einsum("eka,eai->eki", N, element_values(y))
        # the current radius of both nodes over the reference one, blended without a corner
        ends = [plain.current_radius(cable, y, elements, at + 0.0 * samples) for at in (0.0, 1.0)]
        start = [
            plain.current_radius(cable, cable.X, elements, at + 0.0 * samples) for at in (0, 1)
        ]
        blend = samples * samples * (3.0 - 2.0 * samples)
        factor = (1.0 - blend) * ends[0] / start[0] + blend * ends[1] / start[1]
        radius = factor * plain.current_radius(cable, cable.X, elements, samples)
        gap = np.linalg.norm(points - x, axis=-1) / (r_x + radius) - 1.0
        if gap.min() < 0.0:
            closed += 1
            assert (left[s] - 1.0) / GAMMA <= gap.min() + 1e-12  # rounding
    assert closed > 1


def closed_slots(system, part):
    """Geometry of each closed slot: element, parameter, partner, parameter."""
    c, runs, points = system.cables, part.runs, part.points
    for s in part.closed:
        run = np.searchsorted(runs.point_start, s, side="right") - 1
        yield runs.element[run], c.xi[s - runs.point_start[run]], points.element[s], points.xi[s]


def complex_gradient(function, z):
    """Gradient by the complex step."""
    return np.array([function(z + 1e-30j * e).imag / 1e-30 for e in np.eye(z.size)])


@pytest.mark.parametrize("free", [True, False])
def test_bone_gap_and_energy_terms(rng, free):
    """Gap to an axis or to a point, and the energy of it, against complex steps."""
    axis = np.array([0.6, 0.0, 0.8])
    x, a1 = np.array([0.01, 0.04, 0.005]), np.array([0.15, 0.05, -0.1])
    k, radius, kappa, gamma, share = 0.004, 0.036, 700.0, 3.0, 0.046

    def gap(z):
        m = -z[:3]
        if free:
            m = m - axis * (axis @ m)
        length = np.sqrt(np.sum(z[3:] * z[3:]))
        return np.sqrt(np.sum(m * m)) / (k / np.sqrt(length) + radius) - 1.0

    def density(z):
        g = gap(z)
        psi = kappa * (g / gamma - np.log(1.0 + gamma * g) / gamma**2)
        return share * psi * np.sqrt(np.sum(z[3:] * z[3:]))

    z = np.r_[x, a1]
    m = -x + (axis * (axis @ x) if free else 0.0)
    d = np.linalg.norm(m)
    r_x = k / np.sqrt(np.linalg.norm(a1))
    dz, dzz = np.empty(6), np.empty((6, 6))
    place, field, kind = np.zeros((1, 4, 3)), np.zeros((1, 5)), np.zeros((1, 5), np.int64)
    place[0, 1], kind[0, 0] = (axis, INFINITE_CYLINDER) if free else (0.0 * axis, CAPSULE)
    slope, curvature = np.empty(3), np.empty((3, 3))
    shapes = BoneShapes(place, field, kind, np.zeros(0))
    found = distance_slopes(x, 0, shapes, slope, curvature)
    assert_allclose(found, d, rtol=1e-15)
    assert_allclose(slope, -m / d, rtol=1e-14)
    g = fill_bone_gap(a1, r_x, d, slope, curvature, radius, dz, dzz)
    assert -0.3 < g < 0.0
    assert_allclose(g, gap(z), rtol=1e-13)
    assert_allclose(dz, complex_gradient(gap, z), rtol=0.0, atol=1e-13 * np.abs(dz).max())
    gradient, hessian = np.empty(6), np.empty((6, 6))
    energy_terms(share, a1, g, np.array([[kappa, gamma]]), 0, dz, dzz, gradient, hessian)
    expected = complex_gradient(density, z)
    assert_allclose(
        gradient, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max()
    )  # exact steps
    h = 1e-7
    for i, unit in enumerate(np.eye(6)):
        for function, found in ((gap, dzz), (density, hessian)):
            ahead, behind = (complex_gradient(function, z + s * h * unit) for s in (1.0, -1.0))
            slope = (ahead - behind) / (2.0 * h)
            # (h / gap)^2 with a gap of 0.002 m, and rounding eps / h
            assert_allclose(found[i], slope, rtol=0.0, atol=1e-7 * np.abs(found).max())


def test_potential_forces_of_the_report(rng):
    """The force that is reported on a fiber's point sums to that fiber's own pass."""
    for kind in ("parallel", "wrapped"):
        system, nodes = make_pair(rng, kind, formulation="variational")
        residual, _ = forces(system, nodes, np.zeros(0))
        part, c = system.contact.sets.fibers[0], system.cables
        w, found = system.partners.weight[0], part.forces(system.contact.geometry)
        on_first = np.zeros(3)
        for run, e in enumerate(part.runs.element):
            own = slice(part.runs.point_start[run], part.runs.point_start[run + 1])
            force = (w * c.h[e]) @ found[own]
            on_first += force if e in own_elements(system, 0) else -force
        # both passes act on both: what the first receives is its own pass minus the other's
        total = -nodes_of(system, residual, 0)[:, :3].sum(axis=0)
        assert_allclose(total, on_first, rtol=0.0, atol=1e-12 * np.abs(residual).max())
