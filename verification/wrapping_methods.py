"""Paths over a surface: Newton's method with Jacobi fields against the paper's SGW.

Random surfaces (radii of 10 to 60 mm) and ends whose straight line meets them. Both methods start
at the same place and look for the same tangent points: Newton's method on the four equations of
`fibermsk.kernels.lines.taut.chain`, with exact derivatives; and Smooth Geodesic Wrapping
(Munoz-Pepi and others 2023, `_sgw.py`), Broyden's method with a derivative-free line search on six
equations for five unknowns. Starts are

- `line`: the deepest point of the straight line, moved onto the surface, with the direction of the
  line and an arc of half the least radius;
- `string`: what a shrunk string gives, from which the package starts.

Solved is what has the length of the package's taut path to 1e-9: its own answer is checked against
polygons by the tests. Reported are the shares solved and the median times of those that both solve,
in one process and after compilation. Verified: started from the string, Newton's method solves 99 %
or more; for the others the package shrinks a denser string.
"""

import math
import time

import numpy as np
from _sgw import ours, sgw

import fibermsk as fm
from fibermsk.kernels.lines.taut.depth import deepest
from fibermsk.kernels.lines.taut.sides import from_all_sides, through_hints
from fibermsk.kernels.lines.taut.solve import DENSE, TAUT, chain
from fibermsk.kernels.lines.taut.string import guess, lean
from fibermsk.kernels.lines.taut.surfaces import CYLINDER, ELLIPSOID, SPHERE, TORUS, level, settle
from fibermsk.verify import Expected

KINDS = {"cylinder": CYLINDER, "sphere": SPHERE, "ellipsoid": ELLIPSOID, "torus": TORUS}
STARTS = "line", "string"


class Problem:
    """A random surface at the origin, two ends, and the length of the taut path."""

    def __init__(self, kind: int, rng) -> None:
        self.kind, self.active = kind, 0
        while not self.active:
            self.size = np.full(3, rng.uniform(0.01, 0.05))
            if kind == ELLIPSOID:
                self.size = rng.uniform(0.01, 0.06, 3)
            if kind == TORUS:
                self.size[[0, 2]] *= rng.uniform(0.2, 0.7)
            self.ends = rng.normal(0.0, 0.07, (2, 3))
            self.length = self._taut()

    def arrays(self):
        """Kinds, sizes, frames and ends."""
        surface = np.array([self.kind]), self.size[None].copy()
        return *surface, np.eye(3)[None].copy(), np.zeros((1, 3)), *self.ends

    def _taut(self) -> float:
        """Length of the taut path; `active` tells whether it touches the surface."""
        foot, active = np.zeros((1, 7)), np.zeros(1, np.int64)
        hint, hinted = np.zeros((1, 3)), np.array([self.kind == TORUS])
        status, length = chain(
            *self.arrays(), hint, hinted, foot, active, False, np.empty(12), np.empty((12, 12))
        )
        self.active = int(status == TAUT and active[0])
        return float(length)

    def start(self, kind: str) -> np.ndarray:
        """Tangent point, direction and arc (7,)."""
        foot, g, H = np.zeros((1, 7)), np.empty(3), np.empty((3, 3))
        o, i = self.ends
        if kind == "string":
            active = np.zeros(1, np.int64)
            if self.kind == TORUS:
                knots = through_hints(*self.arrays(), np.zeros((1, 3)), np.array([True]))
            else:
                knots = from_all_sides(*self.arrays())
            guess(*self.arrays()[:4], knots[0], foot, active, DENSE, 20 * DENSE, 1e-6)
            return foot[0]
        deepest(self.kind, self.size, np.eye(3), np.zeros(3), o, i, foot[0, :3])
        settle(self.kind, self.size, foot[0, :3], g, H)
        level(self.kind, self.size, foot[0, :3], g, H)
        foot[0, 3:6] = i - o
        lean(g, foot[0, 3:6])
        foot[0, 6] = 0.5 * self.size.min()
        return foot[0]


def timed(method, problem: Problem, start: np.ndarray):
    """Length and geodesics of one method, and its time [s], the best of three."""
    best, found = math.inf, None
    for _ in range(3):
        began = time.perf_counter()
        found = method(problem.kind, problem.size, *problem.ends, start)
        best = min(best, time.perf_counter() - began)
    return found, best


def compare(surface: str, start: str, number: int, seed: int = 1) -> dict[str, float]:
    """Shares solved by both methods, median times [s] and geodesics."""
    rng = np.random.default_rng(seed)
    solved, times, geodesics = np.zeros((number, 2), bool), np.zeros((number, 2)), []
    for k in range(number):
        problem = Problem(KINDS[surface], rng)
        at = problem.start(start)
        length, times[k, 0] = timed(ours, problem, at)
        (other, count), times[k, 1] = timed(sgw, problem, at)
        for j, one in enumerate((length, other)):
            solved[k, j] = abs(one - problem.length) <= 1e-9 * problem.length
        geodesics += [count] if solved[k, 1] else []
    both = solved.all(axis=1)
    middle = np.median(times[both], axis=0) if both.any() else [math.nan, math.nan]
    return {
        "newton_share": float(solved[:, 0].mean()),
        "sgw_share": float(solved[:, 1].mean()),
        "newton_s": float(middle[0]),
        "sgw_s": float(middle[1]),
        "sgw_geodesics": float(np.median(geodesics)) if geodesics else math.nan,
    }


def run(number: int = 40) -> dict[str, float]:
    """Shares, times and geodesics.

    Parameters
    ----------
    number : int
        Random problems of each surface, 10 or more.
    """
    if number < 10:
        raise fm.ModelError(f"wrapping_methods: number = {number}; must be 10 or more")
    return {
        f"{surface}_{start}_{name}": value
        for surface in KINDS
        for start in STARTS
        for name, value in compare(surface, start, number).items()
    }


def expected(number: int = 40) -> dict[str, Expected]:
    """Nearly all problems are solved from the string."""
    return {
        f"{surface}_string_newton_share": Expected(
            1.0,
            0.01,
            "strings too coarse",
            kind="consistency",
            source="paths whose lengths the tests check with polygons",
        )
        for surface in KINDS
    }


def study(fine: bool = False) -> dict:
    """The table of the guide.

    Parameters
    ----------
    fine : bool
        2000 problems of each surface instead of 200.
    """
    number, rows = 2000 if fine else 200, []
    for surface in KINDS:
        for start in STARTS:
            found = compare(surface, start, number)
            rows.append([surface, start, *found.values()])
    columns = ["surface", "start", "Newton: share solved", "SGW: share solved", "Newton [s]"]
    columns += ["SGW [s]", "SGW: geodesics"]
    return {"tables": {"Newton's method and SGW": {"columns": columns, "rows": rows}}}
