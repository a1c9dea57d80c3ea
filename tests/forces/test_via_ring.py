"""Rings: exact tangents, the nearest point against brute force, and a deflected string."""

from dataclasses import replace

import numpy as np
import pytest
from joint_cases import functional_arm
from numpy.testing import assert_allclose
from scenes_of_tests import rubber, two_link_arm

import fibermsk as fm
from fibermsk.elements.hermite import hermite
from fibermsk.system.fibers.crossing import FiberCrossings


def pull(ring_z=0.012, stiffness=5e4, radius=1e-3, elements=16, angle=None):
    """A taut string, pulled aside by a ring above its middle."""
    model = fm.Model("string", gravity=(0, 0, 0))
    ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
    tissue = rubber(10.0, prestress=2e5)
    if angle is not None:  # stable at every stretch
        tissue = replace(tissue, muscle=fm.KelvinVoigt(5e5, 10.0))
    model.add(fm.Fiber("f", attach=ends, radius=1e-3, n_elements=elements, tissue=tissue))
    center, active = model.ground.at(0.04, 0, ring_z), None
    if angle is not None:  # of a joint that closes the ring
        active = fm.CoordinateRange("turn", 0.2, 1.0, 0.15)
        bone, turn = (
            model.add(fm.Body("bone", 1.0, (0, 0, 0), (1, 1, 1))),
            fm.Coordinate("turn", value=angle, locked=True),
        )
        model.add(fm.Hinge("turn", model.ground, bone, (0, 0, -1.0), (0, 0, 1), coordinate=turn))
    model.add(fm.ViaRing("ring", center, ["f"], radius, stiffness, active=active))
    return model


def arms():
    """Models with hinges and with coupled joints, their last bodies and names of fibers."""
    for model in (two_link_arm(elements=3, contact=False), functional_arm("eliminate")):
        body = model.bodies[-1]
        if not model.fibers:
            ends = model.ground.at(0.1, 0, 0.2), body.at(0.02, 0.01, -0.05)
            model.add(fm.Fiber("f", attach=ends, radius=2e-3, n_elements=3, tissue=rubber(10.0)))
        yield model, body, [fiber.name for fiber in model.fibers]


def test_tangents_with_moving_body_and_ends(rng):
    """Inside the band, beyond it and near an attached end, on hinges and coupled joints."""
    for model, body, names in arms():
        for k, (place, band) in enumerate(
            [((0.0, 0.02, -0.02), 1e-4), ((0.03, 0.0, 0.03), 0.5), ((0.02, 0.0, -0.078), 1e-3)]
        ):
            model.add(fm.ViaRing(f"ring{k}", body.at(place), names, 1e-3, 300.0, band))
        system = fm.build(model)
        for k in range(3):
            assert fm.check_contribution(system, f"ring{k}") < 1e-6


def closing(coordinate, value, share):
    """A range whose share at a value of the coordinate is about `share`."""
    return fm.CoordinateRange(coordinate, value + 0.2 * (1.0 - share), value + 1.0, 0.2)


def test_tangents_of_a_ring_that_closes():
    """On hinges, and a coordinate that others follow; the share varies with the coordinate."""
    for model, body, names in arms():
        driven = [one for one in model.coordinates if one.kind == "rotation"]
        for k, one in enumerate(driven):
            active = closing(one.name, one.value, 0.4 + 0.2 * k)
            place = body.at(0.0, 0.02, -0.02)
            model.add(fm.ViaRing(f"ring{k}", place, names, 1e-3, 300.0, 0.05, active))
        system = fm.build(model)
        for k in range(len(driven)):
            assert fm.check_contribution(system, f"ring{k}") < 1e-6


def test_share_of_a_range():
    """Its derivatives, and those of the radius, against differences."""
    model = fm.Model("m")
    active = fm.CoordinateRange("q", -0.3, 0.2, 0.1)
    ring = fm.ViaRing("ring", model.ground.at(0, 0, 0), ["f"], 2e-3, 1.0, active=active)
    assert active.share(0.0) == (1.0, 0.0, 0.0) == active.share(-0.3)
    assert active.share(0.31) == (0.0, 0.0, 0.0) and ring.radius_at(-0.45)[0] == np.inf
    h = 1e-6
    for value in (-0.37, -0.34, -0.31, 0.22, 0.24, 0.27):
        for of in (active.share, ring.radius_at):
            below, here, above = (np.array(of(value + s * h)) for s in (-1, 0, 1))
            slopes = (above - below) / (2 * h)
            assert_allclose(slopes[:2], here[1:], rtol=1e-6, atol=1e-6)


def strap(angle):
    """A string in a ring that closes as a joint turns, at rest: energy, force and radius."""
    model = pull(0.006, angle=angle)
    ring, system = model.elements[0], fm.build(model)
    y, v = fm.equilibrium(system)
    held = fm.simulate(system, (y, v), t_end=1e-3, dt=1e-3).elements["ring"]
    return system.energy(y, v).total, held["force"][0], held["opening"][0], ring.radius_at(angle)


def test_ring_gathers_the_fiber_as_a_joint_turns():
    """The joint pays for what the string gains: dE/dq is the pull of the ring on it."""
    assert strap(0.0)[1:3] == (0.0, np.inf)
    assert strap(0.3)[2] > -5e-4  # closed: held within its yield
    h = 1e-4
    below, here, above = (strap(0.14 + s * h) for s in (-1, 0, 1))
    _, force, _, (radius, slope, _) = here
    assert force > 0.05 and 1e-3 < radius < 6e-3
    assert_allclose((above[0] - below[0]) / (2 * h), -force * slope, rtol=1e-3)


def test_nearest_point_of_a_bent_fiber(rng):
    model = pull(elements=5)
    system = fm.build(model)
    port = FiberCrossings(system.configuration, ["f"])
    nodes = system.cables.reference + rng.normal(size=system.cables.reference.shape) * [
        *[4e-3] * 3,
        *[5e-2] * 3,
    ]
    xi = np.linspace(0.0, 1.0, 40001)
    parts = nodes.reshape(-1, 2, 3)
    curve = np.concatenate(
        [
            np.stack(hermite(xi, 0.2), axis=1) @ np.concatenate([parts[e], parts[e + 1]])
            for e in range(5)
        ]
    )
    for point in rng.normal(size=(40, 3)) * 0.03 + [0.05, 0, 0]:
        (element,), (place,), (distance,) = port.nearest(nodes, point)
        brute = np.linalg.norm(curve - point, axis=1).min()
        assert_allclose(distance, brute, atol=1e-7)
        found = port.crossing(0, element, place, nodes, point)
        assert_allclose(np.linalg.norm(found.offset), distance, rtol=1e-12)


@pytest.mark.parametrize("elements", [16, 48])
def test_string_hangs_in_the_ring_without_friction(elements):
    """The tension on both sides is one; the ring carries its change of direction."""
    model = pull(elements=elements)
    system = fm.build(model)
    y, v = fm.equilibrium(system)
    result = fm.simulate(system, (y, v), t_end=1e-3, dt=1e-3)
    ring, fiber = result.elements["ring"], result.fibers["f"]
    reactions = np.array([fiber.force_origin[0], fiber.force_insertion[0]])
    first, second = np.linalg.norm(reactions, axis=1)
    # the mesh resists sliding: its energy varies while the kink passes an element, by any size
    assert_allclose(first, second, rtol=1e-2)
    assert_allclose(np.linalg.norm(reactions.sum(axis=0)), ring["force"][0], rtol=1e-6)
    held = model.elements[0].radius - ring["opening"][0]
    assert 1e-3 < held < 1.3e-3
    assert_allclose(model.elements[0].potential(held)[1], ring["force"][0], rtol=1e-9)
    # straight on both sides of the ring, from its inner edge
    angles = np.arctan2(0.011, [0.04, 0.06])
    assert_allclose(
        ring["force"][0],
        first * np.hypot(np.cos(angles).dot([1, -1]), np.sin(angles).sum()),
        rtol=0.03,
    )


def test_force_is_that_of_the_energy():
    ring = pull().elements[0]
    for distance in (5e-4, 1.2e-3, 1.5e-3, 4e-3):
        h = 1e-9
        below, _, slopes = (ring.potential(distance + s * h) for s in (-1, 0, 1))
        _, slope, bend = ring.potential(distance)
        assert_allclose(slope, (slopes[0] - below[0]) / (2 * h), rtol=1e-5, atol=1e-9)
        assert_allclose(bend, (slopes[1] - below[1]) / (2 * h), rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"radius": 0.0}, "ring 'ring': radius = 0.0"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"fibers": []}, "be one or more different names"),
        ({"fibers": ["f", "f"]}, "be one or more different names"),
    ],
)
def test_refusals(change, match):
    model = fm.Model("m")
    given = {"radius": 1e-3, "stiffness": 1.0, "fibers": ["f"]} | change
    with pytest.raises(fm.ModelError, match=match):
        fm.ViaRing("ring", model.ground.at(0, 0, 0), **given)


def test_unknown_fiber_is_refused():
    model = pull()
    model.add(fm.ViaRing("other", model.ground.at(0, 0, 0), ["g"], 1e-3, 1.0))
    with pytest.raises(fm.ModelError, match="FiberCrossings: fiber = 'g'; must be 'f'"):
        fm.build(model)
