"""What a limb made up for tests comes out as."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import via_points

import fibermsk as fm
from fibermsk.read.osim.skeleton.frames import body_fixed_xyz
from fibermsk.system.lines.solved import active_points

DATA = Path(__file__).parents[1] / "data"

BLOCK = """solid block
{}endsolid block
"""
FACET = """facet normal 0 0 0
outer loop
vertex {} {} {}
vertex {} {} {}
vertex {} {} {}
endloop
endfacet
"""


def tetrahedron(size=0.1):
    """A closed surface as the text of an STL file, and its corners."""
    corners = size * np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    facets = "".join(FACET.format(*corners[list(face)].ravel()) for face in faces)
    return BLOCK.format(facets), corners


@pytest.fixture(params=[2, 3, 4])
def limb(request):
    return fm.read_osim(DATA / f"limb_v{request.param}.osim")


def test_bodies(limb):
    assert limb.name == "limb"
    assert_allclose(limb.gravity, [0.0, -9.81, 0.0])
    assert [body.name for body in limb.bodies] == ["ground", "trunk", "upper", "lower", "cap"]
    trunk, upper = limb.bodies[1:3]
    assert trunk.mass is None and trunk.inertia is None
    assert upper.mass == 1.8
    assert_allclose(upper.com, [0.01, -0.18, 0.005])
    inertia = [[0.0148, 0.0003, -0.0002], [0.0003, 0.0046, 0.0001], [-0.0002, 0.0001, 0.0132]]
    assert_allclose(upper.inertia, inertia)


def test_joints_coordinates_and_coupling(limb):
    joints = {joint.child.name: joint for joint in limb.joints}
    assert isinstance(joints["trunk"], fm.Weld)
    assert joints["lower"].name == "elbow"
    assert_allclose(joints["lower"].at, [0.006, -0.29, -0.012])
    assert_allclose(joints["lower"].child_at, [0.001, 0.002, 0.0])
    turn = body_fixed_xyz(np.array([-0.02, 0.23, 0.01]))
    assert_allclose(joints["lower"].axes[0].direction, turn[:, 2])
    assert [axis.kind for axis in joints["upper"].axes] == ["translation"] * 3 + ["rotation"] * 3
    coordinates = {one.name: one for one in limb.coordinates}
    assert list(coordinates) == ["swing", "twist", "flexion", "glide"]
    flexion = coordinates["flexion"]
    assert (flexion.kind, flexion.value, flexion.speed) == ("rotation", 0.4, 0.2)
    assert (flexion.lower, flexion.upper, flexion.locked) == (-0.1, 2.4, False)
    limit = flexion.laws[0]
    assert isinstance(limit, fm.SmoothLimit)
    assert_allclose(np.degrees([limit.lower, limit.upper, limit.transition]), [5.0, 130.0, 8.0])
    assert_allclose(np.radians([limit.lower_stiffness, limit.damping]), [10.0, 0.1])
    spring, damper = coordinates["twist"].laws
    assert (spring.stiffness, spring.rest, damper.damping) == (3.0, 0.1, 0.2)
    assert coordinates["glide"].kind == "translation"
    assert coordinates["twist"].lower == -1.0
    coupling = limb.couplings[0]
    assert (coupling.dependent, coupling.independent) == ("glide", "flexion")
    assert_allclose(coupling.function(1.1), 1.1 * 0.015)


def test_muscle(limb):
    flexor = limb.muscles[0]
    assert (flexor.name, flexor.kind) == ("flexor", "Thelen2003Muscle")
    assert flexor.max_isometric_force == 620.0
    assert (flexor.optimal_fiber_length, flexor.tendon_slack_length) == (0.11, 0.2)
    assert (flexor.pennation_angle, flexor.max_contraction_velocity) == (0.1, 8.0)
    assert flexor.parameters == {"FmaxTendonStrain": 0.033, "KshapeActive": 0.45}
    first, second, third, _ = flexor.points
    assert first.body.name == "trunk"
    assert_allclose(first.station.position, [0.01, -0.02, 0.16])
    assert (second.coordinate, second.lower, second.upper) == ("flexion", 0.5, 3.0)
    assert third.coordinates == ("flexion",) * 3
    assert third.ranges == ((-0.1, 2.4),) * 3
    egg, roll = flexor.wraps
    assert (egg.first, egg.last, egg.method) == (1, 3, "axial")
    assert (roll.first, roll.last, roll.method) == (None, None, "hybrid")
    assert isinstance(egg.shape, fm.WrapEllipsoid) and egg.shape.quadrant == "all"
    assert_allclose(egg.shape.radii, [0.035, 0.02, 0.021])
    assert isinstance(roll.shape, fm.WrapCylinder) and roll.shape.quadrant == "-y"
    assert (roll.shape.radius, roll.shape.length, roll.shape.body.name) == (0.016, 0.05, "upper")
    assert_allclose(roll.shape.rotation, body_fixed_xyz(np.array([0.1, -0.2, 0.3])))


def same(first, second):
    """Whether two models have the same poses and muscle lengths."""
    first_skeleton, second_skeleton = fm.skeleton(first), fm.skeleton(second)
    chosen = {"swing": 0.4, "twist": -0.3, "flexion": 1.2}
    q = first_skeleton.q_of(chosen)
    poses, others = first_skeleton.poses(q), second_skeleton.poses(second_skeleton.q_of(chosen))
    for name, (rotation, position) in poses.items():
        assert_allclose(others[name][0], rotation, atol=1e-15)
        assert_allclose(others[name][1], position, atol=1e-15)
    length = fm.path_length(first_skeleton, first.muscles[0], q)
    assert_allclose(fm.path_length(second_skeleton, second.muscles[0], q), length, rtol=1e-14)


def test_layouts_between_the_versions(tmp_path):
    """An engine in the model, as the earliest files have it, and connectors in place of sockets."""
    old = (DATA / "limb_v2.osim").read_text()
    start, end = old.index("<BodySet"), old.index("<ForceSet")
    engine = f"<DynamicsEngine><SimbodyEngine>{old[start:end]}</SimbodyEngine></DynamicsEngine>"
    file = tmp_path / "engine.osim"
    file.write_text((old[:start] + engine + old[end:]).replace("ForceSet", "ActuatorSet"))
    same(fm.read_osim(DATA / "limb_v2.osim"), fm.read_osim(file))

    def connector(match):
        inside = "".join(
            f'<Connector_PhysicalFrame_ name="{name}"><connectee_name>{path}</connectee_name>'
            "</Connector_PhysicalFrame_>"
            for name, path in (("parent_frame", match[1]), ("child_frame", match[2]))
        )
        return f"<connectors>{inside}</connectors>"

    sockets = (
        "<socket_parent_frame>(.*)</socket_parent_frame>\\s*<socket_child_frame>(.*)</socket_.*>"
    )
    text, n = re.subn(sockets, connector, (DATA / "limb_v4.osim").read_text())
    assert n == 4
    file.write_text(text.replace('Version="40000"', 'Version="30512"'))
    same(fm.read_osim(DATA / "limb_v4.osim"), fm.read_osim(file))
    # paths may start at the point that names them
    text = (
        (DATA / "limb_v4.osim")
        .read_text()
        .replace(
            "<socket_parent_frame>/bodyset/lower<",
            "<socket_parent_frame>../../../../jointset/elbow/lower_offset/..//../../bodyset/lower<",
        )
    )
    file.write_text(text.replace(">/bodyset/trunk<", ">trunk<"))
    same(fm.read_osim(DATA / "limb_v4.osim"), fm.read_osim(file))


def test_path_of_a_muscle(limb):
    skeleton, flexor = fm.skeleton(limb), limb.muscles[0]
    bent = skeleton.q_of({"flexion": 1.0})
    # at 0.5 within the tolerance that OpenSim has too
    for angle, n in ((1.0, 4), (0.2, 3), (0.5 - 0.9e-5, 4), (0.5 - 1.1e-5, 3)):
        q = skeleton.q_of({"flexion": angle})
        active, points = active_points(skeleton, flexor, q)
        assert len(active) == n
        assert_allclose(points, via_points.path_points(skeleton, flexor, q), atol=1e-15)
    active, points = active_points(skeleton, flexor, bent)
    rotation, position = skeleton.poses(bent)["lower"]
    assert_allclose(points[2], position + rotation @ [0.02, -0.04, 0.002], atol=1e-15)


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("where", ["beside", "Geometry", "given"])
def test_meshes(tmp_path, version, where):
    text, corners = tetrahedron()
    file = tmp_path / "limb.osim"
    file.write_bytes((DATA / f"limb_v{version}.osim").read_bytes())
    folder = {"beside": tmp_path, "Geometry": tmp_path / "Geometry", "given": tmp_path / "bones"}
    folder[where].mkdir(exist_ok=True)
    (folder[where] / "block.stl").write_text(text)
    options = {"geometry": folder[where]} if where == "given" else {}
    upper = fm.read_osim(file, **options).bodies[2]
    assert not upper.shapes and len(upper.visuals) == 1
    turn = body_fixed_xyz(np.array([0.1, 0.2, 0.3]))
    expected = [0.01, 0.02, 0.03] + (corners * [1.0, 1.5, 2.0]) @ turn.T
    found = np.asarray(upper.visuals[0].vertices)
    # each corner is there, in whatever order
    assert_allclose(np.abs(expected[:, None] - found[None]).max(-1).min(1), 0.0, atol=1e-8)
    for contact in (["upper"], "upper", {"upper": "block.stl"}, {"upper": ["block.stl"]}):
        model = fm.read_osim(file, contact=contact, **options)
        assert len(model.bodies[2].shapes) == 1 and not model.bodies[2].visuals
        assert model.import_report.meshes[0][2] == str(folder[where] / "block.stl")


def test_mesh_that_cannot_be_read_is_reported(tmp_path):
    file = tmp_path / "limb.osim"
    file.write_bytes((DATA / "limb_v4.osim").read_bytes())
    (tmp_path / "block.stl").write_text("nothing")
    report = fm.read_osim(file).import_report
    assert "mesh not drawn" in str(report)
    with pytest.raises(fm.ModelError, match="block.stl"):
        fm.read_osim(file, contact=["upper"])


def test_ground_wears_meshes_too(tmp_path):
    text, _ = tetrahedron()
    (tmp_path / "block.stl").write_text(text)
    mesh = "<Mesh name='m'><mesh_file>block.stl</mesh_file></Mesh>"
    mesh = f"<attached_geometry>{mesh}</attached_geometry>"
    limb = (DATA / "limb_v4.osim").read_text()
    file = tmp_path / "limb.osim"
    file.write_text(limb.replace('<Ground name="ground">', f'<Ground name="ground">{mesh}'))
    model = fm.read_osim(file, contact=["ground"])
    assert len(model.ground.shapes) == 1
    assert model.bodies[0] is model.ground


def test_curves_of_muscles_are_kept(shared_models):
    model = fm.read_osim(shared_models / "MoBL-ARMS_noncommercial" / "MOBL_ARMS_41.osim")
    parameters = model.muscles[0].parameters
    assert parameters["ActiveForceLengthCurve.min_norm_active_fiber_length"] == 0.4327
    assert parameters["ignore_tendon_compliance"] is False
    das = fm.read_osim(shared_models / "das4" / "das4_v4.osim").muscles[0].parameters
    assert das["passive_force_length_curve.x"][-1] == 5.0


def test_inertias_that_no_body_can_have_are_kept(shared_models):
    model = fm.read_osim(shared_models / "das4" / "das4_v4.osim")
    row = next(body for body in model.bodies if body.name == "proximal_row")
    assert_allclose(np.diag(row.inertia), [1e-5, 1e-5, -1e-5])
    notes = [entry.text for entry in model.import_report.of_kind("note")]
    assert any("inertia is not physically possible" in text for text in notes)


def test_info_fits_a_screen(shared_models):
    from typer.testing import CliRunner

    from fibermsk.cli.main import app

    file = shared_models / "opensim-models" / "Rajagopal2016.osim"
    lines = CliRunner().invoke(app, ["info", str(file)]).stdout.splitlines()
    assert len(lines) <= 45 and all(len(line) <= 80 for line in lines if str(file) not in line)
    assert sum("more (--all)" in line for line in lines) == 2


def test_info(tmp_path):
    from typer.testing import CliRunner

    from fibermsk.cli.main import app

    file = DATA / "limb_v4.osim"
    done = CliRunner().invoke(app, ["info", str(file), "--all"])
    assert done.exit_code == 0, done.stderr
    for words in (
        "model 'limb', version 40000",
        "mass: 3.4 kg in 4 bodies",
        "CustomJoint  upper on trunk",
        "22.92 deg, in -5.73 to 137.5 deg, SmoothLimit",
        "glide  follows flexion",
        "flexor  4       2      620",
        "3 coordinates are free",
        "1 are coupled and eliminated",
        "0 of 1 mesh files found",
        "RollingOnSurfaceConstraint is NOT ENFORCED",
    ):
        assert words in done.stdout, words
    short = CliRunner().invoke(app, ["info", str(file)]).stdout
    for words in (
        "4 bodies, 3.4 kg: trunk, upper",
        "3 free coordinates, 1 coupled to others",
        "flexor  4       2      620",
        f"run all on lines: fibermsk run {file} --controls 0.3",
        f"one as fibers: fibermsk run {file} --bundle flexor",
        "meshes: 0 of 1 found; give --geometry FOLDER",
        "RollingOnSurfaceConstraint is NOT ENFORCED",
        "all of it: --all",
    ):
        assert words in short, words
    found = json.loads(CliRunner().invoke(app, ["info", str(file), "--json"]).stdout)
    assert found["mass"] == pytest.approx(3.4)
    assert found["coordinates"][3]["follows"] == "flexion"
    assert found["muscles"][0]["wraps"] == ["egg", "roll"]
    assert found["report"]["version"] == 40000
    broken = tmp_path / "broken.osim"
    broken.write_text("<a>")
    done = CliRunner().invoke(app, ["info", str(broken)])
    assert done.exit_code == 2 and "broken.osim, line 1" in done.stderr
    done = CliRunner().invoke(app, ["info", str(tmp_path / "x.h5"), "--geometry", str(tmp_path)])
    assert done.exit_code == 2 and "is not a model" in done.stderr
