"""Small models and the limb scene, shared by the tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import coupled_tangent
import numpy as np

import fibermsk as fm

ROOT = Path(__file__).parents[1]
FROM_FILES = "arm26_lines", "arm26_fibers", "arm26_reach", "finger_flick", "identify_arm"
"""Scenes that need a model which is no part of the package."""


def load_scene(name):
    """Module of a file in scenes/, which may import its neighbors."""
    spec = importlib.util.spec_from_file_location(f"scene_{name}", ROOT / "scenes" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "scenes"))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def rubber(viscosity=0.0, prestress=0.0, active=None, density=1000.0):
    """A plain tissue."""
    return fm.Tissue(density, fm.KelvinVoigt(5e4, viscosity), active=active, prestress=prestress)


def two_link_arm(elements=4, contact=True, viscosity=300.0, points=5, formulation="half_pass"):
    """Two hinges about different axes, three fibers across both, in contact with everything."""
    model = fm.Model("arm", gravity=(0.3, -0.2, -9.81))
    upper, lower = coupled_tangent.add_bones(model, cylinder=0.022, damping=0.05)
    fibers = [
        fm.Fiber(
            f"fiber_{i}",
            attach=(model.ground.at(0.027, y, 0.12), lower.at(0.024, y, -0.08)),
            radius=lambda s: 0.005 + 0.004 * s * (1 - s),
            muscle_fraction=lambda s: 4 * s * (1 - s),
            n_elements=elements,
            nodes=np.linspace(0, 1, elements + 1) ** 1.2,
            tissue=coupled_tangent.tissue(viscosity),
            activation=0.3,
        )
        for i, y in enumerate((-0.0098, 0.0, 0.0095))
    ]
    model.add(*fibers)
    if contact:
        law = fm.PenaltyContact(stiffness=400.0, limit=3.0)
        options = {"points_per_element": points, "formulation": formulation}
        model.add(fm.Contact(fibers, fibers, law, **options))
        model.add(fm.Contact(fibers, [upper, lower], law, **options))
    return model


def advance(system, newton, state, h, method=None):
    """One step from a state by a method without history: the new state and Newton's report."""
    method = method or fm.BackwardEuler()
    step = method.step(system, newton, method.start(system, state), h)
    return step.memory.state, step.reports[-1]


def independent(system):
    """Mask of the unknowns that are not slaved to a body."""
    free = np.ones(system.n, bool)
    for node in system.cables.attached_nodes:
        free[6 * node : 6 * node + 3] = False
    return free


def apply(tangent, d):
    """Product of a bordered tangent with an increment."""
    if tangent.points is not None:
        return tangent @ d
    n = tangent.A.shape[0]
    return np.r_[
        tangent.A @ d[:n] + tangent.B @ d[n:],
        tangent.R @ d[:n] + tangent.D @ d[n:],
    ]
