"""Inverse kinematics with constraints: they hold exactly, the sum of squares is least; OpenSim."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import run_script
from osim_text import body, coordinate, frame, model as text_of, path_of, six
from scipy.optimize import minimize
from test_inverse_kinematics import followed

import fibermsk as fm
from fibermsk.analysis.kinematics.held import HeldPoses
from fibermsk.system.skeleton.free import free_model

SCRIPT = Path(__file__).with_name("ik_in_opensim.py")
TIME = np.linspace(0.0, 1.0, 16)

ENDS = (
    "<socket_body_1>/bodyset/a</socket_body_1><socket_body_2>/bodyset/b</socket_body_2>"
    "<location_body_1>0.1 0.2 0</location_body_1><location_body_2>{}</location_body_2>"
)
KINDS = {
    "point": f"<PointConstraint name='c'>{ENDS.format('0.1 0.2 0')}</PointConstraint>",
    "distance": f"<ConstantDistanceConstraint name='c'>{ENDS.format('0.1 0.2 0.4')}"
    "<constant_distance>0.4</constant_distance></ConstantDistanceConstraint>",
    "line": "<PointOnLineConstraint name='c'><socket_line_body>/bodyset/a</socket_line_body>"
    "<socket_follower_body>/bodyset/b</socket_follower_body><line_direction_vec>1 2 0.5"
    "</line_direction_vec><point_on_line>0.1 0.2 0.3</point_on_line><point_on_follower>0.1 0.2 0.3"
    "</point_on_follower></PointOnLineConstraint>",
    "weld": "<WeldConstraint name='c'><socket_frame1>g1</socket_frame1><socket_frame2>g2"
    f"</socket_frame2><frames>{frame('g1', '/bodyset/a')}{frame('g2', '/bodyset/b')}</frames>"
    "</WeldConstraint>",
}
ROWS = {"point": 3, "distance": 1, "line": 2, "weld": 6}


def markers_on(model, names="ab"):
    """Four markers on each of some bodies."""
    places = np.random.default_rng(5).uniform(-0.3, 0.3, (4, 3))
    for one in names:
        for k, place in enumerate(places):
            model.add(fm.Marker(f"{one}{k}", model.body(one).at(place)))


def written_with_markers(tmp_path, file, model):
    """The original file with the markers of the model."""
    listed = "".join(
        f"<Marker name='{one.name}'><socket_parent_frame>/bodyset/{one.body.name}"
        f"</socket_parent_frame><location>{' '.join(map(repr, map(float, one.station.position)))}"
        "</location></Marker>"
        for one in model.markers
    )
    marked = tmp_path / "marked.osim"
    text = file.read_text()
    assert "</Model>" in text
    sets = f"<MarkerSet><objects>{listed}</objects></MarkerSet></Model>"
    marked.write_text(text.replace("</Model>", sets))
    return marked


def moving(model, rng, size=0.5, noise=0.005, path=None):
    """Markers of closed poses in motion, with noise; `path` are offsets of the state (16, n)."""
    skeleton = fm.skeleton(model)
    free = np.full(skeleton.n, np.inf)
    held = HeldPoses(free_model(model), skeleton, -free, free)
    if path is None:
        phase, rate = rng.uniform(0, 6, skeleton.n), rng.uniform(1, 4, skeleton.n)
        path = size * (np.sin(rate * TIME[:, None] + phase) - np.sin(phase))
    q, states = held.start(skeleton.start), []
    for change in np.diff(path, axis=0, prepend=path[:1]):
        q = held.nearest(q + change)
        assert q is not None and held.opening(q) < 1e-12
        states.append(q)
    found = np.array([followed(model).positions(q) for q in states])
    found += rng.normal(0.0, noise, found.shape)
    names = model.markers.names
    seen = dict(zip(names, found.swapaxes(0, 1), strict=True))
    return fm.Markers("move", TIME, seen, rate=15.0), states


def openings(model, found):
    """Largest violation of the constraints at what was found."""
    skeleton = fm.skeleton(model)
    free = np.full(skeleton.n, np.inf)
    held = HeldPoses(free_model(model), skeleton, -free, free)
    own = [
        skeleton.q_of({name: float(found.values[name][k]) for name in skeleton.independent})
        for k in range(found.time.size)
    ]
    return max(held.opening(q) for q in own)


def against_opensim(tmp_path, file, model, markers, tolerance):
    markers.write(tmp_path / "move.trc")
    task = {
        "model": str(written_with_markers(tmp_path, file, model)),
        "markers": str(tmp_path / "move.trc"), "out": str(tmp_path / "ik.mot"),
        "weights": dict.fromkeys(model.markers.names, 1.0),
    }  # fmt: skip
    run_script(SCRIPT, tmp_path, task)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.ModelWarning)
        found = fm.inverse_kinematics(model, tmp_path / "move.trc", bounds=False)
    theirs = fm.read_signals(tmp_path / "ik.mot")
    assert theirs.in_degrees
    off = 0.0
    for name in found.free:
        ours, unit = found.values[name], 1.0
        if found.units[name] == "rad":
            ours, unit = np.degrees(ours), 1.0
        elif found.units[name] == "m":
            unit = 100.0  # a millimeter as a tenth of a degree
        off = max(off, float(np.abs(ours - theirs.signal(name)).max()) * unit)
    assert off < tolerance
    assert openings(model, found) < 1e-12
    assert "constraints" in found.settings and found.settings["constraints"].startswith("exact")
    return found, off


@pytest.mark.parametrize("kind", KINDS)
def test_each_constraint_is_that_of_opensim(tmp_path, rng, kind):
    joints = six("base", "ground", "a") + six("other", "ground", "b")
    file = tmp_path / "held.osim"
    file.write_text(text_of(body("a") + body("b"), joints, constraints=KINDS[kind]))
    model = fm.read_osim(file)
    assert len(model.elements) == 1
    markers_on(model)
    seen, _ = moving(model, rng)
    found, _ = against_opensim(tmp_path, file, model, seen, 1e-5)
    # the markers alone would open the constraint
    loose = fm.inverse_kinematics(model.edit(remove=list(model.elements)), seen, bounds=False)
    assert openings(model, loose) > 1e-4
    assert (found.rms >= loose.rms - 1e-12).all()


SIZES = {"PinJoint": 1, "GimbalJoint": 3}


def link(kind, name, parent, child, at, child_at):
    """A joint whose frames are parallel to those of its bodies."""
    listed = "".join(coordinate(f"{name}{k}", -3, 3) for k in range(SIZES[kind]))
    frames = frame("in_parent", path_of(parent), at, "0 0 0")
    frames += frame("in_child", path_of(child), child_at, "0 0 0")
    return (
        f'<{kind} name="{name}"><socket_parent_frame>in_parent</socket_parent_frame>'
        f"<socket_child_frame>in_child</socket_child_frame><coordinates>{listed}</coordinates>"
        f"<frames>{frames}</frames></{kind}>"
    )


def loop_file(tmp_path, kinds):
    """Cranks a and c on the ground, and a rod b between them; the last joint closes the loop."""
    ends = (
        ("ground", "a", "0 0 0", "0 0 0"),
        ("a", "b", "0 -0.2 0", "0 0 0"),
        ("ground", "c", "0.25 0 0", "0 0 0"),
        ("b", "c", "0.26 0 0", "0 -0.24 0"),
    )
    joints = [
        link(kind, f"j{k}", *at) for k, (kind, at) in enumerate(zip(kinds, ends, strict=True))
    ]
    file = tmp_path / "loop.osim"
    file.write_text(text_of(body("a") + body("b") + body("c"), "".join(joints)))
    return file


def test_a_closed_loop_is_that_of_opensim(tmp_path, rng):
    """A linkage in space, with one motion of its cranks and a spin of its rod."""
    file = loop_file(tmp_path, ("PinJoint", "GimbalJoint", "PinJoint", "GimbalJoint"))
    model = fm.read_osim(file)
    markers_on(model, "abc")
    seen, _ = moving(model, rng, noise=0.003)
    found, _ = against_opensim(tmp_path, file, model, seen, 1e-5)
    assert np.ptp(found.values["j00"]) > 0.1


def test_a_plane_loop(tmp_path, rng):
    """Rows follow from others at every pose, at which OpenSim's tool fails."""
    model = fm.read_osim(loop_file(tmp_path, ("PinJoint",) * 4))
    markers_on(model, "abc")
    seen, states = moving(model, rng, noise=0.0)
    found = fm.inverse_kinematics(model, seen)
    assert found.largest.max() < 1e-10 and openings(model, found) < 1e-12
    assert_allclose(found.values["j00"], [q[0] for q in states], rtol=0.0, atol=1e-9)
    assert np.ptp(found.values["j00"]) > 0.1


def plane(lower=-3.0, upper=3.0):
    """Two cranks and a rod between their ends, by hinges alone."""
    model = fm.Model("linkage", meant=("mass",))
    names = ("left", "right")
    for k, name in enumerate(names):
        one = model.add(fm.Body(name, 1.0, (0, 0.1, 0), (0.1, 0.1, 0.1)))
        turn = fm.Coordinate(name, value=0.05 * k, lower=lower, upper=upper)
        model.add(fm.Hinge(f"j{k}", model.ground, one, (0.3 * k, 0, 0), (0, 0, 1), coordinate=turn))
        for i, place in enumerate(((0.05, 0.1, 0), (0, 0.3, 0.1), (-0.05, 0.2, 0))):
            model.add(fm.Marker(f"{name}{i}", one.at(place)))
    ends = model.body("left").at(0, 0.3, 0), model.body("right").at(0, 0.25, 0)
    model.add(fm.PointConstraint("rod", *ends, distance=0.31))
    return model


@pytest.mark.parametrize("bounds", [True, False])
def test_the_minimum_within_bounds_is_that_of_another_method(rng, bounds):
    """By SciPy's SLSQP; with a bound that is reached, and the rod as it is."""
    model = plane(upper=0.25)
    free = plane()
    path = np.tile(0.6 * np.sin(4.0 * TIME)[:, None], (1, 2))
    seen, states = moving(free, rng, noise=0.01, path=path)
    assert max(one.max() for one in states) > 0.4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ModelWarning)
        found = fm.inverse_kinematics(model, seen, bounds=bounds)
    assert openings(model, found) < 1e-12
    follow = followed(model)
    skeleton = fm.skeleton(model)
    inf = np.full(skeleton.n, np.inf)
    held = HeldPoses(free_model(model), skeleton, -inf, inf)
    limits = [(-3.0, 0.25)] * 2 if bounds else [(None, None)] * 2
    at_bound = 0
    for k in range(TIME.size):
        measured = np.array([seen.positions[name][k] for name in model.markers.names])
        cost = lambda q, m=measured: float(((follow.positions(q) - m) ** 2).sum())  # noqa: E731
        q = np.array([found.values[name][k] for name in skeleton.independent])
        best = minimize(
            cost, q + 0.01, method="SLSQP", bounds=limits, tol=1e-14, options={"maxiter": 500},
            constraints={"type": "eq", "fun": lambda q: held._at(q)[1].g},
        )  # fmt: skip
        assert held.opening(best.x) < 1e-8
        assert cost(q) <= cost(best.x) + 1e-8
        assert_allclose(q, best.x, rtol=0.0, atol=2e-4)
        at_bound += int((q > 0.25 - 1e-9).any())
        assert (q <= 0.25).all() or not bounds
    assert at_bound > 3 or not bounds


def test_quaternions_with_a_rod(rng):
    """A free body and one on a ball joint, whose states are quaternions, held by a rod."""
    model = fm.Model("flight", meant=("mass",))
    a, b = (model.add(fm.Body(n, 1.0, (0, 0, 0), (0.1, 0.1, 0.1))) for n in "ab")
    model.add(fm.Free("base", model.ground, a), fm.Spherical("ball", model.ground, b, (0, 0, 0)))
    model.add(fm.PointConstraint("rod", a.at(0, 0.1, 0), b.at(0, 0.1, 0.4), distance=0.4))
    markers_on(model)
    seen, states = moving(model, rng, size=0.3, noise=0.002)
    found = fm.inverse_kinematics(model, seen)
    assert openings(model, found) < 1e-12
    assert found.rms.max() < 0.006
    exact, _ = moving(model, np.random.default_rng(3), size=0.3, noise=0.0)
    assert fm.inverse_kinematics(model, exact).largest.max() < 1e-9
    assert len(states) == TIME.size


def test_exact_markers_are_followed_exactly(tmp_path, rng):
    joints = six("base", "ground", "a") + six("other", "ground", "b")
    file = tmp_path / "held.osim"
    rod = KINDS["distance"].replace("'c'", "'d'").replace("0.1 0.2 0<", "-0.1 -0.2 0.2<")
    rod = rod.replace("0.1 0.2 0.4", "0.1 0.2 0.3").replace(">0.4<", f">{0.2 * 5.25**0.5}<")
    constraints = KINDS["line"] + rod  # the rod along the line
    file.write_text(text_of(body("a") + body("b"), joints, constraints=constraints))
    model = fm.read_osim(file)
    markers_on(model)
    seen, states = moving(model, rng, noise=0.0)
    found = fm.inverse_kinematics(model, seen, bounds=False)
    assert found.largest.max() < 1e-11
    names = fm.skeleton(model).independent
    for k, name in enumerate(names):
        assert_allclose(found.values[name], [q[k] for q in states], rtol=0.0, atol=1e-9)
    assert "c, d" in str(found)


def test_what_only_a_constraint_determines_is_not_told(tmp_path, rng):
    """No marker on b: a weld determines it, and nothing is said; a rod does not, and it is."""
    for kind, told in (("weld", False), ("distance", True)):
        joints = six("base", "ground", "a") + six("other", "ground", "b")
        file = tmp_path / f"{kind}.osim"
        file.write_text(text_of(body("a") + body("b"), joints, constraints=KINDS[kind]))
        model = fm.read_osim(file)
        markers_on(model, "a")
        seen, _ = moving(model, rng, size=0.2)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = fm.inverse_kinematics(model, seen, bounds=False)
        assert any("do not determine: other_" in str(one.message) for one in said) == told
        assert openings(model, found) < 1e-12
