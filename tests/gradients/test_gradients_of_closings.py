"""Gradients through welds with redundant rows, points on lines and couplings of several."""

import warnings

import numpy as np
import pytest
from test_run_gradients import TIGHT, worst

import fibermsk as fm


def linkage():
    """A four-bar linkage whose rocker is cut in two and welded, and a bead on a wire of its rod."""
    model = fm.Model("linkage", gravity=(0.0, -9.81, 0.0))
    crank, rod, part, rocker = (
        model.add(fm.Body(name, mass, com, (5e-3, 1e-3, 5e-3)))
        for name, mass, com in (
            ("crank", 1.0, (0, -0.15, 0)), ("rod", 0.5, (0.1, 0, 0)),
            ("part", 0.3, (0, -0.15, 0)), ("rocker", 0.4, (0.02, -0.15, 0)),
        )
    )  # fmt: skip
    bead = model.add(fm.Body("bead", 0.2, (0, 0, 0), (1e-4,) * 3))
    cart = model.add(fm.Body("cart", 0.1, (0, 0, 0), (1e-4,) * 3))
    ground, z = model.ground, (0, 0, 1)
    tip = 0.3 * np.sin(0.4), -0.3 * np.cos(0.4)
    model.add(
        fm.Hinge("h1", ground, crank, (0, 0, 0), z, value=0.4),
        fm.Hinge("h2", crank, rod, (0, -0.3, 0), z, value=-0.4),
        fm.Hinge("h3", ground, rocker, (0.2, 0, 0), z, value=0.4),
        fm.Hinge("h4", rod, part, (0.2, 0, 0), z, child_at=(0, -0.3, 0), value=0.4),
        fm.WeldConstraint("weld", rocker.at(0, -0.1, 0), part.at(0, -0.1, 0)),
        fm.Slider("x", ground, cart, (0, 0, 0), axis=(1, 0, 0), value=tip[0] + 0.05),
        fm.Slider("y", cart, bead, (0, 0, 0), axis=(0, 1, 0), value=tip[1]),
        fm.PointOnLineConstraint("wire", rod.at(0, 0, 0), bead.at(0, 0, 0), (1, 0, 0)),
    )
    return model


@pytest.mark.parametrize("method", [fm.BackwardEuler(), fm.SDIRK2()], ids=repr)
def test_masses_of_a_closed_linkage(method):
    model = linkage()
    aim = fm.Objective(
        lambda time, a, x: a[-1] ** 2 + 3.0 * x[-1] + (x * a).sum(), {"a": "h1", "x": "x"}
    )
    paths = ["rod/mass", "part/mass", "rocker/inertia/zz", "bead/mass", "model/gravity/x"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.Simulation(model, t_end=0.06, dt=0.01, method=method, newton=TIGHT)
        assert worst(run, aim, paths) < 1e-6


def test_numbers_of_functions():
    """Those of steps and splines of degree five as any other's; those of sines are refused."""
    x = [-0.5, -0.2, 0.1, 0.4, 0.7, 1.0]
    for function, path in (
        (fm.SmoothStep(-0.3, 0.9, 0.1, 0.4), ["after", "end"]),
        (fm.NaturalSpline(x, np.cos(x), degree=5), ["y/3"]),
        (fm.Sine(0.2, 1.5, 0.1), ["amplitude"]),
    ):
        model = fm.Model("bow", gravity=(0.0, -9.81, 0.0))
        body = model.add(fm.Body("bob", 1.0, (0.1, -0.15, 0), (5e-3, 1e-3, 5e-3)))
        axes = [
            fm.Axis("translation", (1, 0, 0), [("q", function)]),
            fm.Axis("rotation", (0, 0, 1), "q"),
        ]
        start = fm.Coordinate("q", value=0.27)
        model.add(fm.FunctionalJoint("joint", model.ground, body, start, axes))
        run = fm.Simulation(model, t_end=0.06, dt=0.01, newton=TIGHT)
        aim = fm.Objective(lambda time, q: q[-1] ** 2, {"q": "q"})
        paths = [f"joint/axes/0/terms/q/{one}" for one in path]
        if isinstance(function, fm.Sine):
            with pytest.raises(fm.ModelError, match="be no number of a Sine that moves an axis"):
                fm.gradient(run, aim, paths)
        else:
            assert worst(run, aim, paths) < 1e-6
