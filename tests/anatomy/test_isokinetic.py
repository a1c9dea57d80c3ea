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

STRENGTH, OPTIMUM, SLACK, FASTEST = 600.0, 0.1, 0.1, 8.0
PARTIAL, RISE = 0.3, 0.01
ACTIVATION = fm.Table((0.0, RISE, 1.0), (PARTIAL, 1.0, 1.0))
D1, D2, D3, D4 = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912


def velocity_of(force):
    """Velocity over the largest one at which f_V is `force`."""
    return (np.sinh((force - D4) / D1) - D3) / D2


def hill_muscle(angle, speed, x):
    """Length at the start [m]; time [s], force over F_0 and speed [m/s] at the optimal length."""
    height, along = OPTIMUM * np.sin(angle), OPTIMUM * np.cos(angle)

    def tension(t, u):
        return hill.tendon_force_length((start + speed * t - u) / SLACK)[0]

    def rate(t, u):
        fiber = np.hypot(u, height)
        passive = hill.passive_force_length(fiber / OPTIMUM)[0]
        active = ACTIVATION(t) * hill.active_force_length(fiber / OPTIMUM)[0]
        cosine = u / fiber
        force = (tension(t, u) / cosine - passive) / active
        return velocity_of(force) * FASTEST * OPTIMUM / cosine

    u = x * along
    fiber = np.hypot(u, height) / OPTIMUM
    force = PARTIAL * hill.active_force_length(fiber)[0] + hill.passive_force_length(fiber)[0]
    force *= u / (fiber * OPTIMUM)
    start = u + SLACK * (1.0 + np.log1p(force / 0.2) * hill.TENDON_STRAIN / np.log(6.0))

    def crossing(t, y):
        return y[0] - along

    crossing.terminal = True
    found = solve_ivp(
        rate, (0.0, 1.0), [u], "Radau", events=crossing, rtol=1e-8, atol=1e-10, max_step=RISE / 20
    )
    t = float(found.t[-1])
    return start, t, float(tension(t, along)), float(rate(t, along))


def pull_of_bundle(angle, speed, start, t):
    """Force of the bundle on its origin at a time, over F_0."""
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
        max_isometric_force=STRENGTH,
        optimal_fiber_length=OPTIMUM,
        tendon_slack_length=SLACK,
        pennation_angle=angle,
        max_contraction_velocity=FASTEST,
    )
    made = fm.fibers_from_muscle(model.add(muscle), 1, model=model, n_elements=10)
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
    return float(np.linalg.norm(result.fibers["muscle_1"].force_origin[-1])) / STRENGTH


@pytest.mark.parametrize(
    "angle, relative",
    [(0.0, v) for v in (-1.0, -0.5, -0.25, 0.25, 0.5, 1.0)] + [(0.3, -0.5), (0.3, 0.5)],
)
def test_isokinetic_force_at_the_optimal_length(angle, relative):
    speed = relative * FASTEST * OPTIMUM * np.cos(angle)
    x = 1.0 - np.sign(relative) * (0.1 + 0.08 * abs(relative))
    start, t, force, rate = hill_muscle(angle, speed, x)
    # the muscle moves at the speed of its ends: the tendon hardly changes its length there
    assert abs(rate / speed - 1.0) < 0.03
    # 0.03 of F_0 is the added tension of the passive fibers, which keeps them taut
    assert abs(pull_of_bundle(angle, speed, start, t) - force) < 0.05
