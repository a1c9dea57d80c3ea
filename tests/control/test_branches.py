"""Laws of coordinates with branches, as expressions of CasADi."""

import casadi as ca
import numpy as np
import pytest

import fibermsk as fm
from fibermsk.control.mechanics.branches import in_all_branches

QUIET = {"progress": False}


def stepped(q, p):
    """A law of a user, of comparisons, functions of numpy, and a truth value."""
    if not q:
        return fm.CoordinateForce(1.0, 0.0, 0.0, 0.0)
    size = min(abs(q), 2.0) if q < 1.0 else np.tanh(q)
    return fm.CoordinateForce(size * np.sign(p) + np.maximum(p, 0.3) ** 2, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "law",
    [
        fm.QuadraticLimit(-0.5, 1.2, 30.0),
        fm.SmoothLimit(-0.5, 1.2, 20.0, 30.0, 0.4, 0.3),
        fm.Spring(3.0, 0.2),
        stepped,
    ],
)
def test_a_law_with_branches_is_the_same_in_all_of_them(law):
    q, p = ca.SX.sym("q"), ca.SX.sym("p")
    made = ca.Function("law", [q, p], [in_all_branches(lambda a, b: law(a, b).force, q, p).value])
    for a in (*np.linspace(-3.0, 3.0, 41), 0.0, 1.2):
        for b in (-1.0, 0.0, 0.7):
            assert float(made(a, b)) == pytest.approx(law(a, b).force, rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("function", [lambda q: q % 1.0, np.cbrt, lambda q: np.mod(q, 2.0)])
def test_functions_that_casadi_has_not_are_refused(function):
    """Its remainder, for one, is another."""
    with pytest.raises(TypeError, match="is not among absolute, add"):
        in_all_branches(function, ca.SX.sym("q"))


def test_too_many_branches_are_refused():
    def many(q):
        return sum(1.0 if q > k else q for k in range(8))

    with pytest.raises(TypeError, match="more than 64 branches"):
        in_all_branches(many, ca.SX.sym("q"))


@pytest.mark.parametrize(
    "limit", [fm.QuadraticLimit(0.5, 1.5, 40.0), fm.SmoothLimit(0.5, 1.5, 8, 8, 0.1, 0.3)]
)
def test_an_arm_moves_against_limits_as_in_a_run(limit):
    """From one limit to the other: both act."""
    off = []
    for n in (40, 80):
        scene = fm.make_scene("two_muscle_arm", steps=n)
        model = scene.model.edit({scene.model.coordinates[0]: {"forces": limit}})
        problem = fm.OptimalControl(
            model, duration=0.6, steps=n, start=fm.AtRest(elbow=0.3), end=fm.AtRest(elbow=1.7)
        )
        solution = problem.solve(**QUIET)
        own = solution.resimulation
        assert own.discrete < 1e-9
        off.append(own.coordinate)
    assert off[1] < 5e-3 and np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.4)
