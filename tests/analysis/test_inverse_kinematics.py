"""Motions from markers and sensors: exact ones are found again, and all else is said."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.analysis.kinematics.least_squares import minimize, undetermined
from fibermsk.analysis.kinematics.tracked import (
    TrackedMarkers,
    TrackedSensors,
    inverse_right,
    rotation_vectors,
)
from fibermsk.cli.main import app
from fibermsk.system.skeleton.free import free_model

TIME = np.linspace(0.0, 1.0, 21)


def chain(kind="hinges"):
    """Two bodies with four markers each, on hinges, or free and on a ball joint."""
    model = fm.Model("chain", (0.0, 0.0, 0.0))
    upper, lower = (
        model.add(fm.Body(name, 1.0, (0, -0.1, 0), (0.1, 0.1, 0.1))) for name in ("upper", "lower")
    )
    if kind == "hinges":
        turn = fm.Coordinate("hip", value=0.1, lower=-1.0, upper=1.0)
        model.add(fm.Hinge("hip", model.ground, upper, (0, 1, 0), (0, 0, 1), coordinate=turn))
        turn = fm.Coordinate("knee", value=0.2, lower=-1.0, upper=0.6)
        at = (0, -0.4, 0), (0.1, 0.2, 1)
        model.add(fm.Hinge("knee", upper, lower, *at, coordinate=turn))
    else:
        model.add(fm.Free("base", model.ground, upper))
        model.add(fm.Spherical("knee", upper, lower, at=(0, -0.4, 0)))
    places = np.random.default_rng(5).uniform(-0.2, 0.2, (4, 3))
    for body in (upper, lower):
        model.add(*(fm.Marker(f"{body.name[0]}{k}", body.at(x)) for k, x in enumerate(places)))
    return model


def followed(model, weight=1.0):
    """Markers of a model as residuals from the origin."""
    free = free_model(model)
    stations = [(one.body.name, np.asarray(one.station.position)) for one in free.markers]
    n = len(stations)
    measured = np.zeros((1, n, 3))
    return TrackedMarkers(
        fm.skeleton(free), free.markers.names, stations, np.full(n, weight), measured
    )


def seen(model, states, time=TIME, noise=0.0):
    """Markers in some states."""
    found = np.array([followed(model).positions(q) for q in states])
    found += np.random.default_rng(2).normal(0.0, noise, found.shape) if noise else 0.0
    by_name = dict(zip(model.markers.names, found.swapaxes(0, 1), strict=True))
    return fm.Markers("walk", time, by_name)


def waves(skeleton, size=0.4):
    phase = np.arange(skeleton.n)
    return skeleton.start + size * np.sin(3.0 * TIME[:, None] + phase) * TIME[:, None]


@pytest.mark.parametrize("kind", ["hinges", "free"])
def test_derivatives_are_those_of_differences(kind, rng):
    model = chain(kind)
    skeleton = fm.skeleton(model)
    on = [("upper", np.eye(3)), ("lower", Rotation.from_rotvec([0.3, -1.0, 2.0]).as_matrix())]
    far = Rotation.from_rotvec([[0.5, 2.0, -0.4], [1e-6, 0.0, 0.0]]).as_matrix()[None]
    sensors = TrackedSensors(skeleton, ("a", "b"), on, np.array([1.0, 3.0]), far)
    for tracked in (followed(model, 2.0), sensors):
        q = skeleton.start + 0.2 * rng.normal(size=skeleton.n)
        found = tracked.residual(q, 0)
        steps = 1e-6 * np.eye(skeleton.n)
        values = [[tracked.residual(q + s * d, 0).value for s in (1, -1)] for d in steps]
        numeric = np.array([(a - b) / 2e-6 for a, b in values]).T
        np.testing.assert_allclose(found.J, numeric, atol=3e-9)
        assert np.abs(found.J).max() > 0.1


def test_derivative_of_a_rotation_vector(rng):
    e = np.concatenate([rng.normal(size=(4, 3)), 1e-5 * rng.normal(size=(2, 3)), np.zeros((1, 3))])
    R = Rotation.from_rotvec(e).as_matrix()
    for i in range(3):
        d = 1e-6 * np.eye(3)[i]
        ahead, back = (
            rotation_vectors(R @ Rotation.from_rotvec(s * d).as_matrix()) for s in (1, -1)
        )
        np.testing.assert_allclose(inverse_right(e)[:, :, i], (ahead - back) / 2e-6, atol=2e-9)


@pytest.mark.parametrize("kind", ["hinges", "free"])
def test_an_exact_motion_is_found_again(kind):
    model = chain(kind)
    skeleton = fm.skeleton(model)
    states = waves(skeleton)
    found = fm.inverse_kinematics(model, seen(model, states))
    assert found.rms.max() < 1e-10 and found.steps.max() < 15
    poses = [skeleton.poses(q) for q in states]
    if kind == "hinges":
        for j, name in enumerate(skeleton.independent):
            np.testing.assert_allclose(found.values[name], states[:, j], atol=1e-10)
    names = skeleton.independent
    again = [skeleton.poses([found.values[n][k] for n in names]) for k in range(TIME.size)]
    for one, other in zip(poses, again, strict=True):
        for body in one:
            np.testing.assert_allclose(one[body][0], other[body][0], atol=1e-9)


def test_noise_gaps_and_the_table_of_residuals():
    model = chain()
    skeleton = fm.skeleton(model)
    markers = seen(model, waves(skeleton), noise=1e-3)
    positions = {name: np.array(one) for name, one in markers.positions.items()}
    positions["u0"][5:9] = np.nan
    positions["l3"][:] += [0.03, 0.0, 0.0]
    found = fm.inverse_kinematics(model, fm.Markers("walk", TIME, positions))
    assert np.isnan(found.residuals["u0"][5:9]).all()
    assert np.isfinite(found.residuals["u0"][9:]).all()
    table = found.table()
    assert next(iter(table)) == "l3" and set(found.worst) == {"l3"}
    assert table["u0"].frames == TIME.size - 4
    one = found.residuals["l3"]
    assert table["l3"].largest == one.max() and table["l3"].at == TIME[one.argmax()]
    assert abs(table["l3"].rms - np.sqrt(np.mean(one**2))) < 1e-15
    rms = np.sqrt(np.nanmean([r**2 for r in found.residuals.values()], axis=0))
    np.testing.assert_allclose(found.rms, rms, rtol=1e-12)
    # a minimum: what is left is orthogonal to what can move
    names = model.markers.names
    measured = np.stack([positions[name] for name in names], axis=1)
    stations = [(m.body.name, np.asarray(m.station.position)) for m in model.markers]
    tracked = TrackedMarkers(skeleton, names, stations, np.ones(8), measured)
    for k in range(TIME.size):
        q = [found.values[name][k] for name in skeleton.independent]
        r = tracked.residual(np.array(q), k)
        assert np.abs(r.J.T @ r.value).max() < 1e-9
    # without the marker the motion is better
    without = fm.inverse_kinematics(model, fm.Markers("w", TIME, positions), weights={"l3": 0.0})
    off = [np.abs(one.values["knee"] - waves(skeleton)[:, 1]).max() for one in (found, without)]
    assert off[1] < 0.015 < 0.05 < off[0]


def test_weights_share_between_markers():
    """A slider between two points: the weighted mean."""
    model = fm.Model("slide", (0, 0, 0))
    body = model.add(fm.Body("body", 1.0, inertia=(1, 1, 1)))
    model.add(fm.Slider("x", model.ground, body, (0, 0, 0), (1, 0, 0)))
    model.add(fm.Marker("a", body.at(0, 0, 0)), fm.Marker("b", body.at(0, 0, 0)))
    markers = fm.Markers("m", [0.0], {"a": [[0.0, 0.1, 0.0]], "b": [[1.0, 0.0, 0.0]]})
    for weight in (1.0, 3.0, 100.0):
        found = fm.inverse_kinematics(model, markers, weights={"b": weight})
        assert abs(found.values["x"][0] - weight / (1.0 + weight)) < 1e-12
        assert found.weights == {"a": 1.0, "b": weight}


def test_bounds_are_kept_exactly_and_named():
    model = chain()
    skeleton = fm.skeleton(model)
    states = np.tile([0.3, 0.9], (3, 1))
    markers = seen(model, states, TIME[:3])
    with pytest.warns(
        fm.ModelWarning, match=r"at a bound of the declared range: knee \(3 frames\)"
    ):
        found = fm.inverse_kinematics(model, markers)
    assert (found.values["knee"] == 0.6).all()
    # the other coordinate is the best at this bound
    hip = np.linspace(0.0, 1.0, 4001)
    cost = [
        sum(
            np.sum((a - b) ** 2)
            for a, b in zip(
                followed(model).positions(np.array([h, 0.6])),
                [one[0] for one in markers.positions.values()], strict=True,
            )
        )
        for h in hip
    ]  # fmt: skip
    assert abs(found.values["hip"][0] - hip[np.argmin(cost)]) < 3e-4
    free = fm.inverse_kinematics(model, markers, bounds=False)
    np.testing.assert_allclose(free.values["knee"], 0.9, atol=1e-10)
    assert skeleton.n == 2


def test_couplings_and_locked_coordinates_hold():
    model = chain()
    states = np.stack([0.3 * TIME, 0.5 * 0.3 * TIME + 0.1], axis=1)
    markers = seen(model, states)
    for enforce in ("eliminate", "multiplier"):
        coupled = model.edit()
        coupled.add(fm.Coupling("knee", fm.Linear(0.5, 0.1), "hip", enforce))
        found = fm.inverse_kinematics(coupled, markers)
        assert found.free == ("hip",) and found.rms.max() < 1e-10
        np.testing.assert_allclose(found.values["knee"], states[:, 1], atol=1e-10)
        assert list(found.motion.values) == ["hip"]
    locked = model.edit({model.joint("knee"): {"coordinate": fm.Coordinate(
        "knee", value=0.25, locked=True)}})  # fmt: skip
    found = fm.inverse_kinematics(locked, markers)
    assert found.free == ("hip",) and (found.values["knee"] == 0.25).all()
    still = locked.edit({locked.joint("hip"): {"coordinate": fm.Coordinate("hip", locked=True)}})
    with pytest.raises(fm.ModelError, match="free coordinates = 0; must be one or more"):
        fm.inverse_kinematics(still, markers)


def test_what_the_markers_do_not_determine_is_named_and_kept():
    model = chain()
    skeleton = fm.skeleton(model)
    markers = seen(model, waves(skeleton))
    positions = {name: np.array(one) for name, one in markers.positions.items()}
    for name in ("l0", "l1", "l2", "l3"):
        positions[name][10:15] = np.nan
    with pytest.warns(fm.ModelWarning, match=r"do not determine: knee \(5 frames\)"):
        found = fm.inverse_kinematics(model, fm.Markers("walk", TIME, positions))
    np.testing.assert_array_equal(found.values["knee"][10:15], found.values["knee"][9])
    np.testing.assert_allclose(found.values["hip"], waves(skeleton)[:, 0], atol=1e-10)


def test_undetermined_unknowns():
    assert undetermined(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])) == [1]
    assert undetermined(np.diag([1.0, 1e-3])) == []
    assert len(undetermined(np.array([[1.0, 1.0], [2.0, 2.0]]))) == 1


def test_a_hard_start_needs_damping():
    """Rosenbrock's valley, where a full step of Gauss and Newton goes astray."""

    def evaluate(q):
        r = np.array([10.0 * (q[1] - q[0] ** 2), 1.0 - q[0]])
        return r, np.array([[-20.0 * q[0], 10.0], [-1.0, 0.0]])

    for start, upper, best in (([-1.2, 1.0], 2.0, 1.0), ([-5.0, 30.0], 0.5, 0.5)):
        bounds = np.full(2, -50.0), np.array([upper, 50.0])
        free = np.full(2, np.inf), lambda q, d: 1.0, lambda q: q
        found = minimize(evaluate, np.array(start), *bounds, *free)
        assert found.converged
        np.testing.assert_allclose(found.q, [best, best**2], atol=1e-8)


def test_out_of_a_gimbal_lock_by_short_ways():
    """Two axes coincide at the start: angles stay near those of the motion, within no bounds."""
    model = fm.Model("lock")
    body = model.add(fm.Body("body", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    angles = [fm.Coordinate(name, value=value) for name, value in zip(
        "abc", (0.0, -0.5 * np.pi, 0.0), strict=True)]  # fmt: skip
    axes = [fm.Axis("rotation", axis, one.name) for axis, one in
            zip(np.eye(3), angles, strict=True)]  # fmt: skip
    model.add(fm.FunctionalJoint("joint", model.ground, body, angles, axes))
    places = np.random.default_rng(5).uniform(-0.3, 0.3, (4, 3))
    model.add(*(fm.Marker(f"m{k}", body.at(x)) for k, x in enumerate(places)))
    states = np.outer(TIME, [0.04, 0.12, -0.1]) + fm.skeleton(model).start
    for bounds in (True, False):
        with pytest.warns(fm.ModelWarning, match=r"do not determine: . \(1 frames\)"):
            found = fm.inverse_kinematics(model, seen(model, states), bounds=bounds)
        assert max(one.max() for one in found.residuals.values()) < 1e-7
        moved = np.array([found.values[name] for name in "abc"]).T
        assert np.abs(moved - states).max() < 0.2
        assert np.abs(np.diff(moved, axis=0)).max() < 0.2


def test_quaternions_are_no_columns_of_a_motion():
    model = chain("ball")
    found = fm.inverse_kinematics(model, seen(model, [fm.skeleton(model).start] * 3, TIME[:3]))
    with pytest.raises(fm.ModelError, match="base_w.*quaternions.*FunctionalJoint"):
        found.motion  # noqa: B018


def test_orientations_of_sensors_give_the_motion():
    model = chain()
    skeleton = fm.skeleton(model)
    states = waves(skeleton)
    on = {"upper": Rotation.from_rotvec([1, 2, 3]), "lower": Rotation.from_rotvec([0, -1, 0.5])}
    quaternions = {name: [] for name in on}
    start = skeleton.poses(skeleton.start)
    for q in [skeleton.start, *states]:
        for name, (R, _) in ((n, skeleton.poses(q)[n]) for n in on):
            x, y, z, w = (Rotation.from_matrix(R) * on[name]).as_quat()
            quaternions[name].append([w, x, y, z])
    time = np.r_[-0.05, TIME]
    imu = fm.Orientations("imu", time, {f"{name}_imu": one for name, one in quaternions.items()})
    sensors = {f"{name}_imu": (name, R.as_matrix()) for name, R in on.items()}
    found = fm.inverse_kinematics(model, imu, sensors=sensors, begin=0.0)
    assert found.unit == "rad" and found.rms.max() < 1e-9
    for j, name in enumerate(skeleton.independent):
        np.testing.assert_allclose(found.values[name], states[:, j], atol=1e-9)
    placed = fm.place_sensors(model, imu, at=-0.05)
    for name, (body, R) in placed.items():
        assert body == name.removesuffix("_imu")
        np.testing.assert_allclose(R, sensors[name][1], atol=1e-12)
    assert start.keys() >= on.keys()
    with pytest.raises(fm.ModelError, match="lowpass = 6.0; must be left out for sensors"):
        fm.inverse_kinematics(model, imu, sensors=sensors, lowpass=6.0)
    with pytest.raises(fm.ModelError, match="no body 'lwr'"):
        fm.inverse_kinematics(model, imu, sensors={"upper_imu": ("lwr", np.eye(3))})


def test_names_that_do_not_fit_are_said():
    model = chain()
    markers = seen(model, waves(fm.skeleton(model)))
    renamed = {("U0" if name == "u0" else name): one for name, one in markers.positions.items()}
    with pytest.warns(fm.ModelWarning) as said:
        fm.inverse_kinematics(model, fm.Markers("walk", TIME, renamed))
    texts = [str(one.message) for one in said]
    assert any("not of the model: U0" in text for text in texts)
    assert any("not measured: u0" in text for text in texts)
    with pytest.raises(fm.ModelError, match="no marker of the model is measured; measured: x; the"):
        fm.inverse_kinematics(model, fm.Markers("walk", [0.0], {"x": [[0.0, 0.0, 1.0]]}))
    with pytest.raises(fm.ModelError, match="no marker or sensor 'u00'.*u0"):
        fm.inverse_kinematics(model, markers, weights={"u00": 1.0})
    with pytest.raises(fm.ModelError, match="u0 = -1.0; must be 0 or positive|must be"):
        fm.inverse_kinematics(model, markers, weights={"u0": -1.0})
    with pytest.raises(fm.ModelError, match="weights.*must be positive for one item or more"):
        fm.inverse_kinematics(model, markers, weights=dict.fromkeys(model.markers.names, 0.0))
    with pytest.raises(fm.ModelError, match="hold a frame of the recording, from 0 to 1 s"):
        fm.inverse_kinematics(model, markers, begin=2.0)
    driven = fm.drive(model, {"time": [0.0, 1.0, 2.0], "hip": [0.0, 0.1, 0.0]})
    with pytest.raises(fm.ModelError, match="'hip': prescribed .* leave the motion to inverse"):
        fm.inverse_kinematics(driven, markers)


def test_chains_that_do_not_close_are_refused():
    model = chain()
    markers = seen(model, waves(fm.skeleton(model)))
    ends = model.ground.at(0, 0, 0), model.body("lower").at(0, -0.3, 0)
    model.add(fm.PointConstraint("loop", *ends, distance=9.0))
    with pytest.raises(fm.ModelError, match=r"constraints loop are not met near .*bounds=False"):
        fm.inverse_kinematics(model, markers)


def test_a_frame_without_markers_is_refused():
    model = chain()
    markers = seen(model, waves(fm.skeleton(model)))
    gone = {name: np.array(one) for name, one in markers.positions.items()}
    for one in gone.values():
        one[7] = np.nan
    with pytest.raises(fm.ModelError, match="1 frames without any marker of the model, at 0.35 s"):
        fm.inverse_kinematics(model, fm.Markers("walk", TIME, gone))


TASKS = """<OpenSimDocument Version="40000"><InverseKinematicsTool><IKTaskSet><objects>
<IKMarkerTask name="u0"><apply>true</apply><weight>5</weight></IKMarkerTask>
<IKMarkerTask name="l0"><apply>true</apply><weight>2</weight></IKMarkerTask>
<IKMarkerTask name="l1"><apply>false</apply><weight>2</weight></IKMarkerTask>
<IKCoordinateTask name="hip"><apply>true</apply><weight>1</weight></IKCoordinateTask>
</objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>"""


def test_weights_of_a_file_of_tasks(tmp_path):
    model = chain()
    markers = seen(model, waves(fm.skeleton(model)))
    file = tmp_path / "tasks.xml"
    file.write_text(TASKS)
    with pytest.warns(fm.ModelWarning, match="left out: IKCoordinateTask 'hip'"):
        found = fm.inverse_kinematics(model, markers, weights=file)
    assert found.weights == {
        "u0": 5.0, "u1": 0.0, "u2": 0.0, "u3": 0.0, "l0": 2.0, "l1": 0.0, "l2": 0.0, "l3": 0.0
    }  # fmt: skip
    for old, new, words in (
        ("<weight>5<", "<weight>-5<", "IKMarkerTask 'u0': weight = '-5'; must be zero or positive"),
        ("IKTaskSet", "TaskSet", "holds 0 IKTaskSet; must be one"),
        ("<apply>false", "<apply>no", "apply = 'no'; must be true or false"),
    ):
        file.write_text(TASKS.replace(old, new))
        with pytest.raises(fm.ModelError, match=words):
            fm.inverse_kinematics(model, markers, weights=file)


def test_what_is_found_is_used_and_written(tmp_path):
    model = chain()
    skeleton = fm.skeleton(model)
    told = []
    found = fm.inverse_kinematics(
        model, seen(model, waves(skeleton)), lowpass=5.0, progress=told.append
    )
    assert [one.step for one in told] == list(range(1, TIME.size + 1))
    assert told[-1].fraction == 1.0
    assert found.treatment[0].what == "low-pass filter" and "5 Hz" in found.settings["treatment"]
    driven = fm.drive(model, found.motion)
    assert abs(driven.coordinate("knee").prescribed(0.5) - found.values["knee"][10]) < 1e-12
    force = fm.inverse_dynamics(model, found.motion).force["knee"]
    for ending in ("mot", "sto", "csv"):
        file = tmp_path / f"walk.{ending}"
        found.write(file)
        again = fm.inverse_dynamics(model, file).force["knee"]
        np.testing.assert_array_equal(again, force)
    found.write_residuals(tmp_path / "residuals.csv")
    table = fm.read_signals(tmp_path / "residuals.csv")
    np.testing.assert_array_equal(table.signal("u1"), found.residuals["u1"])
    assert table.units["rms"] == "m"
    with pytest.raises(fm.ModelError, match="ending = '.txt'"):
        found.write(tmp_path / "walk.txt")
    assert "Inverse kinematics of 'walk'" in repr(found)


def test_command(shared_models, tmp_path):
    """Markers of a leg model from a pose, through files."""
    file = shared_models / "opensim-models" / "leg6dof9musc.osim"
    if not file.is_file():
        pytest.skip(f"no {file}")
    model = fm.read_osim(file)
    skeleton = fm.skeleton(free_model(model))
    q = skeleton.start + 0.1
    seen(model, [q, q], TIME[:2]).write(tmp_path / "pose.trc")
    out, residuals = tmp_path / "ik.mot", tmp_path / "residuals.csv"
    given = [file, tmp_path / "pose.trc", "--out", out, "--residuals", residuals, "--json"]
    found = CliRunner().invoke(app, ["ik", *map(str, given), "--weight", "R.Toe=2"])
    if found.exit_code:  # names the markers that the model has
        name = model.markers.names[0]
        given = [*map(str, given), "--weight", f"{name}=2"]
        found = CliRunner().invoke(app, ["ik", *given])
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    assert report["frames"] == 2 and report["largest_rms"] < 1e-9
    motion = fm.read_signals(out)
    assert not motion.in_degrees
    for name, value in zip(skeleton.independent, q, strict=True):
        np.testing.assert_allclose(motion.signal(name), value, atol=1e-9)
    assert residuals.is_file()
    wrong = CliRunner().invoke(app, ["ik", *map(str, given[:4]), "--weight", "heel"])
    assert wrong.exit_code != 0 and "must be MARKER=NUMBER" in wrong.output
