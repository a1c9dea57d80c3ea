"""Contact from pair potentials: symmetric, conserving, and equal to half passes side by side."""

import numpy as np
import pytest
from line_matrices import line_matrix
from scenes_of_tests import rubber

import fibermsk as fm
from fibermsk.system.contact.sets import Border


def crossing_fibers(formulation, elements=6, gap=-0.12, tapered=True, points=5):
    """Two curved, tapered fibers with free ends that press on each other where they cross."""
    model = fm.Model("crossing", gravity=(0, 0, 0))
    distance = (1.0 + gap) * 0.011

    def radius(s):
        return 0.005 + (0.002 if tapered else 0.0) * s

    def lower(s):
        return np.stack([0.1 * s, 0.01 * np.sin(2 * s), 0.0 * s], axis=1)

    def upper(s):
        return np.stack(
            [0.05 + 0.02 * s, 0.06 * (s - 0.4), distance + 0.02 * (s - 0.55) ** 2], axis=1
        )

    for name, path in (("lower", lower), ("upper", upper)):
        fiber = fm.Fiber(name, path, radius=radius, n_elements=elements, tissue=rubber())
        model.add(fiber)
    law = fm.PenaltyContact(stiffness=300.0, limit=3.0)
    model.add(
        fm.Contact(
            model.fibers, model.fibers, law, points_per_element=points, formulation=formulation
        )
    )
    return fm.build(model)


def contact_residual(system, y, tangent=False):
    """Contact forces on the nodes (with the sign of the residual), energy and matrix."""
    nodes, q = system.split(y)
    system.contact.evaluate(nodes, system.tree.evaluate(q, q, q))
    n = nodes.size
    out = Border(
        np.zeros_like(nodes),
        np.zeros(0),
        np.zeros((n // 6, 3, 6, 6)),
        np.zeros((n, 0)),
        np.zeros((0, n)),
        np.zeros((0, 0)),
    )
    couplings = system.contact.scatter_fibers(out, tangent)
    system.contact.scatter_bones(out, tangent)
    matrix = line_matrix(system.cables, out.lines, couplings) if tangent else None
    return out.residual, sum(system.contact.energies), matrix


def bent(system, rng, size=3e-4):
    y, _ = system.initial_state()
    return y + size * rng.normal(size=y.size) * np.tile([1, 1, 1, 5, 5, 5], y.size // 6)


def resultant(nodes, force):
    moment = np.cross(nodes[:, :3], force[:, :3]) + np.cross(nodes[:, 3:], force[:, 3:])
    return np.r_[force[:, :3].sum(axis=0), moment.sum(axis=0)]


@pytest.mark.parametrize("tapered", [True, False])
def test_forces_are_the_gradient_of_the_energy(rng, tapered):
    system = crossing_fibers("variational", tapered=tapered)
    y = bent(system, rng)
    gradient, energy, _ = contact_residual(system, y)
    assert energy > 0 and system.contact.n_closed()[0] >= 4
    for _ in range(6):
        d = rng.normal(size=y.size)
        h = 1e-7
        ahead, behind = (contact_residual(system, y + s * h * d)[1] for s in (1, -1))
        # round-off 1e-16 energy / h and truncation h^2
        assert gradient.ravel() @ d == pytest.approx((ahead - behind) / (2 * h), rel=2e-6)


def test_tangent_is_symmetric_and_exact(rng):
    system = crossing_fibers("variational")
    y = bent(system, rng)
    _, _, K = contact_residual(system, y, tangent=True)
    np.testing.assert_allclose(K, K.T, atol=1e-11 * np.abs(K).max())
    for _ in range(4):
        d = rng.normal(size=y.size)
        h = 1e-8
        ahead, behind = (contact_residual(system, y + s * h * d)[0].ravel() for s in (1, -1))
        slope = (ahead - behind) / (2 * h)
        np.testing.assert_allclose(K @ d, slope, atol=1e-6 * np.abs(slope).max())


def test_half_pass_tangent_is_not_symmetric(rng):
    system = crossing_fibers("half_pass")
    _, _, K = contact_residual(system, bent(system, rng), tangent=True)
    assert np.abs(K - K.T).max() > 1e-3 * np.abs(K).max()


def test_no_net_force_nor_moment(rng):
    system = crossing_fibers("variational")
    y = bent(system, rng)
    force, _, _ = contact_residual(system, y)
    nodes = system.split(y)[0]
    scale = np.abs(force[:, :3]).sum()
    # round-off of a sum over all contact points, as force and as force times 0.1 m
    np.testing.assert_allclose(resultant(nodes, force), 0.0, atol=1e-13 * scale)


def test_half_passes_miss_action_and_reaction_whatever_the_mesh():
    """Each half pass integrates along its own fiber; where two fibers cross, the sums differ."""
    missing = []
    for n in (6, 24, 96):
        system = crossing_fibers("half_pass", elements=n)
        y, _ = system.initial_state()
        force, _, _ = contact_residual(system, y)
        net = resultant(system.split(y)[0], force)
        size = 0.5 * np.abs(force[:, :3]).sum()
        missing.append(np.linalg.norm(net[:3]) / size)
    # a few percent for these unequal, oblique fibers; quadrature is no longer what matters
    assert min(missing) > 0.02
    assert missing[2] == pytest.approx(missing[1], rel=0.05)


@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_parallel_fibers_repel_each_other_with_the_line_force(formulation):
    """Two straight equal fibers side by side: F(g) per length on each, in both formulations."""
    model = fm.Model("parallel", gravity=(0, 0, 0))
    gap = -0.1
    for i, y in enumerate((0.0, 0.01 * (1 + gap))):
        path = [[0, y, 0], [0.1, y, 0]]
        model.add(fm.Fiber(f"f{i}", path, radius=5e-3, n_elements=3, tissue=rubber()))
    law = fm.PenaltyContact(stiffness=300.0, limit=3.0)
    model.add(fm.Contact(model.fibers, model.fibers, law, formulation=formulation))
    system = fm.build(model)
    y, _ = system.initial_state()
    force, _, _ = contact_residual(system, y)
    expected = 300.0 * 0.1 / (1.0 - 3.0 * 0.1) * 0.1
    total = force.reshape(2, 4, 6)[:, :, 1].sum(axis=1)
    np.testing.assert_allclose(total, [expected, -expected], rtol=1e-12)


@pytest.mark.parametrize("formulation, kept", [("variational", True), ("half_pass", False)])
def test_free_collision_keeps_momentum(formulation, kept):
    system = crossing_fibers(formulation, gap=0.05)
    y, v = system.initial_state()
    nodes = system.split(v)[0]
    first = system.cables.node_start[1]
    nodes[first:, 2] = -1.0
    momenta = []
    result = fm.simulate(
        system, (y, v), t_end=0.02, dt=2.5e-4, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    assert result.min_admissibility.min() < 0.9
    mass = system.cables.mass
    for i in (1, -1):
        step = (_nodes(result, i) - _nodes(result, i - 1)) / 2.5e-4
        local = step[system.cables.elements].reshape(-1, 4, 3)
        momenta.append(np.einsum("eab,ebi->i", mass[:, [0, 2], :], local))
    drift = np.linalg.norm(momenta[1] - momenta[0]) / np.linalg.norm(momenta[0])
    if kept:
        assert drift < 1e-9  # Newton's tolerance over the step
    else:
        assert drift > 1e-4


def _nodes(result, frame):
    return np.concatenate(
        [np.c_[f.position[frame], f.tangent[frame]] for f in result.fibers.values()]
    )


def test_least_gap_is_the_least_along_the_partner(rng):
    """Against a dense scan of the gap along the other fiber."""
    system = crossing_fibers("variational")
    y = bent(system, rng)
    contact_residual(system, y)
    part = system.contact.sets.fibers[0]
    cables, runs = system.cables, part.runs
    checked = 0
    for run, element in enumerate(runs.element):
        partner = runs.candidates[runs.start[run]]
        other = cables.fiber[partner]
        theta = np.linspace(0, 1, 20001)
        nodes = cables.theta[cables.node_start[other] : cables.node_start[other + 1]]
        local = np.clip(np.searchsorted(nodes, theta, side="right") - 1, 0, nodes.size - 2)
        at = cables.element_start[other] + local
        h = cables.h[at]
        xi = (theta - nodes[local]) / h
        shapes = np.stack([np.broadcast_to(s, theta.shape) for s in _hermite(xi, h)])
        control = system.split(y)[0][cables.elements[at]].reshape(-1, 4, 3)
        reference = cables.reference[cables.elements[at]].reshape(-1, 4, 3)
        curve = np.einsum("at,tai->ti", shapes, control)
        # the stretch of both nodes, blended without a corner
        factors = np.linalg.norm(reference[:, [1, 3]], axis=2)
        factors = np.sqrt(factors / np.linalg.norm(control[:, [1, 3]], axis=2))
        blend = xi * xi * (3.0 - 2.0 * xi)
        factor = factors[:, 0] * (1.0 - blend) + factors[:, 1] * blend
        radius = system.model.fibers[other].radius_at(theta) * factor
        own = system.split(y)[0][cables.elements[element]].reshape(4, 3)
        for k in range(5):
            slot = runs.point_start[run] + k
            x = np.array(_hermite(cables.xi[k], cables.h[element])) @ own
            gaps = np.linalg.norm(curve - x, axis=1) / (part.radii()[slot] + radius) - 1.0
            found = part.points.state[slot, 0] / part.points.state[slot, 1] - 1.0
            if found < 0.0:
                checked += 1
                # the scan is 5e-5 coarse: second order in that
                assert found <= gaps.min() + 1e-9
                assert found == pytest.approx(gaps.min(), abs=1e-6)
    assert checked >= 6


def _hermite(xi, h):
    from fibermsk.elements import hermite

    return hermite(xi, h)
