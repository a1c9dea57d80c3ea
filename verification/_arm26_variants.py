"""Variants of arm26.osim without what OpenSim computes in another way, and forward runs of them."""

import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
from _held_elbow import folder
from _peers import ask_opensim

import fibermsk as fm

START = {"r_shoulder_elev": 0.0, "r_elbow_flex": 0.35}
"""Pose at the start, that of scenes/arm26_lines.py [rad]."""
REST = 0.03
"""Activation at the start, that of the scene."""
FRAME = 0.01
"""Time between two frames that are compared [s]."""
SURFACES = ("TRI", "TRIlonghh", "TRIlongglen", "BIClonghh")
NOT_REACHED = "TRIlongglen"
SPHERES = {"TRI": 0.016, "BIClonghh": 0.02}
"""Radii of spheres in the place of the surfaces that are touched [m]."""
_ARM = "r_humerus"
_BEHIND, _BEFORE, _BELOW = (-0.016, 0.0, 0.0), (0.016, 0.0, 0.0), (0.0, -0.02, 0.0)
SECTIONS = {
    "TRIlong": [(4, _ARM, "TRI", _BEHIND)],
    "TRIlat": [(4, _ARM, "TRI", _BEHIND)],
    "TRImed": [(4, _ARM, "TRI", _BEHIND)],
    "BRA": [(1, _ARM, "TRI", _BEFORE)],
    "BIClong": [(2, _ARM, "BIClonghh", _BELOW)],
}
"""Sections whose path may touch, for geodesics, with the side that they pass."""
NEAR = {"r_elbow_flex": 1.0}
"""Pose in which OpenSim finds the side of all geodesics from these hints."""
OF_THELEN = ("FmaxTendonStrain", "FmaxMuscleStrain", "KshapeActive", "KshapePassive", "Af", "Flen")
VARIANTS = {
    "straight": {"left_out": SURFACES},
    "spheres": {"left_out": (NOT_REACHED, "TRIlonghh"), "spheres": SPHERES},
    "spheres_millard": {
        "left_out": (NOT_REACHED, "TRIlonghh"),
        "spheres": SPHERES,
        "kind": "Millard2012EquilibriumMuscle",
    },
    "spheres_degroote": {
        "left_out": (NOT_REACHED, "TRIlonghh"),
        "spheres": SPHERES,
        "kind": "DeGrooteFregly2016Muscle",
    },
    "geodesic": {"left_out": (NOT_REACHED,)},
    "without_glenoid": {"left_out": (NOT_REACHED,)},
    "file": {},
}
"""Changes of the file for OpenSim; the scene leaves out the surface that is not reached itself."""
HANGS = 300.0
"""Seconds after which OpenSim hangs."""


def ask(tasks: list[dict]) -> list[dict]:
    """Answers of `_line_muscles_opensim.py`."""
    return ask_opensim("_line_muscles_opensim.py", tasks, HANGS)


def write_variant(path: Path, left_out=(), spheres=None, kind=None) -> None:
    """Write arm26.osim without wraps around some surfaces, with spheres, or with other muscles.

    Parameters
    ----------
    path : Path
        File to write.
    left_out : tuple of str
        Surfaces around which no muscle wraps.
    spheres : dict, optional
        Surfaces that become spheres, with their radii [m].
    kind : str, optional
        Class of all muscles, with its default curves.
    """
    tree = ET.parse(folder() / "arm26.osim")
    for wraps in tree.iter("PathWrapSet"):
        for objects in wraps.iter("objects"):
            for one in list(objects):
                if one.findtext("wrap_object") in left_out:
                    objects.remove(one)
    for tag in ("WrapCylinder", "WrapEllipsoid"):
        for one in list(tree.iter(tag)):
            if one.get("name") in (spheres or {}):
                one.tag = "WrapSphere"
                strip(one, ("length", "dimensions", "radius"))
                ET.SubElement(one, "radius").text = str(spheres[one.get("name")])
    for one in list(tree.iter("Thelen2003Muscle")) if kind else ():
        one.tag = kind
        strip(one, (*OF_THELEN, "optimal_force"))
    tree.write(path)


def strip(element, tags) -> None:
    """Remove children."""
    for child in list(element):
        if child.tag in tags:
            element.remove(child)


def run_both(names, duration: float, tolerance: float, accuracy: float) -> dict[str, tuple]:
    """Run variants by this package and by OpenSim.

    Returns
    -------
    found : dict of (Result, dict)
        By variant: the result of this package, with frames every `FRAME`, and what OpenSim has at
        the same times.
    """
    steps = round(duration / FRAME)
    results, tasks = [], []
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            path = Path(place) / f"{name}.osim"
            write_variant(path, **VARIANTS[name])
            scene = fm.make_scene(
                "arm26_lines", model=str(path), geometry=str(folder() / "Geometry"),
                duration=duration, steps=steps, tolerance=tolerance,
            )  # fmt: skip
            results.append(fm.simulate_scene(scene))
            knots = {
                muscle.name: [np.asarray(part).tolist() for part in (table.times, table.values)]
                for muscle in scene.model.muscles
                for table in [muscle.activation.excitation]
            }
            task = {
                "model": str(path), "start": START, "activation": REST, "excitations": knots,
                "times": [k * FRAME for k in range(steps + 1)], "accuracy": accuracy,
            }  # fmt: skip
            if name == "geodesic":
                task |= {"sections": SECTIONS, "near": NEAR, "accuracy": max(accuracy, 1e-7)}
            tasks.append(task)
        return dict(zip(names, zip(results, ask(tasks), strict=True), strict=True))


def differences(result, found) -> dict[str, float]:
    """Largest differences at any frame."""
    largest = {
        place: max(np.abs(getattr(result, place)[name] - given).max() for name, given in of.items())
        for place in ("coordinates", "speeds")
        for of in [found[place]]
    }
    for field in ("length", "activation", "fiber_length", "tendon_force"):
        largest[field] = max(
            np.abs(result.muscles[name][field] - given[field]).max()
            for name, given in found["muscles"].items()
        )
    start = max(
        abs(result.muscles[name]["fiber_length"][0] - given["fiber_length"][0])
        for name, given in found["muscles"].items()
    )
    return {key: float(value) for key, value in (largest | {"start": start}).items()}
