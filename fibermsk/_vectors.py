"""Short vectors with SIMD instructions of the CPU.

Numba does not vectorize operations on a few adjacent numbers: the compiler pass (SLP) is off, since
it generated wrong code (pull request 8852 of numba). Hence the kernels here and in
`fibermsk.linalg.block` generate the instructions, with vectors of four and two numbers on the CPU,
and scalars on a GPU, where every thread has its own data. The Python function defines the
operation, and runs if kernels are interpreted.

Vectors are parts of C-contiguous arrays, of double precision or of single, which is converted: all
operations are in double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core.cpu import CPUContext
from numba.core.errors import NumbaTypeError
from numba.extending import intrinsic

_NUMBER, _SINGLE, _INDEX = ir.DoubleType(), ir.FloatType(), ir.IntType(32)

Pieces = tuple[tuple[int, int], ...]
"""Start and length of the pieces of a longer vector."""


def _pieces(context: Any, size: int) -> Pieces:
    if not isinstance(context, CPUContext):
        return tuple((at, 1) for at in range(size))
    whole = size - size % 4
    rest = tuple((at, 2) for at in range(whole, size, 2))
    return tuple((at, 4) for at in range(0, whole, 4)) + rest


def _place(builder: Any, data: Any, at: int, width: int) -> Any:
    place = builder.gep(data, [ir.Constant(_INDEX, at)])
    if width == 1:
        return place
    return builder.bitcast(place, _of(data.type.pointee, width).as_pointer())


def _of(number: Any, width: int) -> Any:
    """Type of some adjacent numbers."""
    return number if width == 1 else ir.VectorType(number, width)


def load(builder: Any, data: Any, at: int, width: int = 1) -> Any:
    """Load adjacent numbers."""
    single = data.type.pointee == _SINGLE
    value = builder.load(_place(builder, data, at, width), align=4 if single else 8)
    return builder.fpext(value, _of(_NUMBER, width)) if single else value


def store(builder: Any, value: Any, data: Any, at: int, width: int) -> None:
    """Store adjacent numbers."""
    single = data.type.pointee == _SINGLE
    if single:
        value = builder.fptrunc(value, _of(_SINGLE, width))
    builder.store(value, _place(builder, data, at, width), align=4 if single else 8)


def picked(builder: Any, one: Any, other: Any, lanes: list[int]) -> Any:
    """Shuffle of two vectors."""
    mask = ir.Constant(ir.VectorType(_INDEX, len(lanes)), lanes)
    return builder.shuffle_vector(one, other, mask)


def repeated(builder: Any, value: Any, width: int) -> Any:
    """Broadcast of one number."""
    if width == 1:
        return value
    empty = ir.Constant(ir.VectorType(_NUMBER, width), ir.Undefined)
    vector = builder.insert_element(empty, value, ir.Constant(_INDEX, 0))
    return picked(builder, vector, empty, width * [0])


def spelled_out(size: int, build: Callable[[Any, Pieces, list[Any]], None]) -> Callable[[Any], Any]:
    """Decorator of a kernel of vectors of an even size: compile it to custom instructions.

    `build` adds them, for the builder, the pieces and the arguments (addresses of arrays, numbers).
    """

    def typed(typing_context, *arguments):
        kinds = []
        for kind in arguments:
            is_array = isinstance(kind, types.Array)
            if is_array and kind.layout != "C":
                raise NumbaTypeError("vectors are parts of C-contiguous arrays")
            kinds.append(kind if is_array else types.float64)

        def generate(context, builder, types_of, values):
            parts = [
                context.make_array(kind)(context, builder, value).data
                if isinstance(kind, types.Array)
                else value
                for kind, value in zip(types_of.args, values, strict=True)
            ]
            build(builder, _pieces(context, size), parts)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    def decorate(function):
        if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
            return function
        own = signature(function).parameters.values()
        context = Parameter("typing_context", Parameter.POSITIONAL_OR_KEYWORD)
        typed.__signature__ = Signature([context, *own])  # type: ignore[attr-defined]
        typed.__name__, typed.__doc__ = function.__name__, function.__doc__
        return intrinsic(typed)

    return decorate


def _sum_of_products(adds: bool) -> Callable[[Any, Pieces, list[Any]], None]:
    """Instructions of y = a u + b v + ..., or y += ... if it `adds`."""

    def build(builder, pieces, parts):
        y, numbers, vectors = parts[0], parts[1::2], parts[2::2]
        for at, width in pieces:
            total = load(builder, y, at, width) if adds else None
            for number, vector in zip(numbers, vectors, strict=True):
                term = builder.fmul(
                    repeated(builder, number, width), load(builder, vector, at, width)
                )
                total = term if total is None else builder.fadd(total, term)
            store(builder, total, y, at, width)

    return build


@spelled_out(12, _sum_of_products(adds=False))
def fill_two(y, a, u, b, v):
    """Fill y (12,) with a u + b v."""
    y[:] = a * u + b * v


@spelled_out(12, _sum_of_products(adds=False))
def fill_three(y, a, u, b, v, c, w):
    """Fill y (12,) with a u + b v + c w."""
    y[:] = a * u + b * v + c * w


@spelled_out(6, _sum_of_products(adds=True))
def add_two(y, a, u, b, v):
    """Add a u + b v to y (6,)."""
    y += a * u + b * v


@spelled_out(6, _sum_of_products(adds=True))
def add_three(y, a, u, b, v, c, w):
    """Add a u + b v + c w to y (6,)."""
    y += a * u + b * v + c * w


@spelled_out(6, _sum_of_products(adds=True))
def add_four(y, a, u, b, v, c, w, d, z):
    """Add a u + b v + c w + d z to y (6,)."""
    y += a * u + b * v + c * w + d * z
