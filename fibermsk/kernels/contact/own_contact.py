"""Contact kernels for user-defined laws, compiled with the law in place of the built-in one.

A row of constants holds those of the built-in law, of which only the limit is used, and then those
of the user-defined law.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from fibermsk._compile import Rebuilding, uncached
from fibermsk.kernels import contact_law as law
from fibermsk.kernels.closest import gaps
from fibermsk.kernels.contact import axial, contact, pair_potential, variational
from fibermsk.kernels.own_law import compiled_law, constants_at, file_name
from fibermsk.laws.own import law_digest

N_BUILT_IN = 2
"""Columns before the constants of a user-defined law: stiffness (unused) and limit."""


class ContactKernels(NamedTuple):
    """Entry points that call a contact law."""

    fiber_runs: Any
    fiber_slopes: Any
    bone_runs: Any
    find_gaps: Any
    fill_forces: Any
    fill_gradients: Any
    fill_tangents: Any
    scatter_bone_potential: Any
    add_pressure: Any


_BUILT_IN = ContactKernels(
    contact.fiber_runs,
    contact.fiber_slopes,
    contact.bone_runs,
    gaps.find_gaps,
    gaps.fill_forces,
    pair_potential.fill_gradients,
    pair_potential.fill_tangents,
    variational.scatter_bone_potential,
    axial.add_pressure,
)


def contact_kernels(kind: type | None) -> ContactKernels:
    """Kernels for a law as it is now, None for the built-in one.

    Raises
    ------
    ModelError
        If the law cannot be compiled.
    """
    if kind is None:
        return _BUILT_IN
    return ContactKernels(*map(rebuilt_with(kind), _BUILT_IN))


def rebuilt_with(kind: type) -> Callable[[Any], Any]:
    """Function that gives a kernel compiled with a law as it is now.

    Raises
    ------
    ModelError
        If the law cannot be compiled.
    """
    return _rebuilding(kind, law_digest(kind, ("line_force", "energy"))).of


@lru_cache
def _rebuilding(kind: type, digest: str) -> Rebuilding:
    constants = constants_at(kind, N_BUILT_IN)
    replaced = [(law.law_force, _force(compiled_law(kind, "line_force", 1, 1), constants))]
    if hasattr(kind, "energy"):
        energy = compiled_law(kind, "energy", 1, 0)
        replaced.append((law.law_energy, _energy(energy, constants)))
    return Rebuilding(replaced, file_name(kind), digest)


def _force(own: Any, constants: Any) -> Any:
    @uncached
    def law_force(gap, law_constants, law):
        if gap >= 0.0:
            return 0.0, 0.0
        F, dF = own(constants(law_constants, law), gap)
        return F, dF

    return law_force


def _energy(own: Any, constants: Any) -> Any:
    @uncached
    def law_energy(gap, law_constants, law):
        if gap >= 0.0:
            return 0.0
        return own(constants(law_constants, law), gap)

    return law_energy
