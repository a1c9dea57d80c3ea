"""The result of a run: arrays over frames, named as in the result file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.results.centerline import combine, hermite_places
from fibermsk.results.slack import Slack

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingImports]
    import xarray  # pyright: ignore[reportMissingImports]

__all__ = ["BodyMotion", "FiberHistory", "Result", "ShapeRecord"]

Array = NDArray[np.float64]


def _no_vertices() -> Array:
    return np.empty((0, 3))


def _no_faces() -> NDArray[np.int64]:
    return np.empty((0, 3), dtype=np.int64)


@dataclass(frozen=True)
class ShapeRecord:
    """A shape fixed in a body frame.

    Attributes
    ----------
    kind : str
        ``"capsule"``, ``"infinite_cylinder"`` or ``"mesh"``.
    start, end : (3,) float array
        Axis ends in the body frame [m]; for an infinite cylinder two points of its axis, 1 m apart;
        for a mesh opposite corners of the box around it.
    radius : float
        [m]; of a mesh the reference radius of its contact law, 0 if it is only drawn.
    vertices : (n, 3) float array
        Vertices of a mesh in the body frame [m]; none of the other kinds.
    faces : (m, 3) int array
        Vertex indices of its triangles, counterclockwise seen from outside.
    """

    kind: str
    start: Array
    end: Array
    radius: float
    vertices: Array = field(default_factory=_no_vertices)
    faces: NDArray[np.int64] = field(default_factory=_no_faces)

    @classmethod
    def mesh(cls, vertices: Array, faces: NDArray[np.int64], radius: float = 0.0) -> ShapeRecord:
        """Record of a triangle mesh, with the box around it."""
        vertices = np.array(vertices, dtype=float).reshape(-1, 3)
        faces = np.array(faces, dtype=np.int64).reshape(-1, 3)
        corners = (
            (vertices.min(axis=0), vertices.max(axis=0)) if len(vertices) else np.zeros((2, 3))
        )
        return cls("mesh", np.asarray(corners[0]), np.asarray(corners[1]), radius, vertices, faces)


@dataclass(frozen=True)
class BodyMotion:
    """Pose of one body over the frames.

    Attributes
    ----------
    position : (n_frames, 3) float array
        Origin of the body frame in ground [m].
    rotation : (n_frames, 3, 3) float array
        Columns are the body axes in ground.
    shapes : tuple of ShapeRecord
        What fibers touch of the body.
    visuals : tuple of ShapeRecord
        Meshes that are drawn, and not touched.
    """

    position: Array
    rotation: Array
    shapes: tuple[ShapeRecord, ...] = ()
    visuals: tuple[ShapeRecord, ...] = ()


@dataclass(frozen=True)
class FiberHistory:
    """One fiber over the frames.

    Attributes
    ----------
    node_theta : (n_nodes,) float array
        Material coordinate of the nodes, from 0 to 1.
    position : (n_frames, n_nodes, 3) float array
        Centerline nodes in ground [m].
    tangent : (n_frames, n_nodes, 3) float array
        Derivative of the position in theta [m].
    theta : (n_samples,) float array
        Where the sampled fields below are taken: three Gauss points of each element, where the
        stretch of cubic elements is most accurate.
    muscle_fraction : (n_samples,) float array
        1 is muscle, 0 is tendon.
    stretch : (n_frames, n_samples) float array
        Current over reference length.
    radius : (n_frames, n_samples) float array
        Current radius [m].
    axial_force : (n_frames, n_samples) float array
        Force of the section, positive in tension [N]: that of the tissue less half the line force
        of each contact times the radius, which a section that keeps its volume hands on along the
        fiber. Without friction and weight it is the same all along, as at the ends.
    contact_line_force : (n_frames, n_samples, 3) float array
        Net contact force on the fiber per current length, ground frame [N/m].
    activation : (n_frames,) float array
        Between 0 and 1.
    force_origin, force_insertion : (n_frames, 3) float array
        Force of the fiber on the body at its first and last node, ground frame [N];
        zero at a free end.
    """

    node_theta: Array
    position: Array
    tangent: Array
    theta: Array
    muscle_fraction: Array
    stretch: Array
    radius: Array
    axial_force: Array
    contact_line_force: Array
    activation: Array
    force_origin: Array
    force_insertion: Array

    @property
    def contact_force_density(self) -> Array:
        """Magnitude of the net contact force per current length [N/m], (n_frames, n_samples)."""
        return np.linalg.norm(self.contact_line_force, axis=-1)

    def centerline(self, theta: Array, frame: int) -> Array:
        """Points of the cubic Hermite centerline at one frame.

        Parameters
        ----------
        theta : (n,) float array
            Material coordinates in [0, 1].
        frame : int
            Frame index.

        Returns
        -------
        points : (n, 3) float array
            New array, ground frame [m].
        """
        element, shape, _ = hermite_places(self.node_theta, theta)
        return combine(self.position[frame], self.tangent[frame], element, shape)


@dataclass(frozen=True)
class Result:
    """What a run computed, complete or not.

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
        Length of the last step before each frame [s]; 0 at the first.
    newton_iterations : (n_frames,) int array
        Newton iterations since the previous frame.
    min_admissibility : (n_frames,) float array
        Least 1 + gamma g over the closed contact points; 1 where none is closed.
    method : str
        Name of the time integrator.
    status : str
        ``"success"``, ``"failed"`` or ``"interrupted"``.
    message : str
        Why the run ended, empty on success.
    stats : dict
        Counters and wall times of the run.
    slack : tuple of Slack
        Which fibers were compressed, when and where.
    version : str
        fibermsk version that made the result.
    up : (3,) tuple of float
        Unit vector against gravity, ground frame: up in pictures.
    coordinate_units : dict of str
        Units of the coordinates that are not angles: ``"m"``, or ``"1"`` for parts of a quaternion.
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
    version: str = ""
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    coordinate_units: dict[str, str] = field(default_factory=dict)

    def coordinate(self, name: str | Any) -> Array:
        """History of one coordinate, by its name or by its joint.

        Raises
        ------
        KeyError
            If the result has no such coordinate; the message lists those it has.
        """
        return self._pick(self.coordinates, name, "coordinate")

    def tension(self, name: str | Any) -> Array:
        """Axial force of one fiber over frames and samples [N], by its name or by the fiber."""
        return self._pick(self.fibers, name, "fiber").axial_force

    def to_xarray(self) -> xarray.Dataset:
        """All arrays over labelled dimensions, for those who plot themselves.

        Returns
        -------
        dataset : xarray.Dataset
            Variables are named as in the result file, with ``units`` in the attributes of each:
            ``coordinates`` and ``speeds`` over (time, coordinate), where ``coordinate_units`` are
            by coordinate; ``stretch``, ``radius``, ``axial_force``, ``stress`` [Pa] and
            ``contact_force_density`` over (time, fiber, theta) and ``contact_line_force`` with
            (axis) besides; ``muscle_fraction`` over (fiber, theta); ``position`` and ``tangent``
            over (time, fiber, node_theta, axis); ``activation`` and ``length`` [m] over (time,
            fiber); ``force_origin`` and ``force_insertion`` over (time, fiber, axis);
            ``body_position`` over (time, body, axis), ``body_rotation`` over (time, body, axis,
            body_axis); the solver's over (time). Where fibers are sampled at different ``theta``,
            the dimension is ``sample`` instead, ``theta`` goes over (fiber, sample), and samples
            that a fiber does not have are NaN; likewise ``node``. The dataset's attributes tell
            scene, parameters (JSON), method and status.

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
        """One table, for those who plot themselves.

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
        color_by: str = "axial_force",
        theme: str = "auto",
        autoplay: bool = False,
        max_frames: int | None = None,
    ) -> Any:
        """Animated scene to be looked at and played with in a notebook.

        Parameters are those of :func:`fibermsk.view.write_page`, of which this is the page.

        Returns
        -------
        widget : fibermsk.view.notebook.Widget
            Shows itself as the last value of a cell.

        Raises
        ------
        ModelError
            If there is no such field or theme, or the result has no frame.
        """
        # The one arrow upwards, and only when called: results themselves know no picture.
        from fibermsk.view.notebook import widget

        return widget(
            self, color_by=color_by, theme=theme, autoplay=autoplay, max_frames=max_frames
        )

    @staticmethod
    def _pick(table: dict[str, Any], name: str | Any, kind: str) -> Any:
        key = name if isinstance(name, str) else name.name
        if key not in table:
            raise KeyError(f"no {kind} {key!r}; this result has: {', '.join(table) or 'none'}")
        return table[key]
