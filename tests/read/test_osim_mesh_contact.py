"""Contact of meshes and ellipsoids acts as in OpenSim, and what has no law has none there."""

import numpy as np
import pytest
from force_texts import ellipsoid, hunt_crossley, sphere
from osim_text import two_bodies
from test_osim_forces import (
    EXACT,
    SPACE,
    assert_as_in_opensim,
    generalized,
    imported,
    in_opensim,
    random_states,
)
from triangle_meshes import box, icosphere, write_obj

import fibermsk as fm


def mesh(name, place, file, where="0 0 0", angles="0.2 -0.3 0.1"):
    return (
        f"<ContactMesh name='{name}'><socket_frame>{place}</socket_frame>"
        f"<location>{where}</location><orientation>{angles}</orientation>"
        f"<filename>{file}</filename></ContactMesh>"
    )


def geometry(*surfaces):
    listed = SPACE + "".join(surfaces)
    return f"<ContactGeometrySet><objects>{listed}</objects></ContactGeometrySet>"


def foundation(name, *surfaces, stiffness=2e5):
    text = hunt_crossley(name, *surfaces).replace("HuntCrossleyForce", "ElasticFoundationForce")
    return text.replace("<stiffness>200000.0</stiffness>", f"<stiffness>{stiffness}</stiffness>")


BALL = mesh("ball", "/bodyset/b", "ball.obj", "0.1 -0.2 0.1")


@pytest.fixture
def files(tmp_path):
    vertices, faces = icosphere(2, 0.9)
    write_obj(tmp_path / "ball.obj", vertices * [1.0, 0.9, 1.1], faces)
    write_obj(tmp_path / "other.obj", *icosphere(2, 0.8))
    write_obj(tmp_path / "brick.obj", *box((1.2, 1.0, 1.4), 3))
    return tmp_path


def test_a_mesh_on_half_spaces_and_spheres(files, rng):
    surfaces = geometry(BALL, sphere("knob", "/ground", "-0.3 0.9 0.2", 0.8))
    forces = foundation("plane", "ball", "floor") + foundation("round", "knob", "ball")
    file, found = imported(files, two_bodies(forces, more=surfaces))
    assert not found.import_report.of_kind("not understood"), str(found.import_report)
    assert [type(one).__name__ for one in found.elements] == ["MeshContact"] * 2
    assert_as_in_opensim(files, file, found, rng)


def test_quads_are_divided_as_in_opensim(files, rng):
    """From their first corner, though the other diagonal of some is shorter."""
    corners = np.array(list(np.ndindex(2, 2, 2))) * [1.2, 1.0, 1.4] - [0.6, 0.5, 0.7]
    corners += rng.uniform(-0.05, 0.05, corners.shape)
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += ["f " + " ".join(str(k + 1) for k in quad) for quad in quads]
    (files / "ball.obj").write_text("\n".join(lines) + "\n")
    text = two_bodies(foundation("plane", "ball", "floor"), more=geometry(BALL))
    file, found = imported(files, text)
    assert_as_in_opensim(files, file, found, rng)


@pytest.mark.parametrize("other", ["other.obj", "brick.obj"])
def test_two_meshes(files, rng, other):
    """Each has half of its springs, as in OpenSim."""
    surfaces = geometry(BALL, mesh("second", "/ground", other, "-0.4 0.9 0.2"))
    file, found = imported(files, two_bodies(foundation("pair", "ball", "second"), more=surfaces))
    assert [one.name for one in found.elements] == ["pair_ball_second", "pair_second_ball"]
    states, system, acted = random_states(rng, found, n=8), fm.build(found), 0
    for at, wanted in zip(states, in_opensim(files, file, states)["pair"], strict=True):
        ours = [
            generalized(system, one, at["q"], at["p"], at["t"]) for one in system.named_elements
        ]
        largest = max(map(abs, wanted.values()))
        for coordinate, force in wanted.items():
            total = sum(one[coordinate] for one in ours)
            assert abs(total - force) <= EXACT * max(largest, 1.0), (coordinate, at["t"])
        acted += largest > 1.0
    assert acted > 3


def test_an_ellipsoid_on_a_half_space(tmp_path, rng):
    surfaces = geometry(ellipsoid("egg", "/bodyset/b", "0.1 -0.2 0.1", "0.9 0.7 1.1"))
    file, found = imported(
        tmp_path, two_bodies(hunt_crossley("plane", "egg", "floor"), more=surfaces)
    )
    assert not found.import_report.of_kind("not understood"), str(found.import_report)
    assert_as_in_opensim(tmp_path, file, found, rng)


def test_what_has_no_effect_in_opensim_has_none_here(files, rng):
    surfaces = geometry(
        BALL,
        sphere("knob", "/ground", "-0.3 0.9 0.2", 0.8),
        "<ContactCylinder name='rod'><socket_frame>/bodyset/a</socket_frame><radius>0.9</radius>"
        "</ContactCylinder>",
        "<ContactTorus name='ring'><socket_frame>/bodyset/a</socket_frame>"
        "<torus_radius>0.9</torus_radius><tube_radius>0.5</tube_radius></ContactTorus>",
    )
    forces = hunt_crossley("meshes", "ball", "floor") + hunt_crossley("rods", "rod", "floor")
    forces += hunt_crossley("rings", "ring", "knob") + foundation("rigid", "knob", "rod", "floor")
    file, found = imported(files, two_bodies(forces, more=surfaces))
    assert not found.elements
    notes = [one.text for one in found.import_report.of_kind("note")]
    assert sum("without effect, as in OpenSim" in one for one in notes) == 4
    assert not found.import_report.of_kind("not understood"), str(found.import_report)
    for states in in_opensim(files, file, random_states(rng, found, n=3)).values():
        for one in states:
            assert max(map(abs, one.values())) < 1e-9


def test_round_surfaces_with_ellipsoids_are_told(tmp_path):
    surfaces = geometry(
        ellipsoid("egg", "/bodyset/b", "0 0 0", "0.9 0.7 1.1"),
        sphere("knob", "/ground", "0 0 0", 0.8),
    )
    _, found = imported(tmp_path, two_bodies(hunt_crossley("x", "egg", "knob"), more=surfaces))
    assert not found.elements
    (told,) = found.import_report.of_kind("not understood")
    assert "'egg knob' of an ellipsoid with a round surface does NOT ACT" in told.text


def test_a_mesh_that_is_not_there_or_not_closed(files):
    text = two_bodies(foundation("plane", "ball", "floor"), more=geometry(BALL))
    missing = text.replace("ball.obj", "bowl.obj")
    _, found = imported(files, missing)
    (told,) = found.import_report.of_kind("not understood")
    assert "mesh file not found, it does NOT ACT" in told.text and not found.elements
    vertices, faces = icosphere(1, 0.8)
    write_obj(files / "open.obj", vertices, faces[1:])
    pair = geometry(BALL, mesh("second", "/ground", "open.obj"))
    with pytest.raises(fm.ModelError, match="3 open edges'; must be watertight"):
        imported(files, two_bodies(foundation("pair", "ball", "second"), more=pair))


def test_materials_of_a_mesh(files):
    surfaces = geometry(BALL)
    _, found = imported(
        files, two_bodies(foundation("p", "ball", "floor", stiffness=7e4), more=surfaces)
    )
    one = found.element("p")
    numbers = one.stiffness, one.dissipation, one.static_friction, one.transition_velocity
    assert numbers == (7e4, 0.1, 0.8, 0.3)
