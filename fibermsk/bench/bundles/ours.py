"""Bundle and cables in this package, with the solver settings of the benchmarks."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array
from fibermsk.bench.bundles import case
from fibermsk.bench.measure.timing import simulate_timed, timed
from fibermsk.elements.hermite import hermite, hermite_d1
from fibermsk.laws import KelvinVoigt, PenaltyContact
from fibermsk.model import Contact, Fiber, Model, Tissue
from fibermsk.results import Result
from fibermsk.solvers import BDF2, SDIRK2, BackwardEuler, FixedSteps, GeneralizedAlpha, Newton
from fibermsk.solvers.newton.stage import Method
from fibermsk.system import FiberSystem, build

STEPS = (16, 32, 48, 64, 80, 96, 112, 128, 192, 256, 384, 512)
"""Time steps for one second, multiples of the frames, the cheapest first."""

CONVERGED_STEPS = 2048
"""Time steps of the converged run."""

METHODS: dict[str, Method] = {
    method.name: method
    for method in (BackwardEuler(), BDF2(), SDIRK2(), GeneralizedAlpha(rho_inf=0.5))
}
"""Time integrators by name."""

METHOD = METHODS["backward_euler"]
"""Method of bundles at rest."""

NEWTON = Newton(tolerance=1e-4)
"""Nonlinear solver of a few steps."""

LOOSE = 1e-2
"""Tolerances of the nonlinear solver of a whole fall, with larger errors of its time steps. The
last increment is applied in full, so that the remaining error is far smaller."""

ONE_SOLVE = 1e-1
"""The same with which nearly every step of a whole fall is one linear solve."""

CABLES: dict[str, Any] = {
    "method": GeneralizedAlpha(rho_inf=0.9),
    "newton": Newton(tolerance=1e-5, contraction=0.3),
}
"""Settings of cables without contact; Exudyn uses the same method."""

POINTS = 2
"""Contact points of each element."""

CONTACT = PenaltyContact(stiffness=40.0, limit=3.0)
"""Contact law."""

VISCOSITY = case.YOUNGS_MODULUS * 0.02 / 3.0
"""Viscosity [N s/m^2], with a damping time of 0.02 s."""

_SAMPLES = 16
"""Sample points of an element for centerlines."""


def bundle_model(
    n: int, *, contact: bool = True, bending: float = 1.0, loads: Array | None = None
) -> Model:
    """Bundle of n fibers; `bending` is relative to the stiffness of solid round sections.

    loads (n, 3): additional loads per length [N/m].
    """
    model = Model("bundle", gravity=(0.0, 0.0, -case.GRAVITY))
    law = KelvinVoigt(case.YOUNGS_MODULUS / 3.0, VISCOSITY)
    tissue = Tissue(case.DENSITY, law, bending=bending)
    loads = np.zeros((n, 3)) if loads is None else loads
    fibers = [
        Fiber(
            f"fiber_{i}",
            attach=(model.ground.at(0.0, y, z), model.ground.at(case.LENGTH, y, z)),
            radius=case.RADIUS,
            n_elements=case.ELEMENTS,
            tissue=tissue,
            line_load=load,
        )
        for i, ((y, z), load) in enumerate(zip(case.packing(n), loads, strict=True))
    ]
    for fiber in fibers:
        model.add(fiber)
    if contact and n > 1:
        model.add(Contact(fibers, fibers, CONTACT, points_per_element=POINTS))
    return model


def squeezed_model(n: int) -> Model:
    """Bundle with loads towards its middle, so that all contacts stay closed.

    They are proportional to the distance, at the rim equal to the weight.
    """
    places = case.packing(n)
    away = places - 0.5 * (places.min(axis=0) + places.max(axis=0))
    weight = case.DENSITY * case.GRAVITY * np.pi * case.RADIUS**2
    loads = np.zeros((n, 3))
    loads[:, 1:] = -weight * away / np.linalg.norm(away, axis=1).max()
    return bundle_model(n, loads=loads)


def run_bundle(
    n: int,
    steps: int,
    contact: bool = True,
    bending: float = 1.0,
    duration: float = case.DURATION,
    frames: int = case.FRAMES,
    method: str = METHOD.name,
    tolerance: float = LOOSE,
) -> dict[str, Any]:
    """Run the bundle once, see `fibermsk.bench.bundles.case`; the method is one of `METHODS`.

    `tolerance` is that of Newton's increments, and of its balance of forces. Adds
    ``build_seconds`` and ``newton_iterations``. Failed runs are not measured.
    """
    newton = Newton(tolerance=tolerance, balance=tolerance)
    settings = {"method": METHODS[method], "newton": newton, "throw": False}
    few = build(bundle_model(min(n, 2), contact=contact, bending=bending))
    simulate_timed(few, 2.0 * duration / steps, 2, **settings)  # compiles
    system, building = timed(lambda: build(bundle_model(n, contact=contact, bending=bending)))
    result, seconds = _run(system, duration, steps, frames, settings)
    run = _figures(result, seconds) | {"build_seconds": building}
    if result.status != "success":
        nothing = dict.fromkeys(case.MEASURED)
        return run | nothing | {"message": result.message}
    return run | case.measure([centerlines(result, k) for k in range(1, frames + 1)])


def run_cables(
    n: int, steps: int, duration: float = case.DURATION, frames: int = case.FRAMES
) -> dict[str, Any]:
    """Run cables without contact, as in Exudyn; adds ``newton_iterations``."""
    one = build(bundle_model(1, contact=False))
    simulate_timed(one, 2.0 * duration / steps, 2, **CABLES)  # compiles
    system = build(bundle_model(n, contact=False))
    result, seconds = _run(system, duration, steps, frames, CABLES)
    middle = result.fibers["fiber_0"].position[:, case.ELEMENTS // 2, 2]
    return _figures(result, seconds) | {"drops": (-middle[1:]).tolist()}


def _run(
    system: FiberSystem, duration: float, steps: int, frames: int, settings: dict[str, Any]
) -> tuple[Result, float]:
    """Result with evenly spaced frames, and wall time [s]; `steps` is a multiple of `frames`."""
    control = FixedSteps(steps_per_frame=steps // frames)
    return simulate_timed(system, duration, frames, control=control, **settings)


def _figures(result: Result, seconds: float) -> dict[str, Any]:
    return {
        "seconds": seconds,
        "steps": result.stats["substeps"],
        "newton_iterations": result.stats["newton_iterations"],
    }


def centerlines(result: Result, frame: int) -> tuple[Array, Array]:
    """Points on all centerlines (n, m, 3) and current radii there (n, m) [m]."""
    fibers = result.fibers.values()
    theta = next(iter(fibers)).node_theta
    h = np.diff(theta)
    x = np.array([fiber.position[frame] for fiber in fibers])
    t = np.array([fiber.tangent[frame] for fiber in fibers])
    control = np.stack([x[:, :-1], t[:, :-1], x[:, 1:], t[:, 1:]])
    xi = np.arange(_SAMPLES)[:, None] / _SAMPLES

    def along(shapes: Any, last: Array) -> Array:
        """Sample elements (n, n_elements * _SAMPLES + 1, 3); `last` ends them."""
        values = np.einsum("ake,anec->neck", np.array([s + 0 * h for s in shapes]), control)
        values = np.moveaxis(values, -1, 2).reshape(len(x), -1, 3)
        return np.concatenate([values, last[:, None]], axis=1)

    points = along(hermite(xi, h), x[:, -1])
    stretch = np.linalg.norm(along(hermite_d1(xi, h), t[:, -1]), axis=2) / case.LENGTH
    return points, case.RADIUS / np.sqrt(stretch)
