"""Stability of a static state: the lowest mode of the undamped motion about it.

Small motions w = u e^(s t) about a state at rest satisfy (K - lambda M) u = 0 with lambda = -s^2.
With a symmetric K the state is stable where all lambda are positive; the most negative one grows
fastest, and damping slows the growth but never prevents it (Kelvin, Tait and Chetaev). It is found
by inverse iteration shifted below all eigenvalues, where K - sigma M has no negative pivot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh

from fibermsk import _check
from fibermsk.errors import ConvergenceError
from fibermsk.guard import guarded
from fibermsk.protocol import System
from fibermsk.solvers.linear import factorize, multiply
from fibermsk.solvers.linearize import (
    Matrix,
    asymmetry,
    combine,
    dense,
    inertia,
    linearize,
)
from fibermsk.solvers.vectors import require_host, require_system

__all__ = ["Stability", "stability"]

Array = NDArray[np.float64]

_SYMMETRIC = 1e-9
"""Difference of K and its transpose, over the largest entry, that counts as round-off."""

_FEW = 48
"""Systems with at most this many unknowns are solved in full."""

_MODES = 6
"""Eigenvalues next to the shift that are looked at where K is not symmetric."""

_ROUND_OFF = 1e-13
"""Eigenvalues that count as zero, over the largest K_ii / M_ii."""


@dataclass(frozen=True)
class Stability:
    """What a small disturbance of a state at rest does.

    Attributes
    ----------
    stable : bool
        Whether no disturbance grows exponentially; neutral states are stable in this sense.
    growth_rate : float
        Rate at which the fastest mode grows without damping [1/s]; 0 if stable.
    frequency : float
        Of the lowest mode without damping [Hz]; 0 if unstable or neutral, infinite if nothing can
        move.
    mode : (n,) float array
        The lowest mode; its largest component over the unknown's scale is 1.
    where : str
        The unknown of that component, empty if nothing can move.
    """

    stable: bool
    growth_rate: float
    frequency: float
    mode: Array
    where: str

    def __str__(self) -> str:
        """The verdict in a line."""
        if self.stable:
            return f"stable: the lowest mode has {self.frequency:.4g} Hz"
        return f"unstable: a mode that is largest at {self.where} grows at {self.growth_rate:.3g}/s"


@guarded
def stability(system: System, y: Array, t: float = 0.0) -> Stability:
    """Stability of a state at rest, such as `equilibrium` gives.

    Parameters
    ----------
    system : System
        From `fibermsk.build`.
    y : (n,) float array
        Positions.
    t : float
        Time at which loads and activations are taken [s].

    Returns
    -------
    stability : Stability
        Verdict and lowest mode.

    Raises
    ------
    ModelError
        If an argument is of another type or shape.
    ConvergenceError
        If the eigenvalues cannot be found.

    Notes
    -----
    The verdict is about small motions, and about those that the mesh can take. A cable under
    compression has no resistance to folding: it is unstable with a rate that grows with the number
    of elements.

    Contact by half passes makes K unsymmetric. Then the mode with the smallest real part of lambda
    is taken among those next to a shift below the spectrum of the symmetric part, which bounds all
    real parts from below: a positive definite symmetric part is sufficient for stability against
    divergence, and not necessary. Flutter, complex lambda with a positive real part, is not looked
    for: it comes from the inexact balance of half passes, and viscosity damps it.
    """
    require_system("stability", system)
    require_host("stability", system)
    t = _check.number("stability", "t", t, "s")
    y = np.array(_check.array("stability", "y", y, (system.n,)))
    rest = np.zeros_like(y)
    y = system.retract(t, y, rest)
    stiffness, _, mass, free = linearize(system, t, y, rest, rest)
    if free.size == 0:
        return Stability(True, 0.0, np.inf, rest, "")
    if asymmetry(mass) > _SYMMETRIC:
        raise ConvergenceError(
            "the stability of the state is not known: the masses are not symmetric, as with "
            "couplings that are kept by multipliers; eliminate those",
            time=t,
        )
    size = float(np.abs(_diagonal(stiffness) / _diagonal(mass)).max())
    symmetric = asymmetry(stiffness) <= _SYMMETRIC
    try:
        value, vector = (_solve_few if free.size <= _FEW else _solve_many)(
            stiffness, mass, size, symmetric
        )
    except (np.linalg.LinAlgError, ArpackNoConvergence) as error:
        raise ConvergenceError(
            f"the stability of the state is not known: {error}", time=t
        ) from None
    mode = np.zeros_like(y)
    mode[free] = vector
    scaled = mode / system.scale
    largest = int(np.argmax(np.abs(scaled)))
    mode = system.enforce(y, mode / scaled[largest])
    neutral = abs(value) <= _ROUND_OFF * size
    rate = 0.0 if neutral else float(np.sqrt(abs(value)))
    return Stability(
        stable=neutral or value > 0.0,
        growth_rate=rate if value < 0.0 else 0.0,
        frequency=rate / (2.0 * np.pi) if value > 0.0 else 0.0,
        mode=mode,
        where=system.describe(largest),
    )


def _diagonal(matrix: Matrix) -> Array:
    if isinstance(matrix, np.ndarray):
        return matrix.diagonal()
    return np.r_[matrix.sparse.diagonal(), matrix.D.diagonal()]


def _solve_few(K: Matrix, M: Matrix, size: float, symmetric: bool) -> tuple[float, Array]:
    """Lowest eigenvalue and its vector by factorizations of full matrices."""
    K, M = dense(K), dense(M)
    if symmetric:
        values, vectors = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
        return float(values[0]), vectors[:, 0]
    return _lowest(*eig(K, M))


def _solve_many(K: Matrix, M: Matrix, size: float, symmetric: bool) -> tuple[float, Array]:
    """Lowest eigenvalue and its vector by shifted inverse iteration."""
    n = _diagonal(M).size
    shift = _shift_below(K, M, size)
    solve = factorize(combine([K, M], [1.0, -shift]))
    options = {
        "M": _operator(n, lambda x: multiply(M, x)),
        "sigma": shift,
        "OPinv": _operator(n, solve),
        "which": "LM",
        "v0": np.random.default_rng(0).normal(size=n),
    }
    operator = _operator(n, lambda x: multiply(K, x))
    if symmetric:
        values, vectors = eigsh(operator, k=1, **options)
        return float(values[0]), vectors[:, 0]
    return _lowest(*eigs(operator, k=_MODES, **options))


def _operator(n: int, apply: Callable[[Array], Array]) -> Any:
    make: Any = LinearOperator  # whose constructor the type checker does not know
    return make((n, n), matvec=apply, dtype=float)


def _lowest(values: NDArray[np.complex128], vectors: NDArray) -> tuple[float, Array]:
    """Smallest real part, and the real vector that turns with it."""
    lowest = int(np.argmin(values.real))
    vector = vectors[:, lowest]
    vector = vector / vector[np.argmax(np.abs(vector))]
    return float(values[lowest].real), np.ascontiguousarray(vector.real)


def _shift_below(K: Matrix, M: Matrix, size: float) -> float:
    """Negative shift below all eigenvalues of the symmetric part, within a decade if possible.

    Bisection over the decades from the round-off of the eigenvalues upwards.
    """

    def below(decade: int) -> bool:
        try:
            return inertia(combine([K, M], [1.0, size * 10.0**decade])) == 0
        except np.linalg.LinAlgError:  # no definite matrix breaks down
            return False

    none = round(np.log10(_ROUND_OFF)) + 1
    if below(none):
        return -size * 10.0**none
    all_ = 1
    while not below(all_):
        all_ += 2
        if all_ > 12:
            raise np.linalg.LinAlgError("the matrix of masses is not positive definite")
    while all_ - none > 1:
        middle = (none + all_) // 2
        none, all_ = (none, middle) if below(middle) else (middle, all_)
    return -size * 10.0**all_
