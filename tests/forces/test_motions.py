"""Motions under springs, loads and controllers whose exact course is known."""

import copy
import pickle

import numpy as np
import pytest

import fibermsk as fm

MASS, INERTIA = 1.5, (0.02, 0.03, 0.04)


def slider(**options):
    """A mass that slides along z, without gravity."""
    model = fm.Model("slider", gravity=(0, 0, 0))
    bob = model.add(fm.Body("bob", MASS, (0, 0, 0), INERTIA))
    model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1), **options))
    return model, bob


def run(model, t_end=0.5, n=200, **more):
    options = {"method": fm.SDIRK2(), "control": fm.FixedSteps()} | more
    return fm.simulate(fm.build(model), t_end=t_end, dt=t_end / n, **options)


def orders(model, name, exact):
    """Orders of convergence of a coordinate, halving steps."""
    errors = []
    for n in (50, 100, 200):
        result = run(model, n=n)
        errors.append(np.abs(result.coordinate(name) - exact(result.time)).max())
    return np.log2(np.array(errors[:-1]) / errors[1:])


def damped(k, c, m, x0):
    """Motion of a damped oscillator from rest at x0."""
    decay = c / (2.0 * m)
    omega = np.sqrt(k / m - decay**2)
    return lambda t: (
        x0 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    )


def test_mass_on_a_spring_and_damper():
    k, c, x0 = 400.0, 12.0, 0.05
    model, bob = slider(value=x0)
    ends = model.ground.at((0, 0, -0.4)), bob.at((0, 0, 0))
    model.add(fm.PointSpring("s", *ends, stiffness=k, rest_length=0.4, damping=c))
    np.testing.assert_allclose(orders(model, "z", damped(k, c, MASS, x0)), 2.0, atol=0.1)


def test_a_spring_keeps_energy_and_a_slack_one_lets_go():
    model, bob = slider(value=0.1)
    ends = model.ground.at((0, 0, -0.4)), bob.at((0, 0, 0))
    model.add(fm.PointSpring("s", *ends, stiffness=400.0, rest_length=0.4, slack=True))
    system = fm.build(model)
    result = run(model, n=800)
    z, rate = result.coordinate("z"), result.speeds["z"]
    total = [
        system.energy(np.array([a]), np.array([b])).total for a, b in zip(z, rate, strict=True)
    ]
    assert np.ptp(total) < 1e-4 * total[0]
    # past its rest length it flies on at a constant speed
    slack = z < 0.0
    assert slack.sum() > 100
    np.testing.assert_allclose(rate[slack], -0.1 * np.sqrt(400.0 / MASS), rtol=2e-4)


def test_held_spring_is_at_rest_where_forces_balance():
    model, bob = slider()
    model.gravity = (0, 0, -9.81)
    ends = model.ground.at((0, 0, 0.5)), bob.at((0, 0, 0))
    model.add(fm.PointSpring("s", *ends, stiffness=300.0, rest_length=0.4))
    y, _ = fm.equilibrium(fm.build(model))
    assert y[0] == pytest.approx(0.5 - 0.4 - MASS * 9.81 / 300.0, abs=1e-9)


def test_constant_force_and_torque():
    model, bob = slider()
    model.add(fm.ExternalForce("load", bob, (0.0, 0.0, 6.0)))
    result = run(model)
    np.testing.assert_allclose(result.coordinate("z"), 2.0 * result.time**2, atol=1e-12)
    model = fm.Model("wheel", gravity=(0, 0, 0))
    wheel = model.add(fm.Body("wheel", 1.0, (0, 0, 0), INERTIA))
    model.add(fm.Hinge("turn", model.ground, wheel, (0, 0, 0), axis=(0, 0, 1)))
    model.add(fm.ExternalForce("motor", wheel, torque=(0.0, 0.0, 0.2)))
    result = run(model)
    np.testing.assert_allclose(result.coordinate("turn"), 2.5 * result.time**2, atol=1e-12)


@pytest.mark.parametrize("frame", ["ground", "body"])
def test_force_on_a_spinning_body(frame):
    """In the body's axes it turns with it, and the velocity goes around a circle."""
    omega, F = 5.0, 3.0
    model = fm.Model("puck", gravity=(0, 0, 0))
    puck = model.add(fm.Body("puck", MASS, (0, 0, 0), INERTIA))
    names = fm.Coordinate("x", "translation"), fm.Coordinate("y", "translation")
    names = (*names, fm.Coordinate("turn", speed=omega))
    plane = {"normal": (0, 0, 1), "along": (1, 0, 0), "coordinates": names}
    model.add(fm.Planar("p", model.ground, puck, (0, 0, 0), **plane))
    model.add(fm.ExternalForce("thrust", puck, (F, 0.0, 0.0), frame=frame))
    result = run(model, t_end=1.0, n=400)
    moved = result.bodies["puck"].position[-1] - result.bodies["puck"].position[0]
    axis = result.bodies["puck"].rotation[-1][:, 0]
    a = F / MASS
    if frame == "ground":
        expected = [0.5 * a, 0.0, 0.0]
    else:
        expected = [a / omega**2 * (1 - np.cos(omega)), a / omega * (1 - np.sin(omega) / omega), 0]
        np.testing.assert_allclose(axis[:2], [np.cos(omega), np.sin(omega)], atol=1e-3)
    np.testing.assert_allclose(moved, expected, atol=2e-5)


def test_controller_follows_its_law():
    kp, kd, x0 = 90.0, 6.0, 0.3
    model = fm.Model("wheel", gravity=(0, 0, 0))
    wheel = model.add(fm.Body("wheel", 1.0, (0, 0, 0), (0.5, 0.5, 0.5)))
    model.add(fm.Hinge("turn", model.ground, wheel, (0, 0, 0), axis=(0, 0, 1), value=x0 + 0.2))
    model.add(fm.CoordinateController("hold", "turn", 0.2, kp, kd))
    law = damped(kp, kd, 0.5, x0)
    np.testing.assert_allclose(orders(model, "turn", lambda t: 0.2 + law(t)), 2.0, atol=0.1)
    # a stiff one is where it is told to be
    model = fm.Model("wheel", gravity=(0, 0, 0))
    wheel = model.add(fm.Body("wheel", 1.0, (0, 0, 0), (0.5, 0.5, 0.5)))
    model.add(fm.Hinge("turn", model.ground, wheel, (0, 0, 0), axis=(0, 0, 1)))
    target = fm.Polynomial([0.0, 0.0, 2.0])
    model.add(fm.CoordinateController("lead", "turn", target, 1e6, 1e4))
    result = run(model)
    np.testing.assert_allclose(result.coordinate("turn"), 2.0 * result.time**2, atol=1e-5)


def test_inverse_dynamics_knows_them():
    model, bob = slider(value=0.05)
    ends = model.ground.at((0, 0, -0.4)), bob.at((0, 0, 0))
    model.add(fm.PointSpring("s", *ends, stiffness=400.0, rest_length=0.4, damping=3.0))
    model.add(fm.ExternalForce("load", bob, lambda t: (0.0, 0.0, 4.0 * np.sin(9.0 * t))))
    model.add(fm.CoordinateController("c", "z", 0.02, 30.0, 2.0))
    result = run(model, n=800)
    found = fm.check(fm.build(model), result).coordinates["z"]
    assert found.rms < 1e-3 * found.applied


def test_checkpoints_and_pickles(tmp_path):
    model, bob = slider(value=0.05)
    ends = model.ground.at((0, 0, -0.4)), bob.at((0, 0, 0))
    model.add(fm.PointSpring("s", *ends, stiffness=400.0, rest_length=0.4))
    taken = []
    options = {"t_end": 0.2, "dt": 0.01, "control": fm.FixedSteps(), "method": fm.BDF2()}
    system = fm.build(model)
    whole = fm.simulate(system, checkpoint=taken.append, checkpoint_every=0.0, **options)
    rest = fm.simulate(fm.build(model), resume_from=taken[7], **options)
    np.testing.assert_array_equal(rest.coordinate("z"), whole.coordinate("z"))
    for other in (pickle.loads(pickle.dumps(system)), copy.deepcopy(system)):
        again = fm.simulate(other, **options)
        np.testing.assert_array_equal(again.coordinate("z"), whole.coordinate("z"))
    stiffer, bob = slider(value=0.05)
    ends = stiffer.ground.at((0, 0, -0.4)), bob.at((0, 0, 0))
    stiffer.add(fm.PointSpring("s", *ends, stiffness=401.0, rest_length=0.4))
    with pytest.raises(fm.ModelError, match="the springs"):
        fm.simulate(fm.build(stiffer), resume_from=taken[7], **options)
