"""Kernels of cable elements for user-defined stress laws, and for active stress with curves.

The stress is the sum of the built-in law, of each user-defined law, times its share, and of the
active stress (`fibermsk.laws.layout`). The kernels are those of `fibermsk.kernels.fibers`, compiled
again with this stress in place of the built-in law's.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from fibermsk._compile import Rebuilding, uncached
from fibermsk.kernels.fibers import attachment, cable
from fibermsk.kernels.own_law import compiled_law, constants_at, file_name, lazy_law
from fibermsk.laws.active import ACTIVE, AMPLITUDE, active_stress
from fibermsk.laws.curves import BUILT_IN_CURVES
from fibermsk.laws.layout import StressLayout
from fibermsk.laws.own import constant_names


@dataclass(slots=True)
class StressKernels:
    """Entry points of `cable` and `attachment` that read a stress law; no energy where none is."""

    cable_residual: Any
    assemble_cable: Any
    cable_energy: Any
    least_forces: Any
    sample_cable: Any
    end_rates: Any


_BUILT_IN = StressKernels(
    cable.cable_residual,
    cable.assemble_cable,
    cable.cable_energy,
    cable.least_forces,
    cable.sample_cable,
    attachment.end_rates,
)


def stress_kernels(layout: StressLayout) -> StressKernels:
    """Kernels for the laws of a layout, as they are now.

    Raises
    ------
    ModelError
        If a law cannot be compiled.
    """
    return _rebuilt(layout, layout.digest) if layout.digest else _BUILT_IN


@lru_cache
def _rebuilt(layout: StressLayout, digest: str) -> StressKernels:
    stress, energy = cable.law_stress, cable.law_energy
    for part, kind in layout.own.items():
        share = layout.columns[f"{part}/share"]
        constants = constants_at(kind, share + 1)
        own = compiled_law(kind, "stress", 3, 2)
        stress = _with_stress(stress, own, constants, share, 1.0 if part == "muscle" else 0.0)
        if layout.has_energy:
            own_energy = compiled_law(kind, "energy", 1, 0)
            energy = _with_energy(energy, own_energy, constants, share)
    if layout.curves:
        stress = _with_active(stress, with_curves(layout), layout.columns[AMPLITUDE])
    replaced = [(cable.law_stress, stress), (cable.law_energy, energy)]
    made = Rebuilding(replaced, label_of(layout), digest)
    found = StressKernels(*(made.of(getattr(_BUILT_IN, one.name)) for one in fields(_BUILT_IN)))
    return found if layout.has_energy else replace(found, cable_energy=None)


def label_of(layout: StressLayout) -> str:
    """Names of the laws of a layout in the names of compiled files."""
    return "_".join(map(file_name, (*layout.own.values(), *layout.curves.values())))


def with_curves(layout: StressLayout) -> Any:
    """Compile the active stress of a layout with its curves.

    Of stretch, stretch rate, amplitude, constants (n_points, n_constants) and point: the stress and
    its derivatives in the stretch and in the rate. Curves of the package compile when a kernel is
    compiled, not when it is loaded from the cache.
    """
    first, of_curves = layout.columns[AMPLITUDE], []
    at = first + len(ACTIVE)
    for name, kind in layout.curves.items():
        known = kind in BUILT_IN_CURVES[name]
        curve = lazy_law(kind, "factor") if known else compiled_law(kind, "factor", 1, 1)
        of_curves.append(_on_constants(curve, constants_at(kind, at)))
        at += len(constant_names(kind))
    on_length, on_velocity = of_curves
    combined = uncached(active_stress)

    @uncached
    def active(stretch, stretch_rate, amplitude, rows, k):
        numbers = rows[k, first + 1], rows[k, first + 2], rows[k, first + 3]
        f = on_length(stretch / numbers[0], rows, k)
        g = on_velocity(stretch_rate / (numbers[0] * numbers[1]), rows, k)
        return combined(stretch, amplitude, numbers, f, g)

    return active


def _on_constants(curve: Any, constants: Any) -> Any:
    @uncached
    def on_row(x, rows, k):
        return curve(constants(rows, k), x)

    return on_row


def _with_active(before: Any, active: Any, first: int) -> Any:
    """Stress plus the active stress with curves."""

    @uncached
    def law_stress(stretch, stretch_rate, activation, law, row, k):
        P, dP_dstretch, dP_drate = before(stretch, stretch_rate, activation, law, row, k)
        amplitude = activation * law[row, k, first]
        if amplitude != 0.0:
            Q, dQ_dstretch, dQ_drate = active(stretch, stretch_rate, amplitude, law[row], k)
            P += Q
            dP_dstretch += dQ_dstretch
            dP_drate += dQ_drate
        return P, dP_dstretch, dP_drate

    return law_stress


def _with_stress(before: Any, own: Any, constants: Any, share: int, felt: float) -> Any:
    """Stress plus that of a user-defined law, which depends on activation or not."""

    @uncached
    def law_stress(stretch, stretch_rate, activation, law, row, k):
        P, dP_dstretch, dP_drate = before(stretch, stretch_rate, activation, law, row, k)
        part = law[row, k, share]
        if part != 0.0:
            Q, dQ_dstretch, dQ_drate = own(
                constants(law[row], k), stretch, stretch_rate, felt * activation
            )
            P += part * Q
            dP_dstretch += part * dQ_dstretch
            dP_drate += part * dQ_drate
        return P, dP_dstretch, dP_drate

    return law_stress


def _with_energy(before: Any, own: Any, constants: Any, share: int) -> Any:
    @uncached
    def law_energy(stretch, law, row, k):
        total, part = before(stretch, law, row, k), law[row, k, share]
        if part != 0.0:
            total += part * own(constants(law[row], k), stretch)
        return total

    return law_energy
