"""Driven paths, lagging actuators and contact of points: balance, power, exact courses."""

import numpy as np
import pytest
from test_frames_and_paths import model_of, on_carrier, path, rows, two_free
from test_motions import MASS, orders, run, slider

import fibermsk as fm


def on_paths(model):
    points, wraps = path(model)
    yield fm.PathActuator("cord", points, wraps=wraps, force=fm.Linear(2.0, 3.0))
    yield fm.PneumaticActuator(
        "braid", points, wraps=wraps, pressure=2e3, thread_length=0.3, turns=1.5, cord_length=0.05
    )
    yield fm.PathFormula("formula", points, wraps=wraps, force="40*s + 0.3*ldot", rest_length=0.1)
    numbers = {"stiffness": 80.0, "dissipation": 0.3, "start": 0.1}
    yield fm.ClutchedSpring("clutch", points, wraps=wraps, control=0.8, **numbers)
    yield fm.ClutchedSpring("loose", points, wraps=wraps, control=0.0, **numbers)


@pytest.mark.parametrize("k", range(4))
def test_forces_and_moments_balance(k, rng):
    """Virtual power of a common rigid motion is zero: momenta are kept."""
    model = on_carrier()
    element = list(on_paths(model_of(model)))[k]
    model.add(element)
    system = fm.build(model)
    on_q = rows(system, element.name, rng)[2]
    names = list(system.skeleton.independent)
    own = [names.index(one.name) for one in model.joints[0].coordinates]
    assert np.abs(on_q).max() > 1e-2
    assert np.abs(on_q[own]).max() < 1e-12 * np.abs(on_q).max()


@pytest.mark.parametrize("k", range(5))
def test_tangents(k):
    model = two_free()
    element = list(on_paths(model))[k]
    model.add(element)
    assert fm.check_contribution(model, element.name) < 1e-8


def cord_of(model, bob):
    """Path from a point below the origin to the bob, as long as z + 0.5."""
    ends = model.ground.at((0, 0, -0.5)), bob.at((0, 0, 0))
    return [fm.PathPoint(f"p{k}", one) for k, one in enumerate(ends)]


def test_a_cord_pulls_with_its_force():
    model, bob = slider()
    model.add(fm.PathActuator("cord", cord_of(model, bob), force=fm.Linear(0.0, -6.0)))
    result = run(model)
    np.testing.assert_allclose(result.coordinate("z"), 3.0 / MASS * result.time**2, atol=1e-12)
    assert np.all(result.elements["cord"]["tension"] == -6.0)


def test_a_braid_pulls_by_its_length():
    """Force p (3 l^2 - b^2) / (4 pi n^2), zero at the length b / sqrt(3)."""
    model, bob = slider()
    numbers = {"pressure": 2e5, "thread_length": 0.6, "turns": 2.0, "cord_length": 0.1}
    braid = fm.PneumaticActuator("braid", cord_of(model, bob), **numbers)
    y, _ = fm.equilibrium(fm.build(model.edit(add=[braid])))
    assert y[0] + 0.5 == pytest.approx(0.1 + 0.6 / np.sqrt(3.0), abs=1e-9)
    now = braid.tension(0.5, 0.0, 2e5)
    assert now.force == pytest.approx(2e5 * (3 * 0.4**2 - 0.6**2) / (16 * np.pi))
    slope = (
        braid.tension(0.5 + 1e-6, 0, 2e5).force - braid.tension(0.5 - 1e-6, 0, 2e5).force
    ) / 2e-6
    assert now.by_length == pytest.approx(slope, rel=1e-8)


def test_a_clutch_holds_and_lets_go():
    """Engaged it is a spring from where it took hold; released, its stretch dies away."""
    k, v0, tau = 60.0, 0.4, 0.05
    omega = np.sqrt(k / MASS)

    def exact(t):
        held = v0 / omega * np.sin(omega * np.minimum(t, 0.2))
        return held + v0 * np.cos(0.2 * omega) * np.maximum(t - 0.2, 0.0)

    model, bob = slider(speed=v0)
    control = fm.PiecewiseConstant([0.0, 0.2, 0.5], [1.0, 0.0])
    model.add(
        fm.ClutchedSpring(
            "clutch", cord_of(model, bob), control=control, stiffness=k, time_constant=tau
        )
    )
    np.testing.assert_allclose(orders(model, "z", exact), 2.0, atol=0.15)
    result = run(model, n=400)
    stretch = result.states["clutch"]["stretch"]
    released = v0 / omega * np.sin(0.2 * omega) * np.exp(-(result.time - 0.2) / tau)
    late = result.time > 0.2
    np.testing.assert_allclose(stretch[late], released[late], atol=1e-4)
    np.testing.assert_allclose(stretch[~late], exact(result.time[~late]), atol=1e-5)


def test_an_engaged_clutch_keeps_energy():
    model, bob = slider(speed=0.4)
    model.add(
        fm.ClutchedSpring("clutch", cord_of(model, bob), control=0.7, stiffness=60.0, start=0.02)
    )
    result = run(model, n=800)
    stretch, speed = result.states["clutch"]["stretch"], result.speeds["z"]
    total = 0.5 * MASS * speed**2 + 0.5 * 0.7 * 60.0 * stretch**2
    assert np.ptp(total) < 1e-5 * total[0]


def test_a_control_takes_hold_where_it_becomes_positive():
    model, bob = slider()
    ramp = fm.PiecewiseLinear([0.0, 1.0], [-0.3, 0.7])
    spring = fm.ClutchedSpring("c", cord_of(model, bob), control=ramp, stiffness=60.0)
    ((_, signal),) = spring.signals
    assert np.any(np.isclose(signal.breakpoints, 0.3))


def test_an_actuator_follows_its_excitation_with_a_lag():
    tau, F, inertia = 0.05, 3.0, 0.5
    model = fm.Model("wheel", gravity=(0, 0, 0))
    wheel = model.add(fm.Body("wheel", 1.0, (0, 0, 0), (inertia,) * 3))
    model.add(fm.Hinge("turn", model.ground, wheel, (0, 0, 0), axis=(0, 0, 1)))
    motor = fm.ActivationActuator("motor", "turn", 1.0, force=F, time_constant=tau, start=0.25)
    model.add(motor)

    def exact(t):
        # activation 1 - (3/4) exp(-t / tau), twice integrated
        return F / inertia * (0.5 * t**2 - 0.75 * (tau * t + tau**2 * np.expm1(-t / tau)))

    np.testing.assert_allclose(orders(model, "turn", exact), 2.0, atol=0.1)
    result = run(model)
    activation = 1.0 - 0.75 * np.exp(-result.time / tau)
    np.testing.assert_allclose(result.states["motor"]["activation"], activation, atol=2e-4)
    assert fm.check_contribution(model, "motor") < 1e-8


def floor(m=2.0, speed=0.0, height=0.01, **more):
    model = fm.Model("foot", gravity=(0, -9.81, 0))
    foot = model.add(fm.Body("foot", m, (0, 0, 0), (0.02, 0.03, 0.04)))
    start = {"position": (0, height, 0), "velocity": (speed, 0, 0)}
    model.add(fm.Free("f", model.ground, foot, **start))
    model.add(fm.PointContact("heel", foot.at((0, 0, 0)), **more))
    return model


def test_a_point_rests_where_its_law_says():
    """Deep in the floor the law is linear: the bend adds b log 2 at both ends."""
    m, k = 2.0, 2e3
    model = floor(m, stiffness=k)
    y, _ = fm.equilibrium(fm.build(model))
    height = y[1]
    assert -0.02 < height < -0.005
    b, y0 = 1e-3, 1e-2
    s, v = 0.5 * (k - 0.1), (k + 0.1) / (k - 0.1)
    x = 0.7 * np.tanh(height / 0.7)
    force = s * (v * (y0 - x) - b * np.log(np.cosh((y0 + b) / b) / np.cosh((x + b) / b)))
    assert force == pytest.approx(m * 9.81, rel=1e-8)


def test_energy_of_a_point_on_the_floor():
    """The integral of its force over the height, from deep in the floor to high above it."""
    system = fm.build(floor(stiffness=2e4, dissipation=0.0, viscous_friction=0.0))
    y, v = system.initial_state()
    contact = system.named_elements["heel"]

    def at(height):
        y[1] = height
        found, _ = system.configuration.at(0.0, y, v, 0.0 * v)
        return contact.energy(found)["contact"], contact.fields(found)["force"][1]

    assert at(0.01)[0] == pytest.approx(0.0, abs=1e-12)
    for height in (-0.2, -0.03, -0.004, -0.001, 0.002, 0.0099, 0.05, 0.6):
        h = 1e-4 * max(abs(height), 0.01)
        slope = (at(height + h)[0] - at(height - h)[0]) / (2.0 * h)
        assert slope == pytest.approx(-at(height)[1], rel=1e-5, abs=1e-6)


def test_friction_brakes_a_sliding_point():
    """Far above the latch velocity the deceleration is u_d g."""
    numbers = {"stiffness": 1e4, "dynamic_friction": 0.3, "viscous_friction": 0.0}
    numbers["latch_velocity"] = 1e-3
    y, _ = fm.equilibrium(fm.build(floor(**numbers)))
    result = run(floor(speed=2.0, height=float(y[1]), **numbers), t_end=0.1)
    expected = 2.0 - 0.3 * 9.81 * result.time
    np.testing.assert_allclose(result.speeds["f_tx"], expected, atol=1e-4)


def test_tangent_of_a_point_contact():
    assert fm.check_contribution(floor(dynamic_friction=0.4), "heel") < 1e-6


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda m: fm.PointContact("p", m.bodies[1].at(0, 0, 0), stiffness=0.05), "stiffness"),
        (lambda m: fm.PointContact("p", m.bodies[1]), "point = .*Station"),
        (lambda m: fm.PathFormula("f", path(m)[0], force="3*q"), "expression = '3\\*q'"),
        (lambda m: fm.PathFormula("f", path(m)[0], force=3.0), "force = 3.0; must be a formula"),
        (lambda m: fm.PathActuator("a", path(m)[0], force="up"), "force = 'up'"),
        (
            lambda m: fm.ClutchedSpring("c", path(m)[0][:1], control=1.0, stiffness=1.0),
            "points = 1",
        ),
        (lambda m: fm.ClutchedSpring("c", path(m)[0], control=1.0, stiffness=-1.0), "stiffness"),
        (lambda m: fm.ActivationActuator("a", "q", 1.0, time_constant=0.0), "time_constant"),
        (
            lambda m: fm.PneumaticActuator("p", path(m)[0], pressure=1, thread_length=1, turns=0),
            "turns",
        ),
    ],
)
def test_what_is_refused(make, words):
    with pytest.raises(fm.ModelError, match=words):
        make(two_free())
