"""Driven coordinates, curves of muscles and static optimization."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import fibermsk as fm
from fibermsk.analysis.optimization import _least, violation
from fibermsk.analysis.picture import draw_curves

NUMBERS = {"optimal_fiber_length": 0.2, "tendon_slack_length": 0.1}


def arm():
    """A hinge with three muscles on straight lines."""
    model = fm.Model("arm", (0.0, -9.81, 0.0))
    arm = model.add(fm.Body("arm", mass=1.5, com=(0, -0.2, 0), inertia=(0.02, 0.002, 0.02)))
    model.add(
        fm.Hinge(
            "elbow", model.ground, arm, at=(0, 0, 0), axis=(0, 0, 1),
            coordinate=fm.Coordinate("elbow", lower=0.0, upper=2.0),
        )
    )  # fmt: skip
    for name, x, y, force in (
        ("a", 0.05, 0.25, 200.0),
        ("b", 0.04, 0.22, 300.0),
        ("c", -0.05, 0.25, 250.0),
    ):
        ends = [
            fm.PathPoint("o", model.ground.at(x, y, 0)),
            fm.PathPoint("i", arm.at(0.6 * x, -0.05, 0)),
        ]
        model.add(fm.LineMuscle(name, ends, max_isometric_force=force, **NUMBERS))
    return model


def motion():
    time = np.linspace(0.0, 1.0, 41)
    return {"time": time, "elbow": 0.8 + 0.5 * np.cos(2.0 * np.pi * time)}


def test_driven_coordinates_follow_the_motion(tmp_path):
    """In degrees by the header; the run goes through the samples."""
    model, given = arm(), motion()
    rows = np.stack([given["time"], np.rad2deg(given["elbow"]), given["time"]], axis=1)
    file = tmp_path / "m.mot"
    head = "m\nversion=1\nnRows=41\nnColumns=3\ninDegrees=yes\nendheader\n"
    body = "\n".join("\t".join(map(repr, map(float, row))) for row in rows)
    file.write_text(head + "time\t/jointset/elbow/elbow/value\tmarker\n" + body + "\n")
    with pytest.warns(fm.ModelWarning, match=r"not used: marker \(is not a coordinate\)"):
        driven = fm.drive(model, str(file), begin=0.5)
    spline = driven.coordinate("elbow").prescribed
    assert_allclose(spline(given["time"] - 0.5), given["elbow"], rtol=0, atol=1e-14)
    assert model.coordinate("elbow").prescribed is None
    inner = np.linspace(-0.3, 0.3, 7)
    exact = 0.8 + 0.5 * np.cos(2.0 * np.pi * (inner + 0.5))
    assert_allclose(spline(inner), exact, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"elbow": [0.0, 1.0]}, "have 'time' among their names"),
        ({"time": [0.0, 1.0], "knee": [0.0, 1.0]}, "the model has: elbow"),
        ({"time": [0.0], "elbow": [0.0]}, "be two or more"),
        ({"time": [0.0, 0.0], "elbow": [0.0, 1.0]}, "be later than"),
    ],
)
def test_motions_that_cannot_be_followed_are_refused(given, message):
    with pytest.raises(fm.ModelError, match=message):
        fm.drive(arm(), given)


@pytest.mark.parametrize("degrees", [True, False])
def test_motion_of_a_file_from_opensim(tmp_path, shared_models, degrees):
    """Columns of arm26 in degrees or, by the header, in radians; a gap and a name are told."""
    home = shared_models / "opensim-models"
    model = fm.read_osim(home / "arm26.osim")
    lines = (home / "arm26_reference" / "arm26_InverseKinematics.mot").read_text().splitlines()
    table = np.loadtxt(lines[lines.index("endheader") + 2 :])
    if not degrees:
        lines = [one.replace("inDegrees=yes", "inDegrees=no") for one in lines]
    file = tmp_path / "m.mot"
    file.write_text("\n".join(lines))
    driven = fm.drive(model, file)
    for name, series in zip(("r_shoulder_elev", "r_elbow_flex"), table.T[1:], strict=True):
        exact = np.deg2rad(series) if degrees else series
        found = driven.coordinate(name).prescribed(table[:, 0])
        assert_allclose(found, exact, rtol=0, atol=1e-13)
    with pytest.warns(fm.ModelWarning, match=f"says inDegrees={'yes' if degrees else 'no'}, but"):
        fm.drive(model, file, in_degrees=not degrees)
    start = lines.index("endheader") + 2
    cut = [
        one.replace("nRows=121", "nRows=91") for one in lines[: start + 30] + lines[start + 60 :]
    ]
    file.write_text("\n".join(cut).replace("r_elbow_flex", "r_elbow_flexion"))
    with pytest.warns(fm.ModelWarning) as told:
        fm.drive(model, file)
    words = " ".join(str(one.message) for one in told)
    assert "no samples between 0.241667 and 0.5 s, 31 times the usual interval" in words
    assert "r_elbow_flexion (is not a coordinate; did you mean 'r_elbow_flex'?)" in words


def test_pictures_of_curves_draw_what_the_table_has():
    """In degrees and mm; a muscle that the coordinate does not move is left out."""
    model = arm()
    points = [fm.PathPoint(k, model.ground.at(x, 1.0, 0)) for k, x in (("o", 0.0), ("i", 0.3))]
    model.add(fm.LineMuscle("still", points, max_isometric_force=1.0, **NUMBERS))
    curves = fm.muscle_curves(model, "elbow", over=(0.2, 1.4, 5))
    for what in ("length", "moment_arm"):
        (axes,) = draw_curves(curves, what).axes
        assert [str(line.get_label()) for line in axes.lines] == ["a", "b", "c"]
        for line, name in zip(axes.lines, "abc", strict=True):
            assert_allclose(line.get_xdata(), np.rad2deg(curves.values))
            assert_allclose(line.get_ydata(), 1e3 * getattr(curves, what)[name])
        assert axes.get_title(loc="left") == "without 1 muscle that elbow does not move"
    (axes,) = draw_curves(curves, "force_length").axes
    found = curves.isometric["b"]
    active, passive = axes.lines[2:4]
    assert_allclose(active.get_xdata(), found["normalized_fiber_length"])
    assert_allclose(active.get_ydata(), found["active_fiber_force"])
    assert_allclose(passive.get_ydata(), found["passive_fiber_force"])
    law = fm.HillLaw(fm.DeGrooteCurves(), tendon="rigid", damping=0.0)
    at = law.describe(model.muscle("b"), float(curves.length["b"][1]), 0.0, 1.0)
    assert_allclose(active.get_ydata()[1], at["active_fiber_force"], rtol=1e-12)


def test_moment_arms_are_slopes_of_lengths():
    """Against the triangle of hinge, origin and insertion, and differences."""
    curves = fm.muscle_curves(arm(), "elbow", over=(0.2, 1.4, 13), muscles=["a", "c"])
    for name, x in (("a", 0.05), ("c", -0.05)):
        o, i = np.array([x, 0.25]), np.array([0.6 * x, -0.05])
        for value, length, moment in zip(
            curves.values, curves.length[name], curves.moment_arm[name], strict=True
        ):
            c, s = np.cos(value), np.sin(value)
            end = np.array([c * i[0] - s * i[1], s * i[0] + c * i[1]])
            assert_allclose(length, np.linalg.norm(end - o), rtol=1e-14)
            # distance of the line from the hinge, with its sign
            u = (o - end) / np.linalg.norm(o - end)
            assert_allclose(moment, end[0] * u[1] - end[1] * u[0], rtol=0, atol=1e-15)
    assert list(curves.columns())[:3] == ["elbow", "a/length", "a/moment_arm"]
    assert fm.muscle_curves(arm(), "elbow").values[[0, -1]].tolist() == [0.0, 2.0]


def test_muscles_share_the_torque_by_moment_arm_and_force():
    """Two unbounded agonists and a tiny reserve have the closed form a = A^T (A A^T)^-1 tau."""
    model, given = arm(), motion()
    found = fm.static_optimization(
        model, given, muscles=["a", "b"], passive=False, reserve=1e-3, bounds=(0.0, 1.0)
    )
    curves = fm.muscle_curves(model, "elbow", over=(0.3, 1.3, 401), muscles=["a", "b"])
    inside = (found.activation["a"] > 1e-9) & (found.activation["a"] < 1.0)
    inside &= (found.activation["b"] > 1e-9) & (found.activation["b"] < 1.0)
    assert inside.sum() > 20
    arms = np.stack(
        [np.interp(given["elbow"], curves.values, curves.moment_arm[name]) for name in "ab"]
    )
    forces = np.stack([found.force[name] for name in "ab"])
    # stationarity: a_m / (r_m F_m) is the same multiplier for both
    torque = arms * forces
    activation = np.stack([found.activation[name] for name in "ab"])
    multiplier = activation**2 / torque
    assert_allclose(multiplier[0][inside], multiplier[1][inside], rtol=1e-4)
    assert_allclose(
        torque.sum(0)[inside] + found.reserve["elbow"][inside],
        found.required["elbow"][inside],
        rtol=0, atol=1e-4,
    )  # fmt: skip
    assert found.optimality.max() < 1e-12
    assert found.assumptions["curves"] == "DeGrooteCurves (for no class): a, b"
    assert found.assumptions["tendon"].startswith("rigid")
    assert found.assumptions["activation"].startswith("0 to 1, without dynamics")
    assert found.assumptions["passive forces"] == "left out"
    assert found.assumptions["reserves"].endswith("elbow 0.001")
    # weight and inertia of the pendulum, independent of the package
    t = given["time"][3:-3]
    acceleration = -0.5 * (2.0 * np.pi) ** 2 * np.cos(2.0 * np.pi * t)
    inertia = 0.02 + 1.5 * 0.2**2
    exact = inertia * acceleration + 1.5 * 9.81 * 0.2 * np.sin(given["elbow"][3:-3])
    assert_allclose(found.required["elbow"][3:-3], exact, rtol=0, atol=2e-3)


@pytest.mark.parametrize("power", [2.0, 3.0])
def test_each_frame_is_the_minimum(rng, power):
    """Against SLSQP from SciPy, and the conditions of optimality."""
    for _ in range(5):
        B, b = rng.normal(size=(3, 6)), 2.0 * rng.normal(size=3)
        a = _least(B, b, power, 0.0, 1.0)

        def cost(x, B=B, b=b):
            return np.sum(np.abs(x) ** power) + np.sum((b - B @ x) ** 2)

        best = minimize(cost, np.full(6, 0.5), bounds=[(0, 1)] * 6, tol=1e-14)
        assert cost(a) <= best.fun + 1e-9
        assert violation(B, b, power, 0.0, 1.0, a) < 1e-8
        assert violation(B, b, power, 0.0, 1.0, np.clip(a + 0.1, 0, 1)) > 1e-3


def test_reserves_that_carry_the_motion_are_warned_of():
    model = arm().edit({name + "/max_isometric_force": 1.0 for name in "abc"})
    with pytest.warns(fm.ModelWarning, match="the muscles cannot give this motion"):
        found = fm.static_optimization(model, motion())
    assert found.share["elbow"] > 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"power": 1.0}, r"lie in \[2, 10\]"),
        ({"bounds": (0.5, 0.5)}, "increase"),
        ({"reserve": 0.0}, "positive"),
        ({"reserve": {"knee": 1.0}}, "they are: elbow"),
        ({"muscles": "d"}, "no muscle 'd'"),
        ({"lowpass": 30.0}, "be below half the sampling rate, 20 Hz"),
    ],
)
def test_impossible_optimizations_are_refused(change, message):
    with pytest.raises(fm.ModelError, match=message):
        fm.static_optimization(arm(), motion(), **change)
