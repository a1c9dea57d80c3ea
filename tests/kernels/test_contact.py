"""Contact forces between fibers against the plain reference, and each of their derivatives."""

import numpy as np
import pytest
from contact_parts import (
    GAMMA,
    KAPPA,
    PAIRS,
    closed,
    element_moved,
    fiber_slots,
    forces,
    make_pair,
    nodal_force,
    nodes_of,
    own_elements,
    power_of,
)
from kernel_parts import bow, deform, fiber, plain_cable, rotation, spindle, system_of, turn
from numpy.testing import assert_allclose
from reference import cable as plain, contact as reference

from fibermsk.elements import gauss_rule
from fibermsk.kernels.contact.contact import section_on
from fibermsk.kernels.contact_arrays import FiberShapes
from fibermsk.kernels.section import section

POINTS = 5
BLOCKS = ["x", "tangent of x", "y", "tangent of y"]


@pytest.mark.parametrize("points", [5, 3])
@pytest.mark.parametrize("kind", PAIRS)
def test_fiber_forces_against_reference(rng, kind, points):
    touched = 0
    for _ in range(3):
        system, nodes = make_pair(rng, kind, points)
        cables = [plain_cable(system, f) for f in (0, 1)]
        power = power_of(system, nodes)
        for f in (0, 1):
            x, y = nodes_of(system, nodes, f), nodes_of(system, nodes, 1 - f)
            out = fiber_slots(system, power, own_elements(system, f), 1 - f, points)
            assert out.least > 0.0
            expected, records = reference.fiber_contact(
                cables[f], x, cables[1 - f], y, KAPPA, GAMMA, points
            )
            force = nodal_force(system, f, out, points)
            # the gap is a difference of distances of 0.02 in coordinates of 0.3: eps * 15 over the
            # gap of some 0.1; a closest point is known to rounding over the curvature
            assert_allclose(force, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
            slots = closed(out)
            assert slots.size == len(records)
            touched += slots.size
            for s, record in zip(slots, records, strict=True):
                e = s // points
                assert (e, s % points) == (record.element, record.point)
                gap = out.state[s, 0] / out.state[s, 1] - 1.0
                assert_allclose(1.0 + GAMMA * gap, 1.0 + GAMMA * record.gap, rtol=1e-12)
                start = system.cables.theta[system.cables.elements[out.element[s], 0]]
                theta = start + system.cables.h[out.element[s]] * out.xi[s]
                assert_allclose(theta, record.xi, rtol=0.0, atol=1e-9)  # flat over r / curvature
                assert record.traction @ out.force[s] > 0.0
    assert touched >= points


@pytest.mark.parametrize("kind", PAIRS)
def test_forces_through_the_search(rng, kind):
    """With candidates from the search, the same forces and both half passes."""
    for noise in (0.02, 0.05):
        system, nodes = make_pair(rng, kind, noise=noise)
        residual, _ = forces(system, nodes, np.zeros(0))
        least = system.contact.worst()[0]
        power = power_of(system, nodes)
        all_least = 1.0
        for f in (0, 1):
            out = fiber_slots(system, power, own_elements(system, f), 1 - f)
            expected = nodal_force(system, f, out)
            assert_allclose(
                -nodes_of(system, residual, f), expected, rtol=0.0,
                atol=1e-14 * np.abs(expected).max(),
            )  # fmt: skip
            all_least = min(all_least, out.least)
        assert_allclose(least, all_least, rtol=1e-14)


def partner_moved(system, power, elements, theta, block, step):
    """Elements after a change of y or of its tangent alone, at theta of the partner."""
    moved = power.copy()
    c = system.cables
    if block == 2:
        moved[elements, 0] += step
    else:
        start = c.theta[c.elements[elements, 0]]
        moved[elements, 0] += (start - theta)[:, None] * step
        moved[elements, 1] += c.h[elements, None] * step
    return moved


@pytest.mark.parametrize("block", range(4), ids=BLOCKS)
@pytest.mark.parametrize("kind", PAIRS)
def test_fiber_derivatives_each_alone(rng, kind, block):
    """Central differences of the force per theta in one argument, the others held."""
    system, nodes = make_pair(rng, kind)
    c = system.cables
    power = power_of(system, nodes)
    held = free = 0
    for f in (0, 1):
        partner = own_elements(system, 1 - f)
        for e in own_elements(system, f):
            out = fiber_slots(system, power, [e], 1 - f)
            for s in closed(out):
                xi, b = gauss_rule(POINTS)[0][s], out.element[s]
                theta = c.theta[c.elements[b, 0]] + c.h[b] * out.xi[s]
                if theta in (0.0, 1.0):
                    held += 1
                else:
                    free += 1
                # radius, |a1|, radius or |y,theta|: a millionth of it is the step
                size = (out.own[s, 6], out.own[s, 7], out.own[s, 6], out.state[s, 2])[block]
                h = 1e-6 * size
                slope = np.empty((3, 3))
                for axis in range(3):
                    values = []
                    for sign in (1.0, -1.0):
                        step = sign * h * np.eye(3)[axis]
                        if block < 2:
                            moved = element_moved(power, e, c.h[e], xi, block, step)
                        else:
                            moved = partner_moved(system, power, partner, theta, block, step)
                        values.append(fiber_slots(system, moved, [e], 1 - f).force[s])
                    slope[:, axis] = (values[0] - values[1]) / (2.0 * h)
                found = out.jacobian[s, block]
                # (h / gap)^2 with a gap of a tenth of the radius, and rounding eps / h times 1 /
                # gap
                scale = np.abs(found).max() + np.abs(out.force[s]).max() / size
                assert_allclose(found, slope, rtol=0.0, atol=1e-7 * scale)
    assert held > 0 if kind.startswith("end") else free > 5


def test_held_point_does_not_move(rng):
    """At a fiber's end the partner's tangent only changes the radius there."""
    system, nodes = make_pair(rng, "end beside")
    power = power_of(system, nodes)
    out = fiber_slots(system, power, own_elements(system, 0), 1)
    ends = [s for s in closed(out) if out.xi[s] == 0.0 and out.element[s] == 4]
    assert ends
    for s in ends:
        direction = out.force[s] / np.linalg.norm(out.force[s])
        across = np.eye(3) - np.outer(direction, direction)
        # only the size of the force changes, not its direction
        assert_allclose(
            across @ out.jacobian[s, 3],
            0.0,
            rtol=0.0,
            atol=1e-14 * np.abs(out.jacobian[s, 3]).max(),
        )
        assert_allclose(
            np.abs(out.jacobian[s, 0] + out.jacobian[s, 2]).max(), 0.0, rtol=0.0,
            atol=1e-12 * np.abs(out.jacobian[s, 0]).max(),
        )  # fmt: skip


@pytest.mark.parametrize("kind", PAIRS)
def test_common_translation_costs_nothing(rng, kind):
    """The force depends on y - x: the blocks in x and in y are opposite, held or free."""
    system, nodes = make_pair(rng, kind)
    out = fiber_slots(system, power_of(system, nodes), own_elements(system, 0), 1)
    for s in closed(out):
        total = out.jacobian[s, 0] + out.jacobian[s, 2]
        # rounding, where the parts of the change of the closest point cancel
        assert np.abs(total).max() <= 1e-12 * np.abs(out.jacobian[s, 0]).max()


@pytest.mark.parametrize("kind", PAIRS)
def test_fiber_forces_follow_a_rigid_motion(rng, kind):
    system, nodes = make_pair(rng, kind)
    R, shift = rotation(rng), rng.normal(size=3)
    moved = turn(nodes, R, shift)
    for f in (0, 1):
        elements = own_elements(system, f)
        out = fiber_slots(system, power_of(system, nodes), elements, 1 - f)
        turned = fiber_slots(system, power_of(system, moved), elements, 1 - f)
        # coordinates of size 1: eps over the distance 0.02 and over the gap 0.1, and a closest
        # point that rounds to eps over the curvature
        scale = np.abs(out.force).max()
        assert_allclose(turned.force, out.force @ R.T, rtol=0.0, atol=1e-10 * scale)
        assert_allclose(turned.state, out.state, rtol=0.0, atol=1e-11)
        for s in closed(out):
            expected = R @ out.jacobian[s] @ R.T
            atol = 1e-9 * np.abs(out.jacobian[s]).max(axis=(1, 2), keepdims=True)
            assert np.all(np.abs(turned.jacobian[s] - expected) <= atol + 1e-12 * scale)


def test_parallel_fibers_in_closed_form():
    """Distance 0.018 of straight fibers with radius 0.01: F |a1| apart, alike on both."""
    paths = [[(0, 0, z), (0.2, 0, z)] for z in (0.0, 0.018)]
    system = system_of([fiber(f"f{i}", p, radius=0.01, n_elements=3) for i, p in enumerate(paths)])
    power = power_of(system, system.cables.reference)
    F = KAPPA * 0.1 / (1.0 - GAMMA * 0.1)
    for f, sign in ((0, -1.0), (1, 1.0)):
        out = fiber_slots(system, power, own_elements(system, f), 1 - f)
        assert_allclose(out.force, np.tile([0, 0, sign * F * 0.2], (15, 1)), rtol=0.0, atol=1e-11)
        assert_allclose(out.state, np.tile([0.018, 0.02, 0.2], (15, 1)), rtol=1e-12)
        assert_allclose(out.own[:, 6:], np.tile([0.01, 0.2], (15, 1)), rtol=1e-12)


def test_action_on_both(rng):
    """Mirrored fibers receive mirrored forces: equal and opposite across the plane."""
    path = bow((0, 0, 0.009), (0.2, 0.02, 0.009), sag=(0.0, 0.03, -0.003))
    other = bow((0, 0, -0.009), (0.2, 0.02, -0.009), sag=(0.0, 0.03, 0.003))
    system = system_of(
        [fiber(f"f{i}", p, radius=spindle(0.009)) for i, p in enumerate((path, other))]
    )
    nodes = system.cables.reference.copy()
    mirror = np.array([1.0, 1.0, -1.0] * 2)
    nodes[:5] = deform(rng, nodes[:5], 0.02)
    nodes[:5, 2] += 0.004
    nodes[5:] = nodes[:5] * mirror
    power = power_of(system, nodes)
    first, second = (
        nodal_force(system, f, fiber_slots(system, power, own_elements(system, f), 1 - f))
        for f in (0, 1)
    )
    assert first[:, 2].sum() > 0.0 > second[:, 2].sum()
    assert_allclose(second, first * mirror, rtol=0.0, atol=1e-11 * np.abs(first).max())
    total = first[:, 2].sum() + second[:, 2].sum()
    assert abs(total) < 1e-12 * np.abs(first).max()


def test_open_contact_has_no_force(rng):
    system, nodes = make_pair(rng, "parallel")
    nodes[5:, 2] += 0.01
    out = fiber_slots(system, power_of(system, nodes), own_elements(system, 0), 1)
    assert out.least > 1.0
    assert np.all(out.force == 0.0)


@pytest.mark.parametrize("depth", [0.0, 0.2, 0.6])
def test_inadmissible_fibers_are_flagged(depth):
    """At a distance of `depth` of the inadmissible one, at the limit itself, and on top."""
    limit = (1.0 - 1.0 / GAMMA) * 0.02
    paths = [[(0, 0, z), (0.2, 0, z)] for z in (0.0, 0.018)]
    system = system_of([fiber(f"f{i}", p, radius=0.01) for i, p in enumerate(paths)])
    nodes = system.cables.reference.copy()
    nodes[5:, 2] = depth * limit
    out = fiber_slots(system, power_of(system, nodes), own_elements(system, 0), 1)
    assert_allclose(out.least, 1.0 + GAMMA * (depth * limit / 0.02 - 1.0), rtol=1e-12)
    assert out.least <= 0.0
    assert np.all(out.force == 0.0)
    assert np.all(np.isfinite(out.state))


def test_just_admissible_fibers_are_not_flagged():
    """A thousandth above the limit: an enormous force, and finite derivatives."""
    paths = [[(0, 0, z), (0.2, 0, z)] for z in (0.0, 0.018)]
    system = system_of([fiber(f"f{i}", p, radius=0.01) for i, p in enumerate(paths)])
    nodes = system.cables.reference.copy()
    nodes[5:, 2] = (1.0 - 0.999 / GAMMA) * 0.02
    out = fiber_slots(system, power_of(system, nodes), own_elements(system, 0), 1)
    assert_allclose(out.least, 1e-3, rtol=1e-10)  # eps * 3 over 1e-3
    F = KAPPA * 0.999 / GAMMA / 1e-3
    assert_allclose(out.force[:, 2], -F * 0.2, rtol=1e-10)
    assert np.all(np.isfinite(out.jacobian))


def test_section(rng):
    """Position, derivatives, radius and its slope along theta, by differences."""
    path = bow((0, 0, 0), (0.2, 0, 0), sag=(0, 0, 0.04), twist=(0, 0.02, 0))
    system = system_of([fiber("f", path, rng, radius=spindle(0.01))])
    c, cable = system.cables, plain_cable(system, 0)
    nodes = deform(rng, c.reference, 0.1)
    power = power_of(system, nodes)

    def at(e, xi):
        x, a1 = np.empty(3), np.empty(3)
        r, length = section(
            power[e], c.reference_rows[c.shape_of[e]], c.radius_poly[e], c.h[e], xi, x, a1
        )
        tangent, a2, radius, dr, size = section_on(e, xi, FiberShapes.of(c, power))
        assert_allclose((*tangent, radius, size), (*a1, r, length), rtol=1e-13, atol=1e-15)
        return (x, a1, np.array(a2), r, dr, length)

    for e in range(c.h.size):
        for xi in rng.uniform(0.05, 0.95, 5):
            x, a1, a2, r, dr, length = at(e, xi)
            control = nodes[e : e + 2].reshape(4, 3)
            assert_allclose(x, plain.shape(xi, c.h[e]) @ control, rtol=0.0, atol=1e-15)
            assert_allclose(a1, plain.shape_d(xi, c.h[e]) @ control, rtol=0.0, atol=1e-14)
            assert_allclose(length, np.linalg.norm(a1), rtol=1e-15)
            assert_allclose(r, plain.current_radius(cable, nodes, e, xi), rtol=1e-13)
            step = 1e-6
            ahead, behind = at(e, xi + step), at(e, xi - step)
            width = 2.0 * step * c.h[e]
            # step^2 and rounding eps / step
            assert_allclose(
                (ahead[3] - behind[3]) / width, dr, rtol=0.0, atol=1e-8 * np.abs(r) * 50
            )
            assert_allclose((ahead[1] - behind[1]) / width, a2, rtol=0.0, atol=1e-8 * length * 50)
