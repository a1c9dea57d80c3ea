"""Corners of signals at, near and between the ends of steps and frames."""

from functools import cached_property

import numpy as np
import pytest
from pendulum import START, Pendulum
from scenes_of_tests import rubber
from scipy.integrate import solve_ivp

import fibermsk as fm

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]
SECOND = METHODS[1:]
NEWTON = fm.Newton(tolerance=1e-12)
FRAMES = np.linspace(0.0, 2.0, 21)

# from a frame to a corner [s]: one time, an ulp or a few, round-off of sums, a sliver, in between
OFFSETS = [0.0, 3e-16, -3e-16, 1e-12, 1e-9, -1e-9, 1e-7, -1e-5, 0.03]


class Driven(Pendulum):
    """A pendulum under a torque of straight lines between corners; it reports its acceleration."""

    def __init__(self, corners, torques):
        self.corners, self.torques = np.array(corners), np.array(torques)

    def torque(self, t):
        return np.interp(t, self.corners, self.torques)

    def next_breakpoint(self, t, t_end):
        later = self.corners[self.corners > t]
        return min(later[0], t_end) if later.size else t_end

    def evaluate(self, t, y, v, v_dot, *slopes, **options):
        found = super().evaluate(t, y, v, v_dot, *slopes, **options)
        residual = found.residual - self.torque(t)
        return found._replace(residual=residual, reactions=v_dot.copy())

    @cached_property
    def exact(self):
        """Angle, speed and acceleration at the frames (3, n), corner by corner."""
        state, t0, found = np.array([START, 0.0]), 0.0, {0.0: (START, 0.0)}
        for t1 in [*self.corners[(self.corners > 0.0) & (self.corners < 2.0)], 2.0]:
            inside = FRAMES[(FRAMES > t0) & (FRAMES <= t1)]
            solution = solve_ivp(
                lambda t, s: [s[1], self.torque(t) - np.sin(s[0])],
                (t0, t1),
                state,
                method="DOP853",
                rtol=1e-12,
                atol=1e-13,
                t_eval=np.union1d(inside, t1),
            )
            found |= {t: s for t, s in zip(solution.t, solution.y.T, strict=True) if t in FRAMES}
            state, t0 = solution.y[:, -1], t1
        y, v = np.array([found[t] for t in FRAMES]).T
        return np.array([y, v, np.interp(FRAMES, self.corners, self.torques) - np.sin(y)])


def driven(offset):
    """Corners near two frames, with torques that turn sharply there."""
    return Driven([0.0, 0.5 + offset, 1.3 + offset, 3.0], [0.0, 2.0, -2.0, 3.0])


def run(system, method, control, **options):
    """The result, and the ends of all steps."""
    ends = [0.0]
    result = fm.simulate(
        system,
        t_end=2.0,
        dt=0.1,
        method=method,
        control=control,
        newton=NEWTON,
        progress=lambda p: ends.append(p.time),
        **options,
    )
    return result, np.array(ends)


def errors(result, exact):
    """Largest error of angle, speed and acceleration at the frames."""
    frames = result.frames
    found = np.array([frames.y[:, 0], frames.v[:, 0], frames.reactions[:, 0]])
    return np.abs(found - exact).max(axis=1)


@pytest.mark.parametrize("landing", [True, False])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_adaptive_steps_are_right_wherever_corners_lie(method, landing):
    control = fm.AdaptiveSteps(1e-4, landing=landing)
    # twice what is measured where the corner is a frame; interpolated accelerations are worse
    bound = (2e-2, 4e-2, 2e-1) if method.order == 1 else (2e-3, 2e-3, 5e-3)
    for offset in OFFSETS:
        system = driven(offset)
        result, ends = run(system, method, control)
        assert result.status == "success"
        assert (errors(result, system.exact) < bound).all(), offset
        steps = np.diff(ends)
        # nothing near round-off, and the corners are met within it
        assert steps.min() > 1e-8
        assert np.abs(ends[:, None] - system.corners[1:3]).min(axis=0).max() <= 1.01e-8
        if not method.one_step:
            # a difference of times of 1e-7 s is known to 2e-9 of it
            assert (steps[1:] / steps[:-1]).max() <= method.most_growth * (1.0 + 1e-8)


@pytest.mark.parametrize("method", SECOND, ids=lambda method: method.name)
@pytest.mark.parametrize("offset", [0.0, 3e-16, 1e-9, 0.03])
def test_fixed_steps_are_of_second_order_wherever_corners_lie(method, offset):
    """Angle, speed and acceleration at the frames; a corner within a step changes its length."""
    system, found = driven(offset), []
    # the error of a corner in a step depends on where in the step it lies: at a fifth with both
    for steps in (4, 64):
        result, ends = run(system, method, fm.FixedSteps(steps))
        assert ends.size == 20 * steps + 1
        found.append(errors(result, system.exact))
    np.testing.assert_allclose(np.log2(found[0] / found[1]) / 4.0, 2.0, atol=0.03)


@pytest.mark.parametrize("control", [fm.AdaptiveSteps(1e-4), fm.FixedSteps(16)], ids=["a", "f"])
@pytest.mark.parametrize("method", SECOND, ids=lambda method: method.name)
def test_a_jump_between_corners_that_are_one_time(method, control):
    system = Driven([0.0, 0.5, 0.5 + 1e-12, 3.0], [0.0, 0.0, 2.0, 2.0])
    result, _ = run(system, method, control)
    exact = system.exact.copy()
    exact[2, 5] = 0.0 - np.sin(exact[0, 5])  # the frame shows the side before
    assert (errors(result, exact) < (2e-3, 3e-3, 3e-3)).all()


@pytest.mark.slow
@pytest.mark.parametrize("offset", [3e-16, 1e-7, 0.03])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_resumed_at_every_step_around_corners(method, offset):
    for control in (fm.AdaptiveSteps(1e-3), fm.FixedSteps(2)):
        taken = []
        whole, _ = run(driven(offset), method, control, checkpoint=taken.append, checkpoint_every=0)
        for one in taken[::6]:
            rest, _ = run(driven(offset), method, control, resume_from=one)
            np.testing.assert_array_equal(rest.frames.y, whole.frames.y)
            np.testing.assert_array_equal(rest.frames.reactions, whole.frames.reactions)
            assert rest.stats["substeps"] == whole.stats["substeps"]


def test_no_step_is_below_the_round_off_of_its_time():
    """Late in a run the shortest step, 1e-10 s, is less than the time can be told to."""

    class Stuck(Pendulum):
        """Free of forces, until it cannot be evaluated."""

        def evaluate(self, t, y, v, v_dot, dv_dy=0.0, dvdot_dv=0.0, **options):
            found = super().evaluate(t, y, v, v_dot, dv_dy, dvdot_dv)
            residual = v_dot if t <= 1e7 else v_dot * np.nan
            return found._replace(residual=residual, tangent=np.array([[dv_dy * dvdot_dv]]))

    result = fm.simulate(
        Stuck(), t_end=2e7, dt=1e7, method=fm.SDIRK2(), control=fm.AdaptiveSteps(1e9), throw=False
    )
    assert result.status == "failed" and "failed even at a length of" in result.message
    assert result.frames.t[-1] == 1e7


def hanging(activation=0.0, line_load=(0.0, 0.0, 0.0), end=None, motion=None):
    """A rod on a hinge, pulled by a fiber."""
    model = fm.Model("hanging")
    rod = model.add(fm.Body("rod", mass=0.5, com=(0, 0, -0.1), inertia=(2e-3, 2e-3, 1e-5)))
    hinge = {} if motion is None else {"coordinate": fm.Coordinate("angle", prescribed=motion)}
    model.add(fm.Hinge("angle", model.ground, rod, at=(0, 0, 0), axis=(0, -1, 0), **hinge))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=fm.ActiveStress(3e5), prestress=2e4)
    ends = end or model.ground.at(0.05, 0, 0.02), rod.at(0.01, 0, -0.12)
    model.add(
        fm.Fiber(
            "fiber",
            attach=ends,
            radius=4e-3,
            n_elements=4,
            tissue=tissue,
            activation=activation,
            line_load=line_load,
        )
    )
    return model


def recorded(rng=None):
    """Activation at 100 Hz, whose times are off the frames by round-off."""
    times = np.linspace(0.0, 0.3, 31)
    if rng is not None:
        times = times + rng.integers(-3, 4, times.size) * 4e-17
        times[0] = 0.0
    values = 0.1 * np.sin(2.0 * np.pi * np.linspace(0.0, 0.3, 31)) ** 2
    values[1::2] += 0.01  # a corner at every time
    return fm.Table(times, values)


def force(system, method, control, dt=0.01):
    start = fm.equilibrium(system)
    result = fm.simulate(system, start, t_end=0.3, dt=dt, method=method, control=control)
    return result.fibers["fiber"].force_origin[:: round(0.01 / dt)]


@pytest.fixture(scope="module")
def fine():
    """Pulls by fine steps that end on all corners."""
    return force(fm.build(hanging(recorded())), fm.SDIRK2(), fm.FixedSteps(), dt=0.01 / 16)


@pytest.mark.parametrize("control", [fm.AdaptiveSteps(1e-4), fm.FixedSteps()], ids=["a", "f"])
@pytest.mark.parametrize("method", SECOND, ids=lambda method: method.name)
def test_pulls_under_a_recorded_activation(method, control, fine, rng):
    """100 Hz table and frames; some corners lie an ulp or a few beside a frame."""
    found = force(fm.build(hanging(recorded(rng))), method, control)
    # of 1.9 N; up to 2e-3 N with corners at the frames themselves, 2e-4 N with fine steps
    assert np.abs(found - fine).max() < 3e-3


def moving(t):
    return np.array([0.05 + 0.01 * max(t - 0.0321, 0.0) ** 3, 0.0, 0.02])


def push(theta, t):
    return np.full((theta.size, 3), (0.0, 0.3 * min(t / 0.0321, 1.0), 0.0))


moving.breakpoints = push.breakpoints = [0.0321]
CURVE = fm.NaturalSpline([0.0, 0.0321, 0.08], [0.0, 0.01, 0.0])
SIGNALS = {
    "line load": {"line_load": push},
    "moving point": {"end": fm.MovingPoint(moving)},
    "prescribed": {"motion": CURVE},
    "activation": {"activation": fm.Ramp(0.0321, 0.2, 0.5)},
}


@pytest.mark.parametrize("what", SIGNALS)
def test_steps_end_on_the_corners_of_every_kind_of_signal(what):
    system, ends = fm.build(hanging(**SIGNALS[what])), []
    fm.simulate(
        system,
        t_end=0.06,
        dt=0.02,
        method=fm.BDF2(),
        control=fm.AdaptiveSteps(1e-3),
        progress=lambda p: ends.append(p.time),
    )
    assert 0.0321 in ends


def test_breakpoints_that_are_no_times_are_refused():
    def signal(t):
        return 0.1

    signal.breakpoints = [0.1, np.nan]
    model = fm.Model("bad")
    ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
    options = {"radius": 3e-3, "n_elements": 3, "tissue": rubber(), "activation": signal}
    model.add(fm.Fiber("f", attach=ends, **options))
    with pytest.raises(fm.ModelError, match=r"fiber 'f': activation: breakpoints\[1\] = nan"):
        fm.build(model)
