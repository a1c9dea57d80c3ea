"""The part of an update that surely keeps contacts admissible, checked all along the way.

The way is sampled densely, with attached ends and bones exactly where the coordinates put them and
with every element as a candidate, so that neither the estimate nor the search is trusted.
"""

import numpy as np
import pytest
from contact_parts import (
    BONE_GAMMA,
    GAMMA,
    KAPPA,
    PAIRS,
    AllPairs,
    make_arm,
    make_pair,
)
from kernel_parts import build_sparse, fiber, system_of
from numpy.testing import assert_allclose
from reference import cable as plain

import fibermsk as fm
from fibermsk.kernels.search import safeguard

SAMPLES = 200


class Way:
    """An update from one state of a system, and the least 1 + gamma g along it."""

    def __init__(self, system, nodes, q, update, update_q, gamma=GAMMA, formulation="half_pass"):
        self.system, self.q, self.pairs = (
            system,
            q,
            AllPairs(system, gamma, formulation=formulation),
        )
        self.nodes, self.update, self.update_q = nodes, update, update_q
        self.nodes = self.at(0.0)[0]
        self.start = self.admissibility(0.0)

    def at(self, s):
        """Nodes and links after a part of the update."""
        motion = self.system.skeleton.at(self.q + s * self.update_q)
        nodes = self.nodes + s * self.update
        nodes[self.system.cables.attached_nodes, :3] = self.system.attached.place(motion).c
        return nodes, motion.links

    def admissibility(self, s):
        """Least 1 + gamma g over all pairs after a part of the update, at most 1."""
        return self.pairs.least(*self.at(s))

    def fraction(self, keep):
        """Safeguard's answer."""
        y = np.r_[self.nodes.ravel(), self.q]
        increment = np.r_[self.update.ravel(), self.update_q]
        return self.system.step_fraction(y, increment, keep)

    def check(self, keep):
        """Sample the way; returns the fraction."""
        fraction = self.fraction(keep)
        assert 0.0 < fraction <= 1.0
        along = [self.admissibility(s) for s in fraction * np.linspace(0.0, 1.0, SAMPLES + 1)]
        # rounding of the bisection, 2^-40, and of the gap
        assert along[-1] >= keep * self.start * (1.0 - 1e-9)
        assert min(along) > 0.0
        assert min(along) >= keep * self.start * (1.0 - 1e-9)
        return fraction


def random_update(rng, nodes, mode, size, n_first):
    """Update of the nodes by about `size` times 0.1 m."""
    update = rng.normal(size=nodes.shape)
    update[:, :3] *= 0.1 * size
    update[:, 3:] *= 0.3 * size
    if mode != "scatter":
        update *= 0.1
    if mode == "approach":
        update[:n_first, 2] += 0.1 * size
    elif mode == "slide":
        update[:n_first, 0] += 0.2 * size
    elif mode == "shorten":
        update[:, 3:] -= size * nodes[:, 3:]
        update[:, :3] -= size * (nodes[:, :3] - nodes[:, :3].mean(axis=0))
    return update


MODES = ["scatter", "approach", "slide", "shorten"]


# the potential's gap differs from the one at the closest point where radii vary along the partner
CASES = [(kind, "half_pass") for kind in PAIRS]
CASES += [(kind, "variational") for kind in ("tapered", "curved")]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("kind", "formulation"), CASES)
def test_fibers_stay_admissible(rng, kind, mode, formulation):
    none = np.zeros(0)
    system, nodes = make_pair(rng, kind, formulation=formulation)
    n_first = system.cables.node_start[1]
    fractions = []
    for keep, size in ((0.2, 0.5), (0.2, 0.1), (0.5, 0.02), (0.9, 0.1)):
        update = random_update(rng, nodes, mode, size, n_first)
        way = Way(system, nodes, none, update, none, formulation=formulation)
        assert way.start > 0.0
        fractions.append(way.check(keep))
    assert min(fractions) < 1.0  # the safeguard was needed


@pytest.mark.parametrize("attach", [False, True], ids=["free", "attached"])
@pytest.mark.parametrize(
    ("shape", "formulation"),
    [("capsule", "half_pass"), ("cylinder", "half_pass"), ("capsule", "variational")],
)
def test_fibers_beside_moving_bones_stay_admissible(rng, shape, attach, formulation):
    """Three joints, fibers between their segments, attached to the last of them or free."""
    system, nodes, _, _ = make_arm(rng, shape, attach, formulation)
    n_first = system.cables.node_start[1]
    checked, needed = 0, 0
    for trial in range(12):
        q = 0.003 * rng.normal(size=3)
        size = 10.0 ** rng.uniform(-3.0, -0.5)
        update = random_update(rng, nodes, MODES[trial % 3], size, n_first)
        update_q = rng.normal(size=3) * 10.0 ** rng.uniform(-3.0, 0.0)
        if trial % 4 == 3:  # along with the joints, so that only the second order is left
            twists = system.tree.evaluate(q, *np.zeros((2, 3))).S
            update *= 0.01
            for rate, S in zip(update_q, twists, strict=True):
                update[:, :3] += rate * (S[3:] + np.cross(S[:3], nodes[:, :3]))
                update[:, 3:] += rate * np.cross(S[:3], nodes[:, 3:])
        way = Way(system, nodes, q, update, update_q, formulation=formulation)
        if way.start > 0.0:
            checked += 1
            needed += way.check(0.2 if trial % 2 else 0.5) < 1.0
    assert checked > 6
    assert needed > 3


def parallel(distance, radius=0.01, n_elements=4, gamma=GAMMA):
    """Two straight fibers along x, one above the other."""
    fibers = [
        fiber(f"f{i}", [(0, 0, z), (0.2, 0, z)], radius=radius, n_elements=n_elements)
        for i, z in enumerate((0.0, distance))
    ]
    law = fm.PenaltyContact(KAPPA, gamma)
    system = system_of(fibers, contacts=[fm.Contact(*fibers, law, formulation="half_pass")])
    return system, system.cables.reference.copy()


@pytest.mark.parametrize("distance", [0.016, 0.018, 0.024])
@pytest.mark.parametrize("keep", [0.1, 0.5])
def test_head_on_approach_is_cut_exactly(distance, keep):
    """Straight on, the estimate is the truth: what is left is keep times the admissibility."""
    system, nodes = parallel(distance)
    update = np.zeros_like(nodes)
    update[:5, 2] = 0.03
    none = np.zeros(0)
    way = Way(system, nodes, none, update, none)
    fraction = way.check(keep)
    # d - s = R (1 - (1 - bound) / gamma)
    bound = keep * min(1.0, 1.0 + GAMMA * (distance / 0.02 - 1.0))
    expected = (distance - 0.02 * (1.0 - (1.0 - bound) / GAMMA)) / 0.03
    assert_allclose(fraction, expected, rtol=1e-9)  # 40 bisections
    assert_allclose(way.admissibility(fraction), bound, rtol=1e-9)


@pytest.mark.parametrize("kind", PAIRS)
def test_common_translation_is_free(rng, kind):
    none = np.zeros(0)
    system, nodes = make_pair(rng, kind)
    for size in (1e-3, 0.1, 10.0):
        update = np.zeros_like(nodes)
        update[:, :3] = size * rng.normal(size=3)
        assert Way(system, nodes, none, update, none).fraction(0.5) == 1.0


def test_small_updates_are_free(rng):
    """Less than half of what is left to the limit, at any of several places."""
    none = np.zeros(0)
    for kind in PAIRS:
        system, nodes = make_pair(rng, kind)
        way = Way(system, nodes, none, 0.0 * nodes, none)
        assert way.fraction(0.5) == 1.0
        room = 0.5 * way.start / GAMMA * 0.02  # smallest sum of radii
        update = np.zeros_like(nodes)
        update[:, :3] = rng.normal(size=3)
        half = system.cables.node_start[1]
        update[:half, :3] *= 0.45 * room / np.linalg.norm(update[0, :3])
        update[half:, :3] *= -0.45 * room / np.linalg.norm(update[-1, :3])
        assert Way(system, nodes, none, update, none).fraction(0.5) == 1.0


def test_far_fibers_do_not_hold_each_other_up(rng):
    """No candidate within the way: all of it."""
    none = np.zeros(0)
    system, nodes = parallel(0.5)
    update = np.zeros_like(nodes)
    update[:5, 2] = 0.4
    assert Way(system, nodes, none, update, none).check(0.5) == 1.0
    update[:5, 2] = 3.0  # right through the other one
    assert Way(system, nodes, none, update, none).check(0.5) < 0.5 / 3.0


def test_crossing_is_refused_even_where_both_ends_are_open():
    """An update that would put one fiber on the other side of the other, out of contact."""
    none = np.zeros(0)
    system, nodes = parallel(0.021)
    update = np.zeros_like(nodes)
    update[:5, 2] = 0.2
    way = Way(system, nodes, none, update, none)
    assert way.admissibility(1.0) == 1.0
    fraction = way.check(0.5)
    assert 0.2 * fraction < 0.021


def hinge_and_fiber(gap=0.002):
    """A bone on a hinge 0.3 m away, about to press on a straight fiber across it."""
    model = fm.Model("press")
    bone = model.add(
        fm.Body(
            "bone",
            mass=1.0,
            inertia=(0.1, 0.1, 0.1),
            shapes=fm.Capsule((0, 0, 0), (0.6, 0, 0), 0.03),
        )
    )
    model.add(fm.Hinge("q", model.ground, bone, at=(0, 0, 0), axis=(0, -1, 0)))
    z = 0.04 + gap
    items = [
        model.add(fiber(f"f{i}", [(x, -0.1, z), (x, 0.1, z)], radius=0.01))
        for i, x in enumerate((0.3, 0.2))
    ]
    model.add(
        fm.Contact(items, bone, fm.PenaltyContact(KAPPA, BONE_GAMMA), formulation="half_pass")
    )
    system = build_sparse(model)
    return system, system.cables.reference.copy()


@pytest.mark.parametrize("turn", [0.05, 0.2])
def test_turning_bone_is_stopped_in_time_but_not_much_too_early(turn):
    """The exact way to the bound by bisection; first order is sharp, second order a bound."""
    system, nodes = hinge_and_fiber()
    q, update_q = np.zeros(1), np.array([turn])
    way = Way(system, nodes, q, 0.0 * nodes, update_q)
    assert way.start == 1.0
    fraction = way.check(0.5)
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if way.admissibility(middle) > 0.5 else (low, middle)
    assert fraction <= low
    # turns of 0.03 are needed, so the second order at the whole turn costs up to that part of it
    assert fraction >= low / (1.0 + 1.5 * turn)


def test_turning_with_the_bone_is_almost_free():
    """Fibers that follow the joint: to first order nothing moves."""
    system, nodes = hinge_and_fiber()
    q = np.zeros(1)
    S = system.tree.evaluate(q, q, q).S[0]
    alone, along = 0.0 * nodes, np.empty_like(nodes)
    along[:, :3] = S[3:] + np.cross(S[:3], nodes[:, :3])
    along[:, 3:] = np.cross(S[:3], nodes[:, 3:])
    # 2 turn^2 lever = 0.002 m, against the 0.008 m that may be used up
    turn = 0.05
    assert Way(system, nodes, q, turn * along, np.array([turn])).check(0.5) == 1.0
    assert Way(system, nodes, q, turn * alone, np.array([turn])).check(0.5) < 0.8
    # a common translation is not open to a bone on a fixed hinge: it counts
    shift = np.zeros_like(nodes)
    shift[:, 2] = -0.05
    assert Way(system, nodes, q, shift, np.zeros(1)).check(0.5) < 0.3


def test_bones_turning_away_from_far_fibers_are_free():
    system, nodes = hinge_and_fiber(gap=0.5)
    assert Way(system, nodes, np.zeros(1), 0.0 * nodes, np.array([-0.5])).check(0.5) == 1.0


def test_attached_ends_stay_within_the_remainder(rng):
    """What the estimate takes for granted of ends on moving bones: their way off the straight
    one."""
    system, nodes, _, _ = make_arm(rng, "capsule", attach=True)
    cables = system.cables
    for _ in range(20):
        q, update_q = rng.normal(size=3), rng.normal(size=3) * 10.0 ** rng.uniform(-2.0, 0.3)
        c, C = system.attached.place(system.skeleton.at(q))
        moved = nodes.copy()
        moved[cables.attached_nodes, :3] = c
        y = np.r_[moved.ravel(), q]
        system.step_fraction(y, np.zeros(y.size), 0.5)  # makes y the present state
        remainder = remainders(system, moved, update_q)
        for s in np.linspace(0.0, 1.0, 51):
            ahead = system.attached.place(system.skeleton.at(q + s * update_q)).c
            stray = np.linalg.norm(ahead - c - s * (C @ update_q), axis=1)
            assert np.all(stray <= remainder[cables.end_element] * (1.0 + 1e-12) + 1e-15)


def remainders(system, nodes, update_q):
    """The system's bound for each element, whichever way it wants its arguments."""
    return system.attached.stray(
        system.configuration.motion, nodes, update_q, np.zeros_like(update_q)
    )


def test_stretch_is_kept(rng):
    """No quadrature point loses more than its share, and a uniform shortening is cut exactly."""
    system, nodes = make_pair(rng, "curved")
    c = system.cables
    for keep in (0.2, 0.6):
        arguments = (nodes, -0.9 * nodes, c.elements, c.h, c.xi, keep)
        assert_allclose(
            safeguard.stretch_fraction(*arguments), min(1.0, (1.0 - keep) / 0.9), rtol=1e-14
        )
        for _ in range(20):
            update = rng.normal(size=nodes.shape) * 10.0 ** rng.uniform(-3.0, 0.0)
            fraction = safeguard.stretch_fraction(nodes, update, c.elements, c.h, c.xi, keep)
            assert 0.0 < fraction <= 1.0
            before, after = (speeds(c, x) for x in (nodes, nodes + fraction * update))
            assert np.all(after >= keep * before * (1.0 - 1e-12))
    assert safeguard.stretch_fraction(nodes, 0.0 * nodes, c.elements, c.h, c.xi, 0.2) == 1.0
    lengthen = safeguard.stretch_fraction(nodes, 0.5 * nodes, c.elements, c.h, c.xi, 0.2)
    assert lengthen == 1.0


def speeds(cables, nodes):
    """|x,theta| at the quadrature points."""
    d = plain.shape_d(cables.xi[None, :], cables.h[:, None])
    control = nodes[cables.elements].reshape(-1, 4, 3)
    return np.linalg.norm(np.einsum("eka,eai->eki", d, control), axis=2)


def shorten_tangents(nodes, part):
    """Update that takes a part of all tangents away and leaves the nodes where they are."""
    update = np.zeros_like(nodes)
    update[:, 3:] = -part * nodes[:, 3:]
    return update


def test_radii_that_grow_into_known_partners():
    """Shorter tangents make thicker fibers; the partners are candidates already."""
    none = np.zeros(0)
    system, nodes = parallel(0.041, radius=0.02, n_elements=20)
    update = shorten_tangents(nodes, 0.6)
    assert Way(system, nodes, none, update, none).check(0.5) < 1.0


@pytest.mark.parametrize(("n_elements", "distance"), [(100, 0.056), (50, 0.058), (20, 0.066)])
def test_radii_that_grow_into_new_partners(n_elements, distance):
    """The same from a distance at which they are no candidates yet.

    Elements much shorter than the fiber is thick: the control points move by less than the search
    looks ahead while the radius grows by more.
    """
    none = np.zeros(0)
    system, nodes = parallel(distance, radius=0.02, n_elements=n_elements, gamma=5.0)
    way = Way(system, nodes, none, shorten_tangents(nodes, 0.99), none, gamma=5.0)
    assert way.start == 1.0
    way.check(0.5)
