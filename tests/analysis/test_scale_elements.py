"""Scaling of models with springs, ligaments, bushings, contacts and constraints, as OpenSim's."""

from pathlib import Path

import numpy as np
import pytest
from force_texts import (
    BUSHINGS,
    CONTACTS,
    GEOMETRY,
    along_paths,
    ellipsoid,
    hunt_crossley,
    prescribed,
    standing,
)
from numpy.testing import assert_allclose
from opensim_peer import run_script
from osim_text import PATH, body, frame, joint, model as text_of, six
from same_models import differences
from scipy.spatial.transform import Rotation

import fibermsk as fm

SCRIPT = Path(__file__).with_name("scaled_file_in_opensim.py")
FACTORS = {"a": [1.1, 1.2, 1.3], "b": [0.8, 0.9, 0.7]}
ENDS = "<{0}1>{1}a</{0}1><{0}2>{1}b</{0}2><point1>0.3 0.1 0</point1><point2>0 0.2 -0.3</point2>"
WRAPPED = PATH.replace(
    "</GeometryPath>",
    '<PathWrapSet><objects><PathWrap name="w"><wrap_object>drum</wrap_object><method>hybrid'
    "</method></PathWrap></objects></PathWrapSet></GeometryPath>",
)
DRUM = (
    '<WrapObjectSet><objects><WrapCylinder name="drum"><xyz_body_rotation>0.1 0.2 0.3'
    "</xyz_body_rotation><translation>-0.02 0.19 -0.13</translation><quadrant>all</quadrant>"
    "<radius>0.05</radius><length>1</length></WrapCylinder></objects></WrapObjectSet>"
)
LINES = (
    f"<PathSpring name='spring'>{WRAPPED}<resting_length>0.3</resting_length>"
    "<stiffness>250</stiffness><dissipation>0.4</dissipation></PathSpring>"
    f"<Ligament name='ligament'>{PATH}<resting_length>0.4</resting_length>"
    "<pcsa_force>120</pcsa_force></Ligament>"
    f"<Blankevoort1991Ligament name='toe'>{PATH}<linear_stiffness>900</linear_stiffness>"
    "<slack_length>0.5</slack_length></Blankevoort1991Ligament>"
)
POINTS = (
    "<ExpressionBasedCoordinateForce name='stop'><coordinate>bend</coordinate>"
    "<expression>-20*q^3-0.5*qdot</expression></ExpressionBasedCoordinateForce>"
    f"<ExpressionBasedPointToPointForce name='formula'>{ENDS.format('body', '')}"
    "<expression>200*(d-0.1)</expression></ExpressionBasedPointToPointForce>"
    f"<PointToPointSpring name='points'>{ENDS.format('socket_body', '/bodyset/')}"
    "<stiffness>150</stiffness><rest_length>0.2</rest_length></PointToPointSpring>"
)


def unlike(ours, theirs):
    """Differences, but that bodies here may have inertias that are not physically possible."""
    return [one for one in differences(ours, theirs, 1e-8) if ".strict" not in one]


def scaled_by_opensim(tmp_path, file, factors=None):
    out = tmp_path.resolve() / "scaled.osim"
    task = {"model": str(file), "factors": factors or FACTORS, "out": str(out)}
    run_script(SCRIPT, tmp_path, task)
    return fm.read_osim(out)


def text_with(forces, constraints="", more="", knee="bend"):
    joints = six("base", "ground", "a") + joint("PinJoint", "knee", "a", "b", [knee])
    inside = body("a", DRUM) + body("b")
    return text_of(inside, joints, constraints=constraints, forces=forces, more=more)


def test_every_element_is_that_of_opensim(tmp_path):
    """All numbers of the model that OpenSim scaled, read again."""
    file = tmp_path / "model.osim"
    steady = prescribed("true", "false").replace("/off", "/bodyset/b")
    file.write_text(text_with(LINES + POINTS + BUSHINGS + CONTACTS + steady, more=GEOMETRY))
    model = fm.read_osim(file)
    found = fm.scale(model, FACTORS)
    theirs = scaled_by_opensim(tmp_path, file)
    # OpenSim writes formulas without blanks, and 0 where there is none
    off = [one for one in unlike(found.model, theirs) if "elements.formulas." not in one]
    assert off == []
    kinds = {"spring": "rest_length", "ligament": "rest_length", "toe": "slack_length"}
    assert set(found.elements) == set(kinds)
    for name, field in kinds.items():
        before, after = (getattr(one.element(name), field) for one in (model, found.model))
        assert_allclose(after, found.elements[name] * before, rtol=1e-15)
        assert abs(found.elements[name] - 1.0) > 0.05
    assert abs(found.elements["spring"] - found.elements["toe"]) > 1e-4  # it wraps
    names = ("formula", "points", "plane", "balls", "smooth")
    assert found.left[:5] == names and set(found.left[5:]) == {
        "at", "framed", "jumps", "no", "steady", "turns", "mixed"}  # fmt: skip
    assert "not scaled" in str(found)


def test_paths_of_formulas_and_actuators_and_points_in_contact(tmp_path):
    """Path points and markers are scaled; surfaces of contact are left, and named."""
    formula = (
        f"<ExpressionBasedPathForce name='law'>{WRAPPED}<resting_length>0.2</resting_length>"
        "<expression>300*s^2*(1+0.4*ldot)</expression></ExpressionBasedPathForce>"
    )
    marker = (
        "<MarkerSet><objects><Marker name='toe'><socket_parent_frame>/bodyset/b"
        "</socket_parent_frame><location>0.1 -0.2 0.05</location></Marker></objects></MarkerSet>"
    )
    egg = ellipsoid("egg", "/bodyset/b", "0.1 -0.2 0.1", "0.9 0.7 1.1")
    surfaces = GEOMETRY.replace("<objects>", f"<objects>{egg}", 1)
    forces = formula + standing("/markerset/toe") + hunt_crossley("egg", "egg", "floor")
    file = tmp_path / "model.osim"
    file.write_text(text_with(forces + along_paths(), more=surfaces + marker))
    model = fm.read_osim(file)
    found, theirs = fm.scale(model, FACTORS), scaled_by_opensim(tmp_path, file)
    controls = {"cord": 1.7, "braid": 90.0, "clutch": 0.6}
    pairs = [(found.model, theirs)]
    pairs.append([fm.with_actuators(one, controls) for one in pairs[0]])
    # also those that have their controls before
    driven = fm.scale(fm.with_actuators(model, controls), FACTORS)
    pairs.append((driven.model, pairs[1][1]))
    for ours, other in pairs:
        off = [one for one in unlike(ours, other) if ".force: " not in one]
        assert off == []
    assert set(found.elements) == set(driven.elements) == {"law"}
    assert found.left == ("egg",)


def test_elements_on_bodies_that_keep_their_size_are_not_named(tmp_path):
    file = tmp_path / "model.osim"
    file.write_text(text_with(LINES + POINTS))
    found = fm.scale(fm.read_osim(file), {"ground": 1.0})
    assert found.left == () and set(found.elements.values()) == {1.0}


def test_path_springs_around_the_shoulder(tmp_path, shared_models, rng):
    name = "testGeometryPathWrapping_ShoulderWrappingWithPathSprings.osim"
    file = shared_models / "opensim-core" / name
    if not file.is_file():
        pytest.skip(f"no {file}")
    model = fm.read_osim(file)
    kinds = model.import_report.joint_kinds
    fixed = {one.parent.name for one in model.joints if "Ellipsoid" in kinds.get(one.name, "")}
    factors = {
        one.name: rng.uniform(0.97, 1.03, 3).tolist()
        for one in model.bodies[1:]
        if one.name not in fixed
    }
    found = fm.scale(model, factors)
    theirs = scaled_by_opensim(tmp_path, file, factors)
    off = []
    for name in found.elements:
        ours, other = (own.element(name).rest_length for own in (found.model, theirs))
        if model.element(name).wraps:  # around ellipsoids OpenSim's lengths jump
            off.append(abs(ours / other - 1.0))
        else:
            assert_allclose(ours, other, rtol=1e-12)
    assert len(off) > 50 and np.median(off) < 1e-5 and np.quantile(off, 0.9) < 3e-3


def weld(to, place="0.1 -0.2 0.3", angles="0.2 0.3 -0.4"):
    frames = frame("g1", to, place, angles) + frame("g2", "/bodyset/b", "0 0 0", "0 0 0")
    return (
        "<WeldConstraint name='weld'><socket_frame1>g1</socket_frame1><socket_frame2>g2"
        f"</socket_frame2><frames>{frames}</frames></WeldConstraint>"
    )


ROD = (
    "<ConstantDistanceConstraint name='rod'><socket_body_1>/bodyset/a</socket_body_1>"
    "<socket_body_2>/ground</socket_body_2><location_body_1>0.3 0.1 0</location_body_1>"
    "<location_body_2>0.1 0.9 -0.2</location_body_2><constant_distance>{}</constant_distance>"
    "</ConstantDistanceConstraint>"
)


def test_constraints_start_closed(tmp_path):
    """A weld of frames follows the bodies, a rod does not; the start is closed with both."""
    file = tmp_path / "model.osim"
    file.write_text(text_with(""))
    free = fm.skeleton(fm.read_osim(file))
    turned, place = free.poses(free.start + 0.1)["b"]
    angles = " ".join(map(str, Rotation.from_matrix(turned).as_euler("XYZ")))
    held = weld("/ground", " ".join(map(str, place)), angles)
    turned, place = free.poses(free.start + 0.1)["a"]
    apart = np.linalg.norm(place + turned @ (0.3, 0.1, 0.0) - (0.1, 0.9, -0.2))
    file.write_text(text_with(LINES, held + ROD.format(apart)))
    model = fm.read_osim(file)
    factors = {"a": [1.05, 1.0, 0.97], "b": [0.96, 1.02, 1.0]}
    found = fm.scale(model, factors)
    theirs = scaled_by_opensim(tmp_path, file, factors)
    new = found.model
    assert found.left == ("rod",)
    off = [one for one in unlike(new, theirs) if not one.startswith(("coordinates", "joints"))]
    # rest lengths follow paths in the start pose, which OpenSim assembles by itself
    assert [one for one in off if "_length" not in one] == []
    for one, tolerance in (("ligament", 1e-8), ("toe", 1e-8), ("spring", 2e-5)):  # it wraps
        field = "slack_length" if one == "toe" else "rest_length"
        ours, other = (getattr(own.element(one), field) for own in (new, theirs))
        assert_allclose(ours, other, rtol=tolerance)
    frames = {name: fm.build(one) for name, one in (("before", model), ("after", new))}
    for system in frames.values():
        y, v = system.initial_state()
        at, _ = system.configuration.at(0.0, y, v, np.zeros_like(v))
        for name in ("weld", "rod"):
            assert system.named_elements[name].constrain(at, False).g.size
            assert np.abs(system.named_elements[name].constrain(at, False).g).max() < 1e-10


def test_constraints_that_stay_open_are_told(tmp_path):
    file = tmp_path / "model.osim"
    file.write_text(text_with("", weld("/bodyset/a", "0.15 -0.3 0.3", "-0.05 0.1 0.4")))
    with pytest.warns(fm.ModelWarning, match="the constraints weld are not closed near the start"):
        fm.scale(fm.read_osim(file), {"a": [1.0, 1.0, 3.0]})


def test_other_elements_are_refused():
    model = fm.Model("sling")
    ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
    tissue = fm.Tissue(density=1e3, muscle=fm.KelvinVoigt(2e5, 1e3), prestress=2e4)
    fiber = model.add(fm.Fiber("f", attach=ends, radius=2e-3, n_elements=6, tissue=tissue))
    model.add(fm.ViaRing("ring", model.ground.at(0.05, 0, 0), ["f"], radius=1e-3, stiffness=1e4))
    with pytest.raises(fm.ModelError, match="fibers = .* not part of scaling"):
        fm.scale(model, {})
    assert fiber.name == "f"
