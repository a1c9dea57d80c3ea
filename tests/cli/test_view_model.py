"""`fibermsk view` of OpenSim models."""

import re

import pytest
from matplotlib.image import imread

MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSimDocument Version="40000">
<Model name="leg">
  <gravity>0 -9.81 0</gravity>
  <BodySet><objects>
    <Body name="shank">
      <mass>3</mass><mass_center>0 -0.2 0</mass_center><inertia>0.05 0.005 0.05 0 0 0</inertia>
      <attached_geometry>
        <Mesh name="bone"><mesh_file>shank.stl</mesh_file></Mesh>
      </attached_geometry>
    </Body>
  </objects></BodySet>
  <JointSet><objects>
    <PinJoint name="knee">
      <socket_parent_frame>/ground</socket_parent_frame>
      <socket_child_frame>/bodyset/shank</socket_child_frame>
      <coordinates><Coordinate name="knee_angle"/></coordinates>
    </PinJoint>
  </objects></JointSet>
  <ForceSet><objects>
    <Thelen2003Muscle name="ham">
      <GeometryPath name="path"><PathPointSet><objects>
        <PathPoint name="p1">
          <socket_parent_frame>/ground</socket_parent_frame><location>-0.05 0.3 0</location>
        </PathPoint>
        <PathPoint name="p2">
          <socket_parent_frame>/bodyset/shank</socket_parent_frame><location>-0.03 -0.1 0</location>
        </PathPoint>
      </objects></PathPointSet></GeometryPath>
      <max_isometric_force>1000</max_isometric_force>
      <optimal_fiber_length>0.1</optimal_fiber_length>
      <tendon_slack_length>0.3</tendon_slack_length>
    </Thelen2003Muscle>
  </objects></ForceSet>
</Model>
</OpenSimDocument>
"""

TETRAHEDRON = ((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1))


def stl():
    """A text of four triangles, some 10 cm across."""
    lines = ["solid bone"]
    for a, b, c in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)):
        lines.append("facet normal 0 0 0\nouter loop")
        lines += ["vertex {} {} {}".format(*TETRAHEDRON[k]) for k in (a, b, c)]
        lines.append("endloop\nendfacet")
    return "\n".join([*lines, "endsolid bone", ""])


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "leg.osim"
    path.write_text(MODEL)
    return path


def test_model_is_drawn_in_a_pose(cli, model, tmp_path):
    pictures = []
    for name, arguments in {
        "start": [],
        "bent": ["--set", "knee_angle=-1.5"],
        "named": ["--labels"],
    }.items():
        out = tmp_path / "new" / f"{name}.png"
        done = cli("view", model, "--screenshot", out, *arguments)
        assert done.exit_code == 0, done.stderr
        pictures.append(imread(out))
    start, bent, named = pictures
    assert (start != bent).any(axis=2).mean() > 0.004
    assert (start != named).any(axis=2).mean() > 0.0002


def test_bones_are_found_in_the_folder_that_is_given(cli, model, tmp_path):
    plain = tmp_path / "plain.png"
    assert cli("view", model, "--screenshot", plain).exit_code == 0
    (tmp_path / "bones").mkdir()
    (tmp_path / "bones" / "shank.stl").write_text(stl())
    out = tmp_path / "bones.png"
    done = cli("view", model, "--screenshot", out, "--geometry", tmp_path / "bones")
    assert done.exit_code == 0, done.stderr
    assert (imread(plain) != imread(out)).any(axis=2).mean() > 0.01


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--time", "1"], "--time does not apply"),
        (["--geometry", "nowhere"], "must be a folder"),
        (["--set", "knee_angle"], "COORDINATE=VALUE"),
        (["--set", "knee_angle=bent"], "COORDINATE=VALUE"),
        (["--set", "hip=1"], "'hip'.*knee_angle"),
    ],
)
def test_bad_requests(cli, model, tmp_path, arguments, message):
    done = cli("view", model, "--screenshot", tmp_path / "x.png", *arguments)
    assert done.exit_code == 2
    assert re.search(message, done.stderr.replace("\n", " ")), done.stderr


def test_missing_and_broken_models(cli, tmp_path):
    done = cli("view", tmp_path / "missing.osim")
    assert done.exit_code == 2 and "missing.osim" in done.stderr
    broken = tmp_path / "broken.osim"
    broken.write_text("<OpenSimDocument>")
    assert cli("view", broken).exit_code == 2


def test_pose_outside_of_the_declared_range_is_told(cli, model, tmp_path):
    given = '<Coordinate name="knee_angle"><range>-2 0.1</range></Coordinate>'
    model.write_text(MODEL.replace('<Coordinate name="knee_angle"/>', given))
    for value, told in {"-1.5": False, "9": True}.items():
        done = cli(
            "view", model, "--screenshot", tmp_path / "x.png", "--set", f"knee_angle={value}"
        )
        assert done.exit_code == 0
        assert ("knee_angle=9 is outside the range" in done.stderr) == told


def test_info_says_what_it_takes(cli, model):
    done = cli("info", model.rename(model.with_suffix(".xml")))
    assert done.exit_code == 2 and "OpenSim model (.osim)" in done.stderr.replace("\n", " ")


@pytest.mark.parametrize("option", [["--set", "a=1"], ["--geometry", "."]])
def test_options_of_models_are_refused_for_results(cli, tmp_path, option):
    done = cli("view", tmp_path / "run.h5", *option)
    assert done.exit_code == 2 and f"{option[0]} does not apply" in done.stderr
