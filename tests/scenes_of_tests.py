"""Small models and the limb scene, shared by the tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

import fibermsk as fm

ROOT = Path(__file__).parents[1]


def load_scene(name):
    """Module of a file in scenes/."""
    spec = importlib.util.spec_from_file_location(f"scene_{name}", ROOT / "scenes" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rubber(viscosity=0.0, prestress=0.0, active=None, density=1000.0):
    """A plain tissue."""
    return fm.Tissue(density, fm.KelvinVoigt(5e4, viscosity), active=active, prestress=prestress)


def two_link_arm(elements=4, contact=True, viscosity=300.0, points=5, formulation="half_pass"):
    """Two hinges about different axes, three fibers across both, in contact with everything."""
    model = fm.Model("arm", gravity=(0.3, -0.2, -9.81))
    upper = fm.Body(
        "upper",
        mass=1.2,
        com=(0.01, 0.0, -0.12),
        inertia=(0.01, 0.012, 0.003),
        shapes=fm.Capsule((0, 0, 0), (0, 0, -0.25), 0.02),
    )
    lower = fm.Body(
        "lower",
        mass=0.8,
        com=(0.0, 0.01, -0.1),
        inertia=(0.006, 0.007, 0.002),
        shapes=(
            fm.Capsule((0, 0, 0), (0, 0, -0.2), 0.018),
            fm.InfiniteCylinder((0, 0, 0), (0.1, 1, 0), 0.022),
        ),
    )
    model.add(upper, lower)
    model.add(
        fm.Hinge("shoulder", model.ground, upper, at=(0, 0, 0.1), axis=(0.1, 1, 0.2), damping=0.1),
        fm.Hinge(
            "elbow", upper, lower, at=(0, 0, -0.25), axis=(1, 0.3, 0), damping=0.05, value=0.2
        ),
    )
    tissue = fm.Tissue(
        1000.0,
        fm.KelvinVoigt(2e4, viscosity),
        fm.KelvinVoigt(2e5, 2 * viscosity),
        fm.ActiveStress(1e5, optimal_stretch=1.1),
        prestress=2e4,
    )
    fibers = [
        fm.Fiber(
            f"fiber_{i}",
            attach=(model.ground.at(0.027, y, 0.12), lower.at(0.024, y, -0.08)),
            radius=lambda s: 0.005 + 0.004 * s * (1 - s),
            muscle_fraction=lambda s: 4 * s * (1 - s),
            n_elements=elements,
            nodes=np.linspace(0, 1, elements + 1) ** 1.2,
            tissue=tissue,
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
    n = tangent.A.shape[0]
    return np.r_[
        tangent.A @ d[:n] + tangent.B @ d[n:],
        tangent.R @ d[:n] + tangent.D @ d[n:],
    ]
