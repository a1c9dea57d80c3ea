"""Gradients of runs against central differences of the same discrete runs."""

from dataclasses import replace

import numpy as np
import pytest
from scenes_of_tests import two_link_arm
from scipy.optimize import minimize

import fibermsk as fm

METHODS = [
    fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8), fm.SDIRK4(),
]  # fmt: skip
NAMES = [one.name for one in METHODS]
TIGHT = fm.Newton(tolerance=1e-12)
STEPS = 1e-3, 1e-4, 1e-5


def worst(run, objective, paths, steps=STEPS):
    """Largest error over the derivative of any parameter, each at its best step."""
    problem = fm.GradientProblem(run, objective, paths)
    x, errors = problem.start, []
    _, found = problem(x)
    for k in range(x.size):
        one = np.eye(x.size)[k]
        slopes = [(problem(x + h * one)[0] - problem(x - h * one)[0]) / (2.0 * h) for h in steps]
        size = max(abs(slopes[1]), 1e-3 * np.abs(found).max())
        errors.append(min(abs(found[k] - slope) for slope in slopes) / size)
    return max(errors)


def muscles_with_states():
    """A line muscle with activation and elastic tendon, and a fiber with titin, on one hinge."""
    model = fm.Model("limb", gravity=(0.0, -9.81, 0.0))
    bone = model.add(fm.Body("bone", 0.5, (0, -0.1, 0), (2e-3, 5e-4, 2e-3)))
    model.add(fm.Hinge("hinge", model.ground, bone, (0, 0, 0), (0, 0, 1), value=0.4))
    table = fm.Table([0.0, 0.013, 0.1], [0.1, 0.6, 0.3])
    dynamics = fm.ActivationDynamics(table, start=0.1)
    ends = model.ground.at(0.03, 0.1, 0.0), bone.at(0.02, -0.08, 0.0)
    path = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    law = fm.HillLaw(fm.DeGrooteCurves())
    model.add(
        fm.LineMuscle(
            "line", path, max_isometric_force=40.0, optimal_fiber_length=0.08,
            tendon_slack_length=0.09, law=law, activation=dynamics,
        )
    )  # fmt: skip
    solid = fm.Tissue(1060.0, fm.KelvinVoigt(1e4, 1e3), titin=fm.Titin(3e5))
    ends = model.ground.at(-0.03, 0.05, 0.0), bone.at(-0.02, -0.08, 0.0)
    model.add(fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=4, tissue=solid,
                       activation=dynamics))  # fmt: skip
    return model


def heavy():
    """The double pendulum with a heavy muscle around a cylinder, which it touches."""
    return fm.make_scene("double_pendulum", muscle="III").model


CASES = {
    "contact": (
        two_link_arm, 0.064,
        ["fiber_0/tissue/muscle/shear_modulus", "fiber_1/activation", "fiber_2/radius",
         "lower/mass", "contacts/*/law/stiffness", "fiber_0/attach/insertion/x"],
    ),
    "states": (
        muscles_with_states, 0.03,
        ["line/max_isometric_force", "line/tendon_slack_length", "line/points/o/at/x",
         "fiber/tissue/titin/stress", "fiber/attach/origin/y", "bone/inertia/zz", "hinge/value",
         "line/activation/excitation/value", "model/gravity/y"],
    ),
    "mass": (heavy, 0.18, ["muscle/mass", "first/com/y", "cylinder/radius", "q2/speed"]),
}  # fmt: skip


def objective(model):
    """Squares of where a point, the coordinates and their speeds end, and of where they were."""
    last = model.bodies[-1]
    names = [one.name for one in model.coordinates]

    def function(time, x, **own):
        total = ((x[-1] - np.array([0.1, -0.2, 0.05])) ** 2).sum() + 0.1 * (x[2] ** 2).sum()
        return total + sum(1e-3 * (one[-1] + one[3]) ** 2 for one in own.values())

    reads = {f"q{k}": name for k, name in enumerate(names)}
    reads |= {f"p{k}": f"{name}/speed" for k, name in enumerate(names)}
    return fm.Objective(function, {"x": last.at(0.01, -0.1, 0.0), **reads})


def paths_in(model, wanted):
    """The paths and patterns that a model has."""
    known = fm.Parameters(model)
    found = [path for path in wanted if path in known or any(letter in path for letter in "*?")]
    return found


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_the_discrete_run(case, method):
    make, until, wanted = CASES[case]
    model = make()
    run = fm.Simulation(model, t_end=until, dt=until / 8, method=method, newton=TIGHT)
    assert worst(run, objective(model), wanted) < 1e-6
