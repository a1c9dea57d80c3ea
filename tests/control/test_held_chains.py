"""Optimal control of chains that are closed by rods, lines and welds, against their runs."""

import numpy as np
import pytest
from control.trees import orders
from scipy.optimize import root

import fibermsk as fm
from fibermsk.control.mechanics.directors import Directors
from fibermsk.control.mechanics.discrete import Discrete, Node
from fibermsk.control.mechanics.elements import Elements
from fibermsk.control.mechanics.tree import LinkTree
from fibermsk.system.system import FiberSystem

QUIET = {"progress": False}
AXIS = (0, -1, 0)
INERTIA = (4e-3, 4e-3, 4e-4)


def bar(model, name, mass=1.0):
    return model.add(fm.Body(name, mass, (0.0, 0.0, -0.1), INERTIA))


def rocker():
    """Two cranks on the ground, and a rod without mass between them."""
    model = fm.Model("rocker", gravity=(0.0, 0.0, -9.81))
    left, right = bar(model, "left"), bar(model, "right", 1.2)
    model.add(
        fm.Hinge("a", model.ground, left, (0, 0, 0), AXIS, value=0.2),
        fm.Hinge("c", model.ground, right, (0.22, 0, 0), AXIS, value=0.2),
    )
    ends = left.at(0, 0, -0.2), right.at(0, 0, -0.24)
    model.add(fm.PointConstraint("rod", *ends, distance=0.26))
    return model


def guided():
    """A crank and a rod, whose end glides on a line of the ground that is oblique."""
    model = fm.Model("guided", gravity=(0.0, 0.0, -9.81))
    crank, rod = bar(model, "crank"), bar(model, "rod", 0.8)
    model.add(
        fm.Hinge("a", model.ground, crank, (0, 0, 0), AXIS, value=0.2),
        fm.Hinge("c", crank, rod, (0, 0, -0.2), AXIS, value=1.0),
    )
    line, point = model.ground.at(0, 0, -0.1), rod.at(0, 0, -0.4)
    model.add(fm.PointOnLineConstraint("guide", line, point, (1.0, 0.0, 0.1)))
    return model


def welded():
    """Four bars by four hinges: the last bar is in two parts, which a weld holds together."""
    model = fm.Model("welded", gravity=(0.0, 0.0, -9.81))
    left, rod, right = bar(model, "left"), bar(model, "rod", 0.8), bar(model, "right", 0.7)
    part = bar(model, "part", 0.5)
    model.add(
        fm.Hinge("a", model.ground, left, (0, 0, 0), AXIS, value=0.2),
        fm.Hinge("b", left, rod, (0, 0, -0.2), AXIS, value=np.pi / 2),
        fm.Hinge("d", rod, part, (0, 0, -0.26), AXIS, value=-np.pi / 2, child_at=(0, 0, -0.24)),
        fm.Hinge("c", model.ground, right, (0.22, 0, 0), AXIS, value=0.2),
    )
    model.add(fm.WeldConstraint("weld", right.at(0, 0, -0.1), part.at(0, 0, -0.1)))
    return model


CASES = {"rod": (rocker, 1), "line": (guided, 1), "weld": (welded, 3)}


def held_at(model):
    """Constraints and their derivatives at coordinates, as a run has them."""
    system = FiberSystem(model)
    return system, lambda q: system.multipliers.at_rest(system.configuration)(np.asarray(q))[1]


def closed(model, a):
    """Coordinates at which a chain is closed, its crank at an angle."""
    system, held = held_at(model)
    names = list(system.skeleton.independent)
    start = system.skeleton.start.copy()
    free = [k for k, name in enumerate(names) if name != "a"]

    def opening(x):
        q = start.copy()
        q[names.index("a")], q[free] = a, x
        g = held(q).g
        return g if g.size == len(free) else held(q).G[:, free].T @ g

    x = root(opening, start[free], tol=1e-13).x
    q = start.copy()
    q[names.index("a")], q[free] = a, x
    assert np.abs(held(q).g).max() < 1e-10
    return dict(zip(names, map(float, q), strict=True))


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.parametrize("case", CASES)
def test_equations_are_those_of_a_run(rng, case):
    """Values and derivatives at random poses; rows that follow from others are left out."""
    make, n = CASES[case]
    model = make()
    tree = LinkTree.of(model)
    directors = Directors(tree)
    elements = Elements.of(model, tree)
    discrete = Discrete(directors, elements)
    kept = [k for one in elements.closures for k in one.kept]
    assert discrete.held == n == len(kept)
    system, held = held_at(model)
    names = [one.coordinate for one in tree.links if one.degrees]
    order = [list(system.skeleton.independent).index(name) for name in names]
    slopes = np.array([one.slope for one in tree.links if one.degrees])
    for _ in range(4):
        q = system.skeleton.start + rng.uniform(-0.5, 0.5, system.skeleton.n)
        run = held(q)
        node = Node(q[order], np.zeros((3, 0)))
        g = np.array(discrete.closure(*node, np.zeros(n))[0]).ravel()
        G = np.array(discrete.closure_slope(*node))
        np.testing.assert_allclose(g, run.g[kept], atol=1e-13)
        np.testing.assert_allclose(G * slopes, run.G[kept][:, order], atol=1e-12)


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.parametrize("case", CASES)
def test_a_held_chain_moves_as_in_a_run(case):
    """With order two; the chain stays closed, and so do its rates."""
    make, _ = CASES[case]
    off = []
    for n in (20, 40):
        model = make()
        solution = fm.OptimalControl(
            model, duration=0.4, steps=n, controls=fm.Torques({"a": 5.0}),
            start=fm.AtRest(closed(model, 0.2)), end=fm.AtRest(a=0.7),
        ).solve(**QUIET)  # fmt: skip
        own = solution.resimulation
        off.append([own.coordinate, own.speed])
        assert own.discrete < 1e-9
    assert orders(off) == pytest.approx(np.full((1, 2), 2.0), abs=0.3)
    _, held = held_at(model)
    names = held_at(model)[0].skeleton.independent
    for k in range(0, 41, 5):
        q = [solution.coordinates[name][k] for name in names]
        v = [solution.speeds[name][k] for name in names]
        run = held(q)
        assert np.abs(run.g).max() < 1e-9
        assert np.abs(run.G @ v).max() < 1e-8
    assert solution.coordinates["a"][-1] == pytest.approx(0.7, abs=1e-9)
    assert np.ptp(solution.coordinates["c"]) > 0.1
