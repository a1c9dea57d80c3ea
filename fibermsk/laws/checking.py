"""Checks of user-defined laws: finite values, and derivatives that are right.

A derivative is compared with a complex step, which is exact, and with a central difference, which
needs no complex numbers. If the two disagree (``abs``, or an exponential of `math`), the central
difference is the reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fibermsk.errors import ModelError
from fibermsk.laws.coordinate import CoordinateForce
from fibermsk.laws.derivatives import Point, complex_step, fail, first
from fibermsk.laws.own import check_constants, constant_values, law_digest, law_label

STRETCHES = (0.5, 2.0)
"""Default range of stretches over which a law is checked; muscle stays within it."""

_RATES = (-4.7, -0.6, 0.0, 0.9, 5.3)
_ACTIVATIONS = (0.0, 0.45, 1.0)

_COUNT = 21
"""Stretches or gaps that are checked; none is round, since laws have kinks at round numbers."""

_CLOSE, _ROUND_OFF = 1e-6, 1e-9
"""Difference relative to the derivative, and to the value, that counts as round-off."""

_DIFFERENCE = 1e-4
"""Step of the central differences, relative to the argument."""

_OPENS = 1e-3
"""Force just below a gap of zero, relative to the largest one, that counts as zero."""


def _call(point: Point, function: Callable[..., Any], at: Sequence[Any]) -> Any:
    """Value of a function; exceptions become messages."""
    try:
        with np.errstate(all="ignore"):
            return function(*at)
    except AttributeError as error:
        fail(point, f"raised {error}", "use only fields of the law from self")
    except (ValueError, ArithmeticError) as error:
        fail(point, f"raised {type(error).__name__}: {error}", "be finite", _RANGES)
    except Exception as error:
        raise ModelError(f"{point}: raised {type(error).__name__}: {error}") from error


_RANGES = "for another range of a stress law set stretch_range = (least, largest)"


def _finite(point: Point, value: Any, what: str = "value") -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        fail(point, f"{what} = {value!r}", "be a number")
    if not math.isfinite(number):
        fail(point, f"{what} = {number}", "be finite", _RANGES)
    return number


def _difference(function: Callable[..., Any], at: Sequence[float], i: int, size: float) -> float:
    """Derivative in argument i by fourth-order central differences."""
    h, total = _DIFFERENCE * size, 0.0
    for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
        moved = list(at)
        moved[i] += k * h
        try:
            with np.errstate(all="ignore"):
                total += weight * float(function(*moved))
        except (ValueError, ArithmeticError):
            return math.nan
    return total / (12.0 * h)


def _agree(a: float, b: float, value: float) -> bool:
    return abs(a - b) <= _CLOSE * max(abs(a), abs(b)) + _ROUND_OFF * abs(value)


def _check_slope(
    point: Point,
    function: Callable[..., Any],
    at: Sequence[float],
    i: int,
    size: float,
    given: float | None,
    name: str,
) -> None:
    """Compare a derivative with its reference, or check that complex steps are correct."""
    value = float(function(*at))
    step, difference = complex_step(function, at, i), _difference(function, at, i, size)
    exact = step is not None and _agree(step, difference, value)
    if given is None:
        if not exact:
            found = "it accepts no complex numbers"
            if step is not None:
                found = f"a complex step gives {step:.9g}, a central difference {difference:.9g}"
            must = f"accept complex numbers, or return {name} as well"
            remedy = "np.exp accepts them and math.exp does not; compare stretch.real, no abs()"
            fail(point, found, must, remedy)
        return
    reference, how = (step, "complex step") if exact else (difference, "central difference")
    if not math.isfinite(difference) or not _agree(given, float(reference or 0.0), value):
        fail(point, f"{name} = {given:.9g}", f"be {reference:.9g}, the {how}")


def _samples(least: float, most: float) -> list[float]:
    return [least + (k + 0.37) / _COUNT * (most - least) for k in range(_COUNT)]


def _given(point: Point, found: Any, names: tuple[str, ...]) -> list[float | None]:
    """Derivatives that a function returned with its value, checked to be numbers."""
    if not isinstance(found, tuple):
        _finite(point, found)
        return [None] * len(names)
    if len(found) != 1 + len(names):
        fail(point, f"{len(found)} values", f"be the value, or the value with {', '.join(names)}")
    for name, value in zip(("value", *names), found, strict=True):
        _finite(point, value, name)
    return [float(value) for value in found[1:]]


def check_stress_law(owner: str, field: str, law: Any) -> None:
    """Check constants, values and derivatives of a stress law over its stretches.

    An error names the law, the point and both values.
    """
    check_constants(owner, field, law, ("stress",))
    _check_stress(owner, field, law, law_digest(type(law), ("stress", "energy")))


@lru_cache(maxsize=256)  # by the digest too: functions that the law calls may change
def _check_stress(owner: str, field: str, law: Any, _digest: str) -> None:
    label = f"{owner}: {field}: law {law_label(type(law))!r}"
    constants, kind = constant_values(law), type(law)
    least, most = _stretches(label, law)

    def stress(*at: Any) -> Any:
        return kind.stress(constants, *at)

    names = ("stretch", "stretch_rate", "activation")
    for stretch in (*_samples(least, most), least, most):
        for rate in _RATES:
            for activation in _ACTIVATIONS:
                at = stretch, rate, activation
                point = Point(label, "stress", tuple(zip(names, at, ("", "1/s", ""), strict=True)))
                found = _given(point, _call(point, stress, at), ("dP_dstretch", "dP_drate"))
                if stretch in (least, most):
                    continue
                for i, name in enumerate(("dP_dstretch", "dP_drate")):
                    _check_slope(point, first(stress), at, i, 1.0, found[i], name)
    if hasattr(kind, "energy"):

        def energy(*at: Any) -> Any:
            return kind.energy(constants, *at)

        for stretch in _samples(least, most):
            point = Point(label, "energy", (("stretch", stretch, ""),))
            _finite(point, _call(point, energy, (stretch,)))
            passive = float(first(stress)(stretch, 0.0, 0.0))
            _check_slope(point, energy, (stretch,), 0, 1.0, passive, "the stress, its slope,")


def check_activation_slope(owner: str, law: Any) -> None:
    """Check that a complex step gives the derivative of a stress law in the activation."""
    label, kind = f"{owner}: law {law_label(type(law))!r}", type(law)
    stress, constants = first(kind.stress), constant_values(law)
    least, most = _stretches(label, law)
    for stretch in _samples(least, most)[::3]:
        for activation in (0.13, 0.45, 0.87):
            at = stretch, 0.3, activation

            def value(*at: Any) -> Any:
                return stress(constants, *at)

            step, difference = complex_step(value, at, 2), _difference(value, at, 2, 1.0)
            if step is None or not _agree(step, difference, float(value(*at))):
                found = "no complex step of the activation works"
                if step is not None:
                    found = f"a complex step of the activation gives {step:.9g}, a central "
                    found += f"difference {difference:.9g}"
                point = Point(
                    label, "stress", (("stretch", stretch, ""), ("activation", activation, ""))
                )
                must = "accept complex activations where the activation is a state"
                fail(point, found, must, "np.exp accepts them and math.exp does not")


def _stretches(label: str, law: Any) -> tuple[float, float]:
    """Range of stretches of a law."""
    try:
        least, most = map(float, getattr(law, "stretch_range", STRETCHES))
    except (TypeError, ValueError):
        least, most = math.nan, math.nan
    if not 0.0 < least < 1.0 < most < math.inf:
        raise ModelError(
            f"{label}: stretch_range = {law.stretch_range!r}; must be two stretches, one below 1 "
            "and one above"
        )
    return least, most


def check_activation_law(owner: str, law: Any) -> None:
    """Check constants, values and derivatives of a law of activation, over its unit square."""
    check_constants(owner, "law", law, ("rate",))
    _check_activation(owner, law, law_digest(type(law), ("rate",)))


@lru_cache(maxsize=256)  # by the digest too, as above
def _check_activation(owner: str, law: Any, _digest: str) -> None:
    label = f"{owner}: law {law_label(type(law))!r}"
    for excitation in (0.0, *_samples(0.0, 1.0)[::4], 1.0):
        for activation in _samples(0.0, 1.0):
            at = excitation, activation
            arguments = ("excitation", excitation, ""), ("activation", activation, "")
            point = Point(label, "rate", arguments)
            names = "dr_dexcitation", "dr_dactivation"
            found = _given(point, _call(point, law.rate, at), names)
            if 0.0 < excitation < 1.0 and abs(excitation - activation) < 1e-2:
                continue  # a law may have a kink there
            for i, name in enumerate(names):
                _check_slope(point, first(law.rate), at, i, 1.0, found[i], name)


def check_contact_law(owner: str, law: Any, needs_energy: bool) -> None:
    """Check constants, values and derivatives of a contact law over its admissible gaps.

    The force must repel, and force and energy must vanish where the contact opens.
    """
    check_constants(owner, "law", law, ("line_force",))
    _check_contact(owner, law, needs_energy, law_digest(type(law), ("line_force", "energy")))


@lru_cache(maxsize=256)  # by the digest too, as above
def _check_contact(owner: str, law: Any, needs_energy: bool, _digest: str) -> None:
    label = f"{owner}: law {law_label(type(law))!r}"
    limit = getattr(law, "limit", None)
    if not isinstance(limit, float | int) or not 1.0 < limit < 1e50:
        raise ModelError(
            f"{label}: limit = {limit!r}; must be a number above 1, the inverse of the deepest "
            "relative gap"
        )
    constants, kind = constant_values(law), type(law)

    def force(*at: Any) -> Any:
        return kind.line_force(constants, *at)

    def energy(*at: Any) -> Any:
        return kind.energy(constants, *at)

    if needs_energy and not hasattr(kind, "energy"):
        raise ModelError(
            f"{label} has no energy(self, gap); must have one for formulation='variational'; give "
            "it one, or use formulation='half_pass'"
        )
    depth = 1.0 / float(limit)
    functions = {"line_force": force}
    if hasattr(kind, "energy"):
        functions["energy"] = energy
    for name, function in functions.items():
        largest = 0.0
        for gap in _samples(-depth, 0.0):
            point = Point(label, name, (("gap", gap, ""),))
            found = _given(
                point,
                _call(point, function, (gap,)),
                ("dF_dgap",) if name == "line_force" else (),
            )
            value = float(first(function)(gap))
            if name == "line_force" and value < 0.0:
                fail(point, f"value = {value:.6g} N/m", "be positive or zero: contacts repel")
            largest = max(largest, abs(value))
            slope = found[0] if name == "line_force" else -float(first(force)(gap))
            what = "dF_dgap" if name == "line_force" else "minus the line force, its slope,"
            _check_slope(point, first(function), (gap,), 0, depth, slope, what)
        point = Point(label, name, (("gap", -1e-12 * depth, ""),))
        last = _finite(point, first(function)(-1e-12 * depth))
        if abs(last) > _OPENS * largest:
            fail(point, f"value = {last:.6g}", "go to zero with the gap, where contacts open")


def check_function(
    label: str, name: str, law: Any, argument: str, least: float, most: float
) -> None:
    """Check a function of one number over a range: finite, not negative, with its derivative."""
    constants, kind = constant_values(law), type(law)

    def function(*at: Any) -> Any:
        return getattr(kind, name)(constants, *at)

    for x in _samples(least, most):
        point = Point(label, name, ((argument, x, ""),))
        given = _given(point, _call(point, function, (x,)), ("derivative",))
        value = float(first(function)(x))
        if value < 0.0:
            fail(point, f"value = {value:.6g}", "be zero or positive")
        _check_slope(point, first(function), (x,), 0, 1.0, given[0], "derivative")


def check_coordinate_law(label: str, law: Any, least: float, most: float, unit: str) -> None:
    """Check values and derivatives of a law of a coordinate over a range."""

    def part(field: str) -> Callable[..., Any]:
        return lambda q, p: getattr(law(q, p), field)

    for q in _samples(least, most):
        for p in _RATES:
            at = (q, p)
            point = Point(label, "force", (("q", q, unit), ("p", p, f"{unit}/s")))
            found = _call(point, law, at)
            if not isinstance(found, CoordinateForce):
                fail(point, f"returned {found!r}", "return a fm.CoordinateForce")
            for name in CoordinateForce._fields:
                _finite(point, getattr(found, name), name)
            _check_slope(point, part("force"), at, 0, most - least, found.dq, "dq")
            _check_slope(point, part("force"), at, 1, 1.0, found.dp, "dp")
