"""Stretch reflexes: excitations that follow the motion with a delay."""

from dataclasses import replace

import numpy as np
import pytest
from same_results import differences
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from test_activation_states import METHODS, TISSUE

import fibermsk as fm
from fibermsk.solvers.observers.observer import Accepted
from fibermsk.system.activation.past import Past
from fibermsk.system.activation.sensors import length_and_rate

DELAY = 0.02
LAW = fm.SmoothActivation(0.02, 0.04)


def swell(t):
    """Smooth excitation without feedback."""
    return 0.15 - 0.05 * np.cos(np.pi * t / 0.1)


def limb(activation, value=0.0, sense=False):
    """A weight on a spring and a fiber, which ends beside the weight if it only senses it."""
    model = fm.Model("limb", gravity=(0, 0, 0))
    bob = model.add(fm.Body("bob", 0.05, (0, 0, 0), (1e-4,) * 3))
    slider = fm.Slider(
        "z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1), value=value,
        damping=0.0 if sense else 1.0,
    )  # fmt: skip
    model.add(slider)
    end = model.ground.at(0, 0.05, 0) if sense else bob.at(0, 0, 0)
    model.add(
        fm.Fiber(
            "fiber", attach=(model.ground.at(0, 0.05 * sense, 0.1), end), radius=2e-3,
            n_elements=2, tissue=TISSUE, activation=activation,
        ),
        fm.PointSpring(
            "spring", bob.at(0, 0, 0), model.ground.at(0, 0, -0.1), stiffness=50.0,
            rest_length=0.1 if sense else 0.08,
        ),
    )  # fmt: skip
    return fm.build(model)


def stretch_reflex(**changes):
    options = {"gain": 2.0, "threshold": 0.9, "delay": DELAY, "fiber": "fiber", "base": swell}
    return fm.ActivationDynamics(fm.Reflex(**(options | changes)), LAW, start=0.1)


def test_the_past_is_interpolated_with_fourth_order_where_rates_are_known():
    errors = {}
    for n in (20, 40):
        for known in (True, False):
            past = Past.held(0.3, 0.0, np.sin(0.2), 3.0 * np.cos(0.2) if known else 0.0)
            times = np.linspace(0.0, 1.0, n + 1) ** 1.1
            worst = np.zeros(2)
            for t in times[1:]:
                rate = 3.0 * np.cos(3.0 * t + 0.2) if known else None
                past = past.after(t, np.sin(3.0 * t + 0.2), rate)
                for s in t - 0.3 + np.array([0.0, 0.011, 0.02]):
                    if s > 0.1:
                        exact = np.sin(3.0 * s + 0.2), 3.0 * np.cos(3.0 * s + 0.2)
                        found = past.at(s + 0.3)
                        worst = np.maximum(worst, np.abs(np.subtract(found, exact)))
            errors[known, n] = worst
            assert past.times.size < 0.4 * n + 4 and past.times[0] <= 1.0 - 0.3
    order = {known: np.log2(errors[known, 20] / errors[known, 40]) for known in (True, False)}
    np.testing.assert_allclose(order[True], [4.0, 3.0], atol=0.5)
    assert (order[False] > [2.5, 1.6]).all()


def test_before_the_start_the_past_is_that_at_rest():
    past = Past.held(0.1, 2.0, 0.7, 5.0).after(2.05, 0.95, 5.0)
    assert past.at(2.1) == past.at(1.0) == (0.7, 0.0)
    value, rate = past.at(2.12)
    assert value == pytest.approx(0.8) and rate == pytest.approx(5.0)
    with pytest.raises(fm.ModelError, match=r"a delay of 0.1 s before t = 2.2 s lies at 2.1 s"):
        past.at(2.2)
    again = Past.held(0.1, 0.0, 0.0).restored(past.arrays)
    assert again.at(2.12) == past.at(2.12)


def test_length_and_rate_of_a_fiber(rng):
    system = limb(0.2)
    y, v = system.initial_state()
    y = system.retract(0.0, y, 3e-3 * rng.normal(size=system.n))
    v = system.enforce(y, 0.1 * rng.normal(size=system.n))
    (nodes, _), (speed, _) = system.split(y), system.split(v)
    length, rate = length_and_rate(system.cables, 0, nodes, speed)
    xi = np.linspace(0.0, 1.0, 4001)[:, None]
    total = 0.0
    for e, (i, j) in enumerate(system.cables.elements):
        h = system.cables.h[e]
        shapes = 2 * xi**3 - 3 * xi**2 + 1, h * (xi**3 - 2 * xi**2 + xi)
        shapes += 3 * xi**2 - 2 * xi**3, h * (xi**3 - xi**2)
        ends = nodes[i, :3], nodes[i, 3:], nodes[j, :3], nodes[j, 3:]
        line = sum(n * x for n, x in zip(shapes, ends, strict=True))
        total += np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    assert length == pytest.approx(total, rel=1e-4)  # five Gauss points on a bent element
    h = 1e-6
    ahead, back = (
        length_and_rate(system.cables, 0, nodes + s * h * speed, speed)[0] for s in (1, -1)
    )
    assert rate == pytest.approx((ahead - back) / (2 * h), rel=1e-7)


def sensed(t, offset=0.01):
    """Motion of the weight on its spring alone, and at rest before the start."""
    w = np.sqrt(50.0 / 0.05)
    return (offset, 0.0) if t <= 0 else (offset * np.cos(w * t), -offset * w * np.sin(w * t))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_activation_by_a_reflex_is_exact_with_the_order_of_the_method(method):
    """A weight that swings by itself is measured; the fiber is elsewhere."""
    reflex = fm.Reflex(
        gain=15.0, rate_gain=0.3, threshold=-0.025, delay=DELAY, coordinate="z", base=0.1
    )

    def rate(t, a):
        z, p = sensed(t - DELAY)
        return [LAW.rate(0.1 + 15.0 * (z + 0.025) + 0.3 * p, a[0])[0]]

    first = solve_ivp(rate, (0.0, DELAY), [0.1], rtol=1e-11, atol=1e-13).y[0, -1]
    goal = solve_ivp(rate, (DELAY, 0.1), [first], rtol=1e-11, atol=1e-13).y[0, -1]
    errors = []
    for n in (100, 200):
        system = limb(fm.ActivationDynamics(reflex, LAW, start=0.1), 0.01, sense=True)
        result = fm.simulate(
            system, t_end=0.1, dt=0.1, control=fm.FixedSteps(n), method=method, time_error=False
        )
        errors.append(abs(result.fibers["fiber"].activation[-1] - goal))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.35)
    assert errors[1] < 2e-2


def test_a_closed_loop_is_that_of_its_own_excitation_replayed():
    """The measured motion, shifted by the delay, as a given excitation makes the same motion."""
    system = limb(stretch_reflex(rate_gain=0.01))
    options = {"t_end": 0.08, "dt": 0.0005, "control": fm.FixedSteps()}
    start = fm.equilibrium(system)
    closed = fm.simulate(system, start, **options)
    fiber = closed.fibers["fiber"]
    z = CubicSpline(closed.time, closed.coordinate("z"))  # the fiber spans z to 0.1 m

    def excitation(t):
        s = t - DELAY
        stretch = (0.1 - float(z(max(s, 0.0)))) / 0.1
        rate = -float(z(s, 1)) / 0.1 if s > 0.0 else 0.0
        return swell(t) + max(2.0 * (stretch - 0.9) + 0.01 * rate, 0.0)

    replayed = limb(fm.ActivationDynamics(excitation, LAW, start=float(start[0][-1])))
    opened = fm.simulate(replayed, start, **options)
    np.testing.assert_allclose(opened.fibers["fiber"].activation, fiber.activation, atol=2e-6)
    assert np.ptp(fiber.activation) > 0.05
    without = fm.simulate(limb(fm.ActivationDynamics(swell, LAW, start=0.1)), **options)
    assert np.abs(without.fibers["fiber"].activation - fiber.activation).max() > 0.1


def closed_run(method, n):
    """Weight and activation at seven times of a run with n steps between them."""
    system = limb(stretch_reflex(rate_gain=0.01))
    result = fm.simulate(
        system, t_end=0.07, dt=0.01, control=fm.FixedSteps(n), method=method, time_error=False,
        newton=fm.Newton(tolerance=1e-11),
    )  # fmt: skip
    return np.array([result.coordinate("z"), result.fibers["fiber"].activation])


@pytest.fixture(scope="module")
def closed_reference():
    return closed_run(fm.SDIRK2(), 96)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_closed_loops_keep_the_order_of_the_method(method, closed_reference):
    coarse, fine = (np.abs(closed_run(method, n) - closed_reference) for n in (8, 16))
    order = np.log2(coarse.max(axis=1) / fine.max(axis=1))
    np.testing.assert_allclose(order, method.order, atol=0.35)


def test_nothing_happens_before_the_delay():
    """A pull on the tendon: the activation changes a delay after it, not before."""
    model = fm.Model("tap", gravity=(0, 0, 0))

    def pulled(t):
        s = min(max((t - 0.03) / 0.01, 0.0), 1.0)
        return (0.1 + 0.005 * s * s * (3.0 - 2.0 * s), 0.0, 0.0)

    reflex = fm.Reflex(gain=8.0, threshold=1.0, delay=0.04, fiber="fiber")
    ends = model.ground.at(0, 0, 0), fm.MovingPoint(pulled)
    model.add(
        fm.Fiber(
            "fiber", attach=ends, radius=2e-3, n_elements=2, tissue=TISSUE,
            activation=fm.ActivationDynamics(reflex),
        )
    )  # fmt: skip
    result = fm.simulate(fm.build(model), t_end=0.2, dt=0.005)
    activation = result.fibers["fiber"].activation
    quiet = result.time < 0.0699
    assert np.abs(activation[quiet]).max() < 1e-6
    assert activation[-1] == pytest.approx(8.0 * 0.05, rel=0.01)


class Lengths:
    """Observer of the lengths of the steps."""

    name = "lengths"

    def __init__(self):
        self.found = []

    def start(self, now: Accepted):
        return None

    def step(self, memory, now):
        self.found.append(now.h)

    def finish(self, memory, now):
        pass


def test_adaptive_steps_are_limited_to_the_delay():
    lengths, free = Lengths(), Lengths()
    options = {"t_end": 0.4, "dt": 0.2, "control": fm.AdaptiveSteps(0.1)}
    slow = {"base": 0.2, "gain": 0.5, "delay": 0.005}
    fm.simulate(limb(stretch_reflex(**slow)), **options, observers=[lengths])
    fm.simulate(limb(fm.ActivationDynamics(0.2)), **options, observers=[free])
    assert max(lengths.found) <= 0.005 * (1.0 + 1e-9) < max(free.found)


def test_a_delay_that_takes_very_many_steps_is_named():
    stop = fm.StopWhen(lambda now: now.t - 5e-6, "early")
    message = r"delay 1e-06 s of the reflex of fiber 'fiber': a run of 0.1 s takes 1e\+05 steps"
    options = {"t_end": 0.1, "dt": 0.1, "observers": [stop]}
    with pytest.warns(fm.ModelWarning, match=message):
        result = fm.simulate(limb(stretch_reflex(delay=1e-6)), **options)
    assert result.status == "stopped"


def test_longer_fixed_steps_are_refused():
    system = limb(stretch_reflex())
    message = (
        r"step = 0.025 s; must be at most the delay 0.02 s of the reflex of fiber 'fiber'; "
        "use FixedSteps with more steps per frame, or AdaptiveSteps"
    )
    with pytest.raises(fm.ModelError, match=message):
        fm.simulate(system, t_end=0.1, dt=0.05, control=fm.FixedSteps(2))
    result = fm.simulate(system, t_end=0.1, dt=0.02, control=fm.FixedSteps())
    assert result.status == "success"


def hand(now):
    """Measured by a function: the same as the coordinate."""
    return now.coordinate("z")


@pytest.mark.parametrize("control", [fm.FixedSteps(2), fm.AdaptiveSteps(1e-3, landing=False)])
@pytest.mark.parametrize("sensor", [{}, {"fiber": None, "measure": hand, "threshold": -0.1}])
def test_a_run_that_is_left_and_continued_is_bitwise_the_same(control, sensor, tmp_path):
    options = {"t_end": 0.08, "dt": 0.01, "control": control, "method": fm.BDF2()}
    taken = []

    def made():
        return limb(stretch_reflex(**sensor))

    whole = fm.simulate(made(), **options, checkpoint=taken.append, checkpoint_every=0.0)
    for snapshot in (taken[len(taken) // 2], taken[1]):
        file = fm.save_checkpoint(snapshot, tmp_path / "left.h5")
        resumed = fm.simulate(made(), **options, resume_from=fm.load_checkpoint(file))
        assert differences(whole, resumed, tmp_path) == []


def test_other_reflexes_are_other_runs():
    taken, options = [], {"t_end": 0.04, "dt": 0.02}
    fm.simulate(limb(stretch_reflex()), **options, checkpoint=taken.append, checkpoint_every=0.0)
    for change, part in (
        ({"gain": 2.1}, "activation dynamics"),
        ({"fiber": None, "coordinate": "z"}, "activation dynamics"),
        ({"delay": 0.021}, "breakpoints of signals"),
    ):
        with pytest.raises(fm.ModelError, match=f"differs in the {part}"):
            fm.simulate(limb(stretch_reflex(**change)), **options, resume_from=taken[0])
    # functions of one name differ by what they measure
    own = {"fiber": None, "threshold": -0.05}
    first, other = (lambda now, k=k: k * now.coordinate("z") for k in (1.0, 1.5))
    begun = stretch_reflex(**own, measure=first)
    fm.simulate(limb(begun), **options, checkpoint=taken.append, checkpoint_every=0.0)
    changed = stretch_reflex(**own, measure=other)
    with pytest.raises(fm.ModelError, match="as in the run that wrote the checkpoint"):
        fm.simulate(limb(changed), **options, resume_from=taken[-1])


def test_repeated_steps_have_the_past_of_the_first_attempt():
    """An observer that repeats steps changes nothing but where they end."""
    stop = fm.StopWhen(lambda now: now.coordinate("z") - 2e-3, "reached")
    system = limb(stretch_reflex(base=0.6))
    options = {"t_end": 0.1, "dt": 0.01, "control": fm.AdaptiveSteps(1e-5)}
    result = fm.simulate(system, **options, observers=[stop])
    free = fm.simulate(system, **options)
    assert result.status == "stopped"
    n = result.time.size - 1
    own, other = (one.fibers["fiber"].activation for one in (result, free))
    np.testing.assert_array_equal(own[:n], other[:n])
    assert own[n] == pytest.approx(np.interp(result.time[n], free.time, other), abs=2e-2)


def test_a_measure_with_and_without_its_rate():
    by_name = {"coordinate": "z", "fiber": None, "threshold": -0.05, "rate_gain": 0.05}
    own = {**by_name, "coordinate": None}
    runs = []
    for reflex in (
        stretch_reflex(**by_name),
        stretch_reflex(**own, measure=lambda now: (now.coordinate("z"), now.speed("z"))),
        stretch_reflex(**own, measure=hand),
    ):
        result = fm.simulate(limb(reflex), t_end=0.1, dt=0.001, control=fm.FixedSteps())
        runs.append(result.fibers["fiber"].activation)
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_allclose(runs[2], runs[0], atol=2e-4)
    assert not np.array_equal(runs[2], runs[0])


@pytest.mark.parametrize("gain", [0.5, 5.0, 40.0])
def test_equilibrium_is_the_state_that_the_reflex_holds(gain):
    system = limb(stretch_reflex(gain=gain, base=0.1))
    y, v = fm.equilibrium(system)
    (nodes, _), rest = system.split(y), np.zeros((system.cables.n_nodes, 6))
    stretch = length_and_rate(system.cables, 0, nodes, rest)[0] / 0.1
    expected = min(0.1 + max(gain * (stretch - 0.9), 0.0), 1.0)
    assert y[-1] == pytest.approx(expected, abs=1e-7)
    assert y[-1] > 0.1
    if gain < 10.0:  # else the delay makes it oscillate
        result = fm.simulate(system, (y, v), t_end=0.2, dt=0.02)
        np.testing.assert_allclose(result.coordinate("z"), result.coordinate("z")[0], atol=1e-7)


def test_a_gain_that_is_too_large_makes_it_oscillate():
    """Clonus: the delayed loop is unstable although its equilibrium is one."""
    swings = []
    for gain in (1.0, 60.0):
        system = limb(stretch_reflex(gain=gain, base=0.1, delay=0.04))
        y, v = fm.equilibrium(system)
        v = system.enforce(y, v)
        v[-2] = 0.05
        result = fm.simulate(system, (y, system.enforce(y, v)), t_end=0.6, dt=0.01)
        late = result.time > 0.4
        swings.append(np.ptp(result.fibers["fiber"].activation[late]))
    assert swings[0] < 0.02 and swings[1] > 0.3


def test_numbers_of_reflexes_have_paths():
    system = limb(stretch_reflex())
    path = "fiber/activation/excitation"
    assert system.parameters[f"{path}/delay"].unit == "s"
    other = system.with_parameters({f"{path}/gain": 3.0, f"{path}/threshold": 0.95})
    expected = limb(stretch_reflex(gain=3.0, threshold=0.95))
    options = {"t_end": 0.04, "dt": 0.02}
    one, two = (fm.simulate(each, **options) for each in (other, expected))
    np.testing.assert_array_equal(one.fibers["fiber"].activation, two.fibers["fiber"].activation)


def fails(now):
    raise KeyError("wrist")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"fiber": None}, "measured quantity = 'none'; must be one of fiber, coordinate, measure"),
        ({"coordinate": "z"}, "measured quantity = 'fiber, coordinate'; must be one of"),
        ({"delay": 0.0}, "delay = 0.0 s; must be positive"),
        ({"gain": np.nan}, "gain = nan"),
        ({"base": 1.2}, r"base = 1.2; must lie in \[0, 1\]"),
        ({"base": lambda t: -1.0}, "base at t = 0 s = -1.0; must lie in"),
        ({"fiber": "calf"}, "fiber 'fiber': reflex: fiber = 'calf'; must be a fiber of the model"),
        ({"fiber": None, "coordinate": "knee"}, "coordinate = 'knee'; must be a coordinate of"),
        ({"fiber": None, "measure": 3.0}, "measure = 3.0; must be a function"),
        ({"fiber": None, "measure": fails}, "measure at t = 0 s raised KeyError: 'wrist'"),
        ({"fiber": None, "measure": lambda now: "far"}, "measure at t = 0 s = 'far'; must be a nu"),
        ({"fiber": None, "measure": lambda now: (1.0,)}, "must be a value, or a tuple of value"),
        (
            {"fiber": None, "measure": lambda n: n.report.fibers["fiber"].force_origin[0, 2]},
            "measure at t = 0 s = nan; must be finite",
        ),
    ],
)
def test_bad_reflexes_are_refused(change, message):
    with pytest.raises(fm.ModelError, match=message):
        limb(stretch_reflex(**change))


def test_a_reflex_is_no_activation_by_itself():
    fiber = limb(0.1).model.fibers[0]
    message = r"fiber 'fiber': activation = .*; a reflex is an excitation: fm.ActivationDynamics"
    with pytest.raises(fm.ModelError, match=message):
        replace(fiber, activation=stretch_reflex().excitation)
