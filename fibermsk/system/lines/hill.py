"""Hill forces of line muscles, grouped by the kernel of their law."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.kernels.lines.hill import HillKernels, kernels_of
from fibermsk.laws.hill.equations import OUTPUTS
from fibermsk.model import LineMuscle
from fibermsk.results import Field

NAMES = tuple(OUTPUTS)
REPORTED = {name: unit for name, unit in OUTPUTS.items() if name != "activation"}
"""Outputs in results, with their units; the activation is that of the muscle itself."""


class _Group(NamedTuple):
    """Muscles with one kernel: their numbers, and rows of constants (m, n_constants)."""

    own: Index
    kernels: HillKernels
    constants: Array


class LawsAt:
    """Laws of muscles at one state, with which those of changed ones are of first order.

    A difference of the laws themselves would pass their kinks: Thelen's curve of the velocity has
    one at rest.

    Parameters
    ----------
    groups : HillGroups
        The laws.
    given : (5, m) array
        Length and speed of the path, activation, state and rate of each muscle.
    """

    def __init__(self, groups: HillGroups, given: Array) -> None:
        self._groups, self._given, self._forces = groups, given, groups.forces(*given)

    @cached_property
    def _by_constants(self) -> list[Array]:
        return self._groups.by_constants(self._given)

    def forces(self, groups: HillGroups, given: Array) -> Array:
        """See `HillGroups.forces`, of changed muscles; derivatives are those at the state."""
        found = self._forces.copy()
        found[:, :, 0] += np.einsum("mij,jm->mi", found[:, :, 1:], given - self._given)
        both = zip(self._groups.constants, groups.constants, strict=True)
        changes = [(own, new - old) for (own, old), (_, new) in both]
        if any(change.any() for _, change in changes):
            for (own, change), slopes in zip(changes, self._by_constants, strict=True):
                found[own, :, 0] += np.einsum("mij,mj->mi", slopes, change)
        return found


class HillGroups:
    """Forces and outputs of muscles, each of which has a law.

    Parameters
    ----------
    muscles : tuple of LineMuscle
        The muscles.
    """

    def __init__(self, muscles: tuple[LineMuscle, ...]) -> None:
        self.muscles = muscles
        self._laws = [muscle.law for muscle in muscles if muscle.law is not None]
        shared: dict[tuple[Any, ...], list[int]] = {}
        for k, law in enumerate(self._laws):
            shared.setdefault((type(law.curves), law.tendon), []).append(k)
        self._groups = [
            _Group(
                np.array(own),
                kernels_of(self._laws[own[0]]),
                np.array([self._laws[k].constants(muscles[k]) for k in own]),
            )
            for own in shared.values()
        ]

    @property
    def constants(self) -> list[tuple[Index, Array]]:
        """Muscles of each kernel, and their rows of constants."""
        return [(own, constants) for own, _, constants in self._groups]

    def forces(self, length: Array, speed: Array, a: Array, x: Array, rate: Array) -> Array:
        """Tendon force [N] and row of the state of each muscle, with derivatives, (m, 2, 6).

        The last axis has the value and its derivatives in length and speed of the path, activation,
        state and rate of the state.
        """
        return self._each("forces", (2, 6), (length, speed, a, x, rate))

    def by_constants(self, given: Array) -> list[Array]:
        """Derivatives (m, 2, n_constants) of the muscles of each kernel in their constants.

        given (5, m): length and speed of the path, activation, state and rate of each muscle.
        """
        found = list[Array]()
        for own, kernels, constants in self._groups:
            part = np.empty((own.size, 2, constants.shape[1]))
            kernels.constant_slopes(*given[:, own], constants.astype(complex), part)
            found.append(part)
        return found

    def outputs(self, length: Array, speed: Array, a: Array, x: Array, rate: Array) -> Array:
        """Outputs of each muscle by `NAMES`, (m, n), or (m, k, n) of k states, all of (m, k)."""
        return self._each("outputs", (len(NAMES),), (length, speed, a, x, rate))

    def _each(self, kernel: str, shape: tuple[int, ...], given: tuple[Array, ...]) -> Array:
        """What a kernel of each group fills, (m, ..., *shape), for arrays (m, ...)."""
        states = np.shape(given[0])[1:]
        out, many = np.empty((len(self.muscles), *states, *shape)), int(np.prod(states))
        for own, kernels, constants in self._groups:
            part = np.empty((own.size * many, *shape))
            each = constants if many == 1 else np.repeat(constants, many, axis=0)
            getattr(kernels, kernel)(*(one[own].ravel() for one in given), each, part)
            out[own] = part.reshape(own.size, *states, *shape)
        return out

    def start(self, k: int, length: float, activation: float) -> float:
        """State of a muscle in static equilibrium; NaN for a rigid tendon."""
        law = self._laws[k]
        balances = kernels_of(law).balances
        return law.start(self.muscles[k], length, activation, balances=balances).state

    def state(self, k: int) -> tuple[str, str, float] | None:
        """Name, unit and characteristic size of the state of a muscle; None without one."""
        named = self._laws[k].state
        if named is None:
            return None
        name, unit = named
        return name, unit, self.muscles[k].optimal_fiber_length if unit == "m" else 1.0

    def energy(self, length: Array, state: Array) -> float:
        """Elastic energy of passive fibers and tendons [J], at lengths of paths and states (m,)."""
        still = np.zeros_like(length)
        found = self.outputs(length, still, still, state, still)
        fibers, tendons = (NAMES.index(name) for name in ("fiber_length", "tendon_length"))
        return sum(
            sum(law.energy(muscle, float(one[fibers]), float(one[tendons])))
            for law, muscle, one in zip(self._laws, self.muscles, found, strict=True)
        )

    @property
    def fields(self) -> list[Field]:
        """Outputs that results report of every muscle."""
        return [
            Field(name, unit or "1", name.replace("_", " "), "as in OpenSim", (), "muscle")
            for name, unit in REPORTED.items()
        ]

    @property
    def fingerprint(self) -> list[Any]:
        """Constants of all muscles, and the kinds of their laws."""
        laws = [f"{type(law.curves).__name__} {law.tendon}" for law in self._laws]
        return [*laws, *(part for own, _, constants in self._groups for part in (own, constants))]
