"""Bundles of fibers in place of line muscles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk.anatomy import path as paths
from fibermsk.anatomy.calibrate import (
    DAMPING,
    DENSITY,
    PRESTRESS,
    SPECIFIC_TENSION,
    TENDON_RADIUS,
    WORKING_RANGE,
    Calibration,
    calibrate,
)
from fibermsk.anatomy.obstacles import Obstacles, Pose
from fibermsk.anatomy.packing import Neighbors, least_gap, pack_section, place_ends, relax
from fibermsk.anatomy.report import BundleReport
from fibermsk.anatomy.sections import Sections, divide
from fibermsk.errors import ModelError
from fibermsk.laws import PenaltyContact, _check
from fibermsk.model import Body, Contact, Fiber, LineMuscle, Model
from fibermsk.model.activation import Activation
from fibermsk.model.body import shapes_of
from fibermsk.system.muscle_path import active_points, path_points
from fibermsk.system.skeleton import skeleton

__all__ = ["MuscleBundle", "fibers_from_muscle"]

Array = NDArray[np.float64]

CLEARANCE = 0.05
"""Gap between fibers, and to bones, over their radii, in the reference configuration."""

TRANSITION = 0.2
"""Length over which muscle becomes tendon, over that of the muscle."""

SMOOTHING = 0.04
"""Length over which a path is straightened, over its own: via points nearer together than this are
rounded off."""

SPREAD = 0.5
"""Width of the attachments between that of tendons side by side and that of the belly."""

_PER_ELEMENT = 10
"""Samples on each element where distances are looked at while curves are relaxed."""

_FINE = 40
"""Samples on each element where the least gap is measured."""

_PASSES = 3
"""Rounds of relaxation and of dividing the relaxed lengths into tendon and muscle."""

_MARGIN = 1e-3
"""Part of the radii that the measured least gap may be off."""

_THICKEST = 0.5
"""Largest radius of a whole belly over its length."""

_LEAST_FACTOR = 0.25
"""Radii are not made thinner than this part of what the muscle needs."""


@dataclass(frozen=True, eq=False)
class MuscleBundle:
    """Fibers that stand for a line muscle.

    Attributes
    ----------
    muscle : LineMuscle
        What they stand for.
    fibers : tuple of Fiber
        To be added to the model, ``model.add(*bundle.fibers)``.
    calibration : Calibration
        Tissue, areas and errors of the fit.
    report : BundleReport
        What was found and done, as numbers; printed, as text.
    curves : tuple of Curve
        Centerlines in the reference configuration, ground frame.
    sections : tuple of Sections
        Muscle, tendon and radius along each fiber.
    """

    muscle: LineMuscle
    fibers: tuple[Fiber, ...]
    calibration: Calibration
    report: BundleReport
    curves: tuple[paths.Curve, ...]
    sections: tuple[Sections, ...]

    def contact(
        self, bones: Body | Sequence[Body] = (), law: PenaltyContact | None = None
    ) -> tuple[Contact, ...]:
        """Contacts of the fibers with each other and with bones.

        Parameters
        ----------
        bones : Body or sequence of them
            Bodies with shapes.
        law : PenaltyContact, optional
            Law of both; left out, a stiffness of 2000 N/m and a limit of 3.

        Returns
        -------
        contacts : tuple of Contact
            To be added to the model.
        """
        law = law or PenaltyContact(2000.0, 3.0)
        touched = [bones] if isinstance(bones, Body) else list(bones)
        contacts = [Contact(self.fibers, self.fibers, law)] if len(self.fibers) > 1 else []
        if touched:
            contacts.append(Contact(self.fibers, touched, law))
        return tuple(contacts)


def fibers_from_muscle(
    muscle: LineMuscle,
    n_fibers: int,
    *,
    model: Model,
    n_elements: int = 10,
    activation: float | Activation = 0.0,
    specific_tension: float = SPECIFIC_TENSION,
    tendon_radius: float = TENDON_RADIUS,
    proximal: float = 0.5,
    transition: float = TRANSITION,
    clearance: float = CLEARANCE,
    smoothing: float = SMOOTHING,
    spread: float = SPREAD,
    working_range: tuple[float, float] = WORKING_RANGE,
    damping: float = DAMPING,
    density: float = DENSITY,
    bending: float = 0.0,
    prestress: float = PRESTRESS,
    length: float | None = None,
    bones: Sequence[Body] | None = None,
    beside: Sequence[MuscleBundle] = (),
) -> MuscleBundle:
    """Bundle of deforming fibers that stands for a line muscle.

    The path is that of the line muscle in the model's start pose, rounded off, and the fibers lie
    around it without touching bones or each other. Their start is their reference configuration.
    Muscle and tendon have the lengths, the cross-section and the stress that the muscle's optimal
    fiber length, slack length, pennation and largest force give (`calibrate`).

    Parameters
    ----------
    muscle : LineMuscle
        Of the model, ``model.muscles``.
    n_fibers : int
        Fibers that share its force and its cross-section.
    model : Model
        With the bodies and joints; it is not changed.
    n_elements : int
        Finite elements of each fiber, from 5 on: tendon, transition, muscle, transition, tendon.
    activation : float or callable
        Of all fibers, see `Fiber`.
    specific_tension : float
        Force per physiological cross-section [N/m^2]; 30 N/cm^2, in the middle of what is measured
        in mammals (Zajac 1989). Models whose largest forces were found with another value, such as
        those of the upper limb, need that one, or their muscles become too thick.
    tendon_radius : float
        Radius of the tendon over that of the belly. Real tendons are thinner.
    proximal : float
        Share of the tendon that lies at the origin, in [0, 1].
    transition : float
        Length over which muscle becomes tendon, over that of the muscle.
    clearance : float
        Gap between fibers, and to bones, over their radii, where there is room.
    smoothing : float
        Length over which the path is straightened, over its own.
    spread : float
        Width of the attachments, in [0, 1]: 0, the tendons lie side by side there; 1, they are as
        far apart as in the belly.
    working_range : (float, float)
        Muscle length over the optimum between which the curves are fitted.
    damping : float
        Slope of the force over F_0 in the velocity over the largest one.
    density : float
        [kg/m^3].
    bending : float
        Bending stiffness over that of solid fibers.
    prestress : float
        Tension of the resting fibers in the reference configuration, over F_0.
    length : float, optional
        Of the line muscle with its tendon at the start [m]; left out, that of the polyline through
        its active path points, without wrapping.
    bones : sequence of Body, optional
        Bodies whose shapes the fibers keep out of; left out, all of the model that have any.
    beside : sequence of MuscleBundle
        Bundles that are already there.

    Returns
    -------
    bundle : MuscleBundle
        Fibers named after the muscle, ``biceps_1`` to ``biceps_n``, and a report.

    Raises
    ------
    ModelError
        If a number lies outside its range, the muscle does not belong to the model, its path is
        shorter than its tendon, or there is no room.

    Notes
    -----
    Via points and wrap surfaces of the line muscle have no counterpart: a fiber starts along the
    via points and is held where the bones, by contact, hold it. `shapes_from_wraps` makes wrap
    surfaces to shapes that it touches where no bone carries the path.

    References
    ----------
    .. [1] Zajac, "Muscle and tendon: properties, models, scaling, and application to biomechanics
           and motor control", Critical Reviews in Biomedical Engineering 17 (1989), 359-411.
    """
    _check.instance("fibers_from_muscle", "muscle", muscle, LineMuscle, "a LineMuscle")
    owner = f"fibers of muscle {muscle.name!r}"
    _check.instance(owner, "model", model, Model, "a Model")
    n = _check.count(owner, "n_fibers", n_fibers)
    n_elements = _check.count(owner, "n_elements", n_elements)
    proximal = _check.fraction(owner, "proximal", proximal)
    transition = _check.positive(owner, "transition", transition)
    clearance = _check.non_negative(owner, "clearance", clearance)
    smoothing = _check.positive(owner, "smoothing", smoothing)
    spread = _check.fraction(owner, "spread", spread)
    if muscle not in model.muscles:
        _check.refuse(owner, "model", model, "hold the muscle", remedy="take one of model.muscles")
    bodies = skeleton(model)
    start = bodies.start
    poses, points = bodies.poses(start), path_points(bodies, muscle, start)
    active = active_points(muscle, bodies.values(start))
    total = paths.polyline_length(points)
    if length is not None:
        total = _check.positive(owner, "length", length, "m")

    def tissue_for(factor: float, tendon: float | None = None) -> Calibration:
        return calibrate(
            muscle, total, specific_tension=specific_tension, working_range=working_range,
            tendon_radius=tendon_radius, damping=damping, density=density, bending=bending,
            prestress=prestress,
            radius_factor=factor,
            tendon_length=tendon,
        )  # fmt: skip

    whole = tissue_for(1.0)
    thick = math.sqrt(whole.muscle_area / math.pi)
    if thick > _THICKEST * whole.muscle_length:
        _check.refuse(
            owner,
            "specific_tension",
            specific_tension,
            f"be larger: the belly would have a radius of {thick:.3g} m for a length of "
            f"{whole.muscle_length:.3g} m",
            unit="N/m^2",
        )
    around = list(model.bodies) if bones is None else list(bones)
    obstacles = Obstacles([body for body in around if shapes_of(body)], poses)
    neighbors = _neighbors(beside)
    work = _Work(
        owner,
        n,
        n_elements,
        proximal,
        transition,
        clearance,
        smoothing,
        spread,
        obstacles,
        neighbors,
        whole,
    )
    ends = active[0].body, active[-1].body
    curves, sections = work.pack(points, poses[ends[0].name][0])
    factor, nearest = work.room(curves, sections)
    if factor < _LEAST_FACTOR:
        raise ModelError(
            f"{owner}: there is room for {factor:.2g} of the radii only, between {nearest}; must "
            f"be {_LEAST_FACTOR:g} or more; give fewer fibers, a larger specific tension, another "
            "start pose or other bones"
        )
    mean = float(np.mean([curve.length() for curve in curves]))
    calibration = tissue_for(factor, mean - whole.muscle_length)
    fibers = []
    for i, (curve, part) in enumerate(zip(curves, sections, strict=True)):
        part = Sections(part.marks, part.nodes, factor * part.belly, factor * part.tendon)
        sections[i] = part
        attach = [
            body.at(_to_body(poses[body.name], curve.nodal[k]))
            for body, k in zip(ends, (0, -2), strict=True)
        ]
        fibers.append(
            Fiber(
                f"{muscle.name}_{i + 1}",
                path=curve,
                attach=attach,
                radius=part.radius,
                n_elements=n_elements,
                tissue=calibration.tissue,
                muscle_fraction=part.muscle_fraction,
                activation=activation,
                nodes=part.nodes,
            )
        )
    report = BundleReport.of(
        muscle, total, curves, sections, calibration, factor, nearest, points, obstacles
    )
    return MuscleBundle(muscle, tuple(fibers), calibration, report, tuple(curves), tuple(sections))


def _to_body(pose: Pose, point: Array) -> Array:
    rotation, position = pose
    return (point - position) @ rotation


def _neighbors(beside: Sequence[MuscleBundle]) -> Neighbors:
    points, radius = [np.zeros((0, 3))], [np.zeros(0)]
    for bundle in beside:
        _check.instance("fibers_from_muscle", "beside", bundle, MuscleBundle, "a MuscleBundle")
        for curve, part in zip(bundle.curves, bundle.sections, strict=True):
            grid = paths.Grid.over(curve.theta, _PER_ELEMENT)
            points.append(grid.value @ curve.nodal)
            radius.append(part.radius(grid.at))
    return Neighbors(np.concatenate(points), np.concatenate(radius))


@dataclass(frozen=True)
class _Work:
    """What the steps of packing share."""

    owner: str
    n: int
    n_elements: int
    proximal: float
    transition: float
    clearance: float
    smoothing: float
    spread: float
    obstacles: Obstacles
    neighbors: Neighbors
    tissue: Calibration

    def pack(self, points: Array, axes: Array) -> tuple[list[paths.Curve], list[Sections]]:
        """Centerlines and sections of all fibers.

        Parameters
        ----------
        points : (m, 3) float array
            Path of the line muscle, ground frame [m].
        axes : (3, 3) float array
            Axes of the origin's body in the ground frame: the first cross-section is turned with
            them, so that nothing depends on where the model stands.
        """
        center = paths.smooth(points, 0.5 * self.smoothing)
        aside = self._aside(center, axes)
        layout = pack_section(self.n)
        reach = 1.0 + float(np.hypot(*layout.T).max())
        section = self._section(paths.polyline_length(center))
        grid = paths.Grid.over(section.nodes, _PER_ELEMENT)
        # the bundle as one thick fiber, as thin as its fibers at its ends
        taper = np.minimum(np.minimum(grid.at, 1.0 - grid.at) / 0.15, 1.0)
        thick = section.radius(grid.at) * (1.0 + (reach - 1.0) * taper)
        middle = self._relax(grid, grid.fit(center)[None], thick, aside)[0]
        center = paths.resample(paths.Grid.over(section.nodes, _FINE).value @ middle, len(center))
        e1, e2 = paths.transported_frames(center, aside)
        at = np.linspace(0.0, 1.0, len(center))
        # from the ends to the belly in one sweep: fibers that turn sharply would lie on each other
        ends = section.tendon + self.spread * (section.belly - section.tendon)
        sweep = ends + (section.belly - ends) * np.sin(np.pi * at) ** 2
        spacing = np.maximum(sweep, section.radius(at))[:, None] * (1.0 + self.clearance)
        offsets = [spacing * (u * e1 + v * e2) for u, v in layout]
        # onto the outer side of the plane that touches the nearest bone: what began beyond its
        # middle would be pushed out on the other side
        phi, way = self.obstacles.distance(center)
        floor = spacing[:, 0] - np.where(np.isfinite(phi), phi, np.inf)
        lifts = [
            np.maximum(floor - np.einsum("ai,ai->a", offset, way), 0.0)[:, None] * way
            for offset in offsets
        ]
        starts = np.array([center + a + b for a, b in zip(offsets, lifts, strict=True)])
        thin = np.full(self.n, section.tendon)
        for end in (0, -1):
            thin[:] = section.radius(at[[end]])[0]
            placed = place_ends(
                starts[:, end], thin, self.obstacles, self.neighbors, self.clearance
            )
            # what moves at an end fades out along the fiber
            fade = np.exp(-(((at if end == 0 else 1.0 - at) / 0.1) ** 2))[None, :, None]
            starts = starts + fade * (placed - starts[:, end])[:, None, :]
        nodal = np.array([grid.fit(start) for start in starts])
        for _ in range(_PASSES):
            nodal = self._relax(grid, nodal, section.radius(grid.at), aside)
            fine = paths.Grid.over(section.nodes, _FINE)
            lengths = [paths.polyline_length(fine.value @ one) for one in nodal]
            section = self._section(float(np.mean(lengths)))
            again = paths.Grid.over(section.nodes, _PER_ELEMENT)
            nodal = np.array(
                [again.fit(paths.resample(fine.value @ one, len(center))) for one in nodal]
            )
            grid = again
        nodal = self._relax(grid, nodal, section.radius(grid.at), aside)
        curves = [paths.Curve(section.nodes, one) for one in nodal]
        return curves, [section] * self.n

    def room(self, curves: list[paths.Curve], sections: list[Sections]) -> tuple[float, str]:
        """Factor of the radii, one or less, at which nothing touches, and what is nearest."""
        points, radii = [], []
        for curve, part in zip(curves, sections, strict=True):
            fine = paths.Grid.over(part.nodes, _FINE)
            points.append(fine.value @ curve.nodal)
            radii.append(part.radius(fine.at))
        gap, nearest = least_gap(points, radii, self.obstacles, self.neighbors)
        return min(1.0, gap * (1.0 - _MARGIN)), nearest

    def _section(self, length: float) -> Sections:
        belly = math.sqrt(self.tissue.muscle_area / self.n / math.pi)
        tendon = math.sqrt(self.tissue.tendon_area / self.n / math.pi)
        muscle = self.tissue.muscle_length
        if muscle > 0.95 * length:
            raise ModelError(
                f"{self.owner}: length of the fibers = {length:.4g} m; must leave room for tendons "
                f"beside a muscle of {muscle:.4g} m; the bones or `smoothing` shorten the path too "
                "much: give a smaller smoothing, or the path's true length"
            )
        return divide(
            self.owner, length, muscle, self.proximal, self.transition, self.n_elements, belly,
            tendon,
        )  # fmt: skip

    def _relax(self, grid: paths.Grid, nodal: Array, radius: Array, aside: Array) -> Array:
        return relax(
            grid, nodal, radius, self.obstacles, self.neighbors,
            clearance=self.clearance, smoothing=self.smoothing, aside=aside,
        )  # fmt: skip

    @staticmethod
    def _aside(center: Array, axes: Array) -> Array:
        """Direction across the path: the body's axis that is most across it."""
        chord = center[-1] - center[0]
        if not np.linalg.norm(chord) > 0.0:
            chord = center[len(center) // 2] - center[0]
        chord = chord / np.linalg.norm(chord)
        axis: Any = axes[:, np.argmin(np.round(np.abs(chord @ axes), 6))]
        axis = axis - (axis @ chord) * chord
        return axis / np.linalg.norm(axis)
