"""Contact forces of fibers on bones against the plain reference, and each of their derivatives."""

import numpy as np
import pytest
from contact_parts import (
    GAMMA,
    KAPPA,
    LAW,
    bone_slots,
    closed,
    element_moved,
    nodal_force,
    own_elements,
    power_of,
)
from kernel_parts import bow, deform, fiber, plain_cable, rotation, spindle, system_of, turn
from numpy.testing import assert_allclose
from reference import contact as reference

from fibermsk.elements import gauss_rule

BONES = {
    "capsule, side": {"kind": "capsule", "a": (-0.1, 0.03, -0.043), "b": (0.4, -0.05, -0.038)},
    "capsule, across": {"kind": "capsule", "a": (0.1, -0.2, -0.042), "b": (0.12, 0.2, -0.041)},
    "capsule, end": {"kind": "capsule", "a": (0.11, 0.01, -0.041), "b": (0.15, 0.1, -0.3)},
    "capsule, both ends": {"kind": "capsule", "a": (0.08, 0.0, -0.041), "b": (0.12, 0.0, -0.04)},
    "cylinder": {"kind": "infinite_cylinder", "a": (0.1, -0.03, -0.042), "b": (0.11, 0.0, -0.041)},
    "cylinder, far point": {
        "kind": "infinite_cylinder",
        "a": (5.1, 10.0, -0.041),
        "b": (4.6, 9.0, -0.041),
    },
}


def beside_bone(rng, kind, radius=None):
    """Free curved fiber that touches a bone of radius 0.035 m below it."""
    path = bow((0, 0, 0), (0.2, 0, 0), sag=(0, 0.01, 0.002))
    system = system_of([fiber("f", path, rng, radius=radius or spindle(0.008, 0.3))])
    nodes = deform(rng, system.cables.reference, 0.02) / 1.05
    bone = {key: np.array(end) for key, end in BONES[kind].items() if key != "kind"}
    return system, nodes, {**bone, "kind": BONES[kind]["kind"], "radius": 0.035}


@pytest.mark.parametrize("points", [5, 2])
@pytest.mark.parametrize("kind", BONES)
def test_bone_forces_against_reference(rng, kind, points):
    for _ in range(3):
        system, nodes, bone = beside_bone(rng, kind)
        out = bone_slots(system, power_of(system, nodes), own_elements(system, 0), bone, points)
        assert out.least > 0.0
        expected, _, _, records = reference.bone_contact(
            plain_cable(system, 0), nodes, bone, KAPPA, GAMMA, points
        )
        assert records
        force = nodal_force(system, 0, out, points)
        # eps over the distance 0.04 and over the gap of 0.05, in coordinates of 0.2, or of 10 for
        # the cylinder given by a far point
        size = np.abs(bone["a"]).max() + 1.0
        assert_allclose(force, expected, rtol=0.0, atol=1e-12 * size * np.abs(expected).max())
        slots = closed(out)
        assert [(s // points, s % points) for s in slots] == [(r.element, r.point) for r in records]
        for s, record in zip(slots, records, strict=True):
            assert_allclose(out.point[s], record.x, rtol=0.0, atol=1e-15)
            assert_allclose(out.state[s, 3], 1.0 + GAMMA * record.gap, rtol=1e-12 * size)


@pytest.mark.parametrize("block", range(2), ids=["x", "tangent of x"])
@pytest.mark.parametrize("kind", BONES)
def test_bone_derivatives_each_alone(rng, kind, block):
    system, nodes, bone = beside_bone(rng, kind)
    c = system.cables
    power = power_of(system, nodes)
    checked = 0
    for e in own_elements(system, 0):
        out = bone_slots(system, power, [e], bone)
        for s in closed(out):
            xi = gauss_rule(5)[0][s]
            size = out.state[s, 1] if block == 0 else out.state[s, 4]
            h = 1e-6 * size
            slope = np.empty((3, 3))
            for axis in range(3):
                ahead, behind = (
                    bone_slots(
                        system,
                        element_moved(power, e, c.h[e], xi, block, sign * h * np.eye(3)[axis]),
                        [e],
                        bone,
                    ).force[s]
                    for sign in (1.0, -1.0)
                )
                slope[:, axis] = (ahead - behind) / (2.0 * h)
            found = out.jacobian[s, block]
            # h^2 and rounding eps / h, for a gap of a few hundredths and coordinates up to 10
            scale = np.abs(found).max() + np.abs(out.force[s]).max() / size
            assert_allclose(
                found, slope, rtol=0.0, atol=1e-7 * scale * (1 + np.abs(bone["a"]).max())
            )
            checked += 1
    assert checked > 1


@pytest.mark.parametrize("kind", BONES)
def test_bone_forces_follow_a_rigid_motion(rng, kind):
    system, nodes, bone = beside_bone(rng, kind)
    R, shift = rotation(rng), rng.normal(size=3)
    moved = bone | {key: R @ bone[key] + shift for key in ("a", "b")}
    elements = own_elements(system, 0)
    out = bone_slots(system, power_of(system, nodes), elements, bone)
    turned = bone_slots(system, power_of(system, turn(nodes, R, shift)), elements, moved)
    scale = np.abs(out.force).max() * (1.0 + np.abs(bone["a"]).max())
    # rounding over the distance 0.04 and the gap 0.05, in coordinates of 1
    assert_allclose(turned.force, out.force @ R.T, rtol=0.0, atol=1e-11 * scale)


def test_ends_of_a_capsule_are_rounded():
    """Beyond an end the distance is to the end; the cylinder goes on."""
    system = system_of([fiber("f", [(0, -0.1, 0), (0, 0.1, 0)], radius=0.01, n_elements=2)])
    power = power_of(system, system.cables.reference)
    end = np.array([0.02, 0.0, 0.03])
    bone = {"kind": "capsule", "a": end, "b": end + [0.3, 0.0, 0.0], "radius": 0.04}
    out = bone_slots(system, power, [0, 1], bone)
    y = 0.1 * (2.0 * (np.repeat([0.0, 0.5], 5) + 0.5 * np.tile(gauss_rule(5)[0], 2)) - 1.0)
    assert_allclose(out.state[:, 0], np.sqrt(0.02**2 + y**2 + 0.03**2), rtol=1e-13)
    for s in closed(out):  # pushed straight away from the end point
        away = out.point[s] - end
        assert_allclose(np.cross(out.force[s], away), 0.0, rtol=0.0, atol=1e-14)
        assert out.force[s] @ away > 0.0
    line = bone_slots(system, power, [0, 1], bone | {"kind": "infinite_cylinder"})
    assert_allclose(line.state[:, 0], np.sqrt(y**2 + 0.03**2), rtol=1e-13)


def test_capsule_without_length_is_a_ball(rng):
    system, nodes, bone = beside_bone(rng, "capsule, end")
    power, elements = power_of(system, nodes), own_elements(system, 0)
    out = bone_slots(system, power, elements, bone | {"b": bone["a"]})
    short = bone_slots(system, power, elements, bone | {"b": bone["a"] + [0.0, 0.0, -1e-13]})
    assert closed(out).size > 1
    assert_allclose(out.force, short.force, rtol=0.0, atol=1e-8 * np.abs(short.force).max())
    assert np.all(np.isfinite(out.jacobian[closed(out)]))


def test_direction_of_the_axis_does_not_matter(rng):
    for kind in BONES:
        system, nodes, bone = beside_bone(rng, kind)
        power, elements = power_of(system, nodes), own_elements(system, 0)
        out = bone_slots(system, power, elements, bone)
        back = bone_slots(system, power, elements, bone | {"a": bone["b"], "b": bone["a"]})
        size = (1.0 + np.abs(bone["a"]).max()) * np.abs(out.force).max()
        assert_allclose(back.force, out.force, rtol=0.0, atol=1e-11 * size)  # eps over the gap


def test_inadmissible_bone_is_flagged(rng):
    system = system_of([fiber("f", [(0, -0.1, 0), (0, 0.1, 0)], radius=0.01)])
    power = power_of(system, system.cables.reference)
    for z in (0.0, 0.01, (1.0 - 1.0 / GAMMA) * 0.05):
        bone = {"kind": "capsule", "radius": 0.04}
        bone |= {"a": np.array([0.0, -1.0, z]), "b": np.array([0.0, 1.0, z])}
        out = bone_slots(system, power, own_elements(system, 0), bone)
        assert out.least <= 1e-14  # the last one is the limit itself, to rounding
        assert np.all(out.force[out.state[:, 3] <= 0.0] == 0.0)
        assert np.all(np.isfinite(out.force))


def test_law_of_the_paper(rng):
    """The force per current length is F(g), whatever the stretch of the parametrization."""
    system, nodes, bone = beside_bone(rng, "cylinder")
    out = bone_slots(system, power_of(system, nodes), own_elements(system, 0), bone)
    s = closed(out)
    gap = out.state[s, 0] / (out.state[s, 1] + out.state[s, 2]) - 1.0
    traction = np.linalg.norm(out.force[s], axis=1) / out.state[s, 4]
    assert_allclose(traction, -LAW.stiffness * gap / (1.0 + LAW.limit * gap), rtol=1e-13)
