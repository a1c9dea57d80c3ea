"""A wrapping surface of the user's own: where a function of space is zero."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import POSITIVE, checked, number
from fibermsk.errors import ModelError
from fibermsk.laws.own import function_digest
from fibermsk.model.muscles.wrap import Surface

_STEP = 1e-6
"""Relative step of the differences that check derivatives."""
_CLOSE = 1e-5
"""Largest relative error of derivatives; differences are better than 1e-8."""
_ALONG = 64
"""Points of a ray from the center at which the level is examined."""
_RAYS = [np.array(way, float) for way in itertools.product((-1, 0, 1), repeat=3) if any(way)]


@dataclass(frozen=True, eq=False, repr=False)
class WrapLevelSet(Surface):
    """A smooth surface of the user's own, where a level is zero; other fields as `WrapSphere`.

    Parameters
    ----------
    level : callable
        ``level(size, x, g, H)`` returns the level F at the place x (3,) in the frame of the
        surface [m], negative inside, and fills its gradient g (3,) and Hessian H (3, 3). It is
        compiled by Numba: it uses numbers, loops and `math`.
    size : (3,) array_like
        Three lengths that the level takes, about the half extents of the surface [m]; positive.
        Steps of the solution are limited to half of the least one, which should not be far above
        the least radius of curvature.
    center : (3,) array_like
        A point inside, frame of the surface [m].
    reach : float
        Distance from the center up to which the surface is looked for, to examine and draw it [m].

    Raises
    ------
    ModelError
        If the level at the center is not negative, no surface is within reach, or a gradient or
        Hessian on the surface differs from differences of level or gradient by more than 1e-5.

    Notes
    -----
    Third derivatives, which accelerations of points of a path need, are differences of the Hessian:
    the level must have three continuous derivatives. See the guide on wrapping.

    Examples
    --------
    >>> import fibermsk as fm
    >>> def ball(size, x, g, H):
    ...     for r in range(3):
    ...         g[r] = 2.0 * x[r]
    ...         for c in range(3):
    ...             H[r, c] = 2.0 if r == c else 0.0
    ...     return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - size[0] * size[0]
    >>> bone = fm.Body("bone", 1.0, (0, 0, 0), inertia=(0.01, 0.01, 0.01))
    >>> surface = fm.WrapLevelSet("w", bone, level=ball, size=(0.02, 0.02, 0.02), reach=0.1)
    """

    level: Callable[..., Any] | None = None
    size: ArrayLike = number("m", POSITIVE, shape=(3,), default=(1.0, 1.0, 1.0))
    center: ArrayLike = number("m", shape=(3,), default=(0.0, 0.0, 0.0))
    reach: float = number("m", POSITIVE, default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = f"wrap surface {self.name!r}"
        # a function that Numba has compiled already is taken as it was written
        level = getattr(self.level, "py_func", self.level)
        if not isinstance(level, FunctionType):
            _check.refuse(owner, "level", self.level, "be a function level(size, x, g, H)")
        _check.store(self, level=level, **checked(self, owner))
        function_digest(owner, level)
        at_center = self.at(self.center)[0]
        if not at_center < 0.0:
            _check.refuse(
                owner, "level at the center", at_center, "be below zero",
                remedy="give a point inside as center, or change the sign of level and derivatives",
            )  # fmt: skip
        radii = [(way, self.radius_along(way)) for way in _RAYS]
        found = [np.asarray(self.center) + r * way / np.linalg.norm(way) for way, r in radii if r]
        if not found:
            _check.refuse(
                owner, "reach", self.reach, "let a ray from the center leave the body", unit="m",
            )  # fmt: skip
        for x in found:
            self._check_derivatives(owner, x)

    def at(self, x: ArrayLike) -> tuple[float, Array, Array]:
        """Level, gradient (3,) and Hessian (3, 3) at a place (3,), frame of the surface.

        Raises
        ------
        ModelError
            If the function fails, or does not return a number.
        """
        g, H = np.full(3, np.nan), np.full((3, 3), np.nan)
        place = np.array(x, float)
        level: Any = self.level
        try:
            with np.errstate(all="ignore"):
                F = float(level(np.array(self.size), place, g, H))
        except Exception as error:
            raise ModelError(
                f"wrap surface {self.name!r}: level at {np.asarray(x).tolist()} fails: "
                f"{type(error).__name__}: {error}; must be a number everywhere within reach, with "
                "its derivatives filled in: correct the function"
            ) from error
        return F, g, H

    def height(self, x: ArrayLike) -> float:
        """Distance of a place from the surface to first order [m], negative inside."""
        F, g, _ = self.at(x)
        slope = float(np.linalg.norm(g))
        return F / slope if slope > 0.0 else float(np.copysign(np.min(np.asarray(self.size)), F))

    def radius_along(self, way: ArrayLike) -> float | None:
        """Distance from the center to the surface in a direction (3,) [m]; None beyond reach."""
        unit = np.asarray(way, float) / np.linalg.norm(way)
        center = np.asarray(self.center, float)
        low, step = 0.0, self.reach / _ALONG
        while self.at(center + (low + step) * unit)[0] <= 0.0:
            low += step
            if low > self.reach - 0.5 * step:
                return None
        high = low + step
        while high - low > 1e-12 * self.reach:
            middle = 0.5 * (low + high)
            if self.at(center + middle * unit)[0] > 0.0:
                high = middle
            else:
                low = middle
        return 0.5 * (low + high)

    def _check_derivatives(self, owner: str, x: Array) -> None:
        """Refuse a gradient or Hessian that is not that of the level at a point of the surface."""
        found, away = self.at(x), float(np.linalg.norm(x - np.asarray(self.center)))
        step, slope = _STEP * away, float(np.abs(found[1]).max())
        ahead, back = ([self.at(x + way * axis) for axis in np.eye(3)] for way in (step, -step))
        for k, name in ((1, "gradient"), (2, "Hessian")):
            pairs = zip(ahead, back, strict=True)
            slopes = np.array([(a[k - 1] - b[k - 1]) / (2.0 * step) for a, b in pairs])
            wrong = np.abs(np.asarray(found[k]) - slopes).max()
            # a flat place has no curvature to compare with
            scale = slope if k == 1 else np.abs(found[2]).max() + slope / away
            if not (slope > 0.0 and wrong <= _CLOSE * scale):
                raise ModelError(
                    f"{owner}: {name} of the level at {x.tolist()} differs by {wrong:.3g} from "
                    "differences; must be the derivative of the value, and not zero on the "
                    "surface; correct the function"
                )
