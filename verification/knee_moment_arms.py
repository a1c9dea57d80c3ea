"""Moment arm of a bundle at the knee, whose insertion moves with the patella.

The rectus femoris of OpenSim's gait10dof18musc becomes a bundle of three fibers
(`fm.bundles_from_model`). Its insertion is a moving path point: it slides along the patella as the
knee flexes, and the ends of the fibers with it, on a body without mass. Beyond 84 degrees of
flexion a conditional path point holds the line muscle in front of the femur, and a ring that closes
holds the fibers. The knee flexes by 105 degrees within a second, all other joints at rest and the
fibers at 20 % activation, and the moment arm is that of the work of the taut fibers: minus the
derivative of their mean length in the angle. A single fiber agrees to 0.01 mm up to 80 degrees; the
three lie beside the line.

Compared with the line muscle of the file by OpenSim 4.6, from 10 to 80 degrees, and from 90 to 100
where the conditional point acts. Limits: 1.5 mm, and 5 mm, less than half of the width of the three
tendons in the ring, 20 mm. The insertion where it is at the start, in the tibia, gave 50 to 73 mm
where the line muscle has 27 to 50.
"""

from dataclasses import replace

import numpy as np
from _held_elbow import model_file
from scipy.interpolate import CubicSpline

import fibermsk as fm
from fibermsk.verify import Expected

FILE = "gait10dof18musc.osim"
MUSCLE, KNEE = "rect_fem_r", "knee_angle_r"
DEGREES = np.arange(10.0, 105.0, 10.0)
LINE = np.array(  # mm, at DEGREES, by OpenSim 4.6 (Muscle.computeMomentArm)
    [48.368, 50.361, 49.564, 46.910, 43.773, 39.849, 35.335, 29.952, 26.932, 24.462]
)
LAST, DURATION = 105.0, 1.0
HELD = 80.0
"""Largest angle at which the conditional point is inactive [degrees]."""


def check(steps: int, fibers: int) -> None:
    """Refuse settings out of range."""
    if not 25 <= steps <= 1000:
        raise fm.ModelError(f"knee_moment_arms: steps = {steps}; must be 25 to 1000")
    if not 1 <= fibers <= 7:
        raise fm.ModelError(f"knee_moment_arms: fibers = {fibers}; must be 1 to 7")


def flexing(item):
    """A joint whose coordinates are at rest, but for the knee, which flexes smoothly."""
    if not getattr(item, "coordinates", ()) or not hasattr(item, "child"):
        return item
    s = np.linspace(0.0, 1.0, 101)
    turn = fm.NaturalSpline(DURATION * s, -np.radians(LAST) * s**3 * (10 - 15 * s + 6 * s * s))
    return replace(
        item,
        coordinates=tuple(
            replace(one, forces=(), prescribed=turn)
            if one.name == KNEE
            else replace(one, forces=(), speed=0.0, locked=True)
            for one in item.coordinates
        ),
    )


def run(steps: int = 50, fibers: int = 3) -> dict[str, float]:
    """Moment arms of the bundle [mm], and their distance from those of the line muscle.

    Parameters
    ----------
    steps : int
        Time steps, 25 to 1000.
    fibers : int
        Fibers of the bundle, 1 to 7.
    """
    check(steps, fibers)
    source = fm.read_osim(model_file(FILE)).copy(flexing)
    activation = fm.Ramp(0.0, 0.05, 0.2)
    made = fm.bundles_from_model(source, MUSCLE, n_fibers=fibers, activation=activation)
    result = fm.simulate(
        fm.build(made.model), t_end=DURATION, dt=DURATION / steps, method=fm.BackwardEuler()
    )
    length = np.mean([result.fibers[fiber.name].length for fiber in made.fibers], axis=0)
    angle = -np.degrees(result.coordinates[KNEE])
    moving = np.r_[True, np.diff(angle) > 1e-3]
    arms = 1e3 * CubicSpline(np.radians(angle[moving]), length[moving])(np.radians(DEGREES), 1)
    values = {f"at_{a:.0f}_mm": float(arm) for a, arm in zip(DEGREES, arms, strict=True)}
    off = np.abs(arms - LINE)
    values["off_the_line_mm"] = float(off[DEGREES <= HELD].max())
    values["off_in_the_ring_mm"] = float(off[DEGREES > HELD].max())
    return values


def expected(steps: int = 50, fibers: int = 3) -> dict[str, Expected]:
    """No distance from the line muscle."""
    check(steps, fibers)
    opensim = {"kind": "comparison", "source": "OpenSim 4.6", "scale": 50.0}
    return {
        "off_the_line_mm": Expected(0.0, 1.5, "fibers beside the line", **opensim),
        "off_in_the_ring_mm": Expected(0.0, 5.0, "half of the width of the tendons", **opensim),
    }
