"""Sums of a few short vectors, as vector instructions of the CPU.

Numba does not make vectors of a few neighboring numbers by itself: its compiler's pass for that is
off, since it made wrong code (pull request 8852 of numba). Hence these kernels spell out what is to
be computed, for the CPU in vectors of four and of two numbers, and for a GPU, where every thread
has its own data, in single ones.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core.cpu import CPUContext
from numba.core.errors import NumbaTypeError
from numba.extending import intrinsic

__all__ = [
    "add_four",
    "add_three",
    "add_two",
    "check_contiguous",
    "fill_three",
    "fill_two",
    "load",
    "pieces",
    "repeated",
    "store",
]

NUMBER, INDEX = ir.DoubleType(), ir.IntType(32)


def pieces(context: Any, size: int) -> tuple[tuple[int, int], ...]:
    """First number and length of the vectors that so many numbers are made of."""
    if not isinstance(context, CPUContext):
        return tuple((at, 1) for at in range(size))
    whole = size - size % 4
    return tuple((at, 4) for at in range(0, whole, 4)) + tuple(
        (at, 2) for at in range(whole, size, 2)
    )


def _place(builder: Any, data: Any, at: int, width: int) -> Any:
    place = builder.gep(data, [ir.Constant(INDEX, at)])
    if width == 1:
        return place
    return builder.bitcast(place, ir.VectorType(NUMBER, width).as_pointer())


def load(builder: Any, data: Any, at: int, width: int = 1) -> Any:
    """Code that loads some neighboring numbers."""
    return builder.load(_place(builder, data, at, width), align=8)


def store(builder: Any, value: Any, data: Any, at: int, width: int) -> None:
    """Code that stores some neighboring numbers."""
    builder.store(value, _place(builder, data, at, width), align=8)


def repeated(builder: Any, value: Any, width: int) -> Any:
    """Code for a vector with the same number everywhere."""
    if width == 1:
        return value
    empty = ir.Constant(ir.VectorType(NUMBER, width), ir.Undefined)
    vector = builder.insert_element(empty, value, ir.Constant(INDEX, 0))
    return builder.shuffle_vector(
        vector, empty, ir.Constant(ir.VectorType(INDEX, width), width * [0])
    )


def check_contiguous(*arrays: types.Type) -> None:
    """Refuse to compile for others than parts of C-contiguous arrays."""
    for array in arrays:
        if not (isinstance(array, types.Array) and array.layout == "C"):
            raise NumbaTypeError("vectors are parts of C-contiguous arrays")


def _sum_of_products(size: int, y: Any, factors: tuple, vectors: tuple, adds: bool) -> Any:
    """Typing and code of a kernel that adds products of numbers and vectors to y."""
    check_contiguous(y, *vectors)

    def generate(context, builder, signature, arguments):
        n = len(factors)
        target = context.make_array(y)(context, builder, arguments[0]).data
        numbers = arguments[1 : 2 * n : 2]
        data = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(vectors, arguments[2::2], strict=True)
        ]
        for at, width in pieces(context, size):
            total = load(builder, target, at, width) if adds else None
            for number, vector in zip(numbers, data, strict=True):
                term = builder.fmul(
                    repeated(builder, number, width), load(builder, vector, at, width)
                )
                total = term if total is None else builder.fadd(total, term)
            store(builder, total, target, at, width)
        return context.get_dummy_value()

    pairs = [part for both in zip(factors, vectors, strict=True) for part in both]
    return types.void(y, *pairs), generate


@intrinsic
def fill_two(typing_context, y, a, u, b, v):
    """Fill y (12,) with a u + b v."""
    return _sum_of_products(12, y, 2 * (types.float64,), (u, v), False)


@intrinsic
def fill_three(typing_context, y, a, u, b, v, c, w):
    """Fill y (12,) with a u + b v + c w."""
    return _sum_of_products(12, y, 3 * (types.float64,), (u, v, w), False)


@intrinsic
def add_two(typing_context, y, a, u, b, v):
    """Add a u + b v to y (6,)."""
    return _sum_of_products(6, y, 2 * (types.float64,), (u, v), True)


@intrinsic
def add_three(typing_context, y, a, u, b, v, c, w):
    """Add a u + b v + c w to y (6,)."""
    return _sum_of_products(6, y, 3 * (types.float64,), (u, v, w), True)


@intrinsic
def add_four(typing_context, y, a, u, b, v, c, w, d, z):
    """Add a u + b v + c w + d z to y (6,)."""
    return _sum_of_products(6, y, 4 * (types.float64,), (u, v, w, z), True)


if config.DISABLE_JIT:  # interpreted, kernels need them all the same

    def fill_two(y, a, u, b, v):
        """Fill y (12,) with a u + b v."""
        y[:] = a * u + b * v

    def fill_three(y, a, u, b, v, c, w):
        """Fill y (12,) with a u + b v + c w."""
        y[:] = a * u + b * v + c * w

    def add_two(y, a, u, b, v):
        """Add a u + b v to y (6,)."""
        y += a * u + b * v

    def add_three(y, a, u, b, v, c, w):
        """Add a u + b v + c w to y (6,)."""
        y += a * u + b * v + c * w

    def add_four(y, a, u, b, v, c, w, d, z):
        """Add a u + b v + c w + d z to y (6,)."""
        y += a * u + b * v + c * w + d * z
