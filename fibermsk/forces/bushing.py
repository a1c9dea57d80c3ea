"""Bushings: springs and dampers between frames of two bodies, in all six directions.

Symbols: ``F`` frame on the first body and ``M`` on the second, ``d`` their deflection: three angles
about the x-axis of F, the turned y-axis and the z-axis of M, then the place of M in F. ``N`` gives
rates of the angles from the angular velocity of M in F, in the axes of M.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import NON_NEGATIVE, checked, number
from fibermsk._shown import Described
from fibermsk.errors import ModelError
from fibermsk.laws.expression import Expression
from fibermsk.model import Body, Station
from fibermsk.model.function import Function, Pieces, check_function, integral
from fibermsk.model.skeleton.body import check_ends
from fibermsk.model.skeleton.joint import orientation
from fibermsk.results import Field
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.frames import (
    BodyFrames,
    Loads,
    Numbers,
    Poses,
    angle,
    extended,
    norm,
    turned,
    turned_back,
)

VARIABLES = "theta_x", "theta_y", "theta_z", "delta_x", "delta_y", "delta_z"
"""Deflections by their names in formulas."""

_ZERO = (0.0, 0.0, 0.0)
_SINGULAR = 1e-6
"""Cosine of the second angle below which the angles have no rates."""


@dataclass(frozen=True, eq=False, repr=False)
class Bushing(Described):
    """Springs and dampers between frames of two bodies, in six directions.

    The deflection of the second frame in the first is d: three body-fixed angles about x, y and z
    [rad], and the place of its origin [m]. The generalized forces on d are -(k d + g(d) + c dd/dt),
    k stiffness, c damping and g functions or formulas; equal and opposite loads act on the bodies.
    OpenSim's BushingForce, FunctionBasedBushingForce and ExpressionBasedBushingForce. The angles
    are singular where the second is 90 degrees, which a motion must not reach.

    Parameters
    ----------
    name : str
        Name, unique among the elements of the model.
    first, second : Station
        Origins of the frames, from `Body.at`; on different bodies.
    first_axes, second_axes : (3, 3) array_like
        Axes of the frames in their bodies, columns.
    rotational_stiffness, translational_stiffness : (3,) array_like
        k for angles [N m/rad] and for places [N/m]; 0 or more.
    rotational_damping, translational_damping : (3,) array_like
        c for angles [N m s/rad] and for places [N s/m]; 0 or more.
    moments, forces : sequence of 3 Function, str or None
        g for angles [N m] and for places [N]: each a function of its own deflection, or a formula
        of theta_x, theta_y, theta_z, delta_x, delta_y and delta_z with ``+ - * / ^``.

    Raises
    ------
    ModelError
        If a field lies outside its range; in a run, where the second angle is 90 degrees.

    Notes
    -----
    The elastic energy is that of stiffness and functions. Formulas have none: they need no
    potential.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("disc")
    >>> low = model.add(fm.Body("low", 1.0, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    >>> free = model.add(fm.Free("joint", model.ground, low))
    >>> disc = fm.Bushing(
    ...     "disc",
    ...     model.ground.at((0, 0, 0.02)),
    ...     low.at((0, 0, 0.02)),
    ...     rotational_stiffness=(50.0, 50.0, 20.0),
    ...     translational_stiffness=(1e5, 1e5, 1e6),
    ...     moments=("30*theta_x^3", None, None),
    ... )
    >>> model.add(disc).name
    'disc'
    """

    name: str
    first: Station
    second: Station
    _: KW_ONLY
    first_axes: ArrayLike = orientation()
    second_axes: ArrayLike = orientation()
    rotational_stiffness: ArrayLike = number("N m/rad", NON_NEGATIVE, shape=(3,), default=_ZERO)
    translational_stiffness: ArrayLike = number("N/m", NON_NEGATIVE, shape=(3,), default=_ZERO)
    rotational_damping: ArrayLike = number("N m s/rad", NON_NEGATIVE, shape=(3,), default=_ZERO)
    translational_damping: ArrayLike = number("N s/m", NON_NEGATIVE, shape=(3,), default=_ZERO)
    moments: Sequence[Function | str | None] = (None, None, None)
    forces: Sequence[Function | str | None] = (None, None, None)

    coordinates = signals = ()

    def __post_init__(self) -> None:
        owner = self._owner
        check_ends(owner, self)
        laws: dict[str, Any] = {}
        for field in ("moments", "forces"):
            given = _check.instance(owner, field, getattr(self, field), (tuple, list), "three")
            if len(given) != 3:
                _check.refuse(owner, field, len(given), "be three, for x, y and z")
            for k, one in enumerate(given):
                if isinstance(one, str):
                    Expression(one, VARIABLES, f"{owner}: {field}[{k}]")
                elif one is not None:
                    check_function(owner, f"{field}[{k}]", one)
            laws[field] = tuple(given)
        _check.store(self, **laws, **checked(self, owner))

    @property
    def _owner(self) -> str:
        return f"bushing {_check.item_name('bushing', self.name)!r}"

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of both frames."""
        return self.first.body, self.second.body

    @property
    def stiffness(self) -> Array:
        """Stiffness of the six deflections, (6,)."""
        return np.concatenate([self.rotational_stiffness, self.translational_stiffness])

    @property
    def damping(self) -> Array:
        """Damping of the six deflections, (6,)."""
        return np.concatenate([self.rotational_damping, self.translational_damping])

    @cached_property
    def laws(self) -> tuple[_Formula | _Curve | None, ...]:
        """Functions and formulas of the six deflections; None without one."""
        found = list[_Formula | _Curve | None]()
        for k, one in enumerate((*self.moments, *self.forces)):
            if isinstance(one, str):
                field = f"{'moments' if k < 3 else 'forces'}[{k % 3}]"
                found.append(_Formula(Expression(one, VARIABLES, f"{self._owner}: {field}")))
            else:
                found.append(None if one is None else _Curve(one.pieces(), k))
        return tuple(found)

    def contribute(self, configuration: Configuration) -> _Bush:
        """Create the contribution."""
        return _Bush(self, configuration)


class _Curve:
    """A function of its own deflection."""

    def __init__(self, pieces: Pieces, k: int) -> None:
        self.pieces, self._k = pieces, k

    def __call__(self, d: Numbers) -> Numbers:
        """Evaluate at deflections (..., 6), of complex steps too."""
        x = d[..., self._k]
        return extended(self.pieces(x.real), self.pieces(x.real, 1), x)

    def energy(self, d: Array) -> float:
        """Energy of the deflection (6,) [J]."""
        return integral(self.pieces, 0.0, float(d[self._k]))

    @property
    def numbers(self) -> list[Any]:
        """What identifies it."""
        return [*self.pieces]


class _Formula:
    """A formula of all deflections."""

    def __init__(self, expression: Expression) -> None:
        self._expression = expression

    def __call__(self, d: Numbers) -> Numbers:
        """Evaluate at deflections (..., 6), of complex steps too; real parts are all the same."""
        first = d.reshape(-1, 6)[0].real
        value, slope = self._expression(first)
        return value + 1j * (d.imag @ slope) if np.iscomplexobj(d) else np.float64(value)

    def energy(self, d: Array) -> float:
        """No energy: a formula needs no potential."""
        return 0.0

    @property
    def numbers(self) -> list[Any]:
        """What identifies it."""
        return [self._expression.text]


class _Bush:
    """Contribution of a bushing."""

    reports = (
        Field("force", "N", "bushing force", "force on the second body, in ground", (3,)),
        Field("torque", "N m", "bushing torque", "torque on the second body, in ground", (3,)),
        Field("angles", "rad", "bushing angles", "body-fixed angles x, y, z of the frames", (3,)),
        Field("place", "m", "bushing place", "second origin in the first frame", (3,)),
    )

    def __init__(self, bushing: Bushing, configuration: Configuration) -> None:
        self._bushing = bushing
        axes = np.array([bushing.first_axes, bushing.second_axes], np.float64)
        self._port = BodyFrames(configuration, (bushing.first, bushing.second), axes)
        self._stiffness, self._damping = bushing.stiffness, bushing.damping

    def _deflection(self, poses: Poses) -> tuple[Numbers, Numbers, Numbers]:
        """Deflections (..., 6), R of M in F, and N."""
        x, R = poses.x, poses.R
        R_F, R_M = R[..., 0, :, :], R[..., 1, :, :]
        place = turned_back(R_F, x[..., 1, :] - x[..., 0, :])
        A = np.swapaxes(R_F, -1, -2) @ R_M
        cosine = norm(A[..., 0, :2])
        if np.min(cosine.real) < _SINGULAR:
            raise ModelError(
                f"bushing {self._bushing.name!r}: second angle = 90 degrees; must stay below, "
                "where the angles have rates; turn its frames (first_axes, second_axes)"
            )
        angles = [
            angle(-A[..., 1, 2], A[..., 2, 2]),
            angle(A[..., 0, 2], cosine),
            angle(-A[..., 0, 1], A[..., 0, 0]),
        ]
        d = np.concatenate([np.stack(angles, axis=-1), place], axis=-1)
        c, s, tangent = np.cos(angles[2]), np.sin(angles[2]), A[..., 0, 2] / cosine
        none, one = np.zeros_like(c), np.ones_like(c)
        N = np.stack(
            [
                np.stack([c / cosine, -s / cosine, none], axis=-1),
                np.stack([s, c, none], axis=-1),
                np.stack([-c * tangent, s * tangent, one], axis=-1),
            ],
            axis=-2,
        )
        return d, R_M, N

    def _loads(self, poses: Poses) -> Loads:
        """Loads on both frames."""
        d, R_M, N = self._deflection(poses)
        x, v, w = poses.x, poses.v, poses.w
        R_F = poses.R[..., 0, :, :]
        way = x[..., 1, :] - x[..., 0, :]
        swept = v[..., 1, :] - v[..., 0, :] - np.cross(w[..., 0, :], way)
        spin = turned(N, turned_back(R_M, w[..., 1, :] - w[..., 0, :]))
        rate = np.concatenate([spin, turned_back(R_F, swept)], axis=-1)
        f = -self._stiffness * d - self._damping * rate
        for k, law in enumerate(self._bushing.laws):
            if law is not None:
                f[..., k] -= law(d)
        force = turned(R_F, f[..., 3:])
        torque = turned(R_M, turned_back(N, f[..., :3]))
        back = torque + np.cross(way, force)
        return Loads(np.stack([-force, force], axis=-2), np.stack([-back, torque], axis=-2))

    def add(self, at: At, sums: Sums) -> None:
        """Add the loads and their derivatives."""
        self._port.load(at, self._port.moved(at), sums, self._loads)

    def energy(self, at: At) -> dict[str, float]:
        """Energy of stiffness and functions [J]."""
        d = self._deflection(self._port.moved(at).poses)[0]
        stored = sum(law.energy(d) for law in self._bushing.laws if law is not None)
        return {"elastic": float(0.5 * self._stiffness @ d**2 + stored)}

    def fields(self, at: At) -> dict[str, Array]:
        """Loads on the second body, and the deflection."""
        poses = self._port.moved(at).poses
        loads, d = self._loads(poses), self._deflection(poses)[0]
        own = {"force": loads.force[1], "torque": loads.torque[1]}
        return own | {"angles": d[:3], "place": d[3:]}

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Frames, numbers and laws."""
        own, port = self._bushing, self._port
        laws = [[] if law is None else law.numbers for law in own.laws]
        numbers = [port.link, port.local, port.axes, self._stiffness, self._damping, laws]
        return {"the bushings": [own.name, *numbers]}
