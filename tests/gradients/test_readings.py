"""What objectives read besides coordinates: lengths, forces of tendons, energy."""

import numpy as np
import pytest
from gradients.test_inside import crowd
from gradients.test_run_gradients import TIGHT, worst

import fibermsk as fm

NAMES = "line/length", "fiber/length", "elastic/tendon_force", "rigid/tendon_force"
FORCES = "fiber/tissue_force", "plain_0/tissue_force"
PATHS = [
    "line/points/0/x", "fiber/attach/origin/y", "elastic/max_isometric_force", "rigid/activation",
    "elastic/activation/knots/1", "rigid/optimal_fiber_length", "hinge/value", "hinge/speed",
]  # fmt: skip


def run():
    return fm.Simulation(crowd(), 0.03, 0.005, newton=TIGHT)


INSIDE = [
    "fiber/tissue/titin/stress", "fiber/radius", "fiber/activation/excitation/knots/1",
    "fiber/attach/insertion/y", "plain_0/activation/knots/1", "plain_0/tissue/muscle/shear_modulus",
    "hinge/value", "bone/mass",
]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "line/length", "elastic/tendon_force",
        pytest.param("fiber/length", marks=pytest.mark.slow),
        pytest.param("rigid/tendon_force", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_gradients_are_those_of_the_discrete_run(name):
    size = 0.1 if name.endswith("length") else 10.0
    squares = fm.Objective(lambda time, x: (x[-1] / size) ** 2 + (x[3] / size) ** 3, {"x": name})
    assert worst(run(), squares, PATHS) < 1e-6


@pytest.mark.parametrize(
    "name", ["fiber/tissue_force", pytest.param("plain_0/tissue_force", marks=pytest.mark.slow)]
)
def test_gradients_of_forces_of_fibers(name):
    squares = fm.Objective(lambda time, x: (x[-1] / 0.1) ** 2 + (x[3] / 0.1) ** 3, {"x": name})
    assert worst(run(), squares, INSIDE, steps=(1e-3, 1e-4)) < 1e-6


@pytest.mark.parametrize("enforce", ["eliminate", "multiplier"])
def test_a_tendon_force_with_a_coupled_coordinate(enforce):
    model = fm.Model("coupled", gravity=(0.0, -9.81, 0.0))
    upper = model.add(fm.Body("upper", 1.0, (0, -0.15, 0), (5e-3, 1e-3, 5e-3)))
    lower = model.add(fm.Body("lower", 0.5, (0, -0.1, 0), (3e-3, 1e-3, 3e-3)))
    z = (0, 0, 1)
    model.add(
        fm.Hinge("h1", model.ground, upper, (0, 0, 0), z, value=0.4),
        fm.Hinge("h2", upper, lower, (0, -0.3, 0), z),
        fm.Coupling("h2", fm.Polynomial([0.1, 0.3, 0.2]), "h1", enforce),
    )
    ends = model.ground.at(0.03, 0.05, 0), lower.at(0.02, -0.05, 0)
    path = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    numbers = {"optimal_fiber_length": 0.15, "tendon_slack_length": 0.22}
    model.add(fm.LineMuscle("line", path, max_isometric_force=40.0, **numbers, law=fm.HillLaw(),
                            activation=0.3))  # fmt: skip
    coupled = fm.Simulation(model, 0.03, 0.005, newton=TIGHT)
    end = fm.Objective(lambda time, F: F[-1] + F[2], {"F": "line/tendon_force"})
    assert worst(coupled, end, ["upper/mass", "line/optimal_fiber_length", "h1/value"]) < 1e-6


def test_the_energy_depends_on_all_numbers():
    paths = ["hinge/value", "bone/mass", "fiber/tissue/muscle/shear_modulus", "line/points/0/x"]
    end = fm.Objective(lambda time, E: E[-1], {"E": "energy"})
    assert worst(run(), end, paths, steps=(1e-3, 1e-4)) < 1e-6


def test_quantities_are_those_of_the_result():
    every = {f"x{k}": name for k, name in enumerate((*NAMES, "energy", *FORCES))}
    total = fm.Objective(lambda time, **x: sum((one**2).sum() for one in x.values()), every)
    found = fm.gradient(run(), total, "hinge/value")
    result, read = found.result, found.run.samples
    np.testing.assert_allclose(read["x0"], result.muscles["line"]["length"], rtol=1e-12)
    np.testing.assert_allclose(read["x1"], result.fibers["fiber"].length, rtol=1e-12)
    for k, name in ((2, "elastic"), (3, "rigid")):
        np.testing.assert_allclose(read[f"x{k}"], result.muscles[name]["tendon_force"], rtol=1e-9)
    for k, name in ((5, "fiber"), (6, "plain_0")):
        force = result.fibers[name]
        mean = np.trapezoid(force.tissue_force, force.theta, axis=1) / np.ptp(force.theta)
        np.testing.assert_allclose(read[f"x{k}"], mean, rtol=0.02, atol=1e-12)
    # forward along both parts of the state, and back
    slopes = {f"x{k}": np.ones(7) / np.abs(read[f"x{k}"]).max() for k in range(7)}
    ahead = found.jvp(np.ones(1))
    expected = sum(slopes[name] @ ahead[name] for name in slopes)
    assert found.vjp(slopes)[0] == pytest.approx(expected, rel=1e-6)
