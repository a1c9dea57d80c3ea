"""Functional joints, constraints and states on the GPU backend, against the CPU's system."""

import numpy as np
import pytest
from jointed_models import (
    activated_arm,
    activated_chain,
    bent_chain,
    closed_chain,
    multiplied_arm,
    plain_bundle_with_states,
    prescribed_chain,
    spherical_arm,
)
from numpy.testing import assert_array_equal
from strict import strict_device
from test_device_system import DV_DY, DVDOT_DV, T, moving_state, pair, same

import fibermsk as fm
from fibermsk.gpu import DeviceSystem, host_device
from fibermsk.solvers.newton.linear import solver

MODELS = {
    "quaternion, splines, coupling": spherical_arm,
    "quaternion, potentials": lambda: spherical_arm("variational"),
    "coupling by a multiplier, prescribed": multiplied_arm,
    "polynomials, locked, coupled": bent_chain,
    "polynomials, half passes": lambda: bent_chain("half_pass"),
    "prescribed": prescribed_chain,
    "closed by a rod": closed_chain,
    "states": activated_chain,
    "states, reflex and functional joints": activated_arm,
    "states without coordinates": plain_bundle_with_states,
}


@pytest.fixture(params=MODELS)
def systems(request):
    """Both systems of every model."""
    return pair(MODELS[request.param]())


def close(found, expected, relative=1e-12):
    """As `same`, of parts that may be empty or zero."""
    size = np.abs(expected).max(initial=0.0)
    return np.abs(found - expected).max(initial=0.0) <= relative * size


def test_states(systems, rng):
    host, device = systems
    y, v, v_dot = moving_state(host, rng)
    x = rng.standard_normal(host.n)
    assert same(device.retract(T, y, x), host.retract(T, y, x))
    for t in (None, T):
        assert same(device.enforce(y, x, t), host.enforce(y, x, t))
        assert same(device.enforce_rate(y, v, x, t), host.enforce_rate(y, v, x, t))
    for a, b in zip(host.least_tension(T, y, v), device.least_tension(T, y, v), strict=True):
        assert same(b, a)
    assert [one.names for one in device.states] == [one.names for one in host.states]


@pytest.mark.parametrize("rates", [False, True])
def test_residual_and_tangent(systems, rng, rates):
    host, device = systems
    state = moving_state(host, rng)
    expected = host.evaluate(T, *state, DV_DY, DVDOT_DV, rates=rates)
    found = device.evaluate(T, *state, DV_DY, DVDOT_DV, rates=rates)
    assert same(found.residual, expected.residual)
    assert same(found.reactions, expected.reactions)
    assert close(found.multipliers, expected.multipliers)
    assert found.admissibility == pytest.approx(expected.admissibility, rel=1e-12)
    assert found.imbalance == pytest.approx(expected.imbalance, rel=1e-10)
    assert same(device.evaluate(T, *state, tangent=False).residual, expected.residual)
    x = rng.standard_normal(host.n)
    assert same(found.tangent @ x, expected.tangent @ x)
    assert same(found.tangent.on_host() @ x, expected.tangent @ x)
    for name in "BRD":
        of_device, of_host = (
            getattr(one, name) for one in (found.tangent.border, expected.tangent)
        )
        assert close(of_device, of_host)


def test_increment(systems, rng):
    host, device = systems
    state = moving_state(host, rng)
    expected, found = (one.evaluate(T, *state, 1e4, 1e4) for one in systems)
    b = solver(found.tangent)(-found.residual, 1e-13).x
    a = solver(expected.tangent)(-expected.residual, 1e-13).x
    # the stiff rows of constraints and states cost some digits of the others
    assert same(b, a, 1e-10)


def test_safeguard(systems, rng):
    host, device = systems
    y, _, _ = moving_state(host, rng)
    for size in (1e-5, 1e-3, 1e-1):
        increment = size * rng.standard_normal(y.size)
        a, b = (one.step_fraction(y, increment, 0.1) for one in (host, device))
        assert 0.0 < b <= 1.0
        assert b == pytest.approx(a, rel=1e-11 if size == 1e-5 else 2e-2)


def test_large_turns_of_quaternions_are_limited(rng):
    host, device = pair(spherical_arm())
    y, _, _ = moving_state(host, rng)
    increment = np.zeros(y.size)
    increment[-6:-2] = rng.standard_normal(4)
    assert host.step_fraction(y, increment, 0.1) < 0.2
    assert device.step_fraction(y, increment, 0.1) <= host.step_fraction(y, increment, 0.1)


def test_constraints_are_projected(rng):
    host, device = pair(closed_chain())
    y, v, _ = moving_state(host, rng)
    for a, b in zip(host.project(T, y, v), device.project(T, y, v), strict=True):
        assert same(b, a, 1e-11)
    for a, b in zip(host.held(T, y), device.held(T, y), strict=True):
        assert same(b, a)


RUNS = {
    "quaternion": (spherical_arm, fm.BackwardEuler()),
    "prescribed": (multiplied_arm, fm.BDF2()),
    "rod": (closed_chain, fm.GeneralizedAlpha(0.8)),
    "states": (activated_arm, fm.SDIRK2()),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs(name):
    """The CPU, the device in its place, and arrays that may not be mixed with NumPy's."""
    model, method = RUNS[name]
    settings = {"t_end": 0.01, "dt": 0.002, "method": method, "control": fm.FixedSteps()}
    settings["newton"] = fm.Newton(tolerance=1e-12)
    systems = (
        fm.build(model()),
        DeviceSystem(fm.build(model()), host_device()),
        DeviceSystem(fm.build(model()), strict_device()),
    )
    expected, *others = (fm.simulate(system, **settings) for system in systems)
    assert expected.stats["failed_steps"] == 0
    for found in others:
        assert found.stats["failed_steps"] == 0
        for fiber in expected.fibers:
            a, b = (run.fibers[fiber].position for run in (expected, found))
            assert np.abs(b - a).max() <= 1e-9 * np.abs(a - a[0]).max()
        for coordinate in host_names(expected):
            assert same(found.coordinate(coordinate), expected.coordinate(coordinate), 1e-9)
        for owner, histories in expected.states.items():
            for name, history in histories.items():
                assert close(found.states[owner][name], history, 1e-9)


def host_names(result):
    """Names of the coordinates that move."""
    return [name for name, history in result.coordinates.items() if np.ptp(history) > 0.0]


def test_a_run_with_a_reflex_goes_on_from_a_checkpoint():
    settings = {"t_end": 0.02, "dt": 0.005, "control": fm.FixedSteps()}
    taken = []
    device = DeviceSystem(fm.build(activated_arm()), host_device())
    assert device.shortest_delay == (0.006, "the reflex of fiber 'x'")
    whole = fm.simulate(device, **settings, checkpoint=taken.append, checkpoint_every=0.0)
    device = DeviceSystem(fm.build(activated_arm()), host_device())
    rest = fm.simulate(device, **settings, resume_from=taken[1])
    for name in whole.fibers:
        assert_array_equal(rest.fibers[name].position, whole.fibers[name].position)
