"""Hill forces of line muscles, compiled once per kind of curves and form of the tendon.

The equations are those of `fibermsk.laws.hill.equations`. Of each muscle: ``L`` length of its path
[m], ``v`` its rate, ``a`` activation, ``x`` state and ``rate`` its rate, all (m,), and ``c``
(m, n_constants) rows of constants.
"""

from __future__ import annotations

import inspect
from functools import lru_cache
from hashlib import sha256
from typing import Any

from fibermsk._compile import Rebuilding, kernel, uncached
from fibermsk.kernels.own_law import compiled_function
from fibermsk.laws.derivatives import STEP
from fibermsk.laws.hill import bezier, equations as equations_module, row
from fibermsk.laws.hill.equations import CurveFunctions, Equations, equations
from fibermsk.laws.hill.kinds import KINDS, functions_of
from fibermsk.laws.hill.law import HillLaw


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
def outputs_of_one(c, L, v, a, x, rate):
    """Outputs of one muscle; replaced by those of a law."""
    return one_muscle(c, L, v, a, x, rate)[0]


@kernel
def hill_outputs(L, v, a, x, rate, c, out):
    """Fill out (m, n_outputs) with the values of `fibermsk.laws.hill.equations.OUTPUTS`."""
    for k in range(L.size):
        values = outputs_of_one(c[k], L[k], v[k], a[k], x[k], rate[k])
        for j in range(len(values)):
            out[k, j] = values[j]


@kernel
def balance_of_one(c, L, v, a, x, rate):
    """Balance of fibers and tendon of one muscle; replaced by that of a law."""
    return one_muscle(c, L, v, a, x, rate)


@kernel
def fill_balances(c, L, a, x, out):
    """Fill out (n, 2): excess of the fibers at rest over the tendon, over F_0, and its slope.

    Of one muscle with constants c, length of the path L and activation a, at lengths x (n,) of the
    fibers.
    """
    for k in range(x.size):
        row = balance_of_one(c, L, 0.0, a, x[k], 0.0)[1]
        out[k, 0], out[k, 1] = row[0], row[4]


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
    outputs : callable
        `hill_outputs`.
    constant_slopes : callable
        `hill_constant_slopes`.
    balances : callable
        `fill_balances`.
    """

    def __init__(self, kind: type, form: str) -> None:
        made = rebuilding(kind, form)
        self.forces: Any = made.of(hill_forces)
        self.outputs: Any = made.of(hill_outputs)
        self.constant_slopes: Any = made.of(hill_constant_slopes)
        self.balances: Any = made.of(fill_balances)


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


def rebuilding(kind: type, form: str) -> Rebuilding:
    """Kernels that call the equations of a class of curves and an option of the tendon."""
    name = KINDS[kind].__name__.rpartition(".")[2]
    made = _compiled_equations(kind)
    replaced = [
        (one_muscle, getattr(made, form)),
        (outputs_of_one, getattr(made, f"{form}_outputs")),
        (balance_of_one, made.balance),
    ]
    return Rebuilding(replaced, f"{name}_{form}", _version(kind))


@lru_cache
def _version(kind: type) -> str:
    """SHA-256 of the sources of the equations and of a kind of curves."""
    sha = sha256()
    for module in (equations_module, KINDS[kind], bezier, row):
        sha.update(inspect.getsource(module).encode())
    return sha.hexdigest()
