"""Loops of joints: cut at a body and closed by a weld, against OpenSim."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask
from osim_text import body, coordinate, frame, model, path_of
from test_osim_constraints import accelerations

import fibermsk as fm

SIZES = {"PinJoint": 1, "GimbalJoint": 3, "UniversalJoint": 2, "WeldJoint": 0}


def link(kind, name, parent, child, at="0 0 0", child_at="0 0 0"):
    """A joint whose frames are parallel to those of its bodies."""
    listed = "".join(coordinate(f"{name}{k}", -3, 3) for k in range(SIZES[kind]))
    frames = frame("in_parent", path_of(parent), at, "0 0 0")
    frames += frame("in_child", path_of(child), child_at, "0 0 0")
    return (
        f'<{kind} name="{name}"><socket_parent_frame>in_parent</socket_parent_frame>'
        f"<socket_child_frame>in_child</socket_child_frame><coordinates>{listed}</coordinates>"
        f"<frames>{frames}</frames></{kind}>"
    )


def four_bar(kind="PinJoint", closing="PinJoint", last=("b", "c"), rod="0 -0.26 0"):
    """Cranks a and c on the ground, and a rod b between them; the last joint closes the loop."""
    bars = {"b": rod, "c": "0 -0.24 0"}
    joints = (
        link(kind, "j1", "ground", "a")
        + link(kind, "j2", "a", "b", "0 -0.2 0")
        + link(kind, "j3", "ground", "c", "0.25 0 0")
        + link(closing, "j4", *last, *(bars[one] for one in last))
    )
    bodies = (CUT.replace("NAME", one) if one == last[1] else body(one) for one in "abc")
    return model("".join(bodies), joints)


# OpenSim 4.6 gives the part of a cut body the moments of inertia over its mass, about the origin:
# right for two halves of a body of 2 kg whose center is the origin
CUT = (
    '<Body name="NAME"><mass>2</mass><mass_center>0 0 0</mass_center>'
    "<inertia>0.02 0.03 0.04 0.001 0.002 -0.001</inertia></Body>"
)


def read(tmp_path, text):
    file = tmp_path / "model.osim"
    file.write_text(text)
    return file, fm.read_osim(file)


def built(own):
    """The system, with the warnings of what it leaves out."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        system = fm.build(own)
    return system, [str(one.message) for one in found]


def moving_states(system, rng, n=4):
    """Closed poses that move, by coordinate."""
    names, found = system.skeleton.independent, []
    for _ in range(n):
        y, _ = system.initial_state()
        y = y + 0.1 * rng.normal(size=y.size)
        y, v = system.project(0.0, y, rng.normal(size=y.size))
        found.append([dict(zip(names, one.tolist(), strict=True)) for one in (y, v)])
    return found


def as_constraint(text):
    """The file with its weld joint as a constraint."""
    begin, end = text.index("<WeldJoint"), text.index("</WeldJoint>") + len("</WeldJoint>")
    weld = text[begin:end].replace("WeldJoint", "WeldConstraint")
    weld = weld.replace("<coordinates></coordinates>", "")
    for old, new in (("parent_frame", "frame1"), ("child_frame", "frame2")):
        weld = weld.replace(f"socket_{old}", f"socket_{new}")
    rest = text[:begin] + text[end:]
    return rest.replace("<ConstraintSet><objects>", f"<ConstraintSet><objects>{weld}")


@pytest.mark.parametrize(
    ("kind", "closing", "last", "rod"),
    [
        ("PinJoint", "PinJoint", ("b", "c"), "0 -0.26 0"),
        ("PinJoint", "PinJoint", ("c", "b"), "0 -0.26 0"),
        ("PinJoint", "GimbalJoint", ("b", "c"), "0 -0.26 0"),
        ("GimbalJoint", "GimbalJoint", ("b", "c"), "0 -0.26 0"),
        ("GimbalJoint", "WeldJoint", ("b", "c"), "0.15 -0.26 0"),
    ],
)
def test_a_loop_moves_as_in_opensim(tmp_path, rng, kind, closing, last, rod):
    file, own = read(tmp_path, four_bar(kind, closing, last, rod))
    system, _ = built(own)
    states = moving_states(system, rng)
    names = [f"j{k}{i}" for k in (1, 2, 3) for i in range(SIZES[kind])]
    names += [f"j4{i}" for i in range(SIZES[closing])]
    assert sorted(one.name for one in own.coordinates) == sorted(names)
    assert sum(one.mass for one in own.bodies[1:]) == pytest.approx(5.0, rel=1e-15)
    if closing == "WeldJoint":
        # OpenSim 4.6 counts the body twice that such a joint closes a loop at
        file = tmp_path / "constraint.osim"
        file.write_text(as_constraint(four_bar(kind, closing, last, rod)))
    answer = ask(tmp_path, file, states=states)
    assert answer["mass"] == pytest.approx(5.0, rel=1e-12)
    for (values, speeds), theirs in zip(states, answer["states"], strict=True):
        assert_allclose(theirs["errors"], 0.0, atol=1e-12)
        assert_allclose(theirs["rates"], 0.0, atol=1e-12)
        found = accelerations(system, values, speeds)
        for name, value in theirs["accelerations"].items():
            assert_allclose(found[name], value, rtol=1e-8, atol=1e-7, err_msg=name)


def test_the_report_says_what_is_cut(tmp_path):
    _, own = read(tmp_path, four_bar())
    text = str(own.import_report)
    assert (
        "closes a loop of the joints 'j2', 'j1', 'j3', 'j4': the body 'c' is cut, its part "
        "'c at j4' with a share of the mass moves with the joint, and a constraint 'loop of j4' "
        "welds both, as in Simbody"
    ) in text
    assert "starts at" in text and "where the constraints are closed" in text
    parts = [one for one in own.bodies if one.name in ("c", "c at j4")]
    assert [one.mass for one in parts] == [1.0, 1.0]
    _, warned = built(own)
    assert len(warned) == 1 and "'loop of j4' (along z)" in warned[0]
    assert "'loop of j4' (turn about x)" in warned[0] and "(turn about y)" in warned[0]


def test_two_loops_share_a_body(tmp_path):
    """A second loop at the same body: thirds of its mass."""
    second = link("GimbalJoint", "j5", "ground", "c", "0.3 -0.1 0", "0.05 -0.1 0")
    whole = four_bar("GimbalJoint", "GimbalJoint")
    text = whole.replace("</objects><groups/></JointSet>", f"{second}</objects></JointSet>")
    assert text != whole
    _, own = read(tmp_path, text)
    assert [one.mass for one in own.bodies if one.name.startswith("c")] == pytest.approx(
        [2.0 / 3.0] * 3
    )
    assert len(own.elements) == 2
    system, _ = built(own)
    assert max(system.drift(0.0, *system.initial_state())) < 1e-11


def test_a_loop_through_the_ground_is_cut_at_a_body(tmp_path, rng):
    """The joint that closes it has the ground as its child."""
    joints = (
        link("GimbalJoint", "j1", "ground", "a")
        + link("GimbalJoint", "j2", "a", "b", "0 -0.2 0")
        + link("GimbalJoint", "j3", "b", "ground", "0 -0.26 0", "0.3 -0.1 0")
    )
    file, own = read(tmp_path, model(body("a") + CUT.replace("NAME", "b"), joints))
    assert "'b at j3'" in str(own.import_report)
    system, _ = built(own)
    states = moving_states(system, rng)
    answer = ask(tmp_path, file, states=states)["states"]
    for (values, speeds), theirs in zip(states, answer, strict=True):
        assert_allclose(theirs["errors"], 0.0, atol=1e-12)
        found = accelerations(system, values, speeds)
        for name, value in theirs["accelerations"].items():
            assert_allclose(found[name], value, rtol=1e-8, atol=1e-7, err_msg=name)


def test_a_loop_of_bodies_without_mass_is_refused(tmp_path):
    text = four_bar().replace("<mass>1.5</mass>", "<mass>0</mass>")
    text = text.replace("<mass>2</mass>", "<mass>0</mass>")
    with pytest.raises(fm.ModelError, match="'c', which has no mass; must close it at a body"):
        read(tmp_path, text)


def test_an_imported_loop_keeps_its_energy(tmp_path):
    _, own = read(tmp_path, four_bar())
    system, _ = built(own)
    control = fm.AdaptiveSteps(1e-8)
    result = fm.simulate(system, t_end=0.5, dt=0.01, control=control)
    assert result.stats["position_drift"] < 1e-13 and result.stats["velocity_drift"] < 1e-12
    names = system.skeleton.independent
    y, v = (
        np.array([part[name] for name in names]).T for part in (result.coordinates, result.speeds)
    )
    found = [system.energy(*one) for one in zip(y, v, strict=True)]
    kinetic = np.array([one.kinetic for one in found])
    energy = kinetic + [one.gravity for one in found]
    assert np.ptp(kinetic) > 0.1
    assert np.ptp(energy) < 1e-6 * np.ptp(kinetic)
