"""Roofline of the element assembly: this machine's ceilings, and the work of one element.

The model is that of Williams, Waterman and Patterson (Communications of the ACM 52 (2009), 65-76):
a kernel of I flops a byte runs at most at min(peak, I bandwidth). One thread; flops are additions,
multiplications, divisions and square roots, one each, and a fused multiply-add is two.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

__all__ = ["Roofline", "Work", "cable_work", "roofline"]

_IN_CACHE = 1024
_DEGREE = 32
_TURNS = 200
_TRIAD = 8_000_000
"""Numbers in each of three arrays of 64 MB: together beyond the caches of most processors."""


@dataclass(frozen=True)
class Roofline:
    """Ceilings of one thread.

    Attributes
    ----------
    peak : float
        Vectors of fused multiply-adds [GFlop/s].
    bandwidth : float
        STREAM triad, 24 bytes an entry [GB/s].
    """

    peak: float
    bandwidth: float

    def ceiling(self, flops: float, bytes_moved: float) -> float:
        """Highest rate of a kernel with this work [GFlop/s]."""
        return min(self.peak, flops / bytes_moved * self.bandwidth)


@dataclass(frozen=True)
class Work:
    """Work of one element.

    Attributes
    ----------
    flops : int
        Exponentials apart.
    exponentials : int
        Calls of exp.
    bytes : int
        Arrays read and written, each once: what must pass between memory and processor where the
        caches hold what neighbors share.
    """

    flops: int
    exponentials: int
    bytes: int


# What the source of `fibermsk.kernels.cable` computes, equal operations once and unused results
# not at all: (per element, per Gauss point). `tests/bench/test_roofline.py` counts it anew.
_RESIDUAL = (115, 93)
_ACTIVE_RESIDUAL = 9
_TANGENT = (299, 263)
_ACTIVE_TANGENT = 15


def cable_work(n_points: int = 5, *, tangent: bool = True, active: bool = True) -> Work:
    """Work of `fibermsk.kernels.cable` for one element of a long fiber.

    Parameters
    ----------
    n_points : int
        Gauss points.
    tangent : bool
        Of `assemble_cable`, else of `cable_residual`.
    active : bool
        Whether there is active stress, with the exponent 4.

    Returns
    -------
    work : Work
        New object. Its bytes are those of an element's own numbers and of one node: positions,
        velocities and accelerations (144), the residual twice (96), two node numbers and the length
        (24), the activation (8), the mass matrix (128), 10 numbers a point (80 each), and with the
        tangent three 6 x 6 blocks twice (1728).
    """
    per_element, per_point = _TANGENT if tangent else _RESIDUAL
    if active:
        per_point += _ACTIVE_TANGENT if tangent else _ACTIVE_RESIDUAL
    moved = 144 + 96 + 24 + 8 + 128 + 80 * n_points + (1728 if tangent else 0)
    return Work(per_element + per_point * n_points, n_points if active else 0, moved)


@njit(fastmath={"contract"})  # for fused multiply-adds, which the package's kernels do without
def _polynomials(turns: int, a: float, b: float, x: Any) -> None:
    for _ in range(turns):
        for i in range(x.size):
            value = x[i]
            p = value
            for _ in range(_DEGREE // 2):
                p = p * value + a
                p = p * value + b
            x[i] = p


@njit
def _triad(a: Any, b: Any, c: Any, factor: float) -> None:
    for i in range(a.size):
        a[i] = b[i] + factor * c[i]


def roofline(n_triad: int = _TRIAD, repeats: int = 20) -> Roofline:
    """Measure the ceilings of one thread of this machine, the best of several runs.

    Parameters
    ----------
    n_triad : int
        Numbers in each of the triad's three arrays; fewer than fit in the caches measure those.
    repeats : int
        Runs of each.
    """
    # the polynomial applied to its own values settles at 0.34: no overflow, no subnormal numbers
    x = np.linspace(0.0, 0.5, _IN_CACHE)
    flops = _TURNS * 2 * _DEGREE * _IN_CACHE
    peak = flops / _best(lambda: _polynomials(_TURNS, 0.3, 0.2, x), 10 * repeats)
    a, b, c = (np.full(n_triad, value) for value in (0.0, 1.0, 2.0))
    bandwidth = 24 * n_triad / _best(lambda: _triad(a, b, c, 3.0), repeats)
    return Roofline(1e-9 * peak, 1e-9 * bandwidth)


def _best(function: Callable[[], Any], repeats: int) -> float:
    """Shortest wall time of a call [s]; a first call, not counted, compiles."""
    function()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)
