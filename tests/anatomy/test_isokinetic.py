"""A bundle has the force-velocity relation of its Hill muscle.

The ends of a bundle move apart or together at a constant speed, at full activation, through the
optimal length. It is compared with the massless Hill muscle of the same numbers in series with its
tendon, whose ends move alike: F_0 (a f_L f_V + f_P) cos(alpha) = F_0 f_T is solved for the velocity
and integrated in time. Both begin at rest at partial activation, which rises within 10 ms, so that
the speed of the muscle is constant before it passes the optimum; there the forces are compared.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.laws import hill

# F_0 [N], l_0, slack length [m] and v_max; the second is the long head of the biceps of arm26
SHORT_TENDON = 600.0, 0.1, 0.1, 8.0
BICEPS = 624.3, 0.1157, 0.2723, 10.0
PARTIAL, RISE = 0.3, 0.01
ACTIVATION = fm.Table((0.0, RISE, 1.0), (PARTIAL, 1.0, 1.0))
SPEEDS = (-1.0, -0.5, -0.25, 0.25, 0.5, 1.0)
D1, D2, D3, D4 = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912


def velocity_of(force):
    """Velocity over the largest one at which f_V is `force`."""
    return (np.sinh((force - D4) / D1) - D3) / D2


def hill_muscle(numbers, angle, speed, x):
    """Length at the start [m]; time [s], force over F_0 and speed [m/s] at the optimal length."""
    _, optimum, slack, fastest = numbers
    height, along = optimum * np.sin(angle), optimum * np.cos(angle)

    def tension(t, u):
        return hill.tendon_force_length((start + speed * t - u) / slack)[0]

    def rate(t, u):
        fiber = np.hypot(u, height)
        passive = hill.passive_force_length(fiber / optimum)[0]
        active = ACTIVATION(t) * hill.active_force_length(fiber / optimum)[0]
        cosine = u / fiber
        force = (tension(t, u) / cosine - passive) / active
        return velocity_of(force) * fastest * optimum / cosine

    u = x * along
    fiber = np.hypot(u, height) / optimum
    force = PARTIAL * hill.active_force_length(fiber)[0] + hill.passive_force_length(fiber)[0]
    force *= u / (fiber * optimum)
    start = u + slack * (1.0 + np.log1p(force / 0.2) * hill.TENDON_STRAIN / np.log(6.0))

    def crossing(t, y):
        return y[0] - along

    crossing.terminal = True
    found = solve_ivp(
        rate, (0.0, 1.0), [u], "Radau", events=crossing, rtol=1e-8, atol=1e-10, max_step=RISE / 20
    )
    t = float(found.t[-1])
    return start, t, float(tension(t, along)), float(rate(t, along))


def pull_of_bundle(numbers, angle, speed, start, t, **options):
    """Force of the bundle on its origin at a time, over F_0."""
    strength, optimum, slack, fastest = numbers
    model = fm.Model("muscle", gravity=(0.0, 0.0, 0.0))
    block = model.add(fm.Body("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.Slider("pull", model.ground, block, at=(start, 0.0, 0.0), axis=(1.0, 0.0, 0.0)))
    points = [
        fm.PathPoint("origin", model.ground.at(0.0, 0.0, 0.0)),
        fm.PathPoint("insertion", block.at(0.0, 0.0, 0.0)),
    ]
    muscle = fm.LineMuscle(
        "muscle",
        points,
        max_isometric_force=strength,
        optimal_fiber_length=optimum,
        tendon_slack_length=slack,
        pennation_angle=angle,
        max_contraction_velocity=fastest,
    )
    model.add(muscle)
    made = fm.fibers_from_muscle(muscle, 1, model=model, n_elements=10, **options)
    origin, end = made.curves[0].nodal[0], made.curves[0].nodal[-2]

    def motion(t):
        return end + np.array([speed * t, 0.0, 0.0])

    held = fm.Model("held", gravity=(0.0, 0.0, 0.0))
    attach = (held.ground.at(origin), fm.MovingPoint(motion))
    held.add(replace(made.fibers[0], attach=attach, activation=ACTIVATION))
    system = fm.build(held)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ModelWarning)
        rest = fm.equilibrium(system)
        result = fm.simulate(system, rest, t_end=t, dt=t / np.ceil(t / 1e-3))
    assert result.status == "success"
    return float(np.linalg.norm(result.fibers["muscle_1"].force_origin[-1])) / strength


def off(numbers, relative, angle=0.0, **options):
    """Force of the bundle less the Hill muscle's, over F_0."""
    _, optimum, _, fastest = numbers
    speed = relative * fastest * optimum * np.cos(angle)
    x = 1.0 - np.sign(relative) * (0.1 + 0.08 * abs(relative))
    start, t, force, rate = hill_muscle(numbers, angle, speed, x)
    # the muscle moves at the speed of its ends, but for what a long tendon still gives
    assert abs(rate / speed - 1.0) < (0.03 if numbers is SHORT_TENDON else 0.06)
    return pull_of_bundle(numbers, angle, speed, start, t, **options) - force


@pytest.mark.slow
@pytest.mark.parametrize("relative", SPEEDS)
@pytest.mark.parametrize("numbers", [SHORT_TENDON, BICEPS], ids=["short_tendon", "biceps"])
@pytest.mark.parametrize("options", [{}, {"titin": fm.Titin(1.0)}], ids=["default", "titin"])
def test_isokinetic_force_at_the_optimal_length(numbers, relative, options):
    assert abs(off(numbers, relative, **options)) < 0.05


@pytest.mark.parametrize("relative", [-0.5, 0.5])
def test_isokinetic_force_of_a_pennate_muscle(relative):
    assert abs(off(SHORT_TENDON, relative, 0.3)) < 0.05


@pytest.mark.parametrize("relative", [-0.5, 1.0])
def test_isokinetic_force_of_an_even_muscle_without_titin(relative):
    assert abs(off(BICEPS, relative, even=True)) < 0.05
