"""Kernels of cable elements for user-defined stress laws.

The stress is the sum of the built-in law and each user-defined law, times its share
(`fibermsk.laws.layout`). The kernels are those of `fibermsk.kernels.fibers`, compiled again with
this stress in place of the built-in law's.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from fibermsk._compile import Rebuilding, uncached
from fibermsk.kernels.fibers import activation as by_activation, attachment, cable
from fibermsk.kernels.own_law import activation_slope_of, compiled_law, constants_at, file_name
from fibermsk.laws.layout import StressLayout


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
    return _rebuilt(layout, layout.digest) if layout.own else _BUILT_IN


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
    label = "_".join(map(file_name, layout.own.values()))
    replaced = [(cable.law_stress, stress), (cable.law_energy, energy)]
    made = Rebuilding(replaced, label, digest)
    found = StressKernels(*(made.of(getattr(_BUILT_IN, one.name)) for one in fields(_BUILT_IN)))
    return found if layout.has_energy else replace(found, cable_energy=None)


def activation_kernel(layout: StressLayout) -> Any:
    """`fibermsk.kernels.fibers.activation.activation_slope` for the laws of a layout.

    Raises
    ------
    ModelError
        If the derivative of a law in the activation cannot be compiled.
    """
    if layout.muscle is None:  # tendon is passive
        return by_activation.activation_slope
    return _rebuilt_slope(layout, layout.digest)


@lru_cache
def _rebuilt_slope(layout: StressLayout, digest: str) -> Any:
    kind, share = layout.muscle, layout.columns["muscle/share"]
    assert kind is not None
    own, constants = activation_slope_of(kind), constants_at(kind, share + 1)
    built_in = by_activation.law_activation_slope

    @uncached
    def law_activation_slope(stretch, stretch_rate, activation, law, e, k):
        slope, part = built_in(stretch, stretch_rate, activation, law, e, k), law[e, k, share]
        if part != 0.0:
            slope += part * own(constants(law[e], k), stretch, stretch_rate, activation)
        return slope

    made = Rebuilding([(built_in, law_activation_slope)], file_name(kind), digest)
    return made.of(by_activation.activation_slope)


def _with_stress(before: Any, own: Any, constants: Any, share: int, felt: float) -> Any:
    """Stress plus that of a user-defined law, which depends on activation or not."""

    @uncached
    def law_stress(stretch, stretch_rate, activation, law, e, k):
        P, dP_dstretch, dP_drate = before(stretch, stretch_rate, activation, law, e, k)
        part = law[e, k, share]
        if part != 0.0:
            Q, dQ_dstretch, dQ_drate = own(
                constants(law[e], k), stretch, stretch_rate, felt * activation
            )
            P += part * Q
            dP_dstretch += part * dQ_dstretch
            dP_drate += part * dQ_drate
        return P, dP_dstretch, dP_drate

    return law_stress


def _with_energy(before: Any, own: Any, constants: Any, share: int) -> Any:
    @uncached
    def law_energy(stretch, law, e, k):
        total, part = before(stretch, law, e, k), law[e, k, share]
        if part != 0.0:
            total += part * own(constants(law[e], k), stretch)
        return total

    return law_energy
