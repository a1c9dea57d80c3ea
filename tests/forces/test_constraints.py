"""Points that are held together or at a distance, against minimal coordinates and exact motions."""

import warnings

import numpy as np
import pytest
from joint_cases import functional_arm
from scenes_of_tests import apply, independent, two_link_arm
from scipy.integrate import solve_ivp
from tangents import along, moving_state

import fibermsk as fm

G = 9.81
METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]


def cart_on_a_rod():
    """A cart, and on it a bob that a rod holds to the ground."""
    model = fm.Model("cart", gravity=(0, 0, -G))
    cart = model.add(fm.Body("cart", 0.5, (0, 0, 0), (1e-3,) * 3))
    bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3,) * 3))
    model.add(
        fm.Slider("x", model.ground, cart, (0, 0, 0), axis=(1, 0, 0), value=0.3),
        fm.Slider("z", cart, bob, (0, 0, 0), axis=(0, 0, 1), value=-0.4),
    )
    ends = model.ground.at((0, 0, 0)), bob.at((0, 0, 0))
    model.add(fm.PointConstraint("rod", *ends, distance=0.5))
    return fm.build(model)


def swing(t, state):
    """The same by the angle of the rod: 1.5 m moves along x, 1 m along z."""
    angle, rate = state
    c, s = np.cos(angle), np.sin(angle)
    return rate, (c * s * rate**2 / 2.0 - G / 0.5 * s) / (1.5 * c * c + s * s)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_rod_leaves_every_method_its_order_and_does_not_drift(method):
    start = np.arctan2(0.3, 0.4), 0.0
    angle = solve_ivp(swing, (0.0, 1.0), start, rtol=1e-11, atol=1e-12).y[0, -1]
    errors = []
    for n in (100, 200):
        result = fm.simulate(
            cart_on_a_rod(), t_end=1.0, dt=1.0 / n, method=method, control=fm.FixedSteps()
        )
        errors.append(abs(result.coordinate("x")[-1] - 0.5 * np.sin(angle)))
        assert result.stats["position_drift"] < 1e-15
        assert result.stats["velocity_drift"] < 1e-14
    assert np.log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.15)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_force_of_a_rod_is_that_of_newtons_law(method):
    """Mass times exact acceleration at each frame; the error is of second order or better."""
    errors = []
    for n in (50, 100):
        result = fm.simulate(
            cart_on_a_rod(), t_end=1.0, dt=1.0 / n, method=method, control=fm.FixedSteps()
        )
        angle = np.arctan2(result.coordinate("x"), -result.coordinate("z"))
        s, c = np.sin(angle), np.cos(angle)
        rate = (c * result.speeds["x"] + s * result.speeds["z"]) / 0.5
        turn = swing(0.0, (angle, rate))[1]
        x = 1.5 * 0.5 * (c * turn - s * rate**2)
        z = 0.5 * (s * turn + c * rate**2) + G
        force = result.elements["rod"]["force"]
        errors.append(abs(force - np.stack([x, 0.0 * x, z], axis=1)).max())
        np.testing.assert_allclose(force[0], [x[0], 0.0, z[0]], rtol=1e-13, atol=1e-13)
    assert errors[1] < 5e-3 and np.log2(errors[0] / errors[1]) > 1.8


def test_every_constraint_reports_its_own_force(tmp_path):
    """Two weights at rest, in the result and in its file; NaN at a pose without forces."""
    model = fm.Model("weights", gravity=(0, 0, -G))
    for name, mass in (("one", 1.0), ("two", 2.5)):
        body = model.add(fm.Body(name, mass, (0, 0, 0), (1e-3,) * 3))
        model.add(fm.Free(f"free {name}", model.ground, body, position=(0, 0, -0.3)))
        ends = model.ground.at((0, 0, 0)), body.at((0, 0, 0))
        model.add(fm.PointConstraint(f"rod {name}", *ends, distance=0.3))
    result = fm.simulate(fm.build(model), t_end=0.1, dt=0.05)
    file = fm.save(result, tmp_path / "weights.h5")
    for found in (result, fm.load(file)):
        for name, mass in (("one", 1.0), ("two", 2.5)):
            force = found.elements[f"rod {name}"]["force"]
            np.testing.assert_allclose(force, np.tile([0, 0, mass * G], (3, 1)), atol=1e-10)
    y, v = fm.build(model).initial_state()
    assert np.isnan(
        fm.build(model).moment(0.0, y, v, np.zeros((0, 3))).report.elements["rod one"]["force"]
    ).all()


def test_a_point_constraint_is_a_spherical_joint():
    """A free body that is held at a point moves as on a spherical joint."""
    runs = []
    for held in (False, True):
        model = fm.Model("held", gravity=(0, 0, -G))
        top = model.add(fm.Body("top", 1.0, (0, 0, -0.1), (0.02, 0.02, 0.01)))
        model.add(fm.Hinge("hinge", model.ground, top, (0, 0, 0), axis=(1, 0.2, 0), speed=2.0))
        bob = model.add(fm.Body("bob", 0.5, (0, 0.05, -0.1), (0.004, 0.005, 0.002)))
        if held:
            # the bob starts as if it were fixed to the top
            turn = 2.0 * np.array([1.0, 0.2, 0.0]) / np.hypot(1.0, 0.2)
            model.add(fm.Free("flight", model.ground, bob, at=(0, 0, -0.3), angular_velocity=turn))
            ends = top.at((0, 0, -0.3)), bob.at((0, 0, 0))
            model.add(fm.PointConstraint("ball", *ends))
        else:
            model.add(fm.Spherical("ball", top, bob, (0, 0, -0.3)))
        system = fm.build(model)
        result = fm.simulate(system, t_end=0.6, dt=0.02, control=fm.AdaptiveSteps(1e-6))
        runs.append(result)
    joint, point = (run.bodies["bob"] for run in runs)
    np.testing.assert_allclose(point.position, joint.position, atol=2e-5)
    np.testing.assert_allclose(point.rotation, joint.rotation, atol=2e-4)


def test_a_chain_of_free_bodies_hangs_from_the_origin():
    """Pinned points that lie on the axes of ground, against a chain of spherical joints."""
    runs = []
    for held in (False, True):
        model = fm.Model("chain", gravity=(0, 0.5, -G))
        parent, at = model.ground, (0, 0, 0)
        for name in ("a", "b"):
            body = model.add(fm.Body(name, 0.5, (0, 0.05, -0.1), (0.004, 0.005, 0.002)))
            if held:
                model.add(fm.Free(f"free {name}", model.ground, body, position=at))
                where = (0, 0, -0.3) if parent is not model.ground else (0, 0, 0)
                model.add(fm.PointConstraint(f"pin {name}", parent.at(where), body.at((0, 0, 0))))
            else:
                where = (0, 0, -0.3) if parent is not model.ground else (0, 0, 0)
                model.add(fm.Spherical(name, parent, body, where))
            parent, at = body, (0, 0, -0.3)
        result = fm.simulate(fm.build(model), t_end=0.3, dt=0.05, control=fm.AdaptiveSteps(1e-6))
        assert result.status == "success"
        runs.append(result.bodies["b"].position)
    np.testing.assert_allclose(runs[1], runs[0], atol=2e-5)


def test_start_velocities_that_open_a_mechanism_are_refused():
    system = fm.build(parallelogram(speed=3.0))
    y, v = system.initial_state()
    v[0] += 1.0
    with pytest.raises(fm.ModelError, match="start velocities violate the constraints"):
        fm.simulate(system, (y, v), t_end=0.1, dt=0.1)


def test_frames_between_steps_are_closed():
    control = fm.AdaptiveSteps(1e-4, landing=False)
    result = fm.simulate(fm.build(parallelogram(speed=3.0)), t_end=0.5, dt=0.01, control=control)
    assert result.stats["position_drift"] < 1e-14 and result.stats["velocity_drift"] < 1e-13
    assert result.stats["time_error"]["coordinates"] < 0.1


def parallelogram(**options):
    """Four bars in a plane: two cranks and a coupler that stays level."""
    model = fm.Model("parallelogram", gravity=(0, 0, -G))
    bars = [model.add(fm.Body(name, 1.0, (0, 0, 0), (1e-2,) * 3)) for name in ("a", "c", "b")]
    left, coupler, right = bars
    model.add(
        fm.Hinge("left", model.ground, left, (0, 0, 0), axis=(0, -1, 0), value=-1.0, **options),
        fm.Hinge("top", left, coupler, (0.2, 0, 0), axis=(0, -1, 0), value=1.0),
        fm.Hinge("right", model.ground, right, (0.5, 0, 0), axis=(0, -1, 0), value=-1.0),
    )
    model.add(
        fm.PointConstraint(
            "pin",
            coupler.at((0.5, 0, 0)),
            right.at((0.2, 0, 0)),
            directions=((1, 0, 0), (0, 0, 1)),
        )
    )
    return model


def test_a_parallelogram_keeps_its_coupler_level():
    system = fm.build(parallelogram(speed=3.0))
    # the other speeds follow
    np.testing.assert_allclose(system.initial_state()[1], [3.0, -3.0, 3.0], atol=1e-12)
    result = fm.simulate(system, t_end=1.0, dt=0.01, control=fm.AdaptiveSteps(1e-6))
    left, top, right = (result.coordinate(name) for name in ("left", "top", "right"))
    np.testing.assert_allclose(left + top, 0.0, atol=1e-12)
    np.testing.assert_allclose(right, left, atol=1e-12)
    # cranks turn with the coupler's mass at their ends: 2 J + m r^2

    def rates(t, x):
        return x[1], -G * 0.2 * np.cos(x[0]) / (0.02 + 0.04)

    exact = solve_ivp(rates, (0.0, 1.0), (-1.0, 3.0), rtol=1e-10, atol=1e-12).y[0, -1]
    assert left[-1] == pytest.approx(exact, abs=1e-3)


def test_equilibrium_of_a_closed_chain():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y, _ = fm.equilibrium(fm.build(parallelogram(damping=0.1)))
    np.testing.assert_allclose(y, [-np.pi / 2, np.pi / 2, -np.pi / 2], atol=1e-6)


def test_stability_of_a_closed_chain():
    """The lowest mode is that of the cranks; upright they fall."""
    system = fm.build(parallelogram())
    hanging = np.array([-np.pi / 2, np.pi / 2, -np.pi / 2])
    found = fm.stability(system, hanging)
    rate = np.sqrt(G * 0.2 / (0.02 + 0.04))
    assert found.stable and found.frequency == pytest.approx(rate / (2 * np.pi), rel=1e-6)
    np.testing.assert_allclose(np.abs(found.mode), 1.0, rtol=1e-9)
    found = fm.stability(system, -hanging)
    assert not found.stable and found.growth_rate == pytest.approx(rate, rel=1e-6)


def arm(name):
    """Fibers and joints of all kinds, closed by a ball and a rod."""
    if name == "hinges":
        model = two_link_arm()
        kinds = ({"distance": 0.3}, {"directions": ((1, 0.1, 0),)})[:1]
    else:
        model = functional_arm("multiplier" if name == "multiplier" else "eliminate")
        kinds = ({"distance": 0.3}, {"directions": ((1, 0.5, 0.2),)})
    last = model.bodies[-1]
    for k, options in enumerate(kinds):
        ends = model.ground.at((0.1 * k, 0.2, 0.05)), last.at((0.03, -0.05, 0.04 * k))
        model.add(fm.PointConstraint(f"hold {k}", *ends, **options))
    return fm.build(model)


@pytest.mark.parametrize("kind", ["hinges", "functions", "multiplier"])
@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 70.0)])
def test_tangents_with_multipliers_agree_with_central_differences(
    rng, kind, beta, alpha, monkeypatch
):
    system = arm(kind)
    # the speeds that the arm starts with do not matter here
    monkeypatch.setattr(system, "initial_state", system.configuration.start)
    y, v, a = moving_state(system, rng)
    evaluation = system.evaluate(0.1, y, v, a, beta, alpha)
    residual = along(system, y, v, a, beta, alpha)
    free, n = independent(system), system.skeleton.n
    for _ in range(4):
        d = rng.normal(size=system.n) * system.scale * free
        h = 2e-7
        ahead, back = (system.retract(0.0, y, sign * h * d) for sign in (1.0, -1.0))
        slope = (residual(ahead) - residual(back)) / (2.0 * h)
        exact = apply(evaluation.tangent, d) * free
        for part in (slice(0, -n), slice(-n, None)):
            atol = 2e-6 * np.abs(slope[part]).max()
            np.testing.assert_allclose(exact[part], slope[part], atol=atol, rtol=0)


def test_what_cannot_be_held_is_refused():
    model = parallelogram()
    body = model.bodies[-1]
    ends = model.ground.at((0, 0, 0)), body.at((0, 0, 0))
    with pytest.raises(fm.ModelError, match="distance = -1"):
        fm.PointConstraint("rod", *ends, distance=-1.0)
    with pytest.raises(fm.ModelError, match="directions"):
        fm.PointConstraint("rod", *ends, directions=((1, 0, 0), (2, 0, 0)))
    with pytest.raises(fm.ModelError, match="another body than the first"):
        fm.PointConstraint("rod", ends[0], model.ground.at((1, 0, 0)))
    model.add(fm.PointConstraint("rod", *ends, distance=0.7))
    with pytest.raises(fm.ModelError, match="constraint 'rod': open by 0.1714 m at the start"):
        fm.simulate(fm.build(model), t_end=0.1, dt=0.1)


def test_rows_that_follow_from_others_are_left_out_and_named():
    """A second pin at the same place, in space, changes nothing: not the motion, not its force."""
    runs = []
    for twice in (False, True):
        model = parallelogram(speed=3.0)
        coupler, right = model.bodies[-2:]
        if not twice:
            runs.append(fm.simulate(fm.build(model), t_end=0.3, dt=0.01))
            continue
        model.add(fm.PointConstraint("again", coupler.at((0.5, 0, 0)), right.at((0.2, 0, 0))))
        named = r"constraints .*'again' \(along \[0.0, 1.0, 0.0\]\).* follow from the others"
        with pytest.warns(fm.ModelWarning, match=named):
            system = fm.build(model)
        runs.append(fm.simulate(system, t_end=0.3, dt=0.01))
    one, two = runs
    assert two.stats["position_drift"] < 1e-14 and two.stats["velocity_drift"] < 1e-13
    for name in ("left", "top", "right"):
        np.testing.assert_allclose(two.coordinate(name), one.coordinate(name), atol=1e-9)
    force = two.elements["pin"]["force"] + two.elements["again"]["force"]
    np.testing.assert_allclose(force, one.elements["pin"]["force"], atol=1e-6)


def test_a_dead_point_is_refused():
    """A folded parallelogram: the pin's rows depend on each other here, and not beside it."""
    model = parallelogram()
    hinges = {joint.name: joint for joint in model.joints}
    model = model.edit(
        {hinges["left"]: {"value": 0.0}, hinges["top"]: {"value": 0.0},
         hinges["right"]: {"value": 0.0}}
    )  # fmt: skip
    with pytest.raises(fm.ModelError, match=r"'pin' \(along .*not independent of each other"):
        fm.simulate(fm.build(model), t_end=0.1, dt=0.1)


def test_a_row_that_follows_no_more_stops_the_run():
    """A pin on the axis of a hinge follows from the joints, until the bob is displaced."""
    model = fm.Model("tilting", gravity=(0, 0, -G))
    frame = model.add(fm.Body("frame", 1.0, (0, 0, 0), (1e-2,) * 3))
    bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-2,) * 3))
    model.add(
        fm.Slider("x", model.ground, frame, (0, 0, 0), axis=(1, 0, 0)),
        fm.Hinge("turn", frame, bob, (0, 0, 0), axis=(0, 1, 0)),
    )
    ends = model.ground.at((0, 0.1, 0)), bob.at((0, 0.1, 0))
    model.add(fm.PointConstraint("pin", *ends, directions=((0, 1, 0), (0, 0, 1))))
    with pytest.warns(fm.ModelWarning, match=r"'pin' .* follow"):
        system = fm.build(model)
    multipliers = system.multipliers
    assert system.project(0.0, *system.initial_state())[0] == pytest.approx([0.0, 0.0])
    # as if the bob had moved along y, which no coordinate here can do
    hold = multipliers.holding[0]
    hold.points.local = hold.points.local + np.array([[0, 0, 0], [0, 1e-3, 0]])
    with pytest.raises(fm.ModelError, match="it followed from the others at the start and does so"):
        system.project(0.0, *system.configuration.start())
