"""Refraction and reflection where inertia jumps, against Snell's law and narrow smoothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pendulum import Pendulum

import fibermsk as fm
from fibermsk.protocol import Evaluation

NORMAL = np.array([np.cos(0.4), np.sin(0.4)])
TANGENT = np.array([-np.sin(0.4), np.cos(0.4)])
AT = 0.3
"""Place of the line along its normal at which the mass of the particle changes."""


class Particle(Pendulum):
    """Free in a plane; its mass is `ahead` beyond a line, and 1 before it."""

    n, scale, n_switches = 2, np.ones(2), 1

    def __init__(self, ahead, speed):
        self.ahead, self.speed, self.sides = ahead, speed, None

    def initial_state(self):
        return np.zeros(2), np.array(self.speed)

    def evaluate(self, t, y, v, v_dot, dv_dy=0.0, dvdot_dv=0.0, *, rates=False, tangent=True):
        beyond = self.switch_angles(t, y)[0] > 0.0 if self.sides is None else self.sides[0]
        mass = self.ahead if beyond else 1.0
        return Evaluation(mass * v_dot, mass * dvdot_dv * dv_dy * np.eye(2), 1.0, np.zeros((0, 3)))

    def error_size(self, dy, dv, tolerance):
        return abs(dy).max() / (tolerance.relative + tolerance.angle)

    def switch_angles(self, t, y):
        return np.array([NORMAL @ y - AT])

    def hold_sides(self, sides):
        self.sides = sides

    def switch_slope(self, t, y, k):
        return NORMAL


@pytest.mark.parametrize("method", [fm.SDIRK2(), fm.SDIRK4(), fm.BDF2(), fm.GeneralizedAlpha(0.8)])
@pytest.mark.parametrize(("ahead", "along"), [(2.0, 0.7), (0.4, 0.2), (0.4, 0.7), (1.0, 0.5)])
def test_snell(method, ahead, along):
    """m v along the line and the energy stay; beyond the critical angle all is reflected."""
    speed = np.sqrt(1.0 - along**2) * NORMAL + along * TANGENT
    system = Particle(ahead, speed)
    result = fm.simulate(
        system, t_end=1.0, dt=0.125, method=method, control=fm.FixedSteps(3),
    )  # fmt: skip
    forward = ahead - along**2  # m+^2 times the square of the speed ahead
    passed = forward > 0.0
    assert (result.stats["refractions"], result.stats["reflections"]) == (passed, not passed)
    met = AT / (NORMAL @ speed)
    mass = ahead if passed else 1.0
    ahead_speed = np.sqrt(forward) / mass if passed else -NORMAL @ speed
    after = ahead_speed * NORMAL + along / mass * TANGENT
    assert_allclose(result.frames.v[-1], after, atol=1e-9)
    assert_allclose(result.frames.y[-1], met * speed + (1.0 - met) * after, atol=1e-9)


def pendulum(**settings):
    """The double pendulum of type III, released at rest; its path lifts off at 0.14 s."""
    return fm.build(fm.make_scene("double_pendulum", muscle="III", **settings).model)


def motion(result, at=slice(None)):
    """Both angles at frames."""
    return np.transpose([result.coordinates[name][at] for name in ("q1", "q2")])


def error_of_energy(system, result):
    """Largest change [J]."""
    speeds = np.transpose([result.speeds[name] for name in ("q1", "q2")])
    total = [
        system.energy(*state).total for state in zip(motion(result).copy(), speeds, strict=True)
    ]
    return np.abs(np.subtract(total, total[0])).max()


def test_energy_through_a_refraction():
    """Its error is that of the method, of second order, and so is that of the end."""
    system, found, ends = pendulum(wrapping="switch"), [], []
    for n in (50, 100, 200):
        result = fm.simulate(
            system, t_end=0.25, dt=0.025, method=fm.SDIRK2(), control=fm.FixedSteps(n // 10),
        )  # fmt: skip
        assert result.stats["refractions"] == 1 and result.stats["reflections"] == 0
        found.append(error_of_energy(system, result))
        ends.append(motion(result, -1))
    assert_allclose(np.log2(np.divide(found[:2], found[1:])), 2.0, atol=0.1)
    assert np.abs(ends[0] - ends[1]).max() > 2.0**1.8 * np.abs(ends[1] - ends[2]).max()


@pytest.mark.slow
def test_refraction_is_the_limit_of_narrow_blends():
    """The motion with a blend tends to it as the angle of the blend does to zero."""

    def end(**settings):
        system, steps = pendulum(**settings), fm.AdaptiveSteps(1e-8, longest=1e-3)
        result = fm.simulate(system, t_end=0.25, dt=0.25, method=fm.SDIRK4(), control=steps)
        return motion(result, -1)

    exact = end(wrapping="switch")
    far = [np.abs(end(blend=width) - exact).max() for width in (0.08, 0.02)]
    assert far[1] < 0.4 * far[0] < 1e-3


def test_resumed_across_a_refraction():
    """A run resumed before one equals an uninterrupted one, counters included."""
    system, kept = pendulum(wrapping="switch"), []
    given = {"t_end": 0.25, "dt": 0.05, "method": fm.SDIRK2(), "checkpoint_every": 0.0}
    whole = fm.simulate(system, checkpoint=kept.append, **given)
    early = next(one for one in kept if 0.05 < one.time < 0.12)
    again = fm.simulate(pendulum(wrapping="switch"), resume_from=early, **given)
    assert again.stats["refractions"] == whole.stats["refractions"] == 1
    assert (motion(again) == motion(whole)).all()


def test_prescribed_motion_is_refused():
    model = fm.Model("m")
    bar = model.add(fm.Body("bar", 1.0, (0, -0.1, 0), (0.01, 0.01, 0.01)))
    turn = fm.Coordinate("q", prescribed=fm.Linear(1.0, 0.0))
    joint = fm.FunctionalJoint(
        "j", model.ground, bar, [turn], [fm.Axis("rotation", (0, 0, 1), (("q", fm.Linear()),))]
    )
    rod = fm.WrapCylinder("rod", model.ground, radius=0.02)
    ends = model.ground.at(-0.1, 0.03, 0), bar.at(0.1, 0.03, 0)
    points = [fm.PathPoint(name, end) for name, end in zip("oi", ends, strict=True)]
    muscle = fm.LineMuscle(
        "m", points, max_isometric_force=1.0, optimal_fiber_length=0.1, tendon_slack_length=0.1,
        wraps=[fm.PathWrap(rod)], mass=fm.MuscleMass(0.1, wrapping="switch"),
    )  # fmt: skip
    model.add(joint, muscle)
    system = fm.build(model)
    with pytest.raises(fm.ModelError, match="around 'rod': wrapping = 'switch'.*coordinate 'q'"):
        fm.simulate(system, t_end=0.1, dt=0.05)
