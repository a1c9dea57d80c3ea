"""Bundles of fibers that replace line muscles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fibermsk import _check
from fibermsk._shown import Described
from fibermsk.anatomy import path as paths
from fibermsk.anatomy.arrange import PER_ELEMENT, Arrangement
from fibermsk.anatomy.calibrate import (
    DAMPING,
    DENSITY,
    EVEN_DAMPING,
    PRESTRESS,
    SPECIFIC_TENSION,
    TENDON_RADIUS,
    WORKING_RANGE,
    Calibration,
    calibrate,
)
from fibermsk.anatomy.line_path import line_path
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.packing import Neighbors
from fibermsk.anatomy.report import BundleReport
from fibermsk.anatomy.sections import Sections
from fibermsk.errors import ModelError
from fibermsk.laws import PenaltyContact, Titin
from fibermsk.model import ActivationDynamics, Body, Contact, Fiber, LineMuscle, Model
from fibermsk.model.muscles.activation import Activation
from fibermsk.model.skeleton.body import shapes_of
from fibermsk.system.skeleton.skeleton import skeleton

CLEARANCE = 0.05
"""Gap between fibers, and to bones, relative to radii, in the reference configuration."""

TRANSITION = 0.2
"""Length of the muscle-tendon transition, relative to that of the muscle."""

EVEN_TRANSITION = 0.005
"""`TRANSITION` of an even muscle, whose stretch changes abruptly where it ends."""

SMOOTHING = 0.04
"""Smoothing length of a path, relative to its length: via points closer than this are smoothed
out."""

SPREAD = 0.5
"""Width of the attachments, between adjacent tendons and the width of the belly."""

THICKEST = 0.5
"""Largest radius of a belly, relative to its length."""

_SHARPEST = 1e-3
"""Shortest muscle-tendon transition, relative to the length of the muscle."""

_MOST = 10_000
"""Largest numbers of fibers of a muscle and of elements of a fiber."""

_LEAST_FACTOR = 0.25
"""Smallest factor by which radii may be reduced."""


@dataclass(frozen=True, eq=False, repr=False)
class MuscleBundle(Described):
    """Bundle of fibers that replaces a line muscle.

    Attributes
    ----------
    muscle : LineMuscle
        Line muscle that is replaced.
    fibers : tuple of Fiber
        Fibers to add to the model, ``model.add(*bundle.fibers)``.
    calibration : Calibration
        Tissue, areas and errors of the fit.
    report : BundleReport
        Results of the construction.
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
        self,
        bones: Body | Sequence[Body] = (),
        law: PenaltyContact | None = None,
        bone_law: PenaltyContact | None = None,
        points_per_element: int = 5,
    ) -> tuple[Contact, ...]:
        """Create contacts of the fibers with each other and with bones.

        Parameters
        ----------
        bones : Body or sequence of them
            Bodies with shapes.
        law : PenaltyContact, optional
            Law between fibers; by default with stiffness 2000 N/m and limit 3.
        bone_law : PenaltyContact, optional
            Law between fibers and bones; by default with stiffness 4000 N/m and limit 8, so that
            thin tendons stay outside thick bones: penetration is relative to both radii.
        points_per_element : int
            Contact points per element; use more if few elements wrap around a bone.

        Returns
        -------
        contacts : tuple of Contact
            Contacts to add to the model.
        """
        law = law or PenaltyContact(2000.0, 3.0)
        bone_law = bone_law or PenaltyContact(4000.0, 8.0)
        touched = [bones] if isinstance(bones, Body) else list(bones)
        n = points_per_element
        contacts = [Contact(self.fibers, self.fibers, law, n)] if len(self.fibers) > 1 else []
        if touched:
            contacts.append(Contact(self.fibers, touched, bone_law, n))
        return tuple(contacts)


def fibers_from_muscle(
    muscle: LineMuscle,
    n_fibers: int,
    *,
    model: Model,
    n_elements: int = 10,
    activation: float | Activation | ActivationDynamics = 0.0,
    specific_tension: float = SPECIFIC_TENSION,
    tendon_radius: float = TENDON_RADIUS,
    proximal: float = 0.5,
    transition: float | None = None,
    clearance: float = CLEARANCE,
    smoothing: float = SMOOTHING,
    spread: float = SPREAD,
    working_range: tuple[float, float] = WORKING_RANGE,
    damping: float | None = None,
    density: float = DENSITY,
    bending: float = 0.0,
    prestress: float = PRESTRESS,
    titin: Titin | None = None,
    even: bool | None = None,
    length: float | None = None,
    belly_length: float | None = None,
    shorten: bool = False,
    ends: tuple[Body, Body] | None = None,
    bones: Sequence[Body] | None = None,
    beside: Sequence[MuscleBundle] = (),
) -> MuscleBundle:
    """Create a bundle of deforming fibers that replaces a line muscle.

    The path is the taut one of the line muscle in the initial pose, around its wrap surfaces,
    smoothed, and the fibers lie around it without overlap with bones or each other. Initially they
    are in their reference configuration. Lengths, cross-section and stress of muscle and tendon
    follow from the optimal fiber length, slack length, pennation and maximum force of the muscle
    (`calibrate`).

    Parameters
    ----------
    muscle : LineMuscle
        Line muscle of the model, ``model.muscles``.
    n_fibers : int
        Number of fibers that share its force and cross-section.
    model : Model
        Model with bodies and joints; not changed.
    n_elements : int
        Finite elements of each fiber, 5 or more: tendon, transition, muscle, transition, tendon.
    activation : float, callable or ActivationDynamics
        Activation of all fibers, see `Fiber`; as a state they share one.
    specific_tension : float
        Force per physiological cross-sectional area [N/m^2]; 30 N/cm^2 is typical of mammals (Zajac
        1989). Models with larger forces need a larger value, or their muscles become too thick.
    tendon_radius : float
        Radius of the tendon relative to that of the belly. Real tendons are thinner.
    proximal : float
        Fraction of the tendon at the origin, in [0, 1].
    transition : float, optional
        Length of the muscle-tendon transition, relative to that of the muscle; by default 0.2, and
        0.005 of an even muscle.
    clearance : float
        Gap between fibers, and to bones, relative to their radii, where possible.
    smoothing : float
        Smoothing length of the path, relative to its length.
    spread : float
        Width of the attachments, in [0, 1]: at 0 the tendons are adjacent, at 1 they are as far
        apart as in the belly.
    working_range : (float, float)
        Range of muscle length over optimal length in which the curves are fitted.
    damping : float, optional
        Slope of the passive force over F_0 with respect to velocity over maximum velocity;
        positive; by default 0.03, and 0.02 of an even muscle. Active fibers have the force-velocity
        curve of the muscle besides.
    density : float
        Density [kg/m^3].
    bending : float
        Bending stiffness relative to that of solid fibers.
    prestress : float
        Tension of the passive fibers in the reference configuration, over F_0.
    titin : Titin, optional
        Gives the fibers titin with its shares, fixed length and damping, in place of `Stiffening`;
        stress, optimal stretch and passive curve follow from the muscle. None if left out.
    even : bool, optional
        Let the fibers follow the line muscle closely: a `StretchGradient` of half the optimal
        length keeps their stretch even, as in a muscle that is one spring. By default with titin.
    length : float, optional
        Initial length of the line muscle with its tendon [m]; by default that of its taut path, or
        of the straight lines between its active points where none is found, as the report says.
    belly_length : float, optional
        Length over which the muscle parts of the fibers are distributed, each beside the tendons of
        others, as in a pennate muscle, whose belly is longer than its fibers [m]; by default that
        of the fibers, so that all begin and end together.
    shorten : bool
        Shorten the muscle part if smoothing and bones leave no room for tendons beside it, instead
        of refusing the muscle. It then starts at a smaller length over optimum, as reported.
    ends : pair of Body, optional
        Bodies that carry the ends of the fibers; by default those of the first and last active path
        point.
    bones : sequence of Body, optional
        Bodies whose shapes the fibers must not penetrate; by default all with shapes.
    beside : sequence of MuscleBundle
        Existing bundles.

    Returns
    -------
    bundle : MuscleBundle
        Fibers named after the muscle, ``biceps_1`` to ``biceps_n``, and a report.

    Raises
    ------
    ModelError
        If a number lies outside its range, the muscle does not belong to the model, its path is
        shorter than its tendon, or there is not enough room.

    Notes
    -----
    Via points and wrap surfaces of the line muscle have no counterpart: a fiber starts along the
    path and is then guided by contact with bones. `shapes_from_wraps` converts wrap surfaces to
    shapes for contact, if no bone guides the path. An end at a moving path point stays where it is
    at the start; `bundles_from_model` moves it, and guides fibers by surfaces and points.

    References
    ----------
    .. [1] Zajac, "Muscle and tendon: properties, models, scaling, and application to biomechanics
           and motor control", Critical Reviews in Biomedical Engineering 17 (1989), 359-411.
    """
    _check.instance("fibers_from_muscle", "muscle", muscle, LineMuscle, "a LineMuscle")
    owner = f"fibers of muscle {muscle.name!r}"
    _check.instance(owner, "model", model, Model, "a Model")
    n = _check.count(owner, "n_fibers", n_fibers, _MOST)
    n_elements = _check.count(owner, "n_elements", n_elements, _MOST)
    proximal = _check.fraction(owner, "proximal", proximal)
    even = titin is not None if even is None else _check.flag(owner, "even", even)
    if transition is None:
        transition = EVEN_TRANSITION if even else TRANSITION
    if damping is None:
        damping = EVEN_DAMPING if even else DAMPING
    transition = _check.number(
        owner,
        "transition",
        transition,
        accept=lambda x: x >= _SHARPEST,
        must=f"be {_SHARPEST:g} or more",
    )
    clearance = _check.non_negative(owner, "clearance", clearance)
    smoothing = _check.positive(owner, "smoothing", smoothing)
    spread = _check.fraction(owner, "spread", spread)
    shorten = _check.flag(owner, "shorten", shorten)
    if belly_length is not None:
        belly_length = _check.positive(owner, "belly_length", belly_length, "m")
    if ends is not None:
        _check.items(owner, "ends", ends, Body, "a Body", "a pair of bodies")
    if muscle not in model.muscles:
        _check.refuse(
            owner, "model", model, "contain the muscle", remedy="take one of model.muscles"
        )
    around = model.bodies if bones is None else bones
    for field, value, kind in (("bones", around, Body), ("beside", beside, MuscleBundle)):
        name = kind.__name__
        _check.items(owner, field, value, kind, f"a {name}", f"a sequence of {name}")
    bodies = skeleton(model)
    poses, line = bodies.poses(bodies.start), line_path(bodies, muscle)
    points, total = line.points, line.length
    if length is not None:
        total = _check.positive(owner, "length", length, "m")

    calibrated = partial(
        calibrate, muscle, length=total, specific_tension=specific_tension,
        working_range=working_range, tendon_radius=tendon_radius, damping=damping,
        density=density, bending=bending, prestress=prestress, titin=titin, even=even,
    )  # fmt: skip
    whole = calibrated()
    belly = max(belly_length or 0.0, whole.muscle_length)
    thick = math.sqrt(whole.muscle_area * whole.muscle_length / belly / math.pi)
    if thick > THICKEST * belly:
        _check.refuse(
            owner,
            "specific_tension",
            specific_tension,
            f"be larger: the belly would have a radius of {thick:.3g} m for a length of "
            f"{belly:.3g} m",
            unit="N/m^2",
        )
    obstacles = Obstacles([body for body in around if shapes_of(body)], poses)
    neighbors = _neighbors(beside)
    work = Arrangement(
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
        belly,
        shorten,
    )
    ends = ends or (line.active[0].body, line.active[-1].body)
    curves, sections = work.pack(points, poses[ends[0].name][0])
    factor, nearest = work.room(curves, sections)
    if factor < _LEAST_FACTOR:
        raise ModelError(
            f"{owner}: radii must be reduced to {factor:.2g}, because of {nearest}; must "
            f"be {_LEAST_FACTOR:g} or more; use fewer fibers, a larger specific tension, another "
            "start pose or other bones"
        )
    mean = float(np.mean([curve.length() for curve in curves]))
    muscle_length = work.muscle_length(mean)
    if muscle_length < whole.muscle_length:
        calibrated = partial(calibrated, length=total - whole.muscle_length + muscle_length)
    calibration = calibrated(radius_factor=factor, tendon_length=mean - muscle_length)
    fibers = []
    for i, (curve, part) in enumerate(zip(curves, sections, strict=True)):
        part = Sections(part.marks, part.nodes, factor * part.belly, factor * part.tendon)
        sections[i] = part
        attach = [
            body.at((curve.nodal[k] - poses[body.name][1]) @ poses[body.name][0])
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
        muscle, total, curves, sections, calibration, factor, nearest, points, obstacles,
        line.straight if length is None else "",
    )  # fmt: skip
    return MuscleBundle(muscle, tuple(fibers), calibration, report, tuple(curves), tuple(sections))


def _neighbors(beside: Sequence[MuscleBundle]) -> Neighbors:
    points, radius = [np.zeros((0, 3))], [np.zeros(0)]
    for bundle in beside:
        for curve, part in zip(bundle.curves, bundle.sections, strict=True):
            grid = paths.Grid.over(curve.theta, PER_ELEMENT)
            points.append(grid.value @ curve.nodal)
            radius.append(part.radius(grid.at))
    return Neighbors(np.concatenate(points), np.concatenate(radius))
