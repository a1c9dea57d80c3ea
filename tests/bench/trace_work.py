"""Counts the operations of cable elements: runs their source on symbols, interpreted.

Equal operations on equal operands are one, and what leads to no result is none: as compilers have
it. Prints, as JSON, the counts for each number of Gauss points, with and without the tangent and
active stress.
"""

import json
from types import SimpleNamespace

import numpy as np

from fibermsk.kernels import cable
from fibermsk.laws import stress


class Symbol:
    """A number that remembers how it came about; comparisons take the branch of active stress."""

    known: dict = {}
    needed: list = []
    active = True

    def __init__(self, key):
        self.key = key

    @classmethod
    def of(cls, operation, *operands):
        operands = tuple(
            operand if isinstance(operand, Symbol) else float(operand) for operand in operands
        )
        if operation in "*+":
            operands = tuple(sorted(operands, key=lambda one: (isinstance(one, float), hash(one))))
        if operation in "*/" and operands[1] == 1.0:
            return operands[0]
        if operation == "*" and operands[1] == -1.0:
            return cls.of("sign", operands[0])
        key = (operation, *operands)
        return cls.known.setdefault(key, cls(key))

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        Symbol.needed.append(self)
        return Symbol.active

    def __lt__(self, other):
        return False

    def __add__(self, other):
        return Symbol.of("+", self, other)

    def __sub__(self, other):
        return Symbol.of("-", self, other)

    def __rsub__(self, other):
        return Symbol.of("-", other, self)

    def __mul__(self, other):
        return Symbol.of("*", self, other)

    def __truediv__(self, other):
        return Symbol.of("/", self, other)

    def __rtruediv__(self, other):
        return Symbol.of("/", other, self)

    def __neg__(self):
        return Symbol.of("sign", self)

    def __abs__(self):
        return Symbol.of("sign", self)

    __radd__, __rmul__ = __add__, __mul__


def symbols(name, *shape):
    array = np.empty(shape, object)
    for index in np.ndindex(shape):
        array[index] = Symbol.of("given " + name, *index)
    return array


def count(n_points, tangent, active):
    Symbol.known, Symbol.needed, Symbol.active = {}, [], active
    law = symbols("law", 1, n_points, 7)
    law[..., 5] = 4.0
    arguments = (
        np.array([0, 1]), *(symbols(name, 2, 6) for name in ("x", "v", "a")), np.array([[0, 1]]),
        symbols("h", 1), symbols("xi", n_points),
        *(symbols(name, 1, n_points) for name in ("weight", "area", "G0")), law,
        symbols("activation", 1), symbols("mass", 1, 4, 4),
    )  # fmt: skip
    residual, lines = symbols("residual", 2, 6), symbols("lines", 2, 3, 6, 6)
    if tangent:
        slopes = (Symbol.of("given cx"), Symbol.of("given cv"), Symbol.of("given ca"))
        cable.fiber_tangent(0, *arguments, *slopes, residual, lines)
    else:
        cable.fiber_residual(0, *arguments, residual)
    open_, seen = [*Symbol.needed, *residual.ravel(), *lines.ravel()], set()
    while open_:
        symbol = open_.pop()
        if isinstance(symbol, Symbol) and symbol not in seen:
            seen.add(symbol)
            open_ += symbol.key[1:]
    operations = [symbol.key[0] for symbol in seen]
    flops = sum(operation in ("+", "-", "*", "/", "sqrt") for operation in operations)
    return flops, operations.count("exp")


if __name__ == "__main__":
    functions = {name: lambda x, name=name: Symbol.of(name, x) for name in ("sqrt", "exp")}
    cable.math = stress.math = SimpleNamespace(**functions)
    found = [
        [n_points, tangent, active, *count(n_points, tangent, active)]
        for n_points in (1, 2, 5)
        for tangent in (False, True)
        for active in (False, True)
    ]
    print(json.dumps(found))
