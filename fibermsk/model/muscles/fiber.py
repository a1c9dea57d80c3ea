"""A fiber: a deformable cable of muscle and tendon along a curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._numbers import FRACTION, POSITIVE, checked, fixed, number, part
from fibermsk._shown import Described
from fibermsk.model.muscles import profile
from fibermsk.model.muscles.activation import Activation, Constant
from fibermsk.model.muscles.dynamics import ActivationDynamics
from fibermsk.model.muscles.reflex import Reflex
from fibermsk.model.muscles.tissue import Tissue
from fibermsk.model.skeleton.body import Station
from fibermsk.model.skeleton.junction import Junction
from fibermsk.model.skeleton.moving_point import MovingPoint

End = Station | MovingPoint | None
"""Attachment of one end of a fiber."""

SAMPLES = np.linspace(0.0, 1.0, 101)
"""Points at which functions of theta are checked when a fiber is created."""

_MOST = 100_000
"""Largest number of elements of a fiber."""

ROUNDOFF = 1e-9
"""Smallest step of a path relative to its length; tolerance of the first and last node."""


@dataclass(frozen=True, eq=False, repr=False)
class Fiber(Described):
    """A cable with circular cross-section, described in its reference configuration.

    Parameters
    ----------
    name : str
        Name, unique in the model.
    path : (m, 3) array_like or callable, optional
        Reference centerline, ground frame [m]: two or more points, interpolated by a smooth curve;
        or a function theta (n,) -> (n, 3). If left out, the fiber is straight between its two
        attachments.
    attach : pair of Station, Junction, MovingPoint or None
        Attachments of the ends at theta = 0 and theta = 1; None is a free end. A `Junction` is
        stored as its station.
    radius : float, (m,) array_like or callable
        Reference radius r_0 [m]; positive. An array is sampled uniformly over theta in [0, 1],
        linear between; a callable is a function theta (n,) -> (n,).
    n_elements : int
        Number of finite elements; one or more.
    tissue : Tissue
        Material.
    muscle_fraction : float, (m,) array_like or callable
        Muscle fraction gamma_M along the fiber, in [0, 1]: 1 is muscle and 0 is tendon.
    activation : float, callable or ActivationDynamics
        Activation in [0, 1]: a number (stored as a `Constant`) or a function t -> float; or a state
        that follows an excitation, an `ActivationDynamics`.
    line_load : (3,) array_like or callable
        Load per reference length, ground frame [N/m], or a function (theta (n,), t) -> (n, 3).
    nodes : (n_elements + 1,) array_like, optional
        Positions of the nodes in theta, increasing from 0 to 1; uniform if left out.

    Raises
    ------
    ModelError
        If a field lies outside its range. Functions are checked at 101 points of theta and at t =
        0, and again at every evaluation.
    """

    name: str
    path: ArrayLike | Callable[[np.ndarray], np.ndarray] | None = number(
        "m", shape=("m", 3), by_item=True, default=None
    )
    attach: Sequence[Station | Junction | MovingPoint | None] = part(
        names=("origin", "insertion"), default=(None, None)
    )
    _: KW_ONLY
    radius: profile.Profile = number("m", POSITIVE, varies=True, samples=True)
    n_elements: int
    tissue: Tissue
    muscle_fraction: profile.Profile = number("", FRACTION, varies=True, samples=True, default=1.0)
    activation: float | Activation | ActivationDynamics = number(
        "", FRACTION, varies=True, default=0.0
    )
    line_load: ArrayLike | Callable[[np.ndarray, float], np.ndarray] = number(
        "N/m", shape=(3,), varies=True, default=(0.0, 0.0, 0.0)
    )
    nodes: ArrayLike | None = fixed("they determine the unknowns", default=None, repr=False)

    def __post_init__(self) -> None:
        owner = f"fiber {_check.item_name('fiber', self.name)!r}"
        n_elements = _check.count(owner, "n_elements", self.n_elements, _MOST)
        _check.instance(owner, "tissue", self.tissue, Tissue, "a Tissue")
        attach = _check_attach(owner, self.attach)
        if self.path is None:
            _check_straight(owner, attach)
        _check.store(self, **checked(self, owner))
        if isinstance(self.activation, Reflex):
            must = "be a number, a function of time or an ActivationDynamics"
            remedy = "a reflex is an excitation: fm.ActivationDynamics(reflex)"
            _check.refuse(owner, "activation", self.activation, must, remedy=remedy)
        if not isinstance(self.activation, ActivationDynamics) and not callable(self.activation):
            _check.store(self, activation=Constant(self.activation))
        _check.store(
            self,
            path=_check_path(owner, self.path),
            attach=attach,
            n_elements=n_elements,
            nodes=_check_nodes(owner, self.nodes, n_elements),
        )
        self._check_profiles()

    def radius_at(self, theta: np.ndarray) -> np.ndarray:
        """Reference radius at theta (n,) in [0, 1]: new array (n,) [m], positive."""
        owner = f"fiber {self.name!r}"
        values = profile.sample_profile(self.radius, theta, owner, "radius")
        return profile.check_positive(owner, "radius", values, theta, "m")

    @property
    def ends(self) -> tuple[End, End]:
        """Attachments as stored: a junction as its station."""
        origin, insertion = self.attach
        assert not isinstance(origin, Junction) and not isinstance(insertion, Junction)
        return origin, insertion

    def muscle_fraction_at(self, theta: np.ndarray) -> np.ndarray:
        """Muscle fraction at theta (n,) in [0, 1]: new array (n,), in [0, 1]."""
        owner, field = f"fiber {self.name!r}", "muscle_fraction"
        values = profile.sample_profile(self.muscle_fraction, theta, owner, field)
        return profile.check_fractions(owner, field, values, theta)

    def activation_at(self, t: float) -> float:
        """Activation at time `t` [s], in [0, 1].

        Raises
        ------
        ModelError
            If the function raises or returns anything but a number in [0, 1], or if the activation
            is a state.
        """
        owner, field = f"fiber {self.name!r}", "activation"
        if isinstance(self.activation, ActivationDynamics):
            must = "be a function of time; it is a state"
            remedy = "a result has it, fibers[name].activation"
            _check.refuse(owner, field, self.activation, must, remedy=remedy)
        return profile.fraction_at(owner, field, self.activation, t)

    def line_load_at(self, theta: np.ndarray, t: float) -> np.ndarray:
        """Load per reference length (n, 3) [N/m] at theta (n,) and time `t` [s], in ground."""
        theta = np.asarray(theta, dtype=np.float64)
        shape = (theta.size, 3)
        if not callable(self.line_load):
            return np.broadcast_to(np.asarray(self.line_load), shape).copy()
        owner = f"fiber {self.name!r}"
        load = profile.call_array(owner, "line_load", self.line_load, shape, theta.copy(), t)
        return load.copy()

    def _check_profiles(self) -> None:
        """Evaluate every profile and function once."""
        for field, at in (("radius", self.radius_at), ("muscle_fraction", self.muscle_fraction_at)):
            value = getattr(self, field)
            at(np.linspace(0.0, 1.0, value.size) if isinstance(value, np.ndarray) else SAMPLES)
        if not isinstance(self.activation, ActivationDynamics):
            self.activation_at(0.0)
        self.line_load_at(SAMPLES, 0.0)


def _check_attach(owner: str, value: Any) -> tuple[End, End]:
    """Pair of stations, moving points or None."""
    remedy = "use body.at(x, y, z), and None for a free end"
    if not isinstance(value, tuple | list) or len(value) != 2:
        _check.refuse(owner, "attach", value, "be a pair (origin, insertion)", remedy=remedy)
    value = [end.station if isinstance(end, Junction) else end for end in value]
    for i, end in enumerate(value):
        if end is not None and not isinstance(end, Station | MovingPoint):
            must = "be a Station, a Junction, a MovingPoint or None"
            _check.refuse(owner, f"attach[{i}]", end, must, remedy=remedy)
    return value[0], value[1]


def _check_straight(owner: str, attach: tuple[End, End]) -> None:
    """Check that a fiber without path has two distinct ends, if both are on one body."""
    remedy = "attach both ends, or give a path"
    origin, insertion = attach
    if origin is None or insertion is None:
        _check.refuse(owner, "path", None, "be given for a fiber with a free end", remedy=remedy)
    if not (isinstance(origin, Station) and isinstance(insertion, Station)):
        return
    if origin.body is insertion.body and np.array_equal(origin.position, insertion.position):
        _check.refuse(
            owner,
            "length",
            0.0,
            "be positive",
            unit="m",
            remedy=f"both ends are at one point of body {origin.body.name!r}",
        )


def _check_path(owner: str, path: Any) -> Any:
    """Path as None, read-only points (m, 3) or the callable itself."""
    if path is None:
        return None
    if callable(path):
        field = "path(theta)"
        points = profile.call_array(owner, "path", path, (SAMPLES.size, 3), SAMPLES.copy())
    else:
        field = "path"
        points = _check.array(owner, field, path, ("m", 3), "m")
    if len(points) < 2:
        _check.refuse(owner, field, points, "have two points or more", unit="m")
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    length = float(steps.sum())
    if length == 0.0:
        _check.refuse(owner, f"length of {field}", length, "be positive", unit="m")
    still = np.flatnonzero(steps <= ROUNDOFF * length)
    if still.size:
        k = int(still[0])
        remedy = "remove the repeated point"
        if callable(path):
            remedy = f"the function is constant at theta {SAMPLES[k]:g}"
        must = f"differ from {field}[{k}]"
        _check.refuse(owner, f"{field}[{k + 1}]", points[k + 1], must, unit="m", remedy=remedy)
    return path if callable(path) else points


def _check_nodes(owner: str, nodes: Any, n_elements: int) -> np.ndarray:
    """Read-only node positions (n_elements + 1,) in theta."""
    if nodes is None:
        result = np.linspace(0.0, 1.0, n_elements + 1)
    else:
        result = _check.array(owner, "nodes", nodes, (n_elements + 1,)).copy()
        if max(abs(result[0]), abs(result[-1] - 1.0)) > ROUNDOFF or (np.diff(result) <= 0.0).any():
            _check.refuse(owner, "nodes", result, "increase strictly from 0 to 1")
        result[0], result[-1] = 0.0, 1.0
    result.flags.writeable = False
    return result
