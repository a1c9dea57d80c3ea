"""Time stepping and Newton's method."""

import numpy as np
import pytest
from pendulum import Pendulum, exact
from scenes_of_tests import advance, load_scene, two_link_arm

import fibermsk as fm
from fibermsk.solvers import State

METHODS = [
    fm.BackwardEuler(),
    fm.BDF2(),
    fm.SDIRK2(),
    fm.GeneralizedAlpha(0.0),
    fm.GeneralizedAlpha(0.8),
    fm.GeneralizedAlpha(1.0),
]


@pytest.mark.parametrize("variable", [False, True])
@pytest.mark.parametrize("method", [*METHODS, fm.SDIRK4()], ids=repr)
def test_integrator_needs_no_more_than_the_protocol(method, variable):
    """Measured order on the pendulum, at equal steps and at steps that alternate by 1 : 1.6."""
    end = exact()(1.0)[0][0]
    errors = []
    for n in (6, 12, 24, 48) if method.order == 4 else (40, 80, 160, 320):
        memory = method.start(Pendulum(), State(0.0, np.array([1.0]), np.zeros(1)))
        for i in range(n):
            h = (1.0 + (0.23 if i % 2 else -0.23) * variable) / n
            step = method.step(Pendulum(), fm.Newton(tolerance=1e-14), memory, h)
            assert step.reports[-1].converged
            memory = step.memory
        errors.append(abs(memory.state.y[0] - end))
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(order, method.order, atol=0.08)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_adaptive_steps_follow_their_tolerance(method):
    end = exact()(5.0)[0][0]
    errors, steps = [], []
    for tolerance in (1e-4, 1e-5, 1e-6):
        record = fm.simulate(
            Pendulum(),
            t_end=5.0,
            dt=1.0,
            method=method,
            newton=fm.Newton(tolerance=1e-12),
            control=fm.AdaptiveSteps(tolerance),
        ).frames
        np.testing.assert_array_equal(record.t, np.arange(6.0))
        errors.append(abs(record.y[-1, 0] - end))
        steps.append(record.newton_iterations.sum())
    # the error of a step, of order error_order, is what is controlled; that at the end is of the
    # method's order, and falls with this power of the tolerance
    expected = 10.0 ** (-method.order / method.error_order)
    assert errors[0] < 0.1
    assert errors[1] < 1.5 * expected * errors[0] and errors[2] < 1.5 * expected * errors[1]
    assert steps[0] < steps[1] < steps[2]


def test_adaptive_steps_end_on_the_corners_of_a_signal(monkeypatch):
    model = fm.Model("ramp", gravity=(0, 0, 0))
    tissue = fm.Tissue(
        1000.0, fm.KelvinVoigt(5e4, 2e3), active=fm.ActiveStress(1e5, 1.0), prestress=1e4
    )
    ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
    ramp = fm.Ramp(start=0.0321, end=0.0567, value=0.8)
    model.add(fm.Fiber("f", attach=ends, radius=3e-3, n_elements=3, tissue=tissue, activation=ramp))
    system = fm.build(model)
    times = set()
    evaluate = system.evaluate

    def spy(t, *state, **options):
        times.add(t)
        return evaluate(t, *state, **options)

    monkeypatch.setattr(system, "evaluate", spy)
    result = fm.simulate(
        system, t_end=0.1, dt=0.05, method=fm.BDF2(), control=fm.AdaptiveSteps(1e-4)
    )
    assert {0.0321, 0.0567, 0.05, 0.1} <= times
    assert result.status == "success" and result.stats["substeps"] >= 4


def test_adaptive_steps_give_up_at_the_shortest():
    system = fm.build(two_link_arm(contact=False))
    with pytest.raises(fm.ConvergenceError, match="failed even at a length of"):
        fm.simulate(
            system,
            t_end=0.1,
            dt=0.05,
            newton=fm.Newton(max_iterations=1),
            control=fm.AdaptiveSteps(1e-4, shortest=1e-6),
            method=fm.BackwardEuler(),
        )


@pytest.mark.parametrize(
    "options", [{"relative": 0.0}, {"length": -1.0}, {"shortest": 0.0}, {"longest": 1e-12}]
)
def test_bad_adaptive_steps(options):
    with pytest.raises(fm.ModelError, match=f"AdaptiveSteps: {next(iter(options))} = "):
        fm.AdaptiveSteps(**options)


def test_undamped_oscillator_keeps_its_energy_with_rho_one():
    """Generalized-alpha without dissipation is the midpoint rule for small oscillations."""
    method = fm.GeneralizedAlpha(1.0)
    memory = method.start(Pendulum(), State(0.0, np.array([1e-3]), np.zeros(1)))
    for _ in range(1000):
        memory = method.step(Pendulum(), fm.Newton(tolerance=1e-12), memory, 0.1).memory
    _, y, v = memory.state
    energy = 0.5 * v[0] ** 2 + 1.0 - np.cos(y[0])
    assert energy == pytest.approx(0.5e-6, rel=1e-5)


def limb_in_contact():
    """The upper limb after nine steps, with fibers touching each other and the bones."""
    system = fm.build(load_scene("upper_limb").scene().model)
    y, v = system.initial_state()
    state = State(0.0, y, v)
    for _ in range(9):
        state, report = advance(system, fm.Newton(), state, 1 / 32)
        assert report.converged
    return system, state


def test_newton_converges_quadratically_with_contact():
    system, state = limb_in_contact()
    assert min(system.contact.n_closed()) > 0
    _, report = advance(system, fm.Newton(tolerance=1e-12), state, 1 / 32)
    history = np.array(report.history)
    # the last one is found with the tangent of the one before
    assert report.converged and report.fractions == [1.0] * len(history)
    assert report.tangents == len(history) - 1
    # e_(k+1) <= C e_k^2 with one C for all iterations that are clear of round-off
    clear = history[1:] > 1e-14
    constants = (history[1:] / history[:-1] ** 2)[clear]
    assert constants.size >= 2 and constants.max() < 10.0
    # and once within 1e-2, three iterations reach round-off
    assert history[-1] < 1e-11


def test_residual_history_of_a_step_in_contact():
    system, state = limb_in_contact()
    _, report = advance(system, fm.Newton(tolerance=1e-9), state, 1 / 32)
    r = np.array(report.residuals)
    # down to the round-off of forces of 60 N
    assert (r[1:] < np.maximum(0.05 * r[:-1], 1e-10)).all() and r[-1] < 1e-10


def test_failed_step_is_halved_and_the_grid_is_kept():
    system = fm.build(two_link_arm())
    strict = fm.Newton(max_iterations=7)
    result = fm.simulate(
        system,
        t_end=0.1,
        dt=0.01,
        newton=strict,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    assert result.status == "success"
    assert result.stats["failed_steps"] > 0
    assert result.stats["substeps"] > result.stats["steps"] == 10
    np.testing.assert_allclose(result.time, np.linspace(0, 0.1, 11), atol=1e-15)
    assert result.step_size.min() == 0.0 and result.step_size[1:].min() < 0.0099


def test_failure_keeps_what_was_computed_and_says_why():
    system = fm.build(two_link_arm(contact=False))
    hopeless = fm.Newton(max_iterations=1)
    with pytest.raises(fm.ConvergenceError) as caught:
        fm.simulate(
            system,
            t_end=0.1,
            dt=0.01,
            newton=hopeless,
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
    error = caught.value
    assert "no convergence in 1 iterations" in str(error) and "largest increment: " in str(error)
    assert error.result.status == "failed" and error.result.time.size == 1
    assert error.time == 0.0 and len(error.history) == 1
    result = fm.simulate(
        system,
        t_end=0.1,
        dt=0.01,
        newton=hopeless,
        throw=False,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    assert result.status == "failed" and result.message == str(error)


def test_interrupt_keeps_the_frames():
    system = fm.build(two_link_arm(contact=False))

    def stop(progress):
        if progress.step == 3:
            raise KeyboardInterrupt

    result = fm.simulate(
        system,
        t_end=0.1,
        dt=0.01,
        progress=stop,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    assert result.status == "interrupted" and "t = 0.03 s" in result.message
    assert result.time.size in (3, 4)


BAD_CALLS = {
    "t_end = 0.0 s; must be positive": {"t_end": 0.0, "dt": 0.1},
    "dt = -0.1 s; must be positive": {"t_end": 1.0, "dt": -0.1},
    "t_end = nan": {"t_end": np.nan, "dt": 0.1},
    "t_end = '1'": {"t_end": "1", "dt": 0.1},
    "dt = None": {"t_end": 1.0, "dt": None},
    "t_end = 1 s in steps of dt = 1e-300 s; must take at most 1e.07 steps": {
        "t_end": 1.0,
        "dt": 1e-300,
    },
    "method = 'backward_euler'; must be a method such as BDF2": {"method": "backward_euler"},
    "start\\[0\\].*shape .1": {"start": (np.zeros(3), np.zeros(1))},
    "start\\[1\\]\\[0\\] = nan": {"start": (np.zeros(1), np.array([np.nan]))},
}


@pytest.mark.parametrize("message", BAD_CALLS)
def test_bad_calls(message):
    with pytest.raises(fm.ModelError, match=f"simulate: {message}"):
        fm.simulate(Pendulum(), **{"t_end": 1.0, "dt": 0.1, **BAD_CALLS[message]})


@pytest.mark.parametrize(
    "options",
    [{"tolerance": np.nan}, {"tolerance": -1.0}, {"keep": 2.0}, {"max_iterations": 0}],
)
def test_bad_newton(options):
    with pytest.raises(fm.ModelError, match=f"Newton: {next(iter(options))} = "):
        fm.Newton(**options)


def test_interrupt_while_observing_keeps_the_frames(monkeypatch):
    system = fm.build(two_link_arm(contact=False))
    observe, calls = system.observe, []

    def interrupted(frames):
        calls.append(frames)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return observe(frames)

    monkeypatch.setattr(system, "observe", interrupted)
    result = fm.simulate(
        system, t_end=0.02, dt=0.01, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    assert result.status == "interrupted" and result.time.size == 3


def test_initial_velocities_follow_the_joints():
    model = two_link_arm(contact=False)
    spinning = fm.Model("spinning")
    for body in model.bodies[1:]:
        spinning.add(body)
    shoulder, elbow = model.joints
    spinning.add(
        fm.Hinge(
            "s", spinning.ground, shoulder.child, at=shoulder.at, axis=shoulder.axis, speed=2.0
        ),
        fm.Hinge("e", elbow.parent, elbow.child, elbow.at, elbow.axis, speed=-1.0),
    )
    lower = elbow.child
    fiber = fm.Fiber(
        "f",
        attach=(spinning.ground.at(0.1, 0, 0), lower.at(0.03, 0, -0.1)),
        radius=5e-3,
        n_elements=3,
        tissue=model.fibers[0].tissue,
    )
    spinning.add(fiber)
    system = fm.build(spinning)
    y, v = system.initial_state()
    h = 1e-6
    c = [system.attached.place(system.skeleton.at(np.array([2.0, -1.0]) * t)).c for t in (-h, h)]
    speed = (c[1] - c[0]) / (2 * h)
    nodes = system.split(v)[0]
    np.testing.assert_allclose(nodes[system.cables.attached_nodes, :3], speed, atol=1e-9)
