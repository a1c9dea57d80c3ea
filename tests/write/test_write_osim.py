"""Models written as OpenSim files, and read again."""

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from force_texts import LAGGING, along_paths, on_bodies
from numpy.testing import assert_allclose
from osim_text import PATH, two_bodies
from same_models import differences
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.parameters.revise import redirected

DATA = Path(__file__).parents[1] / "data"


def again(model, tmp_path, **options):
    """A model written and read; nothing may be left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.ModelWarning)
        file = fm.write_osim(model, tmp_path / "written.osim")
    return fm.read_osim(file, **options)


def limb():
    return fm.read_osim(DATA / "limb_v4.osim")


@pytest.mark.parametrize("version", [2, 3, 4])
def test_the_limb_is_read_as_it_was(tmp_path, version):
    model = fm.read_osim(DATA / f"limb_v{version}.osim")
    assert differences(model, again(model, tmp_path)) == []


def test_all_published_models_are_read_as_they_were(tmp_path, shared_models):
    files = sorted(shared_models.rglob("*.osim"))
    assert len(files) >= 20
    for file in files:
        model = fm.read_osim(file)
        found = again(model, tmp_path, geometry=file.parent)
        assert differences(model, found) == [], file
        meshes = [one[:2] for one in model.import_report.meshes]
        assert sorted(meshes) == sorted(one[:2] for one in found.import_report.meshes)


def test_actuators_are_written(tmp_path):
    """All classes, with the limits of their controls; under a control that is left out."""
    limits = "<min_control>-Inf</min_control><max_control>2.5</max_control>"
    on_points = (
        f"<CoordinateActuator name='c'>{limits}<coordinate>bend</coordinate>"
        "<optimal_force>3</optimal_force></CoordinateActuator>"
        "<PointActuator name='p'><body>b</body><point>0.1 0.2 -0.1</point><direction>0 1 0"
        "</direction><force_is_global>true</force_is_global><optimal_force>8</optimal_force>"
        "</PointActuator>"
        "<TorqueActuator name='t'><bodyA>b</bodyA><bodyB>a</bodyB><axis>0 1 1</axis>"
        "<torque_is_global>false</torque_is_global><optimal_force>4</optimal_force>"
        "</TorqueActuator>"
        "<PointToPointActuator name='pair'><bodyA>a</bodyA><bodyB>b</bodyB><pointA>0.1 0 0</pointA>"
        "<pointB>0 0.2 0</pointB><optimal_force>5</optimal_force></PointToPointActuator>"
    )
    file = tmp_path / "driven.osim"
    file.write_text(two_bodies(along_paths() + on_bodies() + LAGGING + on_points))
    model = fm.read_osim(file)
    assert len(model.import_report.actuators) == 14
    found = again(model, tmp_path)
    assert differences(model, found) == []
    assert found.import_report.actuators["c"].limits == ("-Inf", "2.5")
    driven = fm.with_actuators(model, {"c": 2.0})
    with pytest.warns(fm.ModelWarning, match="controls of actuators are left out: c"):
        fm.write_osim(driven, tmp_path / "written.osim")
    assert differences(model, fm.read_osim(tmp_path / "written.osim")) == []


def test_actuators_of_what_a_model_has_no_more_are_told(tmp_path):
    file = tmp_path / "driven.osim"
    file.write_text(two_bodies(on_bodies() + LAGGING))
    other = fm.Model("other", meant=("mass",))
    other.add(fm.Body("a", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    other.add(fm.Hinge("h", other.ground, other.body("a"), (0, 0, 0), axis=(0, 0, 1)))
    other.import_report = fm.read_osim(file).import_report
    told = "actuators are left out: body_true_true .BodyActuator.*lag .ActivationCoordinateActuator"
    with pytest.warns(fm.ModelWarning, match=told):
        fm.write_osim(other, tmp_path / "other.osim")


def test_the_comparison_finds_a_change_in_the_last_digits(tmp_path):
    model = limb()
    body = next(one for one in model.bodies if one.mass is not None)
    other = fm.with_parameters(model, {f"{body.name}/mass": body.mass * (1.0 + 1e-14)})
    assert len(differences(model, again(other, tmp_path))) == 1


def test_a_changed_model_comes_out_changed(tmp_path, shared_models):
    model = fm.read_osim(shared_models / "opensim-models/arm26.osim")
    values = {
        "r_humerus/mass": 2.5,
        "BIClong/max_isometric_force": 700.0,
        "r_elbow/at": (0.01, -0.3, -0.01),
    }
    changed = fm.with_parameters(model, values)
    found = again(changed, tmp_path, geometry=shared_models / "opensim-models")
    assert differences(changed, found) == []
    assert found.bodies["r_humerus"].mass == 2.5
    assert found.muscles["BIClong"].max_isometric_force == 700.0
    assert_allclose(found.joints["r_elbow"].at, (0.01, -0.3, -0.01), rtol=0.0, atol=0.0)
    assert {text.split(":")[0].split(".")[0] for text in differences(model, found)} == {
        "bodies", "joints", "muscles",
    }  # fmt: skip


@pytest.mark.parametrize("file", ["arm26.osim", "gait10dof18musc.osim"])
def test_changed_laws_are_properties_of_their_classes(tmp_path, shared_models, file):
    model = fm.read_osim(shared_models / "opensim-models" / file)
    acting = fm.with_muscle_forces(model, dict.fromkeys(model.muscles.names, 0.0))
    new = {}
    for muscle in acting.muscles:
        curves = replace(muscle.law.curves, tendon_strain=0.07)
        law = replace(muscle.law, curves=curves, max_pennation_angle=1.2, min_activation=0.02)
        driven = replace(muscle.activation.law, activation_time=0.013, min_activation=0.02)
        activation = replace(muscle.activation, law=driven, start=0.25)
        new[id(muscle)] = replace(muscle, law=law, activation=activation)
    changed = redirected(acting, new)
    found = again(changed, tmp_path)
    same = fm.with_muscle_forces(found, dict.fromkeys(found.muscles.names, 0.0))
    for one, other in zip(changed.muscles, same.muscles, strict=True):
        assert one.kind == other.kind
        assert one.law == other.law
        assert one.activation.law == other.activation.law
        assert one.activation.start == other.activation.start


def test_other_curves_are_another_class_and_excitations_are_named(tmp_path, shared_models):
    model = fm.read_osim(shared_models / "opensim-models/arm26.osim")
    excited = fm.with_muscle_forces(model, dict.fromkeys(model.muscles.names, 0.5))
    smooth = fm.with_smooth_muscles(excited, tendon="elastic")
    with pytest.warns(fm.ModelWarning, match="DeGrooteFregly2016Muscle.*BIClong") as told:
        found = fm.read_osim(fm.write_osim(smooth, tmp_path / "a.osim"))
    assert "excitations are left out" in str(told[0].message)
    assert told[0].message.kind == "export"
    assert told[0].filename == __file__
    assert {muscle.kind for muscle in found.muscles} == {"DeGrooteFregly2016Muscle"}
    curves = fm.with_muscle_forces(found, 0.0).muscles[0].law.curves
    assert curves == smooth.muscles[0].law.curves


def test_meshes_have_their_files_scales_and_frames(tmp_path):
    corners = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
    text = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*corners[k]) for k in face)
        + "endloop\nendfacet\n"
        for face in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
    )
    (tmp_path / "block.stl").write_text(f"solid block\n{text}endsolid block\n")
    for contact in ((), ("upper",)):
        model = fm.read_osim(DATA / "limb_v4.osim", geometry=tmp_path, contact=contact)
        assert [one for one in model.import_report.meshes if one[2]]
        found = again(model, tmp_path, contact=contact)
        assert differences(model, found, 2e-15) == []
    lost = replace(model.bodies[2], shapes=[fm.read_mesh(tmp_path / "block.stl")])
    other = redirected(model, {id(model.bodies[2]): lost})
    with pytest.warns(fm.ModelWarning, match="come from no file named in a model.*upper"):
        fm.write_osim(other, tmp_path / "lost.osim")


def jointed(joint_of):
    """A body on the ground."""
    model = fm.Model("made")
    body = model.add(fm.Body("bone", 1.0, (0, 0.1, 0), (0.1, 0.1, 0.1)))
    model.add(joint_of(model.ground, body))
    return model


def same_poses(model, found):
    one, other = fm.skeleton(model), fm.skeleton(found)
    values = {name: 0.3 + 0.2 * k for k, name in enumerate(one.independent)}
    q, r = one.q_of(values), other.q_of(values)
    for name, (rotation, position) in one.poses(q).items():
        assert_allclose(other.poses(r)[name][0], rotation, atol=1e-14)
        assert_allclose(other.poses(r)[name][1], position, atol=1e-14)
    return found.import_report.joint_kinds


TILTED = {"at": (0.1, 0.2, 0.3), "child_at": (0.0, -0.1, 0.05)}
TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


@pytest.mark.parametrize(
    "kind, joint_of",
    [
        ("PinJoint", lambda g, b: fm.Hinge("j", g, b, axis=(1, 2, 2), rotation=TURN, **TILTED)),
        ("SliderJoint", lambda g, b: fm.Slider("j", g, b, axis=(0, 3, 4), damping=2.0, **TILTED)),
        ("UniversalJoint", lambda g, b: fm.Universal("j", g, b, first=(1, 2, 2),
                                                     second=(2, -2, 1), rotation=TURN, **TILTED)),
        ("CustomJoint", lambda g, b: fm.Universal("j", g, b, first=(1, 2, 2), second=(0, 0, 1),
                                                  **TILTED)),
        ("CustomJoint", lambda g, b: fm.Cylindrical("j", g, b, axis=(1, 2, 2), **TILTED)),
        ("CustomJoint", lambda g, b: fm.FunctionalJoint(
            "j", g, b, [fm.Coordinate("q"), fm.Coordinate("x", "translation")],
            [fm.Axis("rotation", (1, 2, 2), [("q", fm.Linear(2.0, 0.1))], 0.2),
             fm.Axis("rotation", (0, 1, 0), [("q", fm.Polynomial([0.1, 0.2, 0.3]))], 0.2),
             fm.Axis("translation", (0, 3, 4), [("x", fm.Scaled(fm.Linear(1.0), 0.5)),
                                                ("q", fm.Scaled(fm.Linear(3.0), 0.5))], 0.1)],
            rotation=TURN, **TILTED)),
    ],
)  # fmt: skip
def test_joints_made_here(tmp_path, kind, joint_of):
    model = jointed(joint_of)
    found = again(model, tmp_path)
    assert set(same_poses(model, found).values()) == {kind}
    laws = [law for one in found.coordinates for law in one.laws]
    assert laws == [law for one in model.coordinates for law in one.laws]


@pytest.mark.parametrize(
    "joint_of, said",
    [
        (lambda g, b: fm.Free("j", g, b), "joint 'j': it rotates by a quaternion"),
        (lambda g, b: fm.FunctionalJoint(
            "j", g, b, [fm.Coordinate("q")],
            [fm.Axis("rotation", (0, 0, 1), "q"), fm.Axis("translation", (1, 0, 0), (), 0.1),
             fm.Axis("rotation", (0, 1, 0), "q")]), "joint 'j': axes = "),
        (lambda g, b: fm.FunctionalJoint(
            "j", g, b, [fm.Coordinate("q"), fm.Coordinate("r")],
            [fm.Axis("rotation", (0, 0, 1), [("q", fm.Polynomial([0, 1, 1])),
                                             ("r", fm.Polynomial([0, 1]))])]),
         "joint 'j': rotation1: terms = "),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_refused_before_anything_is_written(tmp_path, joint_of, said):
    file = tmp_path / "a.osim"
    with pytest.raises(fm.ModelError, match=re.escape(said)):
        fm.write_osim(jointed(joint_of), file)
    assert not list(tmp_path.iterdir())


def test_what_is_left_out_is_named(tmp_path):
    model = fm.Model("an arm")
    bone = model.add(fm.Body("upper bone", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    bend = fm.Coordinate("bend", forces=[fm.QuadraticLimit(-1.0, 1.0), fm.Spring(2.0, 0.1),
                                         fm.Damper(0.5)], lower=-1.0)  # fmt: skip
    model.add(fm.Hinge("elbow", model.ground, bone, (0, 0, 0), (0, 0, 1), coordinate=bend))
    points = [fm.PathPoint("from", model.ground.at(0, 0, 0)), fm.PathPoint("to", bone.at(1, 0, 0))]
    model.add(
        fm.LineMuscle("pull", points, max_isometric_force=10.0, optimal_fiber_length=0.1,
                      tendon_slack_length=0.2, mass=0.1)
    )  # fmt: skip
    ends = model.ground.at(0, 1, 0), bone.at(0, 0, 0)
    model.add(
        fm.PointSpring("band", *ends, 10.0, 0.5, damping=0.1),
        fm.ExternalForce("push", bone, lambda t: (t, 0.0, 0.0)),
    )
    with pytest.warns(fm.ModelWarning) as told:
        found = fm.read_osim(fm.write_osim(model, tmp_path / "a.osim"))
    said = str(told[0].message)
    assert len(told) == 1
    for part in ("'upper bone' to 'upper_bone'", "'an arm' to 'an_arm'", "QuadraticLimit on bend",
                 "band (PointSpring), push (ExternalForce)", "both: bend",
                 "masses of muscles are left out: pull",
                 "disabled Millard2012EquilibriumMuscles: pull"):  # fmt: skip
        assert part in said, part
    assert list(found.coordinates[0].laws) == [fm.Spring(2.0, 0.1), fm.Damper(0.5)]
    assert found.muscles[0].parameters == {"appliesForce": False}


def test_forces_and_constraints_are_read_as_they_were(tmp_path):
    """Path springs, ligaments, formulas, springs, constraints, markers, and several couplings."""
    ends = "<{0}1>{1}a</{0}1><{0}2>{1}b</{0}2><point1>0.3 0.1 0</point1><point2>0 0.2 -0.3</point2>"
    forces = (
        f"<PathSpring name='s'>{PATH}<resting_length>0.3</resting_length><stiffness>250</stiffness>"
        "<dissipation>0.4</dissipation></PathSpring>"
        f"<Ligament name='l'>{PATH}<resting_length>0.4</resting_length><pcsa_force>120</pcsa_force>"
        "</Ligament>"
        f"<Blankevoort1991Ligament name='t'>{PATH}<linear_stiffness>900</linear_stiffness>"
        "<slack_length>0.5</slack_length></Blankevoort1991Ligament>"
        "<ExpressionBasedCoordinateForce name='c'><coordinate>bend</coordinate>"
        "<expression>-20*q^3-0.5*qdot</expression></ExpressionBasedCoordinateForce>"
        f"<ExpressionBasedPointToPointForce name='f'>{ends.format('body', '')}"
        "<expression>200*(d-0.1)</expression></ExpressionBasedPointToPointForce>"
        f"<PointToPointSpring name='x'>{ends.format('socket_body', '/bodyset/')}"
        "<stiffness>150</stiffness><rest_length>0.2</rest_length></PointToPointSpring>"
    )
    file = tmp_path / "forces.osim"
    file.write_text(two_bodies(forces))
    model = fm.read_osim(file)
    body = model.bodies["b"]
    model.add(fm.Marker("heel", body.at(0.1, 0.2, 0.3)))
    assert len(model.elements) == 6
    assert differences(model, again(model, tmp_path)) == []


def test_constraints_are_read_as_they_were(tmp_path):
    model = fm.Model("held")
    one = model.add(fm.Body("one", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    two = model.add(fm.Body("two", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    for name, body in (("j", one), ("k", two)):
        coordinates, axes = [], []
        for i, way in enumerate(np.tile(np.eye(3), (2, 1))):
            kind = "rotation" if i < 3 else "translation"
            coordinates.append(fm.Coordinate(f"{name}{i}", kind))
            axes.append(fm.Axis(kind, way, f"{name}{i}"))
        model.add(fm.FunctionalJoint(name, model.ground, body, coordinates, axes))
    turn = Rotation.from_rotvec((0.3, 0.1, -0.2)).as_matrix()
    model.add(
        fm.PointConstraint("p", one.at(0, 0.1, 0), two.at(0, 0.1, 0)),
        fm.PointConstraint("d", one.at(0, 0, 1), two.at(0, 0, 0), distance=1.0),
        fm.PointOnLineConstraint("line", one.at(0, 0, 0), two.at(0, 0, 0), (1.0, 0.0, 0.0)),
        fm.WeldConstraint("weld", one.at(0, 0, 0), two.at(0, 0, 0), turn),
    )
    # the start is moved onto the constraints, and joints may be written from the child
    found = differences(model, again(model, tmp_path))
    assert [one for one in found if one.startswith("elements")] == []


def test_couplings_of_several_and_functions_are_read_as_they_were(tmp_path):
    model = fm.Model("coupled")
    last = model.ground
    names = [f"q{k}" for k in range(6)]
    functions = [
        fm.Sine(0.3, 2.0, 0.1, 0.2), fm.SmoothStep(-0.5, 0.5, 0.0, 0.3),
        fm.NaturalSpline(np.arange(6.0) - 2.0, [0.0, 0.2, 0.1, 0.4, 0.3, 0.2], degree=5),
    ]  # fmt: skip
    for k, name in enumerate(names):
        body = model.add(fm.Body(f"b{k}", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
        axes = [fm.Axis("rotation", (0, 0, 1), name)]
        if k < 3:
            axes.append(fm.Axis("translation", (1, 0, 0), [(name, functions[k])]))
        model.add(fm.FunctionalJoint(f"j{k}", last, body, [fm.Coordinate(name)], axes))
        last = body
    lines = [fm.Linear(0.5, 0.0), fm.Linear(0.2, 0.0)]
    model.add(fm.Coupling("q5", lines, ["q0", "q1"]))
    powers = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0)]
    values = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    model.add(fm.Coupling("q4", fm.MultivariatePolynomial(powers, values), ["q0", "q1"]))
    found = again(model, tmp_path)
    assert [one for one in differences(model, found) if one.startswith("couplings")] == []
    # an axis backwards is a multiple: compared by poses
    ours, theirs = fm.skeleton(model), fm.skeleton(found)
    for values in np.random.default_rng(3).uniform(-0.9, 0.9, (5, 4)):
        q = dict(zip(names[:4], values, strict=True))
        poses = ours.poses(ours.q_of(q)), theirs.poses(theirs.q_of(q))
        for name, (turned, place) in poses[0].items():
            assert_allclose(poses[1][name][0], turned, rtol=0.0, atol=1e-14)
            assert_allclose(poses[1][name][1], place, rtol=0.0, atol=1e-14)


def test_path_and_model_are_checked(tmp_path):
    with pytest.raises(fm.ModelError, match=r"must end in .osim"):
        fm.write_osim(limb(), tmp_path / "a.xml")
    with pytest.raises(fm.ModelError, match="must be a Model"):
        fm.write_osim(None, tmp_path / "a.osim")
    file = tmp_path / "kept.osim"
    file.write_text("before")
    with pytest.raises(fm.ModelError):
        fm.write_osim(jointed(lambda g, b: fm.Free("j", g, b)), file)
    assert file.read_text() == "before"


def command(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_command(tmp_path):
    file, out = DATA / "limb_v4.osim", tmp_path / "b.osim"
    body = next(one for one in limb().bodies if one.mass is not None).name
    done = command(
        "export", file, "--param", f"{body}/mass=3.25", f"{body}/com=0,1,2", "--out", out
    )
    assert done.exit_code == 0, done.stderr
    assert f"written to {out}" in done.stderr
    found = fm.read_osim(out)
    assert found.bodies[body].mass == 3.25 and tuple(found.bodies[body].com) == (0.0, 1.0, 2.0)


def test_command_refuses_other_formats(tmp_path):
    file = DATA / "limb_v4.osim"
    done = command("export", file, "--to", "sto", "--out", tmp_path / "b.sto")
    assert done.exit_code != 0 and "must be osim" in done.stderr
    done = command("export", "a.h5", "--param", "a=1", "--out", tmp_path / "b.sto")
    assert done.exit_code != 0 and "must be an OpenSim model" in done.stderr
    assert not list(tmp_path.iterdir())
