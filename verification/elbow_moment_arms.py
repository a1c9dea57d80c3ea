"""Moment arms of bundles at the elbow, against measured ones.

The triceps (three heads), the biceps (short head; both heads have one path at the elbow) and the
brachialis of OpenSim's arm26 become bundles, each in a model of its own. The elbow is held at one
angle after the other, 30 to 110 degrees of flexion, with the shoulder at rest and without weight,
and the bundle is brought to static equilibrium. Nothing is fitted. The moment arm is the moment
about the elbow of the pulls of the fibers on the forearm, and of their contact with its bones,
divided by the sum of the pulls; that of the triceps is of all three heads together.

The fibers are guided by the wrap cylinder of the file at the elbow, in place of bones (guide =
"wrap"), or by the meshes of humerus, ulna and radius (guide = "bones"). Via points of the line
muscles do not hold them. Tendons have a quarter of the radius of the belly, 1/16 of its area, which
is thicker than most tendons of man, but thinner than the default of bundles.

Measured: triceps by magnetic resonance imaging, 18 persons (Sugisaki et al. 2010, J. Biomech. 43,
2844-2847): 2.39 (standard deviation 0.14) cm at 30 degrees, 1.74 (0.13) cm at 110. Biceps and
brachialis: regressions of published measurements, without a standard deviation.

What explains the differences is in docs/validation_arm.md. In short: the line muscles of the file,
of other persons, differ from these measurements themselves; the bundles differ from the line
muscles, because their ends are moved off the bone by their thickness and beside each other, and
because no via point holds them at the bone. The limits of the measured rows are the line muscle's
own difference plus 0.4 cm at the cylinder and 0.8 cm over bones, somewhat less than the largest
distance by which ends of fibers are moved.

Independent of all this, the moment must be that of the energy: passive fibers do the work of their
moment from their elastic energy and that of the contact, at any thickness and guide. The tolerance
is the error of a cubic spline through the moments every 10 degrees, since the moment has kinks
where contact begins.
"""

import numpy as np
from _held_elbow import Bundle, sweep
from scipy.interpolate import CubicSpline

import fibermsk as fm
from fibermsk.verify import Expected

MUSCLES = {
    "triceps": ("TRIlong", "TRIlat", "TRImed"),
    "biceps": ("BICshort",),
    "brachialis": ("BRA",),
}
DEGREES = np.array([30.0, 50.0, 70.0, 90.0, 110.0])
MEASURED = {  # cm, at DEGREES
    "triceps": np.array([2.39, np.nan, np.nan, np.nan, 1.74]),
    "biceps": np.array([2.1, 2.9, 4.0, 4.7, 4.8]),
    "brachialis": np.array([1.5, 1.8, 2.3, 2.8, 3.0]),
}
DEVIATION = np.array([0.14, np.nan, np.nan, np.nan, 0.13])  # of the triceps, n = 18
LINE = {  # cm, of the line muscles of the file, by OpenSim 4.6 (GeometryPath.computeMomentArm)
    "triceps": np.array([2.408, 2.248, 1.973, 1.995, 1.988]),
    "biceps": np.array([2.648, 3.634, 4.412, 4.875, 4.849]),
    "brachialis": np.array([1.307, 1.394, 1.914, 2.269, 2.397]),
}
GUIDES = ("wrap", "bones")
NEAR = {"wrap": 0.4, "bones": 0.8}
"""Limit of the difference from the line muscle [cm]; ends are moved by up to 0.7 and 0.9 cm."""
BALANCED = {"triceps": "TRIlat", "biceps": "BICshort"}
"""Muscles whose work is compared with their energy."""
STEP = 10.0  # degrees


def arms(name: str, degrees: np.ndarray, **options) -> np.ndarray:
    """Moment arms of a muscle with all its heads [cm], positive also in extension."""
    total = sum(sweep(one, degrees, **options)[:, :2] for one in MUSCLES[name])
    return 100.0 * np.abs(total[:, 0]) / total[:, 1]


def work_over_energy(muscle: str, **options) -> float:
    """Work of the moment of passive fibers over the energy that they lose, from 40 to 110."""
    bundle = Bundle(muscle, sign=1.0, **options | {"activation": 0.0})
    angles = np.radians(np.arange(40.0, 110.0 + 0.5 * STEP, STEP))
    moment, energy = [], []
    for angle in angles:
        bundle.settle(angle)
        moment.append(bundle.measure()[0])
        energy.append(bundle.system.energy(bundle.y, bundle.v).total)
    return float(CubicSpline(angles, moment).integrate(*angles[[0, -1]]) / (energy[0] - energy[-1]))


def check(guide: str, activation: float, tendon: float) -> None:
    """Refuse settings out of range."""
    if guide not in GUIDES:
        raise fm.ModelError(f"elbow_moment_arms: guide = {guide!r}; must be one of {GUIDES}")
    if not 0.02 <= activation <= 0.5:
        raise fm.ModelError(
            f"elbow_moment_arms: activation = {activation}; must be 0.02 to 0.5: relaxed flexors "
            "become slack, and active ones soften on their descending limb"
        )
    if not 0.1 <= tendon <= 0.5:
        raise fm.ModelError(f"elbow_moment_arms: tendon = {tendon}; must be 0.1 to 0.5")


def run(
    guide: str = "wrap",
    activation: float = 0.1,
    tendon: float = 0.25,
    tension: float = 1.4e6,
    fibers: int = 3,
    elements: int = 8,
) -> dict[str, float]:
    """Moment arms of the bundles [cm].

    Parameters
    ----------
    guide : str
        "wrap" or "bones".
    activation : float
        Activation of the muscle, 0.02 to 0.5.
    tendon : float
        Radius of the tendon over that of the belly, 0.1 to 0.5.
    tension : float
        Specific tension [N/m^2]; that of the scene arm26_fibers, for bellies of plausible size.
    fibers : int
        Fibers of each muscle.
    elements : int
        Finite elements of each fiber.
    """
    check(guide, activation, tendon)
    options = {
        "guide": guide, "activation": activation, "tendon": tendon, "tension": tension,
        "fibers": fibers, "elements": elements,
    }  # fmt: skip
    values = {}
    for name in MUSCLES:
        found = arms(name, DEGREES, **options)
        for degrees, arm in zip(DEGREES, found, strict=True):
            values[f"{name}_{degrees:.0f}_cm"] = float(arm)
        values[f"{name}_rms_to_line_cm"] = rms(found - LINE[name])
        values[f"{name}_rms_to_measured_cm"] = rms(found - MEASURED[name])
    for name, muscle in BALANCED.items():
        values[f"{name}_work_over_energy"] = work_over_energy(muscle, **options)
    return values


def rms(values: np.ndarray) -> float:
    """Root mean square of those that are known."""
    return float(np.sqrt(np.nanmean(values**2)))


def expected(
    guide: str = "wrap",
    activation: float = 0.1,
    tendon: float = 0.25,
    tension: float = 1.4e6,
    fibers: int = 3,
    elements: int = 8,
) -> dict[str, Expected]:
    """Measured moment arms, those of the line muscles, and the energy."""
    check(guide, activation, tendon)
    near = NEAR[guide]
    values = {}
    imaging = {"kind": "measurement", "source": "Sugisaki et al. (2010), n = 18"}
    others = {"kind": "measurement", "source": "regressions of published measurements"}
    opensim = {"kind": "comparison", "source": "line muscles of arm26 by OpenSim 4.6", "scale": 1.0}
    why = f"the line muscle differs by {{:.2f}} cm; {near} cm for moved ends and thickness"
    for k, degrees in ((0, 30), (4, 110)):
        own = abs(LINE["triceps"][k] - MEASURED["triceps"][k])
        values[f"triceps_{degrees}_cm"] = Expected(
            MEASURED["triceps"][k], own + near, why.format(own), **imaging
        )
    for name in ("biceps", "brachialis"):
        own = rms(LINE[name] - MEASURED[name])
        values[f"{name}_rms_to_measured_cm"] = Expected(0.0, own + near, why.format(own), **others)
    for name in MUSCLES:
        values[f"{name}_rms_to_line_cm"] = Expected(
            0.0, near, "ends moved off the bone, no via points", **opensim
        )
    for name in BALANCED:
        values[f"{name}_work_over_energy"] = Expected(
            1.0,
            1e-3,
            "spline through moments with kinks",
            kind="consistency",
            source="conservation of energy",
        )
    return values


VARIANTS = {
    "wrap cylinder": {"guide": "wrap"},
    "bones": {"guide": "bones"},
    "wrap cylinder, thicker tendon": {"guide": "wrap", "tendon": 0.5},
    "bones, thicker tendon": {"guide": "bones", "tendon": 0.5},
}


def study(fine: bool = False) -> dict:
    """Moment arms against the angle, by guide and tendon.

    Parameters
    ----------
    fine : bool
        Every 10 instead of 20 degrees, and also with tendons of half the radius of the belly.
    """
    degrees = np.arange(30.0, 110.5, STEP) if fine else DEGREES
    variants = dict(list(VARIANTS.items())[: 4 if fine else 2])
    default = {"activation": 0.1, "tendon": 0.25, "tension": 1.4e6, "fibers": 3, "elements": 8}
    tables, data = {}, {}
    for name in MUSCLES:
        found = {key: arms(name, degrees, **default | own) for key, own in variants.items()}
        data[name] = degrees, found
        rows = []
        for k, at in enumerate(DEGREES):
            own = [curve[np.argmin(np.abs(degrees - at))] for curve in found.values()]
            rows.append([at, MEASURED[name][k], LINE[name][k], *own])
        tables[f"Moment arm at the elbow, {name} [cm]"] = {
            "columns": ["degrees", "measured", "line muscle", *(f"bundle, {key}" for key in found)],
            "rows": rows,
        }
    return {"tables": tables, "data": data}


def plot(numbers: dict):
    """Moment arm against the angle: measured, line muscle, bundles."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(11, 3.6)
    for axes, (name, (degrees, found)) in zip(
        figure.subplots(1, 3), numbers["data"].items(), strict=True
    ):
        error = DEVIATION if name == "triceps" else None
        axes.errorbar(DEGREES, MEASURED[name], error, fmt="ko", capsize=3, label="measured")
        axes.plot(DEGREES, LINE[name], "s--", color="0.5", ms=4, label="line muscle (OpenSim)")
        for (key, curve), color in zip(found.items(), COLORS, strict=False):
            axes.plot(degrees, curve, color=color, label=f"bundle, {key}")
        finish(axes, name, "elbow flexion [degrees]", "moment arm [cm]")
        axes.set_ylim(0.0, 6.5)
    return figure
