"""The result of a run: arrays over frames, named as in the result file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._extras import CURVES, check_drawing
from fibermsk._shown import Described
from fibermsk.results.centerline import combine, hermite_places
from fibermsk.results.columns import Column
from fibermsk.results.deferred import Deferred, at_frames
from fibermsk.results.fields import BODY_FIELDS, FIBER_FIELDS, SOLVER_FIELDS, Field
from fibermsk.results.histories import Histories
from fibermsk.results.looks import LooksOfBody, LooksOfFiber, LooksOfResult
from fibermsk.results.named import Named
from fibermsk.results.slack import Slack
from fibermsk.results.softening import Softening

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]
    import xarray  # pyright: ignore[reportMissingImports]

    from fibermsk.results.muscle_history import MuscleHistory


COMPLETE = ("success", "stopped")
"""Statuses of runs that ended as intended: complete, or stopped by an observer."""

STATUSES = (*COMPLETE, "interrupted", "failed")

_N_GAUSS = 5
"""Quadrature points per element for the length of a fiber."""


def _at_frames(owner: Any, fields: dict[str, Field], frames: slice) -> dict[str, Array]:
    """Arrays of some frames."""
    given = [name for name, one in fields.items() if one.varies and not one.derived]
    return {name: getattr(owner, name)[frames] for name in given}


def to_json(values: Any) -> str:
    """JSON text of plain values; arrays become lists, and other objects texts."""
    return json.dumps(values, default=lambda one: getattr(one, "tolist", one.__str__)())


@dataclass(frozen=True, repr=False)
class ShapeRecord(Described):
    """A shape fixed in a body frame."""

    kind: str  # "capsule", "infinite_cylinder" or "mesh"
    start: Array  # end (3,) of the axis [m]; of a mesh, a corner of the bounding box
    end: Array  # the other end, or the opposite corner; of an infinite cylinder a point 1 m away
    radius: float  # [m]; of a mesh the reference radius of its contact law, 0 if it is only drawn
    # vertices (n, 3) of a mesh [m]
    vertices: Array = field(default_factory=lambda: np.empty((0, 3)))
    # their indices (m, 3), counterclockwise from outside
    faces: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), np.int64))

    @classmethod
    def mesh(cls, vertices: Array, faces: NDArray[np.int64], radius: float = 0.0) -> ShapeRecord:
        """Record of a triangle mesh with its bounding box."""
        vertices = np.array(vertices, dtype=float).reshape(-1, 3)
        faces = np.array(faces, dtype=np.int64).reshape(-1, 3)
        corners = (
            (vertices.min(axis=0), vertices.max(axis=0)) if len(vertices) else np.zeros((2, 3))
        )
        return cls("mesh", np.asarray(corners[0]), np.asarray(corners[1]), radius, vertices, faces)


@dataclass(frozen=True, repr=False)
class BodyMotion(LooksOfBody, Deferred):
    """Motion of one body over the frames."""

    position: Array  # origin (n_frames, 3) of the body frame in ground [m]
    rotation: Array  # (n_frames, 3, 3), columns are the axes of the body in ground
    shapes: tuple[ShapeRecord, ...] = ()  # for contact with fibers
    visuals: tuple[ShapeRecord, ...] = ()  # only drawn: meshes, or else sticks between joints

    def at_frames(self, frames: slice) -> BodyMotion:
        """Motion over some frames."""
        if self.source is not None:
            known = {"shapes": self.shapes, "visuals": self.visuals}
            return self.deferred(self.source.at_frames(frames), **known)
        return replace(self, **_at_frames(self, BODY_FIELDS, frames))


@dataclass(frozen=True, repr=False)
class FiberHistory(LooksOfFiber, Deferred):
    """One fiber over the frames; see `fibermsk.results.fields`.

    The axial force is positive in tension and follows from equilibrium with the force at the ends:
    in statics without weight and friction it is constant along the fiber. The force of the tissue
    has the same mean over an element, but swings where the stretch jumps. Samples are three Gauss
    points of each element, at which the stretch of cubic elements is most accurate.
    """

    node_theta: Array  # material coordinate (n_nodes,) of the nodes, from 0 to 1
    position: Array  # centerline nodes (n_frames, n_nodes, 3) in ground [m]
    tangent: Array  # their derivative (n_frames, n_nodes, 3) in theta [m]
    # by equilibrium, of the part beyond a node on the part before it, contacts included, in ground
    # (n_frames, n_nodes, 3) [N]: force_origin at the first, -force_insertion at the last
    cut_force: Array
    theta: Array  # material coordinate (n_samples,) of the samples
    muscle_fraction: Array  # (n_samples,), 1 is muscle and 0 is tendon
    stretch: Array  # current over reference length (n_frames, n_samples)
    radius: Array  # current radius (n_frames, n_samples) [m]
    axial_force: Array  # force of the section, by equilibrium (n_frames, n_samples) [N]
    # of the stress law at the samples, with the pressure of contacts (n_frames, n_samples) [N]
    tissue_force: Array
    contact_line_force: Array  # net, per current length, in ground (n_frames, n_samples, 3) [N/m]
    activation: Array  # (n_frames,), between 0 and 1
    # on the body at the first node, in ground (n_frames, 3) [N]; zero at a free end
    force_origin: Array
    force_insertion: Array  # the same at the last node

    @property
    def contact_force_density(self) -> Array:
        """Magnitude of the net contact force per current length [N/m], (n_frames, n_samples)."""
        return np.linalg.norm(self.contact_line_force, axis=-1)

    @property
    def stress(self) -> Array:
        """Axial force over current area [Pa], (n_frames, n_samples)."""
        return self.axial_force / (np.pi * self.radius**2)

    @property
    def length(self) -> Array:
        """Length of the centerline [m], (n_frames,)."""
        point, weight = np.polynomial.legendre.leggauss(_N_GAUSS)
        size = np.diff(self.node_theta)
        theta = (self.node_theta[:-1, None] + 0.5 * (1.0 + point) * size[:, None]).ravel()
        element, _, slope = hermite_places(self.node_theta, theta)
        tangent = combine(self.position, self.tangent, element, slope)
        speed: Array = np.linalg.norm(tangent, axis=-1)
        return speed @ (0.5 * size[:, None] * weight).ravel()

    def at_frames(self, frames: slice) -> FiberHistory:
        """The fiber over some frames."""
        if self.source is not None:
            return self.deferred(self.source.at_frames(frames))
        return replace(self, **_at_frames(self, FIBER_FIELDS, frames))

    def centerline(self, theta: Array, frame: int) -> Array:
        """Points (n, 3) of the cubic Hermite centerline at theta (n,) and one frame [m]."""
        element, shape, _ = hermite_places(self.node_theta, theta)
        return combine(self.position[frame], self.tangent[frame], element, shape)


@dataclass(frozen=True, repr=False)
class Result(LooksOfResult):
    """Result of a complete or incomplete run.

    Attributes
    ----------
    scene : str
        Name of the scene or model.
    parameters : dict
        Parameters of the scene as run.
    time : (n_frames,) float array
        [s].
    coordinates, speeds : dict of (n_frames,) float array
        Joint coordinates [rad, m or 1] and their rates, by name.
    bodies : dict of BodyMotion
        By body name; ground only where it has shapes or visuals.
    fibers : dict of FiberHistory
        By fiber name.
    step_size : (n_frames,) float array
        Size of the last step before each frame [s]; 0 at the first.
    newton_iterations : (n_frames,) int array
        Newton iterations since the previous frame.
    min_admissibility : (n_frames,) float array
        Smallest 1 + gamma g over the closed contact points; 1 if none is closed.
    method : str
        Name of the time integrator.
    status : str
        ``"success"``, ``"stopped"`` by an observer such as `StopWhen`, ``"interrupted"`` or
        ``"failed"``.
    message : str
        Why the run ended, empty on success.
    stats : dict
        Counters and wall times of the run.
    slack : tuple of Slack
        Intervals in which fibers were compressed.
    softening : tuple of Softening
        Intervals in which muscle was on its descending limb, or on both sides of it.
    version : str
        Version of fibermsk that computed the result.
    up : (3,) tuple of float
        Unit vector opposite to gravity, ground frame; up in pictures.
    coordinate_units : dict of str
        Units of the coordinates that are not angles: ``"m"``, or ``"1"`` for parts of a quaternion.
    states : dict of Histories
        First-order states by owner and name: ``result.states["tendon_1"]["force"]``.
    elements : dict of Histories
        Reported fields of springs, loads and other elements by element and name:
        ``result.elements["band"]["tension"]``.
    muscles : dict of MuscleHistory
        Line muscles with a force or mass by name: ``result.muscles["biceps"]["tendon_force"]``.
    tables : dict of dict of Column
        Of optimal control, by name: "control" of each interval, "optimum" at each node,
        "multipliers" of the equations, "convergence" of each iteration, and "sparsity" of the
        Jacobian. Of a study of identification: "identification", with truth, guess and estimate of
        each of ``stats["identification"]["parameters"]``.
    """

    scene: str
    parameters: dict[str, Any]
    time: Array
    coordinates: dict[str, Array]
    speeds: dict[str, Array]
    bodies: dict[str, BodyMotion]
    fibers: dict[str, FiberHistory]
    step_size: Array
    newton_iterations: NDArray[np.int64]
    min_admissibility: Array
    method: str = "backward_euler"
    status: str = "success"
    message: str = ""
    stats: dict[str, Any] = field(default_factory=dict)
    slack: tuple[Slack, ...] = ()
    softening: tuple[Softening, ...] = ()
    version: str = ""
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    coordinate_units: dict[str, str] = field(default_factory=dict)
    states: dict[str, Histories] = field(default_factory=dict)
    elements: dict[str, Histories] = field(default_factory=dict)
    muscles: dict[str, MuscleHistory] = field(default_factory=dict)
    tables: dict[str, dict[str, Column]] = field(default_factory=dict)

    def at_frames(self, frames: slice) -> Result:
        """Select some frames; views of the arrays, or arrays that are read when asked for."""
        names = "coordinates", "speeds"
        histories = {k: at_frames(getattr(self, k), frames) for k in names}
        names = "bodies", "fibers", "states", "elements", "muscles"
        parts = {k: {n: o.at_frames(frames) for n, o in getattr(self, k).items()} for k in names}
        solver = _at_frames(self, SOLVER_FIELDS, frames)
        return replace(self, time=self.time[frames], **histories, **parts, **solver)

    @cached_property
    def drawn(self) -> Mapping[str, FiberHistory]:
        """Fibers, and line muscles as fibers along their paths, for pictures."""
        lines = {name: muscle.drawn for name, muscle in self.muscles.items()}
        return Named.of("fibers", {**self.fibers, **lines}, {})

    def unit_of(self, coordinate: str) -> str:
        """Unit of a coordinate: ``"rad"``, ``"m"`` or ``"1"``.

        Raises
        ------
        KeyError
            If the result has no such coordinate; the message lists those available.
        """
        if coordinate not in self.speeds:
            self._pick(self.coordinates, coordinate, "coordinate")
        return self.coordinate_units.get(coordinate, "rad")

    @property
    def is_complete(self) -> bool:
        """Whether the run ended as intended: status "success" or "stopped"."""
        return self.status in COMPLETE

    def coordinate(self, name: str | Any) -> Array:
        """History of one coordinate, by its name or by its joint.

        Raises
        ------
        KeyError
            If the result has no such coordinate; the message lists those available.
        """
        return self._pick(self.coordinates, name, "coordinate")

    def tension(self, name: str | Any) -> Array:
        """Axial force of one fiber over frames and samples [N], by its name or by the fiber."""
        return self._pick(self.fibers, name, "fiber").axial_force

    def to_xarray(self) -> xarray.Dataset:
        """Convert to an xarray dataset with labelled dimensions.

        Returns
        -------
        dataset : xarray.Dataset
            Variables are named as in the result file, with ``units`` in the attributes of each:
            ``coordinates`` and ``speeds`` over (time, coordinate), with ``coordinate_units`` for
            each coordinate; ``stretch``, ``radius``, ``axial_force``, ``tissue_force``, ``stress``
            [Pa] and ``contact_force_density`` over (time, fiber, theta) and ``contact_line_force``
            with (axis) besides; ``muscle_fraction`` over (fiber, theta); ``position``, ``tangent``
            and ``cut_force`` over (time, fiber, node_theta, axis); ``activation`` and ``length``
            [m] over (time, fiber); ``force_origin`` and ``force_insertion`` over (time, fiber,
            axis); ``body_position`` over (time, body, axis), ``body_rotation`` over (time, body,
            axis, body_axis); the solver's over (time). If fibers are sampled at different
            ``theta``, the dimension is ``sample``, ``theta`` is over (fiber, sample), and missing
            samples are NaN; the same holds for ``node``. The attributes of the dataset are scene,
            parameters (JSON), method and status.

        Raises
        ------
        ModelError
            If xarray is not installed.

        Examples
        --------
        >>> data = result.to_xarray()  # doctest: +SKIP
        >>> data.axial_force.sel(fiber="biceps_1").max("theta").plot()  # doctest: +SKIP
        """
        from fibermsk.results.labelled import to_xarray

        return to_xarray(self)

    def to_dataframe(self, what: str = "time") -> pandas.DataFrame:
        """Convert to a pandas table.

        Parameters
        ----------
        what : str, optional
            ``"time"``: a row for each frame, with time as index: coordinates under their names,
            ``NAME.speed``, and of each fiber ``NAME.activation``, ``NAME.length``,
            ``NAME.axial_force`` (mean along the fiber) and ``NAME.force_origin_x`` and so on. The
            others are long tables with a column time and a row for each frame and: ``"fibers"``
            each sample of each fiber, ``"nodes"`` each node of each fiber, ``"bodies"`` each body.

        Returns
        -------
        frame : pandas.DataFrame
            ``frame.attrs["units"]`` has the unit of each column.

        Raises
        ------
        ModelError
            If pandas is not installed, or there is no such table.

        Examples
        --------
        >>> frame = result.to_dataframe("fibers")  # doctest: +SKIP
        >>> frame.groupby("fiber").stretch.max()  # doctest: +SKIP
        """
        from fibermsk.results.labelled import to_dataframe

        return to_dataframe(self, what)

    def view(
        self,
        *,
        color_by: str = "tissue",
        theme: str = "auto",
        autoplay: bool = False,
        max_frames: int | None = None,
    ) -> Any:
        """Create an interactive animation for a notebook.

        Parameters are those of :func:`fibermsk.view.write_page`.

        Returns
        -------
        widget : fibermsk.view.browser.notebook.Widget
            Displayed as the last value of a cell.

        Raises
        ------
        ModelError
            If there is no such field or theme, the result has no frame, or the extra ``view`` is
            not installed.
        """
        # one of two imports of a higher layer, and only when called
        check_drawing("a scene in a notebook", CURVES)
        from fibermsk.view.browser.notebook import widget

        return widget(
            self, color_by=color_by, theme=theme, autoplay=autoplay, max_frames=max_frames
        )

    @staticmethod
    def _pick(table: dict[str, Any], name: str | Any, kind: str) -> Any:
        key = name if isinstance(name, str) else getattr(name, "name", name)
        if not isinstance(key, str) or key not in table:
            raise KeyError(_check.missing(kind, key, list(table), "this result has"))
        return table[key]
