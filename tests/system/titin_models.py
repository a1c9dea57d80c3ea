"""Fibers with titin, and the active curve of line muscles as a law."""

from dataclasses import dataclass

import numpy as np

import fibermsk as fm
from fibermsk.laws.hill.degroote import _ACTIVE

STRESS, RADIUS, LENGTH = 3e5, 5e-3, 0.1
F0 = STRESS * np.pi * RADIUS**2
_CURVE = np.array(_ACTIVE)


@dataclass(frozen=True)
class HillStress:
    """Nominal active stress with the force-length curve of line muscles, damped."""

    optimal: float = fm.law_constant("", above=0)
    damping: float = fm.law_constant("s", least=0, default=0.1)

    def stress(self, stretch, stretch_rate, activation):
        x = stretch / self.optimal
        total = 0.0 * x
        for k in range(3):
            offset = (x - _CURVE[k, 1]) / (_CURVE[k, 2] + _CURVE[k, 3] * x)
            total += _CURVE[k, 0] * np.exp(-0.5 * offset * offset)
        rate = self.damping * stretch_rate / self.optimal
        return 3e5 * (activation * total + rate) + 1e3 * (stretch - 1.0 / stretch**2)


SOLID = fm.KelvinVoigt(1e4, 1e3)


def tissue(muscle=SOLID, **parts):
    return fm.Tissue(density=1060.0, muscle=muscle, **parts)


def between(length=LENGTH, *, activation=0.0, n=6, **parts):
    """A straight fiber between two fixed points, at its reference length."""
    model = fm.Model("held", gravity=(0, 0, 0))
    ends = model.ground.at(0, 0, 0), model.ground.at(length, 0, 0)
    own = {"tissue": tissue(titin=fm.Titin(STRESS)), **parts}
    fiber = fm.Fiber("f", attach=ends, radius=RADIUS, n_elements=n, activation=activation, **own)
    model.add(fiber)
    return model


def on_descending_limb(length, *, n=6, bound=True, activation=1.0, **titin):
    """A fully active fiber held at a length over its optimum."""
    optimal = 1.0 / length
    value = fm.Titin(
        STRESS,
        optimal_stretch=optimal,
        near_share=0.85,
        active_damping=242.0 if bound else 0.0,
        **titin,
    )
    own = tissue(HillStress(optimal), titin=value)
    return between(activation=activation, n=n, tissue=own)


def uneven(system, size):
    """Start with stretches that differ by up to twice the size along a single straight fiber."""
    y, v = system.initial_state()
    nodes, _ = system.split(y)
    s = nodes[:, 0] / LENGTH
    nodes[:, 0] -= LENGTH * size / np.pi * np.sin(np.pi * s)
    nodes[:, 3] = LENGTH * (1.0 - size * np.cos(np.pi * s))
    return system.retract(0.0, y, np.zeros_like(y)), v


def linked(enforce="eliminate", driven=False):
    """Curved fibers from ground to the second of two coupled links, and to the first alone.

    `driven`: the activation of the second is a state.
    """
    model = fm.Model("linked", gravity=(0, 0, -9.81))
    parent, links = model.ground, []
    for k in range(2):
        link = model.add(fm.Body(f"link_{k}", mass=0.5, com=(0.05, 0, 0), inertia=(1e-3,) * 3))
        at = (0.1 * k, 0.0, 0.0)
        model.add(fm.Hinge(f"hinge_{k}", parent, link, at, axis=(0, 1, 0), value=0.2))
        links.append(link)
        parent = link
    turn = fm.Polynomial((0.0, 0.6, 0.8))
    model.add(fm.Coupling("hinge_1", turn, "hinge_0", enforce))
    titin = fm.Titin(STRESS, optimal_stretch=1.1, near_share=0.6)
    own = tissue(active=fm.ActiveStress(STRESS, 1.0, 0.4, 2.0), titin=titin)
    dynamics = fm.ActivationDynamics(0.8, start=0.05)
    for k, link in enumerate(links):
        ends = model.ground.at(0, 0.01 * k, 0.03), link.at(0.08, 0, 0.02)
        model.add(
            fm.Fiber(
                f"fiber_{k}",
                attach=ends,
                radius=RADIUS,
                n_elements=2 + k,
                tissue=own,
                activation=dynamics if driven and k else 0.3,
                muscle_fraction=lambda theta: 0.2 + 0.8 * np.sin(np.pi * theta),
            )
        )
    return model
