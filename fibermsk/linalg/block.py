"""Products with 6 x 6 blocks (column, row), as vector instructions of the CPU.

See `fibermsk._vectors`. Blocks are (6, 6), x and y (6,) parts of C-contiguous arrays; blocks may be
in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fibermsk._vectors import load, picked, repeated, spelled_out, store


def _sum(builder: Any, terms: list[Any]) -> Any:
    """Pairwise sum of six terms, for parallel additions."""
    a, b, c = (builder.fadd(terms[k], terms[k + 1]) for k in (0, 2, 4))
    return builder.fadd(builder.fadd(a, b), c)


def _product(builder: Any, pieces: Any, block: Any, x: Any) -> list[Any]:
    """Pieces of the block times x."""
    values = [load(builder, x, c) for c in range(6)]
    return [
        _sum(
            builder,
            [
                builder.fmul(
                    load(builder, block, 6 * c + at, width), repeated(builder, values[c], width)
                )
                for c in range(6)
            ],
        )
        for at, width in pieces
    ]


def _transposed_product(builder: Any, pieces: Any, block: Any, x: Any) -> list[Any]:
    """Pieces of the transposed block times x."""
    parts = [load(builder, x, at, width) for at, width in pieces]
    columns = [
        [
            builder.fmul(load(builder, block, 6 * c + at, width), part)
            for (at, width), part in zip(pieces, parts, strict=True)
        ]
        for c in range(6)
    ]
    if pieces[0][1] == 1:  # single numbers
        return [_sum(builder, column) for column in columns]
    pairs = []
    for four, two in columns:
        halves = [picked(builder, four, four, lanes) for lanes in ([0, 1], [2, 3])]
        pairs.append(builder.fadd(builder.fadd(*halves), two))
    sums = []
    for one, other in zip(pairs[::2], pairs[1::2], strict=True):
        even, odd = (picked(builder, one, other, lanes) for lanes in ([0, 2], [1, 3]))
        sums.append(builder.fadd(even, odd))
    return [picked(builder, sums[0], sums[1], [0, 1, 2, 3]), sums[2]]


def _apply(product: Callable[..., list[Any]], subtracted: bool) -> Callable[[Any], Any]:
    """Decorate a kernel to store a product in its last argument or subtract it there."""

    def build(builder, pieces, parts):
        block, x, y = parts[0], parts[1], parts[-1]
        values = product(builder, pieces, block, x)
        for (at, width), value in zip(pieces, values, strict=True):
            if subtracted:
                value = builder.fsub(load(builder, y, at, width), value)
            store(builder, value, y, at, width)

    return spelled_out(6, build)


@_apply(_product, subtracted=True)
def subtract_product(block, x, y):
    """Subtract a block times x (6,) from y (6,)."""
    y -= x @ block


@_apply(_transposed_product, subtracted=True)
def subtract_transposed(block, x, y):
    """Subtract the transpose of a block times x (6,) from y (6,)."""
    y -= block @ x


@_apply(_product, subtracted=False)
def multiply_in_place(block, y):
    """Replace y (6,) by a block times it."""
    y[:] = y @ block
