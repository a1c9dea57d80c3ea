"""Stability of a static state: the lowest mode of the undamped motion about it.

Small motions w = u e^(s t) about a state at rest satisfy (K - lambda M) u = 0 with lambda = -s^2.
With a symmetric K the state is stable where all lambda are positive; the most negative one grows
fastest, and damping slows the growth but never prevents it (Kelvin, Tait and Chetaev). It is found
by inverse iteration shifted below all eigenvalues, where K - sigma M has no negative pivot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs, eigsh

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ConvergenceError
from fibermsk.guard import guarded
from fibermsk.protocol import BorderedMatrix, System
from fibermsk.solvers.newton.linear import factorize
from fibermsk.solvers.statics.linearize import (
    Linearization,
    asymmetry,
    combine,
    dense,
    inertia,
    linearize,
)
from fibermsk.solvers.vectors import require_host, require_system

_SYMMETRIC = 1e-9
"""Asymmetry of K, over its largest entry, that counts as round-off."""

_FEW = 48
"""Maximum number of unknowns for dense eigenvalue solvers."""

_MODES = 6
"""Number of eigenvalues computed next to the shift if K is not symmetric."""

_MOST_WITH_STATES = 600
"""Independent unknowns up to which all eigenvalues are computed."""

_ROUND_OFF_OF_RATES = 1e-9
"""Real parts of these that count as zero, over the largest size."""

_ROUND_OFF = 1e-13
"""Eigenvalues that count as zero, over the largest K_ii / M_ii."""


@dataclass(frozen=True, repr=False)
class Stability:
    """Effect of a small perturbation of a state at rest.

    Attributes
    ----------
    stable : bool
        Whether no perturbation grows exponentially; neutral states are stable in this sense.
    growth_rate : float
        Growth rate of the fastest mode without damping [1/s]; 0 if stable.
    frequency : float
        Frequency of the lowest mode without damping [Hz]; 0 if unstable or neutral, infinite if
        nothing can move.
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

    def __repr__(self) -> str:
        return f"Stability({self})"

    def __str__(self) -> str:
        if self.stable:
            return f"stable: the lowest mode has {self.frequency:.4g} Hz"
        return f"unstable: a mode that is largest at {self.where} grows at {self.growth_rate:.3g}/s"


@guarded
def stability(system: System, y: Array, t: float = 0.0) -> Stability:
    """Stability of a state at rest, such as from `equilibrium`.

    Parameters
    ----------
    system : System
        From `fibermsk.build`; `fibermsk.stability` also takes a `Model`, and builds it.
    y : (n,) float array
        Positions.
    t : float
        Time of the loads and activations [s].

    Returns
    -------
    stability : Stability
        Stability and lowest mode.

    Raises
    ------
    ModelError
        If the type or shape of an argument is wrong.
    ConvergenceError
        If the eigenvalues cannot be computed.

    Notes
    -----
    The result holds for small motions that the mesh can represent. A cable under
    compression has no resistance to folding: it is unstable with a rate that grows with the number
    of elements.

    Contact by half passes makes K unsymmetric. Then the mode with the smallest real part of lambda
    is chosen among those next to a shift below the spectrum of the symmetric part, which bounds all
    real parts from below: a positive definite symmetric part is sufficient for stability against
    divergence, and not necessary. Flutter, complex lambda with a positive real part, is not
    detected: it is caused by the inexact balance of half passes, and damped by viscosity.

    With unknowns of first order all eigenvalues of the damped motion are computed, of systems of up
    to 600 independent unknowns: a delayed reflex may make a state unstable that is stable without
    it. `growth_rate` is then that with damping, and `frequency` the lowest of any oscillation.
    Larger systems whose only such unknowns are at quadrature points, as of titin, are judged with
    these at rest at every position: these have an energy and a damping, and the verdict is the
    same, but the growth rate is an upper bound.
    """
    require_system("stability", system)
    require_host("stability", system)
    t = _check.number("stability", "t", t, "s")
    y = np.array(_check.array("stability", "y", y, (system.n,)))
    rest = np.zeros_like(y)
    y = system.retract(t, y, rest)
    at_rest = system.n > _MOST_WITH_STATES and _only_at_points(system)
    here = linearize(system, t, y, rest, rest, at_rest=at_rest)
    stiffness, mass = here.stiffness, here.mass
    if here.free.size == 0:
        return Stability(True, 0.0, np.inf, rest, "")
    if here.n_states:
        return _with_states(system, t, y, here)
    size = float(np.abs(_diagonal(stiffness) / _diagonal(mass)).max())
    symmetric = asymmetry(stiffness) <= _SYMMETRIC
    try:
        if here.free.size <= _FEW:
            value, vector = _solve_few(stiffness, mass, symmetric)
        else:
            value, vector = _solve_many(stiffness, mass, size, symmetric)
    except (np.linalg.LinAlgError, ArpackNoConvergence) as error:
        raise ConvergenceError(
            f"the stability of the state is not known: {error}", time=t
        ) from None
    neutral = abs(value) <= _ROUND_OFF * size
    rate = 0.0 if neutral else float(np.sqrt(abs(value)))
    return Stability(
        neutral or value > 0.0,
        rate if value < 0.0 else 0.0,
        rate / (2.0 * np.pi) if value > 0.0 else 0.0,
        *_mode(system, y, here.whole(vector, system.n)),
    )


def _only_at_points(system: System) -> bool:
    """Whether a system has states of first order, all at quadrature points."""
    blocks = getattr(system, "states", ())
    return bool(blocks) and all(block.shape for block in blocks)


def _mode(system: System, y: Array, motion: Array) -> tuple[Array, str]:
    """Motion (n,) whose largest component over the unknown's scale is 1, and that unknown."""
    scaled = motion / system.scale
    largest = int(np.argmax(np.abs(scaled)))
    return system.enforce(y, motion / scaled[largest]), system.describe(largest)


def _with_states(system: System, t: float, y: Array, here: Linearization) -> Stability:
    """Verdict where unknowns are of first order: all eigenvalues of the damped motion.

    With u second-order and s first-order parts, u' = p, M p' + C_us s' = -K_uu u - C_uu p - K_us s
    and C_su p + C_ss s' = -K_su u - K_ss s.
    """
    K, C, M, k = dense(here.stiffness), dense(here.damping), dense(here.mass), here.n_states
    n = K.shape[0] - k
    if n + k > _MOST_WITH_STATES:
        raise ConvergenceError(
            f"the stability of the state is not known: a system with states of first order and "
            f"more than {_MOST_WITH_STATES} independent unknowns, {n + k}, is too large",
            time=t,
        )
    size = 2 * n + k
    A, B = np.zeros((size, size)), np.eye(size)
    A[:n, n : 2 * n] = np.eye(n)
    A[n:, :n], A[n:, n : 2 * n], A[n:, 2 * n :] = -K[:, :n], -C[:, :n], -K[:, n:]
    B[n : 2 * n, n : 2 * n], B[n:, 2 * n :] = M[:n, :n], C[:, n:]
    rates, modes = cast(Any, eig(A, B))
    if not np.isfinite(rates).all():
        raise ConvergenceError(
            "the stability of the state is not known: a coordinate has no inertia, or the rate of "
            "a state of first order does not follow from its row",
            time=t,
        )
    growth = np.real(rates)
    fastest = int(np.argmax(growth))
    # without the speeds, whose phase differs from that of the positions
    vector = np.delete(modes[:, fastest], np.s_[n : 2 * n])
    vector = np.real(vector / vector[np.argmax(np.abs(vector))])
    motion = here.whole(vector, system.n)
    rate = float(growth[fastest])
    unstable = rate > _ROUND_OFF_OF_RATES * float(np.abs(rates).max(initial=0.0))
    turning = np.abs(np.imag(rates))
    slowest = float(turning[turning > 0.0].min(initial=np.inf))
    return Stability(
        not unstable,
        rate if unstable else 0.0,
        0.0 if unstable or np.isinf(slowest) else slowest / (2.0 * np.pi),
        *_mode(system, y, motion),
    )


def _diagonal(matrix: BorderedMatrix) -> Array:
    return np.r_[matrix.sparse.diagonal(), matrix.D.diagonal()]


def _solve_few(K: BorderedMatrix, M: BorderedMatrix, symmetric: bool) -> tuple[float, Array]:
    """Lowest eigenvalue and its vector by factorizations of full matrices."""
    stiffness, mass = dense(K), dense(M)
    if symmetric:
        values, vectors = eigh(0.5 * (stiffness + stiffness.T), 0.5 * (mass + mass.T))
        return float(values[0]), vectors[:, 0]
    return _lowest(*eig(stiffness, mass))


def _solve_many(
    K: BorderedMatrix, M: BorderedMatrix, size: float, symmetric: bool
) -> tuple[float, Array]:
    """Lowest eigenvalue and its vector by shifted inverse iteration."""
    n = _diagonal(M).size
    shift = _shift_below(K, M, size)
    solve = factorize(combine([K, M], [1.0, -shift]))
    options = {
        "M": _operator(n, lambda x: M @ x),
        "sigma": shift,
        "OPinv": _operator(n, solve),
        "which": "LM",
        "v0": np.random.default_rng(0).normal(size=n),
    }
    operator = _operator(n, lambda x: K @ x)
    if symmetric:
        values, vectors = eigsh(operator, k=1, **options)
        return float(values[0]), vectors[:, 0]
    return _lowest(*eigs(operator, k=_MODES, **options))


def _operator(n: int, apply: Callable[[Array], Array]) -> Any:
    make: Any = LinearOperator  # its constructor is unknown to the type checker
    return make((n, n), matvec=apply, dtype=float)


def _lowest(values: NDArray[np.complex128], vectors: NDArray) -> tuple[float, Array]:
    """Smallest real part, and a real vector of its invariant subspace."""
    lowest = int(np.argmin(values.real))
    vector = vectors[:, lowest]
    vector = vector / vector[np.argmax(np.abs(vector))]
    return float(values[lowest].real), np.ascontiguousarray(vector.real)


def _shift_below(K: BorderedMatrix, M: BorderedMatrix, size: float) -> float:
    """Negative shift below all eigenvalues of the symmetric part, within a decade if possible.

    Bisection over the decades from the round-off of the eigenvalues upwards.
    """

    def below(decade: int) -> bool:
        try:
            return inertia(combine([K, M], [1.0, size * 10.0**decade])) == 0
        except np.linalg.LinAlgError:  # a definite matrix has no vanishing pivot
            return False

    none = round(np.log10(_ROUND_OFF)) + 1
    if below(none):
        return -size * 10.0**none
    all_ = 1
    while not below(all_):
        all_ += 2
        if all_ > 12:
            raise np.linalg.LinAlgError("the mass matrix is not positive definite")
    while all_ - none > 1:
        middle = (none + all_) // 2
        none, all_ = (none, middle) if below(middle) else (middle, all_)
    return -size * 10.0**all_
