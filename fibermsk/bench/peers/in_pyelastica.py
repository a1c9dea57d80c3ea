"""The bundle in PyElastica: Cosserat rods, explicit steps, spring contact between rods.

Written from https://docs.cosseratrods.org: `CosseratRod.straight_rod`, `FixedConstraint`,
`GravityForces`, `AnalyticalLinearDamper`, `RodRodContact` between the pairs that touch,
`PositionVerlet`.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# (the peers are an extra)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fibermsk.bench.bundles import case

DAMPING = 2.0
"""Damping rate of all motion [1/s]."""

CONTACT_DAMPING = 0.5
"""Damping of contacts [N s/m]."""


def run_bundle(
    n: int,
    steps: int,
    stiffness: float = 1000.0,
    contact: bool = True,
    duration: float = case.DURATION,
    frames: int = case.FRAMES,
) -> dict[str, Any]:
    """Run the bundle once, with a contact stiffness [N/m]; see `fibermsk.bench.bundles.case`."""
    import elastica

    stepper, dt = elastica.PositionVerlet(), duration / steps
    trial, _ = _describe(min(n, 2), dt, stiffness, contact)
    _march(stepper, trial, dt)(3)  # compiles
    bundle, rods = _describe(n, dt, stiffness, contact)
    with np.errstate(all="ignore"):
        return case.watch(_march(stepper, bundle, dt), lambda: _frame(rods), steps, frames)


def _describe(n: int, dt: float, stiffness: float, contact: bool) -> tuple[Any, list[Any]]:
    """Simulator and rods."""
    import elastica as ea

    class Bundle(
        ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.Damping, ea.Contact
    ):  # the features that the simulator has
        pass

    bundle = Bundle()
    places = case.packing(n)
    rods = []
    for y, z in places:
        rod = ea.CosseratRod.straight_rod(
            case.ELEMENTS,
            start=np.array([0.0, y, z]),
            direction=np.array([1.0, 0.0, 0.0]),
            normal=np.array([0.0, 0.0, 1.0]),
            base_length=case.LENGTH,
            base_radius=case.RADIUS,
            density=case.DENSITY,
            youngs_modulus=case.YOUNGS_MODULUS,
            shear_modulus=case.YOUNGS_MODULUS / 3.0,
        )
        rods.append(rod)
        bundle.append(rod)
        bundle.constrain(rod).using(
            ea.FixedConstraint, constrained_position_idx=(0, -1), constrained_director_idx=(0, -1)
        )
        down = np.array([0.0, 0.0, -case.GRAVITY])
        bundle.add_forcing_to(rod).using(ea.GravityForces, acc_gravity=down)
        bundle.dampen(rod).using(
            ea.AnalyticalLinearDamper, uniform_damping_constant=DAMPING, time_step=dt
        )
    if contact:
        for i in range(n):
            for j in range(i + 1, n):
                if np.linalg.norm(places[i] - places[j]) < 2.1 * case.RADIUS:
                    bundle.detect_contact_between(rods[i], rods[j]).using(
                        ea.RodRodContact, k=stiffness, nu=CONTACT_DAMPING
                    )
    bundle.finalize()
    return bundle, rods


def _march(stepper: Any, bundle: Any, dt: float) -> Callable[[int], None]:
    """Function that advances a simulator by a number of steps."""
    t = 0.0

    def advance(steps: int) -> None:
        nonlocal t
        for _ in range(steps):
            t = stepper.step(bundle, t, dt)

    return advance


def _frame(rods: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Centerlines, and radii at nodes: the larger of the neighboring elements."""
    centerlines = np.array([rod.position_collection.T for rod in rods])
    radii = np.array([rod.radius for rod in rods])
    ends = radii[:, :1], radii[:, -1:]
    return centerlines, np.maximum(np.hstack([ends[0], radii]), np.hstack([radii, ends[1]]))
