"""Bushings, contacts, prescribed and external forces: written, read again, and in OpenSim."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from force_texts import (
    BUSHINGS,
    CONTACTS,
    FRAMES,
    GEOMETRY,
    ellipsoid,
    hunt_crossley,
    prescribed,
    sphere,
    standing,
)
from numpy.testing import assert_allclose
from opensim_peer import SCRIPT, run_script
from osim_text import PATH, two_bodies
from same_models import differences
from triangle_meshes import box, icosphere, write_obj

import fibermsk as fm

LOADS = Path(__file__).with_name("loads_in_opensim.py")


def read_again(tmp_path, text, tolerance):
    """A file, what is written of it, and both models; nothing is left out, nothing differs."""
    file = tmp_path / "first.osim"
    file.write_text(text)
    model = fm.read_osim(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.ModelWarning)
        written = fm.write_osim(model, tmp_path / "written.osim")
    found = fm.read_osim(written)
    assert not found.import_report.of_kind("not understood"), str(found.import_report)
    assert len(model.elements) == len(found.elements) > 2
    assert differences(model, found, tolerance) == []
    return file, written, model


def assert_same_forces(tmp_path, rng, files, model, size=0.4, speed=2.0, parts=None):
    """OpenSim's generalized forces of both files; `parts` of the second are one of the first."""
    names = [one.name for one in model.coordinates]
    draw = lambda scale: dict(zip(names, rng.uniform(-scale, scale, len(names)), strict=True))  # noqa: E731
    states = [{"q": draw(size), "p": draw(speed), "t": 0.1 * k} for k in range(5)]
    found = []
    for k, file in enumerate(files):
        answer = tmp_path / f"{k}.json"
        task = {"answer": str(answer), "model": str(file), "states": states}
        run_script(SCRIPT.with_name("forces_in_opensim.py"), tmp_path, task)
        found.append(json.loads(answer.read_text()))
    first, second = found
    names = {one.name for one in model.elements}
    for name, own in (parts or {}).items():
        states = zip(*(second.pop(part) for part in own), strict=True)
        second[name] = [{k: sum(one[k] for one in at) for k in at[0]} for at in states]
        names = (names - {*own}) | {name}
    assert set(first) == set(second) == names
    for name, by_state in first.items():
        acted = 0.0
        for wanted, other in zip(by_state, second[name], strict=True):
            largest = max(map(abs, wanted.values()))
            for coordinate, force in wanted.items():
                assert abs(other[coordinate] - force) <= 1e-10 * max(largest, 1.0), name
            acted = max(acted, largest)
        assert acted > 0.01, name


def test_bushings(tmp_path, rng):
    *files, model = read_again(tmp_path, two_bodies(BUSHINGS), 2e-15)
    assert_same_forces(tmp_path, rng, files, model)


def test_contacts(tmp_path, rng):
    *files, model = read_again(tmp_path, two_bodies(CONTACTS, more=GEOMETRY), 2e-15)
    assert_same_forces(tmp_path, rng, files, model)


PAIR = {"pair": ("pair_orb_brick", "pair_brick_orb")}
"""A force of two meshes, and the contacts of the springs of each."""


def test_elastic_foundations_and_their_meshes(tmp_path, rng):
    """On a half-space, a sphere and another mesh; equal meshes share a file."""
    write_obj(tmp_path / "orb.obj", *icosphere(1, 0.9))
    write_obj(tmp_path / "brick.obj", *box((1.2, 1.0, 1.4), 3))
    surfaces = "".join(
        f"<ContactMesh name='{name}'><socket_frame>{place}</socket_frame><location>0.1 -0.2 0.1"
        f"</location><orientation>0.2 -0.3 0.1</orientation><filename>{name}.obj</filename>"
        "</ContactMesh>"
        for name, place in (("orb", "/bodyset/b"), ("brick", "/ground"))
    )
    knob = sphere("stub", "/ground", "-0.3 0.9 0.2", 0.8)
    more = GEOMETRY.replace("<objects>", f"<objects>{surfaces}{knob}", 1)
    pairs = {"plane": ("orb", "floor"), "round": ("stub", "orb"), "pair": ("orb", "brick")}
    forces = "".join(hunt_crossley(name, *pair) for name, pair in pairs.items())
    forces = forces.replace("HuntCrossleyForce", "ElasticFoundationForce")
    first = tmp_path / "made.osim"
    first.write_text(two_bodies(forces, more=more))
    model = fm.read_osim(first)
    # turned meshes have their vertices in another order once they are read: from then on the same
    once = fm.write_osim(model, tmp_path / "once.osim")
    found = fm.read_osim(once)
    for one, other in zip(model.elements, found.elements, strict=True):
        assert one.name == other.name and one.stiffness == other.stiffness
        assert_allclose(*(m.mesh.report.volume for m in (one, other)), rtol=1e-13)
        assert_allclose(np.sort(one.mesh.vertices, axis=0), np.sort(other.mesh.vertices, axis=0))
    *files, model = read_again(tmp_path, once.read_text(), 4e-15)
    written = sorted(one.name for one in (tmp_path / "written_meshes").iterdir())
    assert written == ["brick.obj", "brick_2.obj", "orb.obj", "orb_2.obj"]
    assert len(model.elements) == 4  # each mesh of a pair has springs
    assert_same_forces(tmp_path, rng, [first, files[1]], model, parts=PAIR)


def test_ellipsoids_points_and_formulas_of_paths(tmp_path, rng):
    marker = (
        "<MarkerSet><objects><Marker name='toe'><socket_parent_frame>/bodyset/a"
        "</socket_parent_frame><location>0.1 -0.2 0.05</location></Marker></objects></MarkerSet>"
    )
    forces = "".join(
        f"<ExpressionBasedPathForce name='{name}'>{PATH}<resting_length>{rest}</resting_length>"
        f"<expression>3+30*s*(1+0.4*ldot)</expression><clamp_stretch>{clamp}</clamp_stretch>"
        "</ExpressionBasedPathForce>"
        for name, rest, clamp in (("short", 0.2, "true"), ("pushes", 3.0, "false"))
    )
    forces += standing("/markerset/toe") + hunt_crossley("egg", "egg", "floor")
    egg = ellipsoid("egg", "/bodyset/b", "0.1 -0.2 0.1", "0.9 0.7 1.1")
    surfaces = GEOMETRY.replace("<objects>", f"<objects>{egg}", 1)
    *files, model = read_again(tmp_path, two_bodies(forces, more=surfaces + marker), 2e-15)
    assert_same_forces(tmp_path, rng, files, model)


@pytest.mark.parametrize("force_global", ["true", "false"])
@pytest.mark.parametrize("point_global", ["true", "false"])
def test_prescribed_forces(tmp_path, rng, force_global, point_global):
    text = two_bodies(prescribed(force_global, point_global), more=FRAMES)
    *files, model = read_again(tmp_path, text, 2e-15)
    assert_same_forces(tmp_path, rng, files, model)


def pair():
    """A model of two bodies, from a file without forces."""
    model = fm.Model("pair", meant=("mass",))
    low = model.add(fm.Body("low", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    axes = [fm.Axis("rotation", way, f"q{k}") for k, way in enumerate(np.eye(3))]
    axes = [fm.Axis("translation", way, f"x{k}") for k, way in enumerate(np.eye(3))] + axes
    named = [fm.Coordinate(f"x{k}", "translation") for k in range(3)]
    named += [fm.Coordinate(f"q{k}") for k in range(3)]
    model.add(fm.FunctionalJoint("j", model.ground, low, named, axes))
    return model, low


def test_stiffness_beside_formulas_and_functions(tmp_path):
    """Written as one formula or function each; a function beside a stiffness is left out."""
    model, low = pair()
    stiff = {"rotational_stiffness": (3.0, 0.0, 2.0), "translational_stiffness": (0.0, 50.0, 0.0)}
    ends = model.ground.at(0, 0.1, 0), low.at(0, 0, 0.1)
    formulas = ("theta_y^2 + k; k = delta_x", None, None)
    line = fm.Linear(2.0, 0.1)
    model.add(
        fm.Bushing("formulas", *ends, moments=formulas, **stiff),
        fm.Bushing("functions", *ends, moments=(None, line, None), **stiff),
        fm.Bushing("both", *ends, moments=(line, None, None), **stiff),
        fm.Bushing("mixed", *ends, moments=(line, "theta_x", None)),
        fm.SphereContact("rigid", low.at(0, 0, 0), model.ground.at(0, 0, 0), radius=0.1,
                         stiffness=1e5, share=1.0),
    )  # fmt: skip
    with pytest.warns(fm.ModelWarning, match="left out") as told:
        written = fm.write_osim(model, tmp_path / "a.osim")
    said = str(told[0].message)
    for part in ("both (Bushing)", "mixed (Bushing)", "rigid (SphereContact)"):
        assert part in said
    found = fm.read_osim(written)
    assert [one.name for one in found.elements] == ["formulas", "functions"]
    first, second = found.elements
    assert first.moments == ("3.0*theta_x + (theta_y^2 + k); k = delta_x", None, "2.0*theta_z")
    assert first.forces == (None, "50.0*delta_y", None)
    assert second.moments == (fm.Linear(3.0), line, fm.Linear(2.0))
    assert second.forces == (None, fm.Linear(50.0), None)


@pytest.mark.parametrize("share", [0.0, 1e-3, 0.3, 0.5, 0.77, 0.999])
def test_shares_of_a_contact(tmp_path, share):
    model, low = pair()
    model.add(
        fm.SphereContact("touch", low.at(0.1, 0, 0), model.ground.at(0, 0.2, 0), radius=0.1,
                         other_radius=0.2, stiffness=3.7e5, share=share, dissipation=0.3)
    )  # fmt: skip
    found = fm.read_osim(fm.write_osim(model, tmp_path / "a.osim"))
    assert_allclose(found.elements[0].share, share, rtol=4e-16)
    assert found.elements[0].stiffness == 3.7e5


def test_pairs_keep_their_names(tmp_path):
    text = two_bodies(hunt_crossley("all", "ball", "floor", "other"), more=GEOMETRY)
    (tmp_path / "a.osim").write_text(text)
    model = fm.read_osim(tmp_path / "a.osim")
    found = fm.read_osim(fm.write_osim(model, tmp_path / "b.osim"))
    assert [one.name for one in found.elements] == ["all_ball_floor", "all_ball_other"]
    for one, other in zip(model.elements, found.elements, strict=True):
        assert one.name == other.name
        assert_allclose(one.share, other.share, rtol=4e-16)


TIME = np.linspace(0.0, 1.0, 21)


def loaded():
    """A model with external forces of each kind, and their table."""
    model, low = pair()
    turns = lambda a, b, c: lambda t: (np.sin(a * t), np.cos(b * t), c * t)  # noqa: E731
    loads = [
        fm.ExternalForce("ground to ground", low, turns(3, 4, 5), turns(1, 2, 0.3), turns(7, 1, 1),
                         at_frame="ground"),
        fm.ExternalForce("to_body", low, turns(3, 4, 5), turns(1, 2, 0.3)),
        fm.ExternalForce("of_body", low, turns(2, 1, 3), turns(1, 2, 0.3), (0, 0, 1),
                         frame="body"),
        fm.ExternalForce("steady", low, (1.0, 2.0, 3.0)),
        fm.ExternalForce("twist", low, torque=turns(2, 2, 2), frame="body"),
        fm.ExternalForce("crossed", low, turns(2, 1, 3), turns(1, 2, 0.3), frame="body",
                         at_frame="ground"),
    ]  # fmt: skip
    return model, loads


def test_external_loads_are_read_as_they_were(tmp_path):
    model, loads = loaded()
    file = fm.write_external_loads(loads, tmp_path / "loads.xml", time=TIME)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["loads.sto", "loads.xml"]
    first = fm.read_external_loads(file, model)
    for one, given in zip(first, loads, strict=True):
        assert one.name == given.name.replace(" ", "_")
        assert (one.body, one.frame, one.at_frame) == (given.body, given.frame, given.at_frame)
        for field in ("force", "at", "torque"):
            for t in TIME:
                assert_allclose(one.value(field, t), given.value(field, t), rtol=0.0, atol=1e-14)
    file = fm.write_external_loads(first, tmp_path / "again.xml")
    second = fm.read_external_loads(file, model)
    for one, other in zip(first, second, strict=True):
        assert (one.name, one.frame, one.at_frame) == (other.name, other.frame, other.at_frame)
        for field in ("force", "at", "torque"):
            ours, theirs = getattr(one, field), getattr(other, field)
            assert type(ours) is type(theirs)
            if callable(ours):
                assert np.array_equal(ours.values, theirs.values)
                assert np.array_equal(ours.time, theirs.time)
            else:
                assert np.array_equal(ours, theirs)
    assert (tmp_path / "loads.sto").read_text().splitlines()[9:] == (
        tmp_path / "again.sto"
    ).read_text().splitlines()[9:]


def test_opensim_computes_the_same_external_forces(tmp_path, rng):
    model, loads = loaded()
    file = fm.write_external_loads(loads, tmp_path / "loads.xml", time=TIME)
    read = fm.read_external_loads(file, model)
    bare = fm.write_osim(model, tmp_path / "model.osim")
    model.add(*read)
    with pytest.warns(fm.ModelWarning, match="of_body .ExternalForce"):
        fm.write_osim(model, tmp_path / "left_out.osim")
    names = [one.name for one in model.coordinates]
    states = [
        {"q": dict(zip(names, rng.uniform(-0.5, 0.5, 6), strict=True)), "t": float(t)}
        for t in (0.0, 0.31, 0.5, 0.97)
    ]
    answer = tmp_path.resolve() / "answer.json"
    run_script(LOADS, tmp_path, {"answer": str(answer), "model": str(bare), "loads": str(file),
                                 "states": states})  # fmt: skip
    theirs = json.loads(answer.read_text())
    assert set(theirs) == {one.name for one in read}
    system = fm.build(model)
    for name, by_state in theirs.items():
        for at, (force, point, torque) in zip(states, by_state, strict=True):
            y, v = system.initial_state()
            system.split(y)[1][:] = [at["q"][one] for one in system.skeleton.coordinates]
            seen, _ = system.configuration.at(at["t"], y, v, np.zeros_like(v))
            ours = system.named_elements[name].fields(seen)
            assert_allclose(ours["force"], force, rtol=0.0, atol=1e-11)
            assert_allclose(ours["torque"], torque, rtol=0.0, atol=1e-11)
            if np.any(force):
                assert_allclose(ours["position"], point, rtol=0.0, atol=1e-11)


def test_what_cannot_be_tabulated_is_refused(tmp_path):
    model, loads = loaded()
    low = model.bodies["low"]
    other = fm.write_external_loads(loads[1:2], tmp_path / "other.xml", time=TIME[:7])
    two = fm.read_external_loads(other, model)
    file = fm.write_external_loads(loads[2:3], tmp_path / "kept.xml", time=TIME)
    one = fm.read_external_loads(file, model)
    before = file.read_text()
    for given, options, words in (
        (loads, {}, "'ground to ground': force is a function of time without samples.*time="),
        ([*one, *two], {}, "'to_body': force has other instants"),
        (loads[3:4], {}, "time = None; must be given for constant forces"),
        ([], {}, "loads = 0; must be one force or more"),
        ([*one, *one], {}, "names = 'of_body'; must be different"),
        ([low], {}, r"loads\[0\] = .*; must be an ExternalForce"),
        (None, {}, "loads = None; must be a list of ExternalForce"),
        (loads, {"time": [1.0, 0.0]}, "two instants or more, increasing"),
        (two, {"time": TIME}, r"t = 0.35 s; must be in \[0, 0.3\] s"),
    ):
        with pytest.raises(fm.ModelError, match=words):
            fm.write_external_loads(given, file, **options)
    with pytest.raises(fm.ModelError, match="ending = '.mot'; must be '.xml'"):
        fm.write_external_loads(one, tmp_path / "a.mot")
    assert file.read_text() == before
