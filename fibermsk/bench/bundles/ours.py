"""Bundle and cables in this package: the models, and the solver settings that the benches use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.bench.bundles import case
from fibermsk.bench.measure.timing import simulate_timed, timed
from fibermsk.elements.hermite import hermite, hermite_d1
from fibermsk.laws import KelvinVoigt, PenaltyContact
from fibermsk.model import Contact, Fiber, Model, Tissue
from fibermsk.results import Result
from fibermsk.solvers import BDF2, SDIRK2, BackwardEuler, GeneralizedAlpha, Newton
from fibermsk.solvers.newton.stage import Method
from fibermsk.system import build

STEPS = (16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""Time steps for one second, the cheapest first; the first that is accurate enough is taken."""

CONVERGED_STEPS = 2048
"""Of the run that the sag is compared with."""

METHODS: dict[str, Method] = {
    method.name: method
    for method in (BackwardEuler(), BDF2(), SDIRK2(), GeneralizedAlpha(rho_inf=0.5))
}
"""Time integrators to choose from."""

METHOD = METHODS["backward_euler"]
"""The one that a bundle takes to come to rest."""

NEWTON = Newton(tolerance=1e-4)
"""Nonlinear solver of a few steps."""

LOOSE_NEWTON = Newton(tolerance=1e-2, balance=1e-2)
"""Nonlinear solver of a whole fall, whose steps make larger errors: an increment of that part of a
fiber's length is the last one. It is applied in full, so that far less is left of it."""

CABLES: dict[str, Any] = {
    "method": GeneralizedAlpha(rho_inf=0.9),
    "newton": Newton(tolerance=1e-5, contraction=0.3),
}
"""Time integrator and nonlinear solver of cables without contact; Exudyn uses the same method."""

POINTS = 2
"""Contact points of each element."""

CONTACT = PenaltyContact(stiffness=40.0, limit=3.0)
"""Contact law."""

VISCOSITY = case.YOUNGS_MODULUS * 0.02 / 3.0
"""Of the tissue [N s/m^2]: stretching is damped with a time of 0.02 s."""

_SAMPLES = 16
"""Sample points of an element for centerlines."""


def bundle_model(
    n: int, *, contact: bool = True, bending: float = 1.0, loads: Array | None = None
) -> Model:
    """Describe the bundle of n fibers, which may touch.

    `bending` is the stiffness over that of solid round sections; loads (n, 3) per length on each
    fiber act beside its weight [N/m].
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
    """The bundle pressed together from all sides, so that its contacts stay closed.

    Each fiber is pulled towards the middle of the bundle, in proportion to its distance; those at
    the rim as hard as by their weight.
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
) -> dict[str, Any]:
    """Run the bundle once, see `fibermsk.bench.bundles.case`; the method is one of `METHODS`.

    Gives ``build_seconds`` and ``newton_iterations`` too. Nothing is measured if the run failed.
    """
    settings = {"method": METHODS[method], "newton": LOOSE_NEWTON, "throw": False}
    few = build(bundle_model(min(n, 2), contact=contact, bending=bending))
    simulate_timed(few, 2.0 * duration / steps, 2, **settings)  # compiles
    system, building = timed(lambda: build(bundle_model(n, contact=contact, bending=bending)))
    result, seconds = simulate_timed(system, duration, steps, **settings)
    run = _figures(result, seconds) | {"build_seconds": building}
    if result.status != "success":
        nothing = dict.fromkeys(case.MEASURED)
        return run | nothing | {"message": result.message}
    return run | case.measure([centerlines(result, frame) for frame in _chosen(result, frames)])


def run_cables(
    n: int, steps: int, duration: float = case.DURATION, frames: int = case.FRAMES
) -> dict[str, Any]:
    """Run cables side by side that do not touch: the work that Exudyn does too.

    See `fibermsk.bench.bundles.case`; gives ``newton_iterations`` too.
    """
    one = build(bundle_model(1, contact=False))
    simulate_timed(one, 2.0 * duration / steps, 2, **CABLES)  # compiles
    result, seconds = simulate_timed(
        build(bundle_model(n, contact=False)), duration, steps, **CABLES
    )
    middle = result.fibers["fiber_0"].position[:, case.ELEMENTS // 2, 2]
    return _figures(result, seconds) | {"drops": (-middle[_chosen(result, frames)]).tolist()}


def _figures(result: Result, seconds: float) -> dict[str, Any]:
    return {
        "seconds": seconds,
        "steps": result.stats["substeps"],
        "newton_iterations": result.stats["newton_iterations"],
    }


def _chosen(result: Result, frames: int) -> NDArray[np.int64]:
    """Return the indices of evenly spaced frames of a result, including the last."""
    return np.linspace(0, len(result.time) - 1, frames + 1).round().astype(np.int64)[1:]


def centerlines(result: Result, frame: int) -> tuple[Array, Array]:
    """Points on all centerlines (n, m, 3) and the current radius there (n, m), both in m.

    The radius follows from the stretch there, as the volume does not change.
    """
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
