"""Formulas as text: values, exact slopes, and refusals."""

import math

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.laws.expression import DEEPEST, FUNCTIONS, LONGEST, Expression

NAMES = "x", "y"


def value(text, x=0.3, y=0.7):
    return Expression(text, NAMES)((x, y))[0]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2 - 3 - 4", -5.0),
        ("8/4/2", 1.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("-x*y", -0.21),
        ("2^-1", 0.5),
        ("--3", 3.0),
        ("1.5e1+.5-2E-1", 15.3),
        ("(1+2)*(3-1)", 6.0),
        ("a*b; a=b+1; b=x", 0.39),
        ("select(step(x), 2, 3)", 2.0),
        ("atan2(y, x)", math.atan2(0.7, 0.3)),
        ("min(x,y)+max(x,y)*10", 7.3),
        ("floor(2.5)+ceil(2.5)", 5.0),
    ],
)
def test_values(text, expected):
    assert value(text) == pytest.approx(expected, rel=1e-15)


SMOOTH = "sqrt exp log sin cos sec csc tan cot asin acos atan sinh cosh tanh erf erfc".split()
CASES = [f"{name}(x*y + 0.1*x)" for name in (*SMOOTH, "square", "cube", "recip", "abs")]
CASES += ["x^y", "y^3", "x^-2", "2^(x*y)", "x/y - y/x", "atan2(x*y, x-y)", "min(x, y)*max(x, 2*y)"]
CASES += ["select(1, x*y, 0)", "a*a; a=x*y+x", "-x^2*y", "(-x)^3"]


@pytest.mark.parametrize("text", CASES)
def test_slopes_agree_with_differences(text):
    expression, at, h = Expression(text, NAMES), np.array([0.3, 0.7]), 1e-6
    slope = expression(at)[1]
    for k in range(2):
        step = h * np.eye(2)[k]
        central = (expression(at + step)[0] - expression(at - step)[0]) / (2.0 * h)
        assert slope[k] == pytest.approx(central, rel=1e-8, abs=1e-9)
    assert slope.any()


def test_every_function_is_covered():
    steps = {"step", "delta", "floor", "ceil"}
    assert {name for name in FUNCTIONS if any(f"{name}(" in one for one in CASES)} | steps == set(
        FUNCTIONS
    )


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "an empty part"),
        ("x +", "an operand missing"),
        ("x y", "'y' where it should end|the .*'xy'|'xy'"),
        ("z", "'z'"),
        ("import(x)", "the function 'import'"),
        ("x.real", "'.'"),
        ("sin(x", "in place of"),
        ("sin x", "'sinx'"),
        ("min(x)", "in place of ','"),
        ("x; 3=y", "the definition"),
        ("x**2", "'\\*'"),
        ("+x", r"'\+'"),
        ("x[0]", r"'\['"),
        ("(" * (DEEPEST + 1) + "x", f"more than {DEEPEST} levels"),
        ("x" * (LONGEST + 1), "characters"),
        ("x + \u0661", "be a formula"),
    ],
)
def test_what_is_no_formula_is_refused(text, words):
    with pytest.raises(fm.ModelError, match=words):
        Expression(text, NAMES, "force 'f'")


@pytest.mark.parametrize("text", ["1/x", "log(x)", "sqrt(x)", "x^-1", "exp(1000+x)", "(x-1)^0.5"])
def test_no_finite_value_or_slope_names_the_place(text):
    with pytest.raises(fm.ModelError, match=r"force 'f'.*no finite (value|slope) at x = 0, y = 1"):
        Expression(text, NAMES, "force 'f'")((0.0, 1.0))


def test_a_long_sum_needs_no_depth():
    assert value("+".join(["x"] * 4000)) == pytest.approx(1200.0)
