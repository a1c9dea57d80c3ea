"""Inverse dynamics of walking with ground reactions, against OpenSim's tool.

The scaled model of gait10dof18musc (ten coordinates, splines at the knees), a measured gait of 2.5
s and the ground reactions of both feet, from the folder FIBERMSK_MODELS; muscles exert no force.
OpenSim (4.6) reads the same files, in a process of its own. Every row is the largest difference of
a generalized force at any of the 151 frames, those at the ends too, over the largest force of its
coordinate.

- `raw`: no filter. Both programs have the same splines: natural ones of fifth order through the
  samples of the motion, natural cubic ones through those of the ground reactions. The table of
  OpenSim has eight decimals.
- `unloaded`: without ground reactions.
- `filtered`: the motion is filtered at 6 Hz, in both by a Butterworth filter of third order,
  forward and backward, after it is continued by reflection, by half of its duration. OpenSim rounds
  the times: its frames are 0.5 us early, and the ground reactions change by up to 2e4 N/s.
- `published`: the result that comes with the model, also filtered.

`residual_N` is the largest force at the pelvis (`filtered`, of OpenSim), which nothing exerts in
reality: motion, masses and ground reactions do not fit to each other.
"""

import os
import warnings
from pathlib import Path

import numpy as np
from _peers import ask_opensim

import fibermsk as fm
from fibermsk.verify import Expected, Unavailable

HANGS = 300.0
CUT_OFF = 6.0
CASES = {"raw": (None, True), "unloaded": (None, False), "filtered": (CUT_OFF, True)}
"""Cut-off frequency [Hz], and whether the ground reactions act."""


def folder() -> Path:
    """Folder of the model and its data."""
    home = Path(os.environ.get("FIBERMSK_MODELS", "")) / "opensim-models"
    found = home / "gait10dof18musc_reference"
    if not (found / "subject01.osim").is_file():
        raise Unavailable(f"no subject01.osim in {found}; set FIBERMSK_MODELS to published models")
    return found


def ours(case: str) -> fm.InverseDynamics:
    """Generalized forces of one case, by this package."""
    home, (lowpass, loaded) = folder(), CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ModelWarning)
        model = fm.read_osim(home / "subject01.osim")
        if loaded:
            model.add(*fm.read_external_loads(home / "subject01_walk_grf.xml", model))
        return fm.inverse_dynamics(model, home / "subject01_walk_IK.mot", lowpass=lowpass)


def opensim(cases) -> list[dict]:
    """Tables of OpenSim's tool."""
    home, tasks = folder(), []
    for case in cases:
        lowpass, loaded = CASES[case]
        tasks.append(
            {
                "model": str(home / "subject01.osim"),
                "motion": str(home / "subject01_walk_IK.mot"),
                "loads": str(home / "subject01_walk_grf.xml") if loaded else None,
                "lowpass": -1.0 if lowpass is None else lowpass,
                "end": 2.5,
            }
        )
    tables = ask_opensim("_inverse_dynamics_opensim.py", tasks, HANGS)
    return [one["columns"] for one in tables]


def differences(found: fm.InverseDynamics, columns) -> dict[str, tuple[float, float]]:
    """Largest difference, and largest force, by coordinate [N m or N]."""
    result = {}
    for name, force in found.force.items():
        column = f"{name}_{'moment' if found.units[name] == 'N m' else 'force'}"
        theirs = np.asarray(columns[column])
        result[name] = float(np.abs(force - theirs).max()), float(np.abs(theirs).max())
    return result


def compared() -> dict[str, dict[str, tuple[float, float]]]:
    """`differences` of all cases."""
    found = {case: ours(case) for case in CASES}
    tables = dict(zip(CASES, opensim(CASES), strict=True))
    published = fm.read_signals(folder() / "subject01_walk_ID.sto").values
    result = {case: differences(found[case], tables[case]) for case in CASES}
    return result | {"published": differences(found["filtered"], published)}


def run() -> dict[str, float]:
    """Largest difference of any coordinate, relative to its largest force."""
    every = compared()
    values = {case: max(off / size for off, size in own.values()) for case, own in every.items()}
    pelvis = (every["filtered"][name][1] for name in ("pelvis_tx", "pelvis_ty"))
    return values | {"residual_N": max(pelvis)}


def expected() -> dict[str, Expected]:
    """OpenSim's tool."""
    opensim = {"kind": "independent", "scale": 1.0, "source": "OpenSim 4.6"}
    printed, early = "eight decimals of OpenSim's table", "OpenSim's frames are 0.5 us early"
    return {
        "raw": Expected(0.0, 1e-8, printed, **opensim),
        "unloaded": Expected(0.0, 1e-8, printed, **opensim),
        "filtered": Expected(0.0, 2e-4, early, **opensim),
        "published": Expected(0.0, 2e-4, early, **opensim | {"source": "published with the model"}),
    }


def study(fine: bool = False) -> dict:
    """Differences by coordinate."""
    columns = ["case", "coordinate", "largest force", "difference"]
    rows = [[case, name, size, off] for case, own in compared().items()
            for name, (off, size) in own.items()]  # fmt: skip
    return {"tables": {"Generalized forces [N m or N]": {"columns": columns, "rows": rows}}}
