"""What an OpenSim file may make the reader do: no meshes from anywhere, no names that lead away."""

import gc
import json
import sys

import pytest
from osim_text import body, joint, model, one_joint
from test_osim_model import tetrahedron
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app


@pytest.fixture
def folders(tmp_path):
    """A folder of a model, and a mesh beside it."""
    (tmp_path / "model" / "Geometry" / "deep").mkdir(parents=True)
    (tmp_path / "else").mkdir()
    for place in ("else/secret.stl", "model/own.stl", "model/Geometry/deep/inner.stl"):
        (tmp_path / place).write_text(tetrahedron()[0])
    (tmp_path / "model" / "link.stl").symlink_to(tmp_path / "else" / "secret.stl")
    (tmp_path / "model" / "away").symlink_to(tmp_path / "else")
    return tmp_path


def write(folder, file):
    mesh = f"<attached_geometry><Mesh name='m'><mesh_file>{file}</mesh_file></Mesh>"
    path = folder / "model" / "arm.osim"
    path.write_text(
        model(body("b", f"{mesh}</attached_geometry>"), joint("WeldJoint", "j", "ground", "b"))
    )
    return path


OUTSIDE = [
    "{0}/else/secret.stl",
    "../else/secret.stl",
    "..\\else\\secret.stl",
    "Geometry/../../else/secret.stl",
    "away/secret.stl",
    "link.stl",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_meshes_outside_of_the_folders_are_not_read(folders, name):
    file = write(folders, name.format(folders))
    found = fm.read_osim(file)
    assert found.bodies[1].visuals == ()
    assert found.import_report.meshes[0][2] is None
    (entry,) = found.import_report.of_kind("not understood")
    assert "is outside of" in entry.text and "geometry_outside=True" in entry.text
    with pytest.raises(fm.ModelError, match="arm.osim, line 2: .*is outside of.*geometry=FOLDER"):
        fm.read_osim(file, contact=["b"])
    # a word of the user allows it: for all places, or for this folder
    assert len(fm.read_osim(file, geometry_outside=True).bodies[1].visuals) == 1
    assert len(fm.read_osim(file, geometry=folders / "else").bodies[1].visuals) == 1


@pytest.mark.parametrize(
    "name",
    ["own.stl", "inner.stl", "deep/inner.stl", "{0}/model/own.stl", "../model/Geometry/../own.stl"],
)
def test_meshes_inside_are_read_however_they_are_named(folders, name):
    if name == "inner.stl":
        name = "deep\\inner.stl"
    found = fm.read_osim(write(folders, name.format(folders)))
    assert len(found.bodies[1].visuals) == 1 and str(found.import_report).count("outside") == 0


def test_folder_of_meshes_that_is_a_link(folders):
    """Whoever made the link in place of the folder chose it; a path in the file did not."""
    place = folders / "model" / "Geometry"
    place.rename(folders / "meshes")
    place.symlink_to(folders / "meshes")
    assert len(fm.read_osim(write(folders, "deep/inner.stl")).bodies[1].visuals) == 1


def test_option_of_the_commands(folders, tmp_path):
    file = write(folders, "../else/secret.stl")

    def found(*options):
        done = CliRunner().invoke(app, ["info", str(file), "--json", *options])
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)["report"]["meshes"][0]["path"]

    assert found() is None
    assert found("--geometry-outside").endswith("secret.stl")
    for command in ("info", "view"):
        done = CliRunner().invoke(app, [command, str(tmp_path / "x.h5"), "--geometry-outside"])
        assert done.exit_code == 2 and "--geometry-outside" in done.stderr
    with pytest.raises(fm.ModelError, match="geometry_outside = 1; must be True or False"):
        fm.read_osim(file, geometry_outside=1)


@pytest.mark.parametrize("name", ["a/b", "..", "../../x"])
@pytest.mark.parametrize("what", ["coordinate", "muscle"])
def test_names_that_lead_away_are_refused_with_their_line(tmp_path, what, name):
    muscle = (
        '<Millard2012EquilibriumMuscle name="m"><GeometryPath><PathPointSet><objects>'
        '<PathPoint name="p"><socket_parent_frame>/ground</socket_parent_frame></PathPoint>'
        '<PathPoint name="q"><socket_parent_frame>/bodyset/b</socket_parent_frame></PathPoint>'
        "</objects></PathPointSet></GeometryPath></Millard2012EquilibriumMuscle>"
    )
    text = one_joint(forces=muscle)
    old = {"coordinate": '<Coordinate name="q"', "muscle": 'Muscle name="m"'}[what]
    file = tmp_path / "arm.osim"
    file.write_text(text.replace(old, f'{old.partition(chr(34))[0]}"{name}"'))
    with pytest.raises(fm.ModelError, match=rf"arm.osim, line 2: .*{what}: name = .*rename it"):
        fm.read_osim(file)


def many(n):
    points = "".join(
        f'<PathPoint name="{name}"><socket_parent_frame>{place}</socket_parent_frame>'
        "<location>0.01 0.02 0.03</location></PathPoint>"
        for name, place in (("p", "/ground"), ("q", "/bodyset/b"))
    )
    return one_joint(
        forces="".join(
            f'<Millard2012EquilibriumMuscle name="m{k}"><GeometryPath><PathPointSet><objects>'
            f"{points}</objects></PathPointSet></GeometryPath>"
            "<max_isometric_force>100</max_isometric_force>"
            "<optimal_fiber_length>0.1</optimal_fiber_length></Millard2012EquilibriumMuscle>"
            for k in range(n)
        )
    )


def test_effort_grows_with_the_number_of_muscles(tmp_path):
    """Calls of functions, not seconds: as many a muscle in a large file as in a small one."""
    file = tmp_path / "many.osim"

    def calls(n):
        file.write_text(many(n))
        count = 0

        def watch(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(watch)
        try:
            found = fm.read_osim(file)
        finally:
            sys.setprofile(None)
        assert len(found.muscles) == n
        return count

    few, more, most = calls(50), calls(150), calls(350)
    assert (most - more) / 200 == pytest.approx((more - few) / 100, rel=0.01)
    assert (most - more) / 200 < 700
    assert gc.isenabled()
