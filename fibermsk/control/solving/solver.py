"""Solve one discrete problem with IPOPT: progress, interrupts, and what went wrong."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.control.ipopt import exact_options
from fibermsk.control.transcription import Label, Transcription

_EVERY = 1.0
"""Least wall time between two reports [s]."""

_INTERRUPTED = "User_Requested_Stop"


class SolverStep(NamedTuple):
    """Progress of a search.

    Attributes
    ----------
    iteration : int
        Number of iterations.
    objective : float
        Value of the objective.
    violation : float
        Largest violation of an equation.
    seconds : float
        Wall time [s].
    """

    iteration: int
    objective: float
    violation: float
    seconds: float


@dataclass(frozen=True)
class Solved:
    """What the solver found.

    Attributes
    ----------
    x, multipliers : (n,) and (m,) float array
        Unknowns, and multipliers of the equations.
    bound_multipliers : (n,) float array
        Of the bounds.
    status : str
        "success", "interrupted" or "failed"; `reason` is the solver's word for it.
    objective, stationarity, violation : float
        Value, largest component of the gradient of the Lagrangian, and largest violation.
    history : (k, 3) float array
        Objective, violation and dual infeasibility of each iteration.
    iterations : int
        Their number.
    build_seconds, solve_seconds : float
        Wall times [s].
    entries : (int, int)
        Entries of the Jacobian and of the Hessian.
    pattern : (2, n_entries) int array
        Rows and columns of the entries of the Jacobian.
    """

    x: Array
    multipliers: Array
    bound_multipliers: Array
    status: str
    reason: str
    objective: float
    stationarity: float
    violation: float
    history: Array
    iterations: int
    build_seconds: float
    solve_seconds: float
    entries: tuple[int, int]
    pattern: Index


class _Watch(ca.Callback):
    """Called by the solver in each iteration; stops it when asked to."""

    def __init__(self, n: int, m: int, tell: Callable[[SolverStep], None] | None) -> None:
        ca.Callback.__init__(self)
        self._n, self._m, self._tell = n, m, tell
        self.stop, self._count = False, -1
        self.error: BaseException | None = None
        self._start = self._last = time.perf_counter()
        self.bounds: tuple[Array, Array] | None = None
        self.construct("watch", {})

    def get_n_in(self) -> int:
        """Number of inputs."""
        return ca.nlpsol_n_out()

    def get_n_out(self) -> int:
        """Number of outputs."""
        return 1

    def get_name_in(self, i: int) -> str:
        """Name of an input."""
        return ca.nlpsol_out(i)

    def get_sparsity_in(self, i: int) -> Any:
        """Shape of an input."""
        sizes = {"f": 1, "x": self._n, "lam_x": self._n, "g": self._m, "lam_g": self._m}
        n = sizes.get(ca.nlpsol_out(i), 0)
        return ca.Sparsity.dense(n) if n else ca.Sparsity(0, 0)

    def eval(self, arg: Any) -> list[int]:
        """Report, and tell whether to stop."""
        self._count += 1
        now = time.perf_counter()
        if self._tell is not None and (self._count == 0 or now - self._last >= _EVERY):
            self._last = now
            names = ca.nlpsol_out()
            g = np.array(arg[names.index("g")]).ravel()
            assert self.bounds is not None
            low, high = self.bounds
            off = np.maximum(np.maximum(low - g, g - high), 0.0).max(initial=0.0)
            value = float(arg[names.index("f")])
            try:
                self._tell(SolverStep(self._count, value, float(off), now - self._start))
            except BaseException as error:  # CasADi would print it and go on
                self.stop, self.error = True, error
        return [1 if self.stop else 0]


@contextmanager
def _interruptible(watch: _Watch) -> Iterator[None]:
    """Let the first Ctrl-C stop the search at its iterate."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        watch.stop = True
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Warm(NamedTuple):
    """Multipliers of an earlier solution of a problem of the same size."""

    multipliers: Array
    bound_multipliers: Array

    def fits(self, n: int, m: int) -> bool:
        """Whether a problem of n unknowns and m equations has as many."""
        return (self.bound_multipliers.size, self.multipliers.size) == (n, m)


def solve(
    problem: Transcription,
    x0: Array,
    *,
    tolerance: float,
    iterations: int,
    expand: bool,
    warm: Warm | None = None,
    tell: Callable[[SolverStep], None] | None = None,
) -> Solved:
    """Solve a discrete problem from unknowns x0 (n,)."""
    begin = time.perf_counter()
    x, g = ca.vertcat(*problem.unknowns.symbols), ca.vertcat(*problem.equations.symbols)
    low, high = problem.unknowns.bounds()
    watch = _Watch(x.numel(), g.numel(), tell)
    watch.bounds = problem.equations.bounds()
    options = exact_options(tolerance) | {
        "expand": expand, "iteration_callback": watch, "ipopt.max_iter": iterations,
        "ipopt.honor_original_bounds": "yes", "inputs_check": False,
    }  # fmt: skip
    start: dict[str, Any] = {"x0": np.clip(x0, low, high)}
    if warm is not None and warm.fits(x.numel(), g.numel()):
        options |= {"ipopt.warm_start_init_point": "yes", "ipopt.mu_init": 1e-6}
        start |= {"lam_g0": warm.multipliers, "lam_x0": warm.bound_multipliers}
    nlp = {"x": x, "f": problem.value, "g": g}
    solver = ca.nlpsol("solver", "ipopt", nlp, options)
    built = time.perf_counter()
    lbg, ubg = watch.bounds
    with _interruptible(watch):
        found = solver(**start, lbx=low, ubx=high, lbg=lbg, ubg=ubg)
    ended = time.perf_counter()
    if watch.error is not None:
        raise watch.error
    stats = solver.stats()
    own = {name: np.array(found[name]).ravel() for name in ("x", "g", "lam_g", "lam_x")}
    status = "success" if stats["success"] else "failed"
    if stats["return_status"] == _INTERRUPTED:
        status = "interrupted"
    trail = stats.get("iterations", {})
    history = np.array([trail.get(key, []) for key in ("obj", "inf_pr", "inf_du")]).T
    off = np.maximum(np.maximum(lbg - own["g"], own["g"] - ubg), 0.0)
    gradient = _gradient(solver, own)
    held = low == high
    count = int(stats["iter_count"]) if history.size else 0  # not set where it refuses to begin
    return Solved(
        own["x"], own["lam_g"], own["lam_x"], status, stats["return_status"],
        float(found["f"]), float(np.abs(gradient[~held]).max(initial=0.0)),
        float(off.max(initial=0.0)), history, count, built - begin, ended - built,
        *_entries(solver),
    )  # fmt: skip


def _gradient(solver: Any, own: dict[str, Array]) -> Array:
    """Gradient of the Lagrangian (n,)."""
    f = solver.get_function("nlp_grad_f")
    jacobian = solver.get_function("nlp_jac_g")
    slope = np.array(f(own["x"], [])[1]).ravel()
    J = jacobian(own["x"], [])[1].sparse()
    return slope + J.T @ own["lam_g"] + own["lam_x"]


def _entries(solver: Any) -> tuple[tuple[int, int], Index]:
    """Numbers of entries of the Jacobian and of the Hessian, and the pattern of the first."""
    shape = solver.get_function("nlp_jac_g").sparsity_out(1)
    counts = shape.nnz(), solver.get_function("nlp_hess_l").nnz_out(0)
    return counts, np.array(shape.get_triplet(), np.int64)


def sizes_of(problem: Transcription) -> tuple[int, int]:
    """Numbers of equations, without inequalities, and of unknowns that are not given."""
    (a, b), (low, high) = problem.equations.bounds(), problem.unknowns.bounds()
    return int((a == b).sum()), int((low < high).sum())


def worst_of(problem: Transcription, solved: Solved) -> tuple[Label, float, float] | None:
    """Equation that is violated most, its value and its bound."""
    g = ca.vertcat(*problem.equations.symbols)
    x = ca.vertcat(*problem.unknowns.symbols)
    values = np.array(ca.Function("g", [x], [g])(solved.x)).ravel()
    low, high = problem.equations.bounds()
    off = np.maximum(low - values, values - high)
    off[np.isnan(off)] = np.inf
    if not off.size or off.max() <= 0.0:
        return None
    k = int(off.argmax())
    bound = low[k] if values[k] < low[k] else high[k]
    return problem.equations.labels[k], float(values[k]), float(bound)
