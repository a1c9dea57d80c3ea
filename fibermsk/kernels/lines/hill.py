"""Hill forces of line muscles, compiled once per kind of curves and form of the tendon.

The equations are those of `fibermsk.laws.hill.equations`. Of each muscle: ``L`` length of its path
[m], ``v`` its rate, ``a`` activation, ``x`` state and ``rate`` its rate, all (m,), and ``c``
(m, n_constants) rows of constants.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fibermsk._compile import Rebuilding, kernel, uncached
from fibermsk.kernels.own_law import compiled_function
from fibermsk.laws.derivatives import STEP
from fibermsk.laws.hill.equations import CurveFunctions, Equations, equations
from fibermsk.laws.hill.kinds import KINDS, functions_of
from fibermsk.laws.hill.law import HillLaw
from fibermsk.laws.own import law_digest


@kernel
def one_muscle(c, L, v, a, x, rate):
    """Equations of one muscle; replaced by those of a law."""
    zero = 0.0 * c[0]
    row = zero, zero, zero, zero, zero, zero
    return row, row


@kernel
def hill_forces(L, v, a, x, rate, c, out):
    """Fill out (m, 2, 6): force of the tendon [N] and row of the state, each with derivatives.

    The second axis has the force and the row, the third the value and its derivatives in L, v, a,
    x and rate.
    """
    for k in range(L.size):
        force, row = one_muscle(c[k], L[k], v[k], a[k], x[k], rate[k])
        for j in range(6):
            out[k, 0, j] = force[j]
            out[k, 1, j] = row[j]


@kernel
def hill_constant_slopes(L, v, a, x, rate, c, out):
    """Fill out (m, 2, n_constants): derivatives of force and row in every constant.

    By complex steps, which are exact; c (m, n_constants) is complex and real in value, and is left
    as it was.
    """
    for k in range(L.size):
        for j in range(c.shape[1]):
            real = c[k, j]
            c[k, j] = real + STEP * 1j
            force, row = one_muscle(
                c[k], complex(L[k]), complex(v[k]), complex(a[k]), complex(x[k]), complex(rate[k])
            )
            out[k, 0, j] = force[0].imag / STEP
            out[k, 1, j] = row[0].imag / STEP
            c[k, j] = real


class HillKernels:
    """Compiled functions for one kind of curves and one form of the tendon.

    Attributes
    ----------
    forces : callable
        `hill_forces`.
    constant_slopes : callable
        `hill_constant_slopes`.
    """

    def __init__(self, kind: type, form: str) -> None:
        made = _rebuilding(kind, form)
        self.forces: Any = made.of(hill_forces)
        self.constant_slopes: Any = made.of(hill_constant_slopes)


@lru_cache
def hill_kernels(kind: type, form: str) -> HillKernels:
    """Kernels for a class of curves and an option of `HillLaw.tendon`."""
    return HillKernels(kind, form)


def kernels_of(law: HillLaw) -> HillKernels:
    """Kernels of a law."""
    return hill_kernels(type(law.curves), law.tendon)


@lru_cache
def _compiled_equations(kind: type) -> Equations:
    functions = CurveFunctions(*map(compiled_function, functions_of(kind)))
    return equations(functions, uncached)


def _rebuilding(kind: type, form: str) -> Rebuilding:
    label = f"{KINDS[kind].__name__.rpartition('.')[2]}_{form}"
    one = getattr(_compiled_equations(kind), form)
    return Rebuilding([(one_muscle, one)], label, law_digest(kind, ()))
