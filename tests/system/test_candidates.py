"""Candidates in a system: what touches is among them, at rest and on the way of an update.

What touches is found by looking at many points of all elements, with the radii that they have.
"""

import numpy as np
import pytest
from scenes_of_tests import rubber, two_link_arm

import fibermsk as fm
from fibermsk.kernels.bones.bone_shape import INFINITE_CYLINDER
from fibermsk.kernels.fibers.shape import bezier_hull
from fibermsk.system.contact.candidates import Place

RADIUS = 4e-3
POINTS = np.linspace(0.0, 1.0, 13)


def heap(rng, n=14, n_elements=5, formulation="variational"):
    """Tapered fibers that lie across each other in a cube of ten centimeters."""
    model = fm.Model("heap")
    fibers = [
        model.add(
            fm.Fiber(
                f"f{i}",
                path=rng.uniform(0.0, 0.1, (2, 3)),
                radius=lambda s: RADIUS * (0.7 + 0.6 * s),
                n_elements=n_elements,
                tissue=rubber(),
            )
        )
        for i in range(n)
    ]
    law = fm.PenaltyContact(1.0, 1.0 + 1e-9)
    model.add(fm.Contact(fibers, fibers, law, points_per_element=2, formulation=formulation))
    return fm.build(model)


def bundle(n=5, n_elements=10, length=0.2):
    """Straight fibers in rows, which touch each other all along."""
    model = fm.Model("bundle")
    fibers = [
        model.add(
            fm.Fiber(
                f"f{y} {z}",
                path=2.0 * RADIUS * np.array([(0, y, z), (0, y, z)]) + [(0, 0, 0), (length, 0, 0)],
                radius=RADIUS,
                n_elements=n_elements,
                tissue=rubber(),
            )
        )
        for y in range(n)
        for z in range(n)
    ]
    model.add(fm.Contact(fibers, fibers, fm.PenaltyContact(100.0, 3.0), points_per_element=3))
    return fm.build(model)


def hull_of(system, nodes):
    c = system.cables
    hull = np.empty((c.h.size, 4, 3))
    bezier_hull(nodes, c.elements, c.h, hull)
    return hull


def place_of(system, nodes, q=None):
    q = np.zeros(system.tree.n) if q is None else q
    zero = np.zeros(q.size)
    return Place(nodes, hull_of(system, nodes), system.tree.evaluate(q, zero, zero))


def curve(hull):
    """Points and tangents in xi (n_elements, n_points, 3)."""
    t = POINTS[:, None]
    a, b, c, d = np.moveaxis(hull, 1, 0)[:, :, None]
    x = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
    slope = 3 * ((1 - t) ** 2 * (b - a) + 2 * t * (1 - t) * (c - b) + t**2 * (d - c))
    return x, np.linalg.norm(slope, axis=2)


def sections(system, nodes):
    """Points of all elements and the radii there."""
    x, speed = curve(hull_of(system, nodes))
    _, reference = curve(hull_of(system, system.cables.reference))
    r0 = system.cables.radius_poly @ np.vander(POINTS, 5, increasing=True).T
    return x, r0 * np.sqrt(reference / speed)


def touching(system, nodes):
    """Pairs of elements, in both orders, of which some points touch."""
    x, r = sections(system, nodes)
    fiber = system.cables.fiber
    found = set()
    for a in range(fiber.size):
        others = np.flatnonzero(fiber != fiber[a])
        apart = np.linalg.norm(x[a][None, :, None] - x[others][:, None], axis=3)
        met = (apart < r[a][None, :, None] + r[others][:, None]).any(axis=(1, 2))
        found |= {(a, int(b)) for b in others[met]}
    return found


def touching_bones(system, nodes, q):
    x, r = sections(system, nodes)
    state = place_of(system, nodes, q).state
    found = set()
    shapes = system.partners.shapes
    for s, (start, end) in enumerate(shapes.places(state)[:, :2]):
        along = (x - start) @ (end - start) / ((end - start) @ (end - start))
        if shapes.kind[s, 0] != INFINITE_CYLINDER:
            along = along.clip(0.0, 1.0)
        apart = np.linalg.norm(x - start - along[..., None] * (end - start), axis=2)
        met = (apart < r + system.partners.shape_radius[s]).any(axis=1)
        found |= {(int(e), s) for e in np.flatnonzero(met)}
    return found


def pairs(runs):
    return set(zip(runs.pair_first.tolist(), runs.candidates.tolist(), strict=True))


def bone_pairs(runs):
    return set(zip(runs.element.tolist(), runs.shape.tolist(), strict=True))


@pytest.mark.parametrize("reach", [1e-4, 2e-3, 0.01])
def test_they_hold_what_touches_as_long_as_they_say(rng, reach):
    system = heap(rng)
    candidates, nodes = system.contact.candidates, system.cables.reference.copy()
    candidates.search(place_of(system, nodes), reach)
    known = pairs(candidates.fiber_runs)
    direction = rng.normal(size=nodes.shape) * (1.0, 1.0, 1.0, 0.3, 0.3, 0.3)
    held = []
    for size in reach * np.linspace(0.0, 1.0, 40):
        moved = nodes + size * direction
        moved[:, 3:] *= 1.0 - 20.0 * size  # shorter tangents, thicker fibers
        held.append(candidates.hold(place_of(system, moved)))
        if held[-1]:
            assert touching(system, moved) <= known
    assert held[0] and not held[-1]
    assert 1 < sum(held)
    candidates.forget()
    assert not candidates.hold(place_of(system, nodes))


@pytest.mark.parametrize("size", [1e-3, 0.01, 0.05])
@pytest.mark.parametrize("common", [False, True], ids=["each its own way", "fibers"])
def test_no_pair_that_touches_on_the_way_of_an_update_is_missing(rng, size, common):
    system = heap(rng)
    c, candidates, nodes = system.cables, system.contact.candidates, system.cables.reference
    candidates.search(place_of(system, nodes), 1e-4)
    update = size * rng.normal(size=nodes.shape)
    if common:
        update[:, :3] = size * rng.normal(size=(14, 3))[c.fiber_of_node]
        update[:, 3:] = -0.5 * nodes[:, 3:]
    keep_stretch = 0.2 * np.linalg.norm(nodes[:, 3:], axis=1).min()
    update[:, 3:] *= min(1.0, keep_stretch / np.linalg.norm(update[:, 3:], axis=1).max())
    remainder = np.where(c.end_flag > 0, 0.1 * size, 0.0)
    way = candidates.way(
        place_of(system, nodes), hull_of(system, update), remainder, np.zeros(0), 0.8
    )
    known = pairs(candidates.fiber_runs)
    more = pairs(candidates.beyond(way)[0])
    assert not known & more
    ends = np.flatnonzero(c.end_flag)
    met = set()
    for s in np.linspace(0.0, 0.8, 30):
        moved = nodes + s * update
        _, radii = sections(system, moved)
        assert np.all(radii <= way.radii[c.fiber][:, None])
        off = rng.normal(size=(ends.size, 3))
        side = c.elements[ends, (c.end_flag[ends] == 2).astype(int)]
        # the ends stray at last
        moved[side, :3] += s * 0.1 * size * off / np.linalg.norm(off, axis=1)[:, None]
        met |= touching(system, moved)
    assert met <= known | more
    assert met - known
    assert not candidates.hold_along(way)
    assert candidates.hold_along(way._replace(
        after=way.place.hull, stray=0.0 * remainder, radii=way.radii * 0.0
    ))  # fmt: skip


def test_bones_that_are_met_on_the_way_are_found(rng):
    system = fm.build(two_link_arm(elements=12))
    candidates, nodes = system.contact.candidates, system.cables.reference
    y = np.r_[nodes.ravel(), np.zeros(2)]
    system.step_fraction(y, np.zeros_like(y), 0.5)  # makes y the present state
    candidates.search(place_of(system, nodes), 1e-4)
    known = bone_pairs(candidates.bone_runs)
    more_than_known = 0
    for trial in range(20):
        update_q = 0.3 * rng.normal(size=2)
        increment = np.r_[0.02 * rng.normal(size=nodes.size) * (trial % 3), update_q]
        update, _ = system.split(increment)
        update[system.cables.attached_nodes, :3] = system.configuration.ends.C @ update_q
        motion = system.configuration.motion
        way = candidates.way(
            place_of(system, nodes), hull_of(system, update),
            system.attached.stray(motion, nodes, update_q, 0.0 * update_q), update_q, 1.0,
        )  # fmt: skip
        more = bone_pairs(candidates.beyond(way)[1])
        assert not more & known
        met = set()
        for s in np.linspace(0.0, 1.0, 15):
            moved, q = system.split(system.retract(0.0, y, s * increment))
            met |= touching_bones(system, moved, q)
        assert met <= known | more
        more_than_known += len(met - known)
    assert more_than_known > 10


def test_bones_at_rest(rng):
    """Known as long as the candidates hold, whichever way bones and fibers move."""
    system = fm.build(two_link_arm(elements=6))
    candidates, nodes = system.contact.candidates, system.cables.reference
    candidates.search(place_of(system, nodes), 3e-3)
    known = bone_pairs(candidates.bone_runs)
    held = 0
    for _ in range(40):
        q = 0.02 * rng.normal(size=2)
        moved = nodes + 5e-4 * rng.normal(size=nodes.shape)
        if candidates.hold(place_of(system, moved, q)):
            held += 1
            assert touching_bones(system, moved, q) <= known
    assert 3 < held < 40


REACH = 1e-3


def two_apart(gap, bone=False):
    """Two straight fibers, one above the other, or one above a bone.

    Their surfaces lie apart by a gap, and the balls about the elements from the bone's.
    """
    model = fm.Model("two")
    law = fm.PenaltyContact(100.0, 3.0)

    def straight(name, z):
        path = [(0.0, 0.0, z), (0.1, 0.0, z)]
        return model.add(fm.Fiber(name, path=path, radius=RADIUS, n_elements=4, tissue=rubber()))

    ball = 0.5 * 0.1 / 4 if bone else 0.0
    above = straight("above", 2.0 * RADIUS + ball + gap)
    if bone:
        shape = fm.Capsule((-0.05, 0.2, 0), (0.05, 0.2, 0), RADIUS)
        below = model.add(fm.Body("bone", mass=1.0, inertia=(0.1, 0.1, 0.1), shapes=shape))
        model.add(fm.Hinge("q", model.ground, below, at=(0.05, -0.2, 0), axis=(1, 0, 0)))
    else:
        below = straight("below", 0.0)
    model.add(fm.Contact(above, below, law))
    return fm.build(model)


@pytest.mark.parametrize("bone", [False, True], ids=["fiber", "bone"])
@pytest.mark.parametrize("turn", [False, True])
def test_what_just_comes_near_enough(bone, turn):
    """Surfaces a little farther apart than the reach, and motions a little shorter and longer."""
    system = two_apart(1.01 * REACH, bone)
    candidates, nodes = system.contact.candidates, system.cables.reference
    here, none = place_of(system, nodes), np.zeros(system.cables.h.size)
    for way, expected in ((0.9 * REACH, True), (1.02 * REACH, False)):
        update, update_q = np.zeros_like(nodes), np.zeros(system.tree.n)
        if turn:
            update_q[:] = way / 0.2  # lever of 0.2 m
        if not (turn and bone):
            update[:5, 2] = -way
        candidates.search(here, REACH)
        assert candidates.fiber_runs.element.size == candidates.bone_runs.element.size == 0
        along = candidates.way(here, hull_of(system, update), none, update_q, 1.0)
        assert candidates.hold_along(along) == expected
        assert (candidates.beyond(along)[int(bone)].element.size > 0) != expected
        # a second order of the turn of a hundredth
        assert candidates.hold(place_of(system, nodes + update, update_q)) == expected


@pytest.mark.parametrize("bone", [False, True], ids=["fiber", "bone"])
def test_all_that_brings_two_closer_counts(bone):
    """Motion, its stray, radii and, beside bones, what the joints add: half the reach of each."""
    system = two_apart(1.01 * REACH, bone)
    candidates, nodes = system.contact.candidates, system.cables.reference
    here, none = place_of(system, nodes), np.zeros(system.cables.h.size)
    candidates.search(here, REACH)
    rest = candidates.way(here, 0.0 * here.hull, none, np.zeros(system.tree.n), 1.0)
    down = here.hull.copy()
    down[:4, :, 2] -= 0.5 * REACH
    parts = [{"radii": rest.radii + 0.25 * REACH}]
    if bone:
        parts += [{"approach": rest.approach + 0.5 * REACH}]
    else:
        parts += [{"after": down}, {"stray": rest.stray + 0.25 * REACH}]
    for part in parts:
        assert candidates.hold_along(rest._replace(**part))
    if not bone:
        for stray, found in ((0.49, False), (0.52, True)):
            along = rest._replace(stray=rest.stray + stray * REACH)
            assert (candidates.beyond(along)[0].element.size > 0) == found
    for first in parts:
        for second in parts:
            if first is not second:
                both = rest._replace(**{**first, **second})
                more = {key: value + 1e-9 for key, value in second.items()}
                assert not candidates.hold_along(both._replace(**more))


def test_a_large_update_leaves_the_candidates_as_they_are(rng, monkeypatch):
    """And one that all fibers share asks for few contact points more."""
    system = bundle()
    contact, (y, _) = system.contact, system.initial_state()
    nodes, _ = system.split(y)
    assert system.step_fraction(y, np.zeros_like(y), 0.1) == 1.0
    before, n = contact.candidates.fiber_runs, contact.sets.fibers[0].points.xi.size
    sag = np.zeros_like(nodes)
    x = nodes[:, 0] / 0.2
    sag[:, 2], sag[:, 5] = -4.0 * 0.03 * x * (1.0 - x), -4.0 * 0.03 * (1.0 - 2.0 * x)
    shift = np.zeros_like(nodes)
    shift[:, :3] = (1.0, -30.0, 5.0)
    made, allocate, ahead = [], contact._allocate, []

    def kept(*runs):
        made.append(allocate(*runs))
        return made[-1]

    monkeypatch.setattr(contact, "_allocate", kept)
    for update in (shift, sag, 0.05 * rng.normal(size=nodes.shape)):
        made.clear()
        system.step_fraction(y, update.ravel(), 0.1)
        ahead.append(sum(part.points.xi.size for sets in made for part in sets.fibers))
        assert contact.candidates.fiber_runs is before
        assert contact.sets.fibers[0].points.xi.size == n
    assert ahead[0] == 0
    assert ahead[1] < 0.4 * n


def test_forces_and_safeguard_after_any_search(rng):
    """The same forces from all pairs as from the near ones."""
    system = heap(rng, n=8)
    y, v = system.initial_state()
    near = system.evaluate(0.0, y, v, v, tangent=False).residual
    system.contact._search(10.0)
    np.testing.assert_array_equal(system.evaluate(0.0, y, v, v, tangent=False).residual, near)
