"""Coordinates that follow several others: derivatives, motion, energy, what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm

SADDLE = fm.MultivariatePolynomial(
    [[0, 0], [1, 0], [0, 2], [1, 1], [2, 1]], [0.2, 0.5, -0.4, 0.6, 0.3]
)
SUM = [fm.Sine(0.6, 1.4, 0.2), fm.SmoothStep(-0.5, 0.9, -0.2, 0.7)]


def chain(function, enforce="eliminate"):
    """Four bars; the third angle follows the first two, and the fourth the third and the first."""
    model = fm.Model("chain", gravity=(0, 0, -9.81))
    parent, at = model.ground, (0, 0, 0)
    for k in range(4):
        body = model.add(fm.Body(f"b{k}", 0.5, (0, 0.02, -0.1), (0.004, 0.005, 0.002)))
        axis = (0.1 * k, 1, 0.2)
        model.add(fm.Hinge(f"q{k}", parent, body, at, axis=axis, value=0.3 * (k < 2)))
        parent, at = body, (0, 0, -0.2)
    model.add(fm.Coupling("q2", function, ("q0", "q1"), enforce))
    model.add(fm.Coupling("q3", [fm.Linear(0.5, 0.1), fm.Linear(-0.3)], ("q2", "q0"), enforce))
    return model


def expected(function, x, y):
    if isinstance(function, fm.MultivariatePolynomial):
        return float(function((x, y)))
    return float(function[0](x) + function[1](y))


@pytest.mark.parametrize("function", [SADDLE, SUM], ids=["polynomial", "sum"])
def test_values_and_derivatives(rng, function):
    skeleton = fm.skeleton(chain(function))
    assert skeleton.independent == ("q0", "q1")
    for _ in range(5):
        q, p, p_dot = rng.uniform(-1, 1, 2), rng.normal(size=2), rng.normal(size=2)
        values = skeleton.values(q)
        assert values["q2"] == pytest.approx(expected(function, *q), rel=1e-13)
        assert values["q3"] == pytest.approx(0.5 * values["q2"] + 0.1 - 0.3 * q[0], rel=1e-13)
        rows = skeleton.map.evaluate(q, p, p_dot, True)
        h, t = 1e-6, 1e-4
        for k, e in enumerate(np.eye(2)):
            ahead, back = (skeleton.map.evaluate(q + s * h * e, p, p_dot, True) for s in (1, -1))
            for one, exact in (("x", rows.J), ("x_dot", rows.V), ("x_ddot", rows.W)):
                slope = (getattr(ahead, one) - getattr(back, one)) / (2 * h)
                assert_allclose(exact[:, k], slope, atol=1e-7 * (1 + np.abs(slope).max()))
        way = [skeleton.values(q + s * p + 0.5 * s * s * p_dot) for s in (t, 0.0, -t)]
        for name in ("q2", "q3"):
            a, b, c = (one[name] for one in way)
            row = skeleton.row_of(name)
            assert_allclose(rows.x_dot[row], (a - c) / (2 * t), atol=1e-6)
            assert_allclose(rows.x_ddot[row], (a - 2 * b + c) / t**2, atol=1e-5)


@pytest.mark.parametrize(
    "function", [SADDLE, pytest.param(SUM, marks=pytest.mark.slow)], ids=["polynomial", "sum"]
)
def test_both_ways_to_enforce_move_alike_and_keep_the_energy(function):
    runs = []
    for enforce in ("eliminate", "multiplier"):
        system = fm.build(chain(function, enforce))
        run = fm.simulate(system, t_end=0.4, dt=0.01, control=fm.AdaptiveSteps(1e-8))
        runs.append(run)
        y, v = (
            np.array([part[name] for name in system.skeleton.independent]).T
            for part in (run.coordinates, run.speeds)
        )
        found = [system.energy(*one) for one in zip(y, v, strict=True)]
        kinetic = np.array([one.kinetic for one in found])
        total = kinetic + [one.gravity for one in found]
        assert np.ptp(kinetic) > 0.1 and np.ptp(total) < 2e-5 * np.ptp(kinetic)
    for name in ("q0", "q1", "q2", "q3"):
        assert_allclose(runs[1].coordinate(name), runs[0].coordinate(name), atol=1e-5)
    values = [runs[0].coordinate(name)[-1] for name in ("q0", "q1", "q2")]
    assert values[2] == pytest.approx(expected(function, *values[:2]), rel=1e-9)


def test_numbers_of_couplings_have_paths():
    model = chain(SUM)
    other = fm.with_parameters(model, {"couplings/q2/function/0/amplitude": 0.1})
    assert other.couplings[0].function[0].amplitude == 0.1
    other = fm.with_parameters(chain(SADDLE), {"couplings/q2/function/coefficients/0": 0.9})
    assert other.couplings[0].value({"q0": 0.0, "q1": 0.0}) == pytest.approx(0.9)


def test_what_is_refused():
    line = fm.Linear()
    for make, message in (
        (lambda: fm.Coupling("a", [line], ("b", "c")), "1 functions'; must be 2 functions"),
        (lambda: fm.Coupling("a", line, ("b", "c")), "function .* of each independent"),
        (lambda: fm.Coupling("a", [line, 3.0], ("b", "c")), r"function\[1\] = 3.0"),
        (lambda: fm.Coupling("a", [line, line], ("b", "b")), "each once"),
        (lambda: fm.Coupling("a", [line, line], ("b", "a")), "differ from the dependent"),
        (lambda: fm.Coupling("a", SADDLE, "b"), "one of 2'; must be a polynomial of 1"),
        (lambda: fm.Coupling("a", [], ()), "be one name or more"),
        (lambda: fm.Coupling("a", line, 3.0), "independent = 3.0"),
    ):
        with pytest.raises(fm.ModelError, match=message):
            make()
    model = chain(SUM)
    with pytest.raises(fm.ModelError, match="'q0'.* not depend on it"):
        model.add(fm.Coupling("q0", [line, line], ("q3", "q1")))


def test_the_overview_names_what_is_followed():
    assert chain(SUM).couplings[0].name == "q2 follows q0, q1"
