"""Formulas given as text, with exact first derivatives.

The grammar is that of Lepton, which OpenSim uses: numbers, variables, ``+ - * / ^``, parentheses,
functions, and definitions after the formula as in ``a*x; a = 2*y``. A text is parsed into a list of
operations, never evaluated as code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError

LONGEST, DEEPEST = 20_000, 100
"""Most characters of a formula, and levels of parentheses and signs in each other."""

_TOKEN = re.compile(r"(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|(.)")
_PRECEDENCE = {"+": 0, "-": 0, "*": 1, "/": 1, "^": 3}
_SIGN = 2
"""Precedence of a sign: -x^2 is -(x^2), and -x*y is (-x)*y."""
_ROOT_PI = math.sqrt(math.pi)

Slope = Callable[[float], float]

_ONE: dict[str, tuple[Callable[[float], float], Slope]] = {
    "sqrt": (math.sqrt, lambda x: 0.5 / math.sqrt(x)),
    "exp": (math.exp, math.exp),
    "log": (math.log, lambda x: 1.0 / x),
    "sin": (math.sin, math.cos),
    "cos": (math.cos, lambda x: -math.sin(x)),
    "sec": (lambda x: 1.0 / math.cos(x), lambda x: math.tan(x) / math.cos(x)),
    "csc": (lambda x: 1.0 / math.sin(x), lambda x: -1.0 / (math.tan(x) * math.sin(x))),
    "tan": (math.tan, lambda x: 1.0 + math.tan(x) ** 2),
    "cot": (lambda x: 1.0 / math.tan(x), lambda x: -1.0 - 1.0 / math.tan(x) ** 2),
    "asin": (math.asin, lambda x: 1.0 / math.sqrt(1.0 - x * x)),
    "acos": (math.acos, lambda x: -1.0 / math.sqrt(1.0 - x * x)),
    "atan": (math.atan, lambda x: 1.0 / (1.0 + x * x)),
    "sinh": (math.sinh, math.cosh),
    "cosh": (math.cosh, math.sinh),
    "tanh": (math.tanh, lambda x: 1.0 - math.tanh(x) ** 2),
    "erf": (math.erf, lambda x: 2.0 / _ROOT_PI * math.exp(-x * x)),
    "erfc": (math.erfc, lambda x: -2.0 / _ROOT_PI * math.exp(-x * x)),
    "step": (lambda x: float(x >= 0.0), lambda x: 0.0),
    "delta": (lambda x: float(x == 0.0), lambda x: 0.0),
    "square": (lambda x: x * x, lambda x: 2.0 * x),
    "cube": (lambda x: x**3, lambda x: 3.0 * x * x),
    "recip": (lambda x: 1.0 / x, lambda x: -1.0 / (x * x)),
    "abs": (abs, lambda x: math.copysign(1.0, x) if x else 0.0),
    "floor": (lambda x: float(math.floor(x)), lambda x: 0.0),
    "ceil": (lambda x: float(math.ceil(x)), lambda x: 0.0),
    "-": (lambda x: -x, lambda x: -1.0),
}
"""Functions of one argument, with their derivatives; the last is a sign."""

_ARGUMENTS = {"min": 2, "max": 2, "atan2": 2, "select": 3}
"""Numbers of arguments of the other functions."""

FUNCTIONS = (*(name for name in _ONE if name != "-"), *_ARGUMENTS)


class _Step(NamedTuple):
    """One operation on a stack: what it is, and the number or place that it puts there."""

    what: str
    number: float = 0.0
    place: int = -1


class Expression:
    """A formula of some variables.

    Parameters
    ----------
    text : str
        The formula; spaces have no meaning.
    variables : sequence of str
        Names that it may use.
    owner : str
        What it belongs to, for messages.

    Raises
    ------
    ModelError
        If the text is no formula of these variables.
    """

    def __init__(self, text: str, variables: Sequence[str], owner: str = "expression") -> None:
        self.text, self.variables, self.owner = text, tuple(variables), owner
        self._steps = tuple(_Parser(self).steps)
        kinds = {one.place for one in self._steps if one.what == "variable"}
        self.used = tuple(name for k, name in enumerate(self.variables) if k in kinds)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def refuse(self, problem: str) -> NoReturn:
        """Raise the error of a text that is no formula."""
        shown = self.text if len(self.text) <= 80 else f"{self.text[:80]}..."
        must = f"be a formula of {' and '.join(self.variables)} with + - * / ^"
        remedy = f"it has {problem}; functions are {', '.join(FUNCTIONS)}"
        _check.refuse(self.owner, "expression", shown, must, remedy=remedy)

    def __call__(self, values: Sequence[float]) -> tuple[float, Array]:
        """Evaluate at values (n,) of the variables: the number, and its derivatives (n,).

        Raises
        ------
        ModelError
            If the formula has no finite value or slope there, as 1/x at zero.
        """
        try:
            value, slope = self._run(values)
        except (ArithmeticError, ValueError):
            value, slope = math.nan, np.zeros(len(self.variables))
        if not (math.isfinite(value) and np.isfinite(slope).all()):
            at = ", ".join(
                f"{name} = {x:g}" for name, x in zip(self.variables, values, strict=True)
            )
            what = "value" if not math.isfinite(value) else "slope"
            raise ModelError(
                f"{self.owner}: expression {self.text[:80]!r} has no finite {what} at {at}; must "
                "have one at all values that a motion reaches; change the expression or the motion"
            )
        return value, slope

    def _run(self, values: Sequence[float]) -> tuple[float, Array]:
        units = np.eye(len(self.variables))
        none = np.zeros(len(self.variables))
        stack: list[tuple[float, Array]] = []
        kept: list[tuple[float, Array]] = []
        for what, number, place in self._steps:
            if what == "number":
                stack.append((number, none))
            elif what == "variable":
                stack.append((float(values[place]), units[place]))
            elif what == "keep":
                kept.append(stack.pop())
            elif what == "kept":
                stack.append(kept[place])
            elif what == "select":
                other, one = stack.pop(), stack.pop()
                stack.append(one if stack.pop()[0] != 0.0 else other)
            elif what in _ONE and number == 1.0:
                x, dx = stack.pop()
                function, slope = _ONE[what]
                # a constant has no slope, wherever it lies
                stack.append((function(x), slope(x) * dx if dx.any() else none))
            else:
                second, first = stack.pop(), stack.pop()
                stack.append(_of_two(what, first, second))
        return stack[-1]


def _of_two(what: str, one: tuple[float, Array], other: tuple[float, Array]) -> tuple[float, Array]:
    """Value and derivatives of an operation on two numbers."""
    (x, dx), (y, dy) = one, other
    if what == "+":
        return x + y, dx + dy
    if what == "-":
        return x - y, dx - dy
    if what == "*":
        return x * y, y * dx + x * dy
    if what == "/":
        return x / y, (dx - x / y * dy) / y
    if what == "min":
        return one if x < y else other
    if what == "max":
        return one if x > y else other
    if what == "atan2":
        return math.atan2(x, y), (y * dx - x * dy) / (x * x + y * y)
    value = math.pow(x, y)
    slope = np.zeros(len(dx))
    if dx.any() and y != 0.0:
        slope = slope + y * math.pow(x, y - 1.0) * dx
    if dy.any() and x != 0.0:
        slope = slope + value * math.log(x) * dy
    return value, slope


class _Parser:
    """Operations of a formula, in the order in which a stack takes them."""

    def __init__(self, expression: Expression) -> None:
        self._of, text = expression, expression.text
        if len(text) > LONGEST:
            expression.refuse(f"{len(text)} characters, more than {LONGEST}")
        self.steps: list[_Step] = []
        self._kept: dict[str, int] = {}
        formula, *definitions = text.split(";")
        # a definition may use those after it
        for definition in reversed(definitions):
            if not definition.strip():
                continue
            name, equals, value = definition.partition("=")
            if not equals or not re.fullmatch(r"\s*[A-Za-z_]\w*\s*", name):
                expression.refuse(f"the definition {definition.strip()[:40]!r}")
            self._parse(value)
            self.steps.append(_Step("keep"))
            self._kept[name.strip()] = len(self._kept)
        self._parse(formula)

    def _parse(self, text: str) -> None:
        """Parse a formula or the value of a definition."""
        self._tokens = [one.groups() for one in _TOKEN.finditer("".join(text.split()))]
        self._at = self._depth = 0
        if not text.isascii() or not self._tokens:
            self._of.refuse("nothing that can be read" if self._tokens else "an empty part")
        self._operand(0)
        if self._at < len(self._tokens):
            self._of.refuse(f"{self._next()!r} where it should end")

    def _next(self) -> str:
        """Next token; empty at the end."""
        return "".join(filter(None, self._tokens[self._at])) if self._at < len(self._tokens) else ""

    def _take(self, wanted: str) -> None:
        if self._next() != wanted:
            self._of.refuse(f"{self._next() or 'its end'!r} in place of {wanted!r}")
        self._at += 1

    def _operand(self, precedence: int) -> None:
        """Parse an operand, and the operators after it that bind at least so much."""
        self._depth += 1
        if self._depth > DEEPEST:
            self._of.refuse(f"more than {DEEPEST} levels")
        self._first()
        while (operator := self._next()) in _PRECEDENCE and _PRECEDENCE[operator] >= precedence:
            self._at += 1
            self._operand(_PRECEDENCE[operator] + (operator != "^"))
            self.steps.append(_Step(operator))
        self._depth -= 1

    def _first(self) -> None:
        """Parse a number, a name, a call, a sign or parentheses."""
        if self._at == len(self._tokens):
            self._of.refuse("an operand missing at its end")
        number, name, other = self._tokens[self._at]
        self._at += 1
        if number:
            self.steps.append(_Step("number", float(number)))
        elif name and self._next() == "(":
            self._call(name)
        elif name in self._kept:
            self.steps.append(_Step("kept", place=self._kept[name]))
        elif name in self._of.variables:
            self.steps.append(_Step("variable", place=self._of.variables.index(name)))
        elif other == "-":
            self._operand(_SIGN)
            self.steps.append(_Step("-", 1.0))
        elif other == "(":
            self._operand(0)
            self._take(")")
        else:
            self._of.refuse(f"{name or other!r}")

    def _call(self, name: str) -> None:
        """Parse the arguments of a function."""
        if name not in FUNCTIONS:
            self._of.refuse(f"the function {name!r}")
        for k in range(_ARGUMENTS.get(name, 1)):
            self._take(",") if k else self._take("(")
            self._operand(0)
        self._take(")")
        self.steps.append(_Step(name, float(name in _ONE)))
