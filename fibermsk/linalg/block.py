"""Products with 6 x 6 blocks (column, row), as vector instructions of the CPU.

Numba does not make vectors of a few neighboring numbers by itself: its compiler's pass for that is
off, since it made wrong code (pull request 8852 of numba). Hence these kernels spell out what is to
be computed, for the CPU in vectors of four and of two numbers and for a GPU, where every thread has
a block of its own, in single ones. A plain product is a sum of the columns times a number each; a
transposed one multiplies every column with all of x and then adds within the columns.

Blocks are (6, 6) and x and y (6,) parts of C-contiguous arrays.
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

__all__ = ["multiply_in_place", "subtract_product", "subtract_transposed"]

_NUMBER, _INDEX = ir.DoubleType(), ir.IntType(32)
_VECTORS, _SINGLE = ((0, 4), (4, 2)), tuple((r, 1) for r in range(6))


def _pieces(context: Any) -> tuple[tuple[int, int], ...]:
    """First row and length of the vectors that a column of six is made of."""
    return _VECTORS if isinstance(context, CPUContext) else _SINGLE


def _place(builder: Any, data: Any, at: int, width: int) -> Any:
    place = builder.gep(data, [ir.Constant(_INDEX, at)])
    if width == 1:
        return place
    return builder.bitcast(place, ir.VectorType(_NUMBER, width).as_pointer())


def _load(builder: Any, data: Any, at: int, width: int = 1) -> Any:
    return builder.load(_place(builder, data, at, width), align=8)


def _store(builder: Any, value: Any, data: Any, at: int, width: int) -> None:
    builder.store(value, _place(builder, data, at, width), align=8)


def _picked(builder: Any, one: Any, other: Any, lanes: list[int]) -> Any:
    """Vector of some numbers of two, counted through both."""
    mask = ir.Constant(ir.VectorType(_INDEX, len(lanes)), lanes)
    return builder.shuffle_vector(one, other, mask)


def _repeated(builder: Any, value: Any, width: int) -> Any:
    if width == 1:
        return value
    empty = ir.Constant(ir.VectorType(_NUMBER, width), ir.Undefined)
    vector = builder.insert_element(empty, value, ir.Constant(_INDEX, 0))
    return _picked(builder, vector, empty, width * [0])


def _sum(builder: Any, terms: list[Any]) -> Any:
    """Sum of six, by pairs so that few additions wait for others."""
    a, b, c = (builder.fadd(terms[k], terms[k + 1]) for k in (0, 2, 4))
    return builder.fadd(builder.fadd(a, b), c)


def _product(builder: Any, pieces: Any, block: Any, x: Any) -> list[Any]:
    """Pieces of the block times x."""
    values = [_load(builder, x, c) for c in range(6)]
    return [
        _sum(
            builder,
            [
                builder.fmul(
                    _load(builder, block, 6 * c + at, width), _repeated(builder, values[c], width)
                )
                for c in range(6)
            ],
        )
        for at, width in pieces
    ]


def _transposed_product(builder: Any, pieces: Any, block: Any, x: Any) -> list[Any]:
    """Pieces of the transposed block times x."""
    parts = [_load(builder, x, at, width) for at, width in pieces]
    columns = [
        [
            builder.fmul(_load(builder, block, 6 * c + at, width), part)
            for (at, width), part in zip(pieces, parts, strict=True)
        ]
        for c in range(6)
    ]
    if pieces is _SINGLE:
        return [_sum(builder, column) for column in columns]
    pairs = []
    for four, two in columns:
        halves = [_picked(builder, four, four, lanes) for lanes in ([0, 1], [2, 3])]
        pairs.append(builder.fadd(builder.fadd(*halves), two))
    sums = []
    for one, other in zip(pairs[::2], pairs[1::2], strict=True):
        even, odd = (_picked(builder, one, other, lanes) for lanes in ([0, 2], [1, 3]))
        sums.append(builder.fadd(even, odd))
    return [_picked(builder, sums[0], sums[1], [0, 1, 2, 3]), sums[2]]


def _spelled_out(product: Callable[..., list[Any]], subtracted: bool) -> Callable[[Any], Any]:
    """Decorator of a kernel, given by what it does: compile it to these instructions instead."""

    def typed(typing_context, *arrays):
        for array in arrays:
            if not (isinstance(array, types.Array) and array.layout == "C"):
                raise NumbaTypeError("blocks and vectors are parts of C-contiguous arrays")

        def generate(context, builder, types_of, arguments):
            data = [
                context.make_array(array)(context, builder, argument).data
                for array, argument in zip(types_of.args, arguments, strict=True)
            ]
            block, x, y = data[0], data[1], data[-1]
            pieces = _pieces(context)
            values = product(builder, pieces, block, x)
            for (at, width), value in zip(pieces, values, strict=True):
                if subtracted:
                    value = builder.fsub(_load(builder, y, at, width), value)
                _store(builder, value, y, at, width)
            return context.get_dummy_value()

        return types.void(*arrays), generate

    def decorate(function):
        if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
            return function
        own = signature(function).parameters.values()
        context = Parameter("typing_context", Parameter.POSITIONAL_OR_KEYWORD)
        typed.__signature__ = Signature([context, *own])  # type: ignore[attr-defined]
        typed.__name__, typed.__doc__ = function.__name__, function.__doc__
        return intrinsic(typed)

    return decorate


@_spelled_out(_product, subtracted=True)
def subtract_product(block, x, y):
    """Subtract a block times x (6,) from y (6,)."""
    y -= x @ block


@_spelled_out(_transposed_product, subtracted=True)
def subtract_transposed(block, x, y):
    """Subtract the transpose of a block times x (6,) from y (6,)."""
    y -= block @ x


@_spelled_out(_product, subtracted=False)
def multiply_in_place(block, y):
    """Replace y (6,) by a block times it."""
    y[:] = y @ block
