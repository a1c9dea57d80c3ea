"""Newton's method with the contact safeguard."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._heap import give_back
from fibermsk.protocol import Evaluation, Freezes, System, offers, rounded
from fibermsk.solvers.newton.linear import Solver, solver
from fibermsk.solvers.orders import first_order
from fibermsk.solvers.vectors import largest

_MOST_GROWTHS = 3
"""Number of successive growing increments that counts as divergence."""

_LEAST_GAIN = 0.5
"""Ratio of increments above which a kept tangent is replaced, and an update may be damped."""

_MOST_HALVINGS = 4
"""Largest number of halvings of an update that leads away from the solution."""

_STALLS, _NEAR = 3, 1e-3
"""Number of successive slow increments, and the largest one, at which contact points that jump are
frozen; after more of them, updates are damped: few slow ones pass by themselves."""

_SMALL_PART = 0.1
"""Allowed error of an increment over its square, or over the tolerance."""

_FINEST, _COARSEST = 1e-12, 1e-3
"""Range of relative accuracies of iterative increments."""

_ROUND_OFF = 1e-13
"""Scaled increment below which the force balance cannot improve."""

_LARGE = 0.1
"""Scaled increment that the first one is compared to."""

_SPARE = 1e-3
"""Increment over the tolerance that is an estimate of the error, and need not be applied."""


@dataclass
class NewtonReport:
    """Report of one solve."""

    converged: bool = False  # whether the tolerance was met
    # norm of each full Newton increment; the last one may be an estimate that was not applied
    history: list[float] = field(default_factory=list)
    # largest absolute residual at each iterate [N, N m], of the unknowns of second order
    residuals: list[float] = field(default_factory=list)
    # fraction of each increment that the safeguard allowed
    fractions: list[float] = field(default_factory=list)
    tangents: int = 0  # number of tangents evaluated and factored
    # iterations of each linear solution, 0 if direct
    linear: list[int] = field(default_factory=list)
    # pairs of names with contact points that stayed at one of two closest points
    frozen: list[str] = field(default_factory=list)
    reason: str = ""  # cause of failure; empty on success
    worst: int = -1  # unknown with the largest scaled increment in the last iteration
    worst_residual: int = -1  # unknown with the largest residual at the last iterate
    final: Evaluation | None = None  # at the solution, without tangent
    # with the last tangent; None on failure, and `without_factors`
    solve: Solver | None = None
    c: float = 0.0  # implicit part of the stage [s]; set by `solve_stage`
    solution: Array | None = None  # positions (n,) at the solution; None on failure

    def measure(self, residual: Array) -> None:
        """Record the residual of an iterate."""
        size = np.abs(residual)
        self.worst_residual = int(np.argmax(size))
        self.residuals.append(float(size[self.worst_residual]))


@dataclass(frozen=True)
class Newton:
    """Newton's method with a contact safeguard and reuse of tangents.

    A solve has converged when the norm of an unshortened increment is at most `tolerance`: the
    largest increment of any unknown over its scale (fiber length, or 1 rad). The increment is
    applied, so that the remaining error is below the tolerance by at least the factor
    `contraction`, and far below with a new tangent in every iteration. The residual must then be
    at most `balance` times the forces present, unless the increment is round-off.

    Two successive increments e_1, e_2 with new tangents, applied in full, predict the next one,
    e_2^3 / e_1^2, as convergence is quadratic. If that is at most the tolerance, no new tangent is
    evaluated: the residual at the new iterate and the last factors give the increment that is left
    (the simplified one of Deuflhard, section 2.1), to a relative accuracy of the order of e_2. At a
    thousandth of the tolerance it is an estimate of the error, and is not applied; otherwise it is
    an increment as any other.

    Attributes
    ----------
    tolerance : float
        For the scaled increment [-].
    max_iterations : int
        Maximum number of iterations.
    keep : float
        Fraction of its admissibility 1 + gamma g that a contact keeps in one update; delta-bar of
        Gfrerer and Simeon (2021), eq. 71.
    min_fraction : float
        Minimum fraction of an update; a smaller one counts as failure.
    balance : float
        Largest residual over the largest force present, such as the pull of the fibers on their
        ends; the same for coordinates [-].
    contraction : float
        A tangent is reused in the next iteration of the same solve while each increment is at most
        this fraction of the previous one (modified Newton); 0 means a new tangent every iteration.
    damping : bool
        Whether full updates that do not approach the solution are shortened, as steep curves of
        force and velocity need; `equilibrium` never does: of several equilibria, that reached by
        shorter pseudo-time steps lies nearer.
    """

    tolerance: float = 1e-7
    max_iterations: int = 25
    keep: float = 0.1
    min_fraction: float = 1e-6
    contraction: float = 0.0
    balance: float = 1e-3
    damping: bool = True

    _keeps_factors: ClassVar[bool] = True

    def without_factors(self) -> Newton:
        """The same method, whose reports hold no factors: they take most of the memory."""
        other = copy(self)
        _check.store(other, _keeps_factors=False)
        return other

    def __post_init__(self) -> None:
        owner = "Newton"
        _check.positive(owner, "tolerance", self.tolerance)
        _check.positive(owner, "balance", self.balance)
        _check.count(owner, "max_iterations", self.max_iterations)
        _check.flag(owner, "damping", self.damping)
        must = "lie between 0 and 1, both excluded"
        _check.number(
            owner,
            "contraction",
            self.contraction,
            accept=lambda x: 0.0 <= x < 1.0,
            must="be 0 or between 0 and 1",
        )
        for name, value in (("keep", self.keep), ("min_fraction", self.min_fraction)):
            _check.number(owner, name, value, accept=lambda x: 0.0 < x < 1.0, must=must)

    def solve(
        self,
        system: System,
        t: float,
        y: Array,
        evaluate: Callable[[Array, bool], Evaluation],
    ) -> tuple[Array, NewtonReport]:
        """Solve evaluate(y).residual = 0 from y (n,) at time `t` [s]; last iterate and report.

        Dependent entries of y are set first. `evaluate` maps positions, and whether to compute the
        tangent, to an `Evaluation`; `system` gives scale, retraction and safeguard.
        """
        report = NewtonReport()

        def evaluate_lean(y: Array, tangent: bool) -> Evaluation:
            if tangent:
                give_back(y.size)  # there is no other one
            return evaluate(y, tangent)

        try:
            with rounded(system):
                return self._iterate(system, t, y, evaluate_lean, report), report
        finally:
            if report.frozen and offers(system, Freezes):
                system.thaw()

    def _iterate(
        self,
        system: System,
        t: float,
        y: Array,
        evaluate: Callable[[Array, bool], Evaluation],
        report: NewtonReport,
    ) -> Array:
        """Last iterate of `solve`, whose report is filled."""
        forces, scale = slice(0, first_order(system).start), system.scale
        y = system.retract(t, y, np.zeros_like(y))
        current = evaluate(y, True)
        solve, size, growths, stalls, damps = None, _LARGE, 0, 0, self.damping
        whole = closing = False  # of the last increment: by a new tangent and in full; last but one
        for _ in range(self.max_iterations):
            if current.flaw:
                report.reason = f"NaN or infinity in {current.flaw}"
                return y
            if not current.admissibility > 0.0:
                report.reason = "the start is not admissible: a contact is too deep"
                return y
            report.measure(current.residual[forces])
            try:
                before, kept, new = size, current.tangent is None, current.tangent is not None
                increment, solve = _increment(solve, current, self._accuracy(before), report)
                size = _size(system, increment / scale, report)
                if kept and not size <= _LEAST_GAIN * before:
                    # the tangent is outdated: evaluate a new one here
                    solve, new = None, True
                    current = evaluate(y, True)
                    increment, solve = _increment(None, current, self._accuracy(before), report)
                    size = _size(system, increment / scale, report)
            except np.linalg.LinAlgError as error:
                report.reason = str(error)
                return y
            report.history.append(size)
            if not np.isfinite(size):
                report.reason = "the increment is not finite"
                return y
            if closing and not new and size <= _SPARE * self.tolerance:
                if current.imbalance <= self.balance:
                    return self._found(report, current, solve, y)
            # convergence is quadratic
            closing = new and whole and size**3 <= self.tolerance * before**2
            growths = growths + 1 if size > before else 0
            if growths == _MOST_GROWTHS:
                report.reason = f"the last {growths + 1} increments grew, each above the one before"
                return y
            if size > max(self.tolerance, self.contraction * before) and not (
                closing or (damps and size > _LEAST_GAIN * before)
            ):
                # release the tangent and its factors, most of the memory, that no one needs
                solve, current = None, current._replace(tangent=None)
            fraction = system.step_fraction(y, increment, self.keep)
            last = size <= self.tolerance and fraction == 1.0
            slow = not last and size > _LEAST_GAIN * before
            cut = bool(report.fractions) and report.fractions[-1] < 1.0
            stalls = stalls + 1 if slow or cut else 0
            if stalls >= _STALLS and size <= _NEAR:
                names = _freeze(system, t, y, system.retract(t, y, fraction * increment))
                if names:
                    report.frozen += names
                    report.fractions.append(0.0)
                    # never two tangents at once: they take most of the memory
                    solve, current, stalls = None, current._replace(tangent=None), 0
                    current, whole = evaluate(y, True), False
                    continue
            if fraction == 1.0 and slow and damps and (growths or stalls > _STALLS):
                assert solve is not None
                part = self._damped(system, t, y, increment, fraction, evaluate, solve)
                damps, fraction = part > 0.0, part or fraction
            trial = system.retract(t, y, fraction * increment)
            whole = new and fraction == 1.0
            serves = fraction == 1.0 and (closing or size <= self.contraction * before)
            if not (last and self._keeps_factors or serves and not last):
                # release the old tangent and its factors
                solve, current = None, current._replace(tangent=None)
            following = evaluate(trial, not (last or serves))
            while not following.admissibility > self.keep * self.keep * current.admissibility:
                fraction *= 0.5
                if fraction < self.min_fraction:
                    break
                last = whole = False
                trial = system.retract(t, y, fraction * increment)
                solve, following = None, following._replace(tangent=None)
                current = current._replace(tangent=None)
                following = evaluate(trial, True)
            report.fractions.append(fraction)
            if fraction < self.min_fraction:
                report.reason = "the safeguard stops every update: contacts are at their limit"
                if following.flaw:
                    report.reason = f"NaN or infinity in {following.flaw}"
                return y
            y, current = trial, following
            del increment, trial, following
            if last and not (current.imbalance <= self.balance or size <= _ROUND_OFF):
                # forces are not in balance yet, although the increment is small
                solve, last = None, False
                current = evaluate(y, True)
            if last and not current.flaw:
                report.measure(current.residual[forces])
                return self._found(report, current, solve, y)
        report.reason = f"no convergence in {self.max_iterations} iterations"
        if report.history and report.history[-1] <= self.tolerance:
            report.reason += f": forces out of balance by {current.imbalance:.2g} of the largest"
        return y

    def _found(
        self, report: NewtonReport, final: Evaluation, solve: Solver | None, y: Array
    ) -> Array:
        """Report a solution y (n,), and return it."""
        report.converged, report.final, report.solution = True, final, y
        report.solve = solve if self._keeps_factors else None
        return y

    def _damped(
        self,
        system: System,
        t: float,
        y: Array,
        increment: Array,
        fraction: float,
        evaluate: Callable[[Array, bool], Evaluation],
        solve: Solver,
    ) -> float:
        """Fraction of an increment, halved until the next one with the same tangent is smaller.

        The natural monotonicity test of Deuflhard, Newton Methods for Nonlinear Problems (2011),
        section 3.1: steep curves, as that of force and velocity, let full updates alternate. Zero
        if no half of it is better.
        """
        size, part = largest(increment / system.scale, system), fraction
        for _ in range(_MOST_HALVINGS + 1):
            following = evaluate(system.retract(t, y, part * increment), False)
            if not following.flaw and following.admissibility > 0.0:
                ahead = solve(-following.residual, _COARSEST).x
                if largest(ahead / system.scale, system) <= (1.0 - 0.25 * part) * size:
                    return part
            part *= 0.5
        return 0.0

    def _accuracy(self, before: float) -> float:
        """Relative accuracy of the next increment, from the size of the previous one.

        Convergence stays quadratic if the error of an increment is well below its square; errors
        well below the tolerance do no harm.
        """
        expected = before * before
        needed = _SMALL_PART * max(self.tolerance, expected * expected) / expected
        return min(max(needed, _FINEST), _COARSEST)


def _freeze(system: Any, t: float, y: Array, other: Array) -> list[str]:
    """Freeze contact points that jump from y to another y (n,); names of their pairs."""
    return system.freeze(t, y, other) if offers(system, Freezes) else []


def _increment(
    solve: Solver | None, at: Evaluation, accuracy: float, report: NewtonReport
) -> tuple[Array, Solver]:
    """Increment from a residual, with a new tangent if given, and its solver."""
    if at.tangent is not None:
        solve = solver(at.tangent, spend=True)
        report.tangents += 1
    assert solve is not None
    solution = solve(-at.residual, accuracy)
    report.linear.append(solution.iterations)
    return solution.x, solve


def _size(system: System, scaled: Array, report: NewtonReport) -> float:
    """Largest entry, over all processes; the index of the own one is stored in the report."""
    report.worst = int(np.argmax(np.abs(scaled)))
    return largest(scaled[report.worst : report.worst + 1], system)
