"""Inverse kinematics: the motion of a model that follows markers or sensors best.

At every frame, with positions p_i(q) of markers and their measured positions m_i:

    minimize  sum_i w_i |p_i(q) - m_i|^2,   q in its bounds,   g(q) = 0,

g the constraints of the model, and with the angle between measured and modeled axes in place of the
distance for sensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array, Index
from fibermsk._warn import warn
from fibermsk.analysis.kinematics.found import QUATERNION, InverseKinematics
from fibermsk.analysis.kinematics.held import HeldPoses
from fibermsk.analysis.kinematics.least_squares import minimize, undetermined
from fibermsk.analysis.kinematics.measured import Placement, tracked_markers, tracked_sensors
from fibermsk.analysis.kinematics.tracked import Tracked
from fibermsk.analysis.kinematics.weights import Weights
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.model import Model
from fibermsk.read.recordings.markers import Markers
from fibermsk.read.recordings.orientations import Orientations
from fibermsk.read.recordings.read_motion import read_motion
from fibermsk.read.recordings.smoothing import FILTER_ORDER
from fibermsk.results import Progress
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton

_OWNER = "inverse_kinematics"

_AT_BOUND = 1e-9
"""Distance from a bound below which a coordinate is at it [rad or m]."""

_LONGEST = 1.0
"""Largest change of an angle in one step of the search [rad]."""

_MOST = 12
"""Most names that a message lists."""


def inverse_kinematics(
    model: Model,
    measured: str | PathLike[str] | Markers | Orientations,
    *,
    weights: Weights = None,
    sensors: Placement | None = None,
    lowpass: float | None = None,
    bounds: bool = True,
    begin: float | None = None,
    end: float | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> InverseKinematics:
    """Find the motion of a model that follows measured markers or orientations of sensors.

    Parameters
    ----------
    model : Model
        Bodies, joints and markers; see `Model.markers`. Couplings hold exactly, and locked
        coordinates keep their values. Constraints of points and bodies and closed loops hold to
        round-off.
    measured : str, path, Markers or Orientations
        File (.trc of markers, .sto of quaternions), or what `read_motion` gives. Names are those of
        the markers of the model. Missing markers are left out of their frames.
    weights : mapping of str to float, str or path, optional
        Weights by marker or sensor, 0 to leave one out and 1 for those that are not named; or a
        file of OpenSim with an IKTaskSet, such as a setup of its tool, which leaves out those
        without a task.
    sensors : mapping of str to (str, (3, 3) array_like), optional
        By sensor, its body and its rotation on it, r_body = rotation @ r_sensor, such as from
        `place_sensors`. Without it sensors are called like bodies, or with _imu behind, and
        measure their axes.
    lowpass : float, optional
        Cut-off frequency [Hz] of a filter of the markers, see `Markers.filtered`.
    bounds : bool
        Whether free coordinates stay in their declared ranges.
    begin, end : float, optional
        First and last instant [s]; by default all.
    progress : callable, optional
        Called with a `Progress` after each frame.

    Returns
    -------
    found : InverseKinematics
        Coordinates, residuals of each marker and frame, and settings.

    Raises
    ------
    ModelError
        If no marker of the model was measured, a frame has none, a coordinate is prescribed, the
        constraints are not met near the initial values, or an argument is refused.

    Warns
    -----
    ModelWarning
        Names markers without a measurement or a place in the model, coordinates that the markers do
        not determine, which keep their value of the frame before, coordinates that are at a bound,
        and frames without convergence.

    Notes
    -----
    Each frame starts from the one before, the first from the initial values of the model. Steps are
    those of Gauss and Newton with exact derivatives, within the bounds and along the constraints,
    onto which each state is taken back. As in OpenSim, but for the bounds: there only coordinates
    that are clamped have them.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.read_osim("subject01.osim")  # doctest: +SKIP
    >>> found = fm.inverse_kinematics(model, "walk.trc", weights={"L.Heel": 10.0})  # doctest: +SKIP
    >>> torques = fm.inverse_dynamics(model, found.motion, lowpass=6.0)  # doctest: +SKIP
    """
    _check.instance(_OWNER, "model", model, Model, "a Model")
    within = _check.flag(_OWNER, "bounds", bounds)
    if progress is not None and not callable(progress):
        _check.refuse(_OWNER, "progress", progress, "be a function of one argument")
    for one in model.coordinates:
        if one.prescribed is not None:
            remedy = "leave the motion to inverse_kinematics"
            _check.refuse(
                f"coordinate {one.name!r}", "prescribed", one.prescribed, "be left out",
                remedy=remedy,
            )  # fmt: skip
    given = _recording(measured)
    if lowpass is not None:
        if not isinstance(given, Markers):
            _check.refuse(_OWNER, "lowpass", lowpass, "be left out for sensors")
        given = given.filtered(lowpass, order=FILTER_ORDER)
    frames = _frames(given, begin, end)
    free = free_model(model)
    skeleton = Skeleton(free)
    if skeleton.n == 0:
        remedy = "unlock one"
        _check.refuse(f"model {model.name!r}", "free coordinates", 0, "be one or more",
                      remedy=remedy)  # fmt: skip
    if isinstance(given, Markers):
        if sensors is not None:
            _check.refuse(_OWNER, "sensors", sensors, "be left out for markers")
        tracked, weight = tracked_markers(free, skeleton, given, frames, weights)
    else:
        tracked, weight = tracked_sensors(free, skeleton, given, frames, weights, sensors)
    time = given.time[frames]
    _refuse_empty(given.name, tracked, time)
    search = _Search(free, skeleton, tracked, within)
    q, steps = search.along(time, progress)
    values, size = _evaluated(skeleton, tracked, q)
    units = {name: skeleton.units[name] for name in skeleton.coordinates}
    return InverseKinematics(
        name=given.name,
        time=time,
        values=values,
        units=units,
        free=tuple(n for n in skeleton.independent if units[n] != QUATERNION),
        residuals=dict(zip(tracked.names, size.T.copy(), strict=True)),
        weights=dict(zip(tracked.names, weight.tolist(), strict=True)),
        unit="m" if isinstance(given, Markers) else "rad",
        steps=steps,
        settings={
            "bounds": "declared ranges of free coordinates" if within else "none",
            "couplings": "exact",
            **search.held_settings(q),
            "treatment": "; ".join(map(str, given.treatment)) or "none",
        },
        treatment=given.treatment,
    )


class _Search:
    """Solution of frame after frame."""

    def __init__(self, model: Model, skeleton: Skeleton, tracked: Tracked, within: bool) -> None:
        self._skeleton, self._tracked = skeleton, tracked
        n = skeleton.n
        self._lower, self._upper = np.full(n, -np.inf), np.full(n, np.inf)
        for k, name in enumerate(skeleton.independent if within else ()):
            one = model.coordinate(name)
            self._lower[k] = -np.inf if one.lower is None else one.lower
            self._upper[k] = np.inf if one.upper is None else one.upper
        angles = np.array([skeleton.units[name] == "rad" for name in skeleton.independent])
        self._longest = np.where(angles, _LONGEST, np.inf)
        self._held = HeldPoses(model, skeleton, self._lower, self._upper)
        no_quaternions = np.zeros((0, 4), np.int64)
        self._turns = no_quaternions if skeleton.map is None else skeleton.map.arrays.states

    def along(
        self, time: Array, progress: Callable[[Progress], object] | None
    ) -> tuple[Array, Index]:
        """States (frames, n) and numbers of steps (frames,)."""
        n = time.size
        found, steps = np.empty((n, self._skeleton.n)), np.zeros(n, np.int64)
        converged = np.ones(n, bool)
        q = self._held.start(self._skeleton.start)
        tangent = self._held.G if self._held.names else None
        loose = np.zeros((n, self._skeleton.n), bool)
        for k in range(n):
            one = minimize(
                lambda q, k=k: self._tracked.residual(q, k)[1:], q, self._lower, self._upper,
                self._longest, self._skeleton.step_limit, self._onto, tangent,
            )  # fmt: skip
            q = found[k] = one.q
            steps[k], converged[k] = one.steps, one.converged
            loose[k, self._loose(q, one.J)] = True
            if progress is not None:
                span = float(time[-1] - time[0])
                done = (k + 1) / n
                words = "inverse kinematics"
                progress(Progress(float(time[k] - time[0]), span, k + 1, int(steps.sum()), words,
                                  f"frame {k + 1} of {n}", done))  # fmt: skip
        self._tell(time, found, converged, loose)
        return found, steps

    def held_settings(self, states: Array) -> dict[str, str]:
        """Constraints and how well they hold, for the settings; nothing without any."""
        if not self._held.names:
            return {}
        names = _check.first_names(list(self._held.names), _MOST)
        largest = max(self._held.opening(q) for q in states)
        return {"constraints": f"exact, to {largest:.1g} m: {names}"}

    def _onto(self, q: Array) -> Array | None:
        """The same within the bounds, with quaternions of length one, and held."""
        for own in self._turns:
            q[own] /= np.linalg.norm(q[own])
        return self._held.nearest(q)

    def _loose(self, q: Array, J: Array) -> list[int]:
        """Entries of the state that residuals with derivatives J do not determine."""
        length = np.zeros((len(self._turns), q.size))
        for row, own in zip(length, self._turns, strict=True):
            row[own] = q[own]
        return undetermined(np.concatenate([J, length, self._held.G(q)]))

    def _tell(self, time: Array, q: Array, converged: Any, loose: Any) -> None:
        """Warn of frames without convergence, undetermined coordinates, and those at bounds."""
        names, kind = self._skeleton.independent, self._tracked.kind
        told = list[str]()
        if not converged.all():
            some = ", ".join(f"{t:g}" for t in time[~converged][:_MOST])
            told.append(f"no convergence in {int((~converged).sum())} frames, at {some} s")
        words = [
            f"{names[j]} ({int(loose[:, j].sum())} frames)" for j in np.flatnonzero(loose.any(0))
        ]
        if words:
            told.append(
                f"the {kind}s do not determine: {_check.first_names(words, _MOST)}; such a "
                "coordinate keeps its value of the frame before, or the initial one: lock it, or "
                f"add {kind}s"
            )
        at = (q - self._lower < _AT_BOUND) | (self._upper - q < _AT_BOUND)
        words = [f"{names[j]} ({int(at[:, j].sum())} frames)" for j in np.flatnonzero(at.any(0))]
        if words:
            told.append(
                f"at a bound of the declared range: {_check.first_names(words, _MOST)}; correct "
                "the range, or give bounds=False"
            )
        for text in told:
            warn(f"inverse kinematics: {text}", ModelWarning)


def place_sensors(
    model: Model,
    orientations: Orientations,
    *,
    at: float | None = None,
    bodies: dict[str, str] | None = None,
) -> dict[str, tuple[str, Array]]:
    """Rotations of sensors on their bodies, from an instant at which a person stands as the model.

    Parameters
    ----------
    model : Model
        In its initial values it has the pose of the person at that instant.
    orientations : Orientations
        Of the sensors.
    at : float, optional
        The instant [s], the nearest frame of which is used; by default the first one.
    bodies : dict of str, optional
        Names of bodies by sensor; by default those that are called like a body, or with _imu
        behind.

    Returns
    -------
    places : dict of (str, (3, 3) float array)
        For ``sensors=`` of `inverse_kinematics`.

    Raises
    ------
    ModelError
        If a body does not exist, a sensor is missing at that instant, or an argument is refused.
    """
    owner = "place_sensors"
    _check.instance(owner, "model", model, Model, "a Model")
    _check.instance(owner, "orientations", orientations, Orientations, "Orientations")
    if orientations.time.size == 0:
        _check.refuse(owner, "samples", 0, "be one or more")
    k = 0
    if at is not None:
        at = _check.number(owner, "at", at, "s")
        k = int(np.abs(orientations.time - at).argmin())
    if bodies is None:
        known = {one.name for one in model.bodies}
        bodies = {n: n.removesuffix("_imu") for n in orientations.names}
        bodies = {n: body for n, body in bodies.items() if body in known}
    _check.instance(owner, "bodies", bodies, dict, "a dict of names of bodies by sensor")
    if not bodies:
        known_names = ", ".join(orientations.names) or "none"
        raise ModelError(
            f"{owner}: no sensor is called like a body, of: {known_names}; must be given: bodies="
        )
    skeleton = Skeleton(free_model(model))
    poses = skeleton.poses(skeleton.start)
    places = dict[str, tuple[str, Array]]()
    for name, body in bodies.items():
        measured = orientations.rotation(name)[k]
        if not np.isfinite(measured).all():
            raise ModelError(f"{owner}: sensor {name!r} is missing at {orientations.time[k]:g} s")
        places[name] = body, poses[model.body(body).name][0].T @ measured
    return places


def _recording(measured: Any) -> Markers | Orientations:
    """Markers or orientations, read if they are a file."""
    if isinstance(measured, str | PathLike):
        measured = read_motion(measured)
    what = "Markers, Orientations or a file of them (.trc, or .sto of quaternions)"
    return _check.instance(_OWNER, "measured", measured, (Markers, Orientations), what)


def _frames(given: Markers | Orientations, begin: Any, end: Any) -> Index:
    """Numbers of the frames from a first to a last instant."""
    first = -np.inf if begin is None else _check.number(_OWNER, "begin", begin, "s")
    last = np.inf if end is None else _check.number(_OWNER, "end", end, "s")
    found = np.flatnonzero((given.time >= first - 1e-9) & (given.time <= last + 1e-9))
    if found.size == 0:
        t = given.time
        span = f"from {t[0]:g} to {t[-1]:g} s" if t.size else "without samples"
        _check.refuse(_OWNER, "begin, end", (begin, end), f"hold a frame of the recording, {span}")
    return found


def _refuse_empty(name: str, tracked: Tracked, time: Array) -> None:
    """Refuse frames in which nothing was measured."""
    empty = [float(t) for k, t in enumerate(time) if not tracked.measured(k).any()]
    if empty:
        some = ", ".join(f"{t:g}" for t in empty[:_MOST])
        raise ModelError(
            f"recording {name!r}: {len(empty)} frames without any {tracked.kind} of the model, at "
            f"{some} s; must have one or more: give begin and end, or fill gaps (Markers.filled)"
        )


def _evaluated(
    skeleton: Skeleton, tracked: Tracked, states: Sequence[Array] | Array
) -> tuple[dict[str, Array], Array]:
    """All coordinates, and residuals (frames, m), at states."""
    zero = np.zeros(skeleton.n)
    rows, size = list[Array](), list[Array]()
    for k, q in enumerate(states):
        rows.append(np.array(skeleton.all_of(skeleton.at(q), q, zero)[0]))
        size.append(tracked.residual(q, k).size)
    return dict(zip(skeleton.coordinates, np.array(rows).T.copy(), strict=True)), np.array(size)
