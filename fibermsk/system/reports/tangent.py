"""Test of the tangent of an element against central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.guard import guarded
from fibermsk.protocol import BorderedMatrix
from fibermsk.system.assembly import Assembly
from fibermsk.system.contribution import Slopes
from fibermsk.system.optional import HasConstraints

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem


_STEP = 1e-4
"""Step of the differences over the size of the unknowns; extrapolated, their error is of fourth
order."""

_TINY = 10.0 * np.finfo(float).eps
"""Size of random changes, over that of the unknowns, that reveal the round-off of a row."""

_NEAR = 5
"""Number of these changes at each state."""

_CANCELLED = 1e-13
"""Round-off of a derivative over the largest one."""

_NOISE = 30.0
"""Round-off of a row over its largest change by them: forces that cancel leave nothing else."""

_SLOPES = {"positions": (0.0, 0.0), "velocities": (3.0, 0.0), "accelerations": (3.0, 5.0)}
"""Derivatives of rates by unknowns with which each kind enters the tangent first."""


@guarded
def check_contribution(
    system: FiberSystem,
    element: str,
    *,
    start: tuple[Array, Array] | None = None,
    amplitude: float = 0.01,
    tolerance: float = 1e-6,
    states: int = 4,
    seed: int = 1,
) -> float:
    """Compare the tangent of an element of your own with central differences of its residual.

    At several random states near a start, along random directions, and one after the other for the
    derivatives by positions, velocities and accelerations. An element is assembled alone, one with
    constraints with all others, whose forces cause its multipliers.

    Parameters
    ----------
    system : FiberSystem
        System with the element; `fibermsk.check_contribution` also takes its `Model`.
    element : str
        Its name.
    start : tuple of (n,) float array, optional
        Positions and velocities; those of ``system.initial_state()`` if left out.
    amplitude : float
        Size of the random changes of positions over the scale of each unknown; positive. Those of
        velocities are as large as the scale a second.
    tolerance : float
        Largest allowed error of a row, over the largest value of the row; positive.
    states : int
        Number of random states.
    seed : int
        Of the random numbers; 1 or more.

    Returns
    -------
    error : float
        Largest relative error that was found; round-off of a row counts as its size.

    Raises
    ------
    ModelError
        If a row of the tangent differs by more than the tolerance: names the row, the unknown, and
        both values. Also if the system has no such element, or an argument lies outside its range.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("bob")
    >>> bob = model.add(fm.Body("bob", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> _ = model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1), value=-0.3))
    >>> ends = model.ground.at(0, 0, 0), bob.at(0, 0, 0)
    >>> _ = model.add(fm.PointSpring("spring", *ends, stiffness=100.0, rest_length=0.2))
    >>> fm.check_contribution(fm.build(model), "spring") < 1e-8
    True
    """
    from fibermsk.system.system import FiberSystem

    owner = "check_contribution"
    _check.instance(owner, "system", system, FiberSystem, "a FiberSystem, from fm.build")
    if not system.named_elements:
        raise ModelError(f"{owner}: the model {system.model.name!r} has no elements; must have one")
    _check.choice(owner, "element", element, system.named_elements)
    amplitude = _check.positive(owner, "amplitude", amplitude)
    tolerance = _check.positive(owner, "tolerance", tolerance)
    count = _check.count(owner, "states", states)
    rng = np.random.default_rng(_check.count(owner, "seed", seed))
    y, v = system.initial_state() if start is None else _start(owner, system, start)
    test = _Test(system, element, tolerance)
    worst = 0.0
    for _ in range(count):
        change = rng.normal(size=(3, system.n)) * system.scale
        at = system.retract(0.0, y, amplitude * change[0] * test.free)
        moving = system.enforce(at, v + change[1]), change[2]
        for kind, slopes in _SLOPES.items():
            direction = rng.normal(size=system.n) * system.scale * test.free
            worst = max(worst, test.error(kind, slopes, (at, *moving), direction))
    return worst


def _start(owner: str, system: FiberSystem, start: object) -> tuple[Array, ...]:
    pair = _check.instance(owner, "start", start, tuple, "a pair of positions and velocities")
    if len(pair) != 2:
        _check.refuse(owner, "start", start, "be a pair of positions and velocities")
    return tuple(_check.array(owner, f"start[{k}]", x, (system.n,)) for k, x in enumerate(pair))


class _Test:
    """An element assembled alone."""

    def __init__(self, system: FiberSystem, element: str, tolerance: float) -> None:
        self._system, self._name, self._tolerance = system, element, tolerance
        own: Any = system.named_elements[element]
        # the derivative of a constraint's forces needs the multipliers that all others cause
        alone = system.contributions if isinstance(own, HasConstraints) else (own,)
        parts = system.cables, system.skeleton, system.attached, alone
        self._assemble = Assembly(*parts, system.tension.round_off)
        self.free = np.ones(system.n)
        nodes, _ = system.configuration.split(self.free)
        nodes[system.cables.attached_nodes, :3] = 0.0

    def error(
        self, kind: str, slopes: tuple[float, float], state: tuple[Array, Array, Array], d: Array
    ) -> float:
        """Largest relative error of a row along a direction d (n,)."""
        tangent = self._evaluate(*state, Slopes(*slopes, False))
        assert isinstance(tangent, BorderedMatrix)
        exact, (found, noise) = _product(tangent, d), self._differences(slopes, state, d)
        for what, values in (("tangent", exact), ("residual", found)):
            if not np.isfinite(values).all():
                name = self._system.describe(int(np.argmin(np.isfinite(values))))
                raise ModelError(
                    f"element {self._name!r}: its {what} is not finite in the row {name!r}; must "
                    "be finite at states near the start"
                )
        # rows in which large terms cancel are as inexact as these
        noise = noise + _CANCELLED * float(np.abs(exact).max(initial=0.0))
        size = np.maximum(np.abs(exact), np.abs(found)) + noise / self._tolerance
        error = np.abs(exact - found) * self.free / np.maximum(size, np.finfo(float).tiny)
        row = int(np.argmax(error))
        if error[row] > self._tolerance:
            self._refuse(kind, slopes, state, tangent, row)
        return float(error[row])

    def _evaluate(self, y: Array, v: Array, v_dot: Array, slopes: Slopes | None) -> object:
        with_tangent = slopes is not None
        at, _ = self._system.configuration.at(0.0, y, v, v_dot, second=with_tangent)
        found = self._assemble(at, slopes)
        return found.matrix if with_tangent else found.residual

    def _differences(
        self, slopes: tuple[float, float], state: tuple[Array, Array, Array], d: Array
    ) -> tuple[Array, Array]:
        """Slope (n,) of the residual along d by extrapolated central differences, and round-off."""
        system, (y, v, v_dot), (by_y, by_v) = self._system, state, slopes
        noise, rng = np.zeros(system.n), np.random.default_rng(0)

        def residual(step: Array) -> Array:
            new = system.retract(0.0, y, step)
            speed = system.enforce(new, v + by_y * (new - y))
            found = self._evaluate(new, speed, v_dot + by_v * (speed - v), None)
            assert isinstance(found, np.ndarray)
            return found

        def sample(s: float) -> Array:
            found = residual(s * d)
            np.maximum(noise, _TINY * np.abs(found), out=noise)
            # forces that cancel may do so to the last bit at one of these
            for _ in range(_NEAR):
                tiny = _TINY * rng.normal(size=system.n) * system.scale * self.free
                np.maximum(noise, np.abs(residual(s * d + tiny) - found), out=noise)
            return found

        def slope(h: float) -> Array:
            return (sample(h) - sample(-h)) / (2.0 * h)

        return _extrapolated(slope), _NOISE * noise / _STEP

    def _refuse(
        self,
        kind: str,
        slopes: tuple[float, float],
        state: tuple[Array, Array, Array],
        tangent: BorderedMatrix,
        row: int,
    ) -> None:
        """Name the row and the unknown of the largest difference."""
        system, worst = self._system, (0.0, 0, 0.0, 0.0)
        for column in np.flatnonzero(self.free):
            d = np.zeros(system.n)
            d[column] = 1.0
            exact = float(_product(tangent, d)[row])
            scaled = system.scale[column] * d
            found = float(self._differences(slopes, state, scaled)[0][row] / system.scale[column])
            size = abs(exact - found) * system.scale[column]
            worst = max(worst, (size, int(column), exact, found))
        _, column, exact, found = worst
        raise ModelError(
            f"element {self._name!r}: derivative of the row {system.describe(row)!r} with respect "
            f"to {system.describe(column)!r} = {exact:.8g}, central differences give {found:.8g}; "
            f"must agree to {self._tolerance:g}; the difference appears with the {kind}: check "
            "the derivatives that `add` passes to its ports, or that `constrain` and `curvature` "
            "return"
        )


def _product(tangent: BorderedMatrix, d: Array) -> Array:
    """Product (n,); rows of states at quadrature points, which elements do not have, are zero."""
    found, n = np.zeros(d.size), tangent.B.shape[0] + tangent.D.shape[0]
    found[:n] = tangent @ d[:n]
    return found


def _extrapolated(slope: Callable[[float], Array]) -> Array:
    return (4.0 * slope(0.5 * _STEP) - slope(_STEP)) / 3.0
