"""Report on the bundle of a muscle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fibermsk._arrays import Array
from fibermsk.anatomy.calibrate import Calibration
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.path import Curve
from fibermsk.anatomy.sections import Sections
from fibermsk.laws import HillStress, KelvinVoigt
from fibermsk.model import LineMuscle


@dataclass(frozen=True, eq=False)
class BundleReport:
    """Numbers of a bundle and of the line muscle that it replaces; can be printed.

    Attributes
    ----------
    name : str
        Name of the muscle.
    path_length : float
        Initial length of the line muscle [m].
    fiber_lengths : tuple of float
        Lengths of the fibers in the reference configuration [m].
    muscle_length, tendon_length : float
        Parts of the fibers' mean length [m].
    start_length : float
        Initial muscle length over the optimum, as for a line muscle with a rigid tendon [-].
    radius_belly, radius_tendon : float
        Radii of each fiber [m].
    radius_factor : float
        Factor of all radii to avoid overlap; stresses are divided by its square.
    nearest : str
        Pair that limits the radii.
    depth_origin, depth_insertion : float
        Depth of the line muscle's ends inside a bone [m]; negative outside.
    moved_origin, moved_insertion : float
        Largest distance of a fiber's end from that of the line muscle [m].
    mass : float
        Mass of all fibers [kg].
    passive_error : float
        Root mean square difference of the fitted passive curve from the Hill muscle's, over F_0
        [-]; the active curves are the same.
    calibration : Calibration
        The fitted constants.
    straight : str
        Why path and length are those of straight lines between path points; empty if they are not.
    """

    name: str
    path_length: float
    fiber_lengths: tuple[float, ...]
    muscle_length: float
    tendon_length: float
    start_length: float
    radius_belly: float
    radius_tendon: float
    radius_factor: float
    nearest: str
    depth_origin: float
    depth_insertion: float
    moved_origin: float
    moved_insertion: float
    mass: float
    passive_error: float
    calibration: Calibration
    straight: str = ""

    @staticmethod
    def of(
        muscle: LineMuscle,
        total: float,
        curves: Sequence[Curve],
        sections: Sequence[Sections],
        calibration: Calibration,
        factor: float,
        nearest: str,
        points: Array,
        obstacles: Obstacles,
        straight: str = "",
    ) -> BundleReport:
        """Create the report of a bundle; `points` is the path of the line muscle."""
        lengths = tuple(curve.length() for curve in curves)
        depth = -obstacles.distance(points[[0, -1]])[0]
        origins = np.array([curve.nodal[0] for curve in curves])
        insertions = np.array([curve.nodal[-2] for curve in curves])
        theta = np.linspace(0.0, 1.0, 401)
        area = [np.pi * np.mean(part.radius(theta) ** 2) for part in sections]
        tissue = calibration.tissue
        return BundleReport(
            name=muscle.name,
            path_length=total,
            fiber_lengths=lengths,
            muscle_length=calibration.muscle_length,
            tendon_length=calibration.tendon_length,
            start_length=calibration.start_length,
            radius_belly=sections[0].belly,
            radius_tendon=sections[0].tendon,
            radius_factor=factor,
            nearest=nearest,
            depth_origin=float(depth[0]),
            depth_insertion=float(depth[1]),
            moved_origin=float(np.linalg.norm(origins - points[0], axis=1).max()),
            moved_insertion=float(np.linalg.norm(insertions - points[-1], axis=1).max()),
            mass=tissue.density * float(np.dot(area, lengths)),
            passive_error=calibration.passive_error,
            calibration=calibration,
            straight=straight,
        )

    def __str__(self) -> str:
        """Summary in a few lines."""
        mm = 1e3
        lengths = ", ".join(f"{mm * length:.1f}" for length in self.fiber_lengths)
        tissue = self.calibration.tissue
        active, stiffening, titin = tissue.active, tissue.stiffening, tissue.titin
        muscle = tissue.muscle
        assert isinstance(active, HillStress) and (stiffening or titin)  # set by `calibrate`
        if titin is not None:
            passive = f"titin with {titin.stress:.4g} N/m^2 at a strain of {titin.strain:.3g}"
        else:
            assert stiffening is not None
            passive = f"stiffening {stiffening.stress:.4g} N/m^2 at a rate of {stiffening.rate:.3g}"
        assert isinstance(muscle, KelvinVoigt)
        even = "" if tissue.gradient is None else " (even stretch)"
        inside = [
            f"{where} {mm * depth:.1f} mm inside a bone"
            for where, depth in (
                ("origin", self.depth_origin),
                ("insertion", self.depth_insertion),
            )
            if depth > 0.0
        ]
        straight = [f"  straight between its path points: {self.straight}"] if self.straight else []
        return "\n".join(
            [
                f"{self.name}: {len(self.fiber_lengths)} fibers of {lengths} mm for a path of "
                f"{mm * self.path_length:.1f} mm, {1e3 * self.mass:.0f} g",
                *straight,
                f"  muscle {mm * self.muscle_length:.1f} mm ({self.start_length:.2f} of the "
                f"optimum), tendon {mm * self.tendon_length:.1f} mm; radii "
                f"{mm * self.radius_belly:.2f} and {mm * self.radius_tendon:.2f} mm, "
                f"{self.radius_factor:.3f} of the calibrated ones (limited by: {self.nearest})",
                f"  ends moved by up to {mm * self.moved_origin:.1f} mm (origin) and "
                f"{mm * self.moved_insertion:.1f} mm (insertion)"
                + (f"; in the line muscle {' and '.join(inside)}" if inside else ""),
                f"  S_max {active.max_stress:.4g} N/m^2 at the optimum "
                f"{active.optimal_stretch:.4g}, v_max {active.max_velocity:.3g} optimal lengths a "
                "second, curves of De Groote",
                f"  mu {muscle.shear_modulus:.4g} N/m^2{even}, "
                f"prestress {tissue.prestress:.4g} N/m^2, "
                f"{passive}: off "
                f"by {self.passive_error:.3f} F_0 rms; viscosity "
                f"{muscle.viscosity:.4g} N s/m^2",
            ]
        )
