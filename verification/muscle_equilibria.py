"""Equilibrium at rest of every muscle of published models, against OpenSim.

All muscles of arm26 (Thelen 2003), gait10dof18musc and Rajagopal2016 (Millard 2012, some with
rigid tendons), in the default pose and in two others, at activations of 0.02, 0.3 and 1. In
each pose OpenSim (4.6) computes the lengths of the paths and then the equilibrium of each muscle
(`computeEquilibrium`). The law that `with_muscle_forces` gives the muscle finds its own equilibrium
at that length, so that paths do not matter. Compared are fiber lengths and tendon forces. Muscles
for which only one of both finds an equilibrium, or both find different ones, are counted; a tendon
softer than the descending limb of its muscle allows several.

Where the tendon is slack there is no balance of forces to compare: OpenSim then puts the fibers at
the least length of their active force, 0.44 of the optimal one (0.25 in Rajagopal2016). Fibers of
any shorter length carry nothing either: the law here takes the same length on a path shorter than
the tendon, and on a longer one the length at which the tendon just is not taut. These cases, in the
third pose of the legs, are counted and listed, and none of them may carry a force.

OpenSim ends its iterations at 1e-8 of the largest isometric force; divided by the stiffness of
fiber and tendon, that is below 1e-9 m.

Needs the models, which are not part of this package, and the package `opensim`.
"""

import warnings

import numpy as np
from _arm26_variants import ask
from _held_elbow import folder

import fibermsk as fm
from fibermsk.verify import Expected, Unavailable

_LEG = ("hip_flexion_r", "knee_angle_r", "ankle_angle_r")
POSES = {
    "arm26": [
        {},
        {"r_shoulder_elev": 0.5, "r_elbow_flex": 1.2},
        {"r_shoulder_elev": -0.5, "r_elbow_flex": 2.2},
    ],
    "gait10dof18musc": [
        {},
        dict(zip(_LEG, (0.8, -1.2, 0.2), strict=True)),
        dict(zip(_LEG, (-0.5, -2.0, -0.6), strict=True)),
    ],
    "Rajagopal2016": [
        {},
        dict(zip(_LEG, (0.8, 1.2, 0.2), strict=True)),
        dict(zip(_LEG, (-0.5, 2.0, -0.6), strict=True)),
    ],
}
ACTIVATIONS = 0.02, 0.3, 1.0
SAME = 1e-4
"""Difference of fiber lengths above which two equilibria are different ones [m]."""
LARGEST = {"fiber_length": 1e-9, "tendon_force": 1e-7}
"""Largest differences [m], and over the largest isometric force."""


def both(name: str) -> list[dict]:
    """Rows of pose, activation, muscle, and the equilibrium by OpenSim and by its law, or None."""
    path = folder() / f"{name}.osim"
    if not path.is_file():
        raise Unavailable(f"{path} is not there; it comes with OpenSim and with opensim-models")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ModelWarning)  # excitations, and paths not used here
        model = fm.with_muscle_forces(fm.read_osim(path))
    cases = [(pose, a) for pose in range(len(POSES[name])) for a in ACTIVATIONS]
    tasks = [{"model": str(path), "start": POSES[name][pose], "activation": a} for pose, a in cases]
    rows = []
    for (pose, a), answer in zip(cases, ask(tasks), strict=True):
        for muscle in model.muscles:
            there = answer["muscles"][muscle.name]
            own, why = None, ""
            try:
                own = muscle.law.start(muscle, there["length"], a)
            except fm.ModelError as error:
                why = str(error)
            rows.append(
                {
                    "pose": pose,
                    "activation": a,
                    "muscle": muscle,
                    "length": there["length"],
                    "own": own,
                    "why": why,
                    "opensim": None if "error" in there else there,
                    "opensim_why": there.get("error", ""),
                }
            )
    return rows


def differences(row: dict) -> tuple[float, float] | None:
    """Differences of fiber length [m] and of tendon force over the largest one, if both found."""
    own, there = row["own"], row["opensim"]
    if own is None or there is None:
        return None
    force = abs(own.tendon_force - there["tendon_force"]) / row["muscle"].max_isometric_force
    return abs(own.fiber_length - there["fiber_length"]), force


def is_slack(row: dict) -> bool:
    """Whether the tendon carries nothing in OpenSim's answer."""
    return row["opensim"] is not None and row["opensim"]["tendon_force"] == 0.0


def counts(rows: list[dict]) -> dict[str, float]:
    """Largest differences, and numbers of equilibria that do not agree."""
    taut = [row for row in rows if not is_slack(row)]
    slack = [row["own"] for row in rows if is_slack(row)]
    found = [differences(row) for row in taut]
    same = np.array([one for one in found if one is not None and one[0] <= SAME])
    return {
        "fiber_length_off": float(same[:, 0].max()),
        "tendon_force_off": float(same[:, 1].max()),
        "compared": float(len(same)),
        "different": float(sum(one is not None and one[0] > SAME for one in found)),
        "only_one": float(sum(one is None for one in found)),
        "slack": float(len(slack)),
        "slack_here_taut": float(sum(one is not None and not one.slack for one in slack)),
    }


def check(model: str) -> list[str]:
    """Names of the models of a setting."""
    if model not in (*POSES, "all"):
        raise fm.ModelError(
            f"muscle_equilibria: model = {model!r}; must be one of {', '.join(POSES)}, all"
        )
    return list(POSES) if model == "all" else [model]


def run(model: str = "all") -> dict[str, float]:
    """Largest differences of each model.

    Parameters
    ----------
    model : str
        "arm26", "gait10dof18musc", "Rajagopal2016" or "all".
    """
    names = check(model)
    return {f"{name}_{k}": v for name in names for k, v in counts(both(name)).items()}


def expected(model: str = "all") -> dict[str, Expected]:
    """None differs: every muscle with a taut tendon has an equilibrium, and both find the same."""
    values = {}
    opensim = {"kind": "independent", "source": "OpenSim 4.6, computeEquilibrium", "scale": 0.1}
    why = "OpenSim's iterations"
    for name in check(model):
        for quantity, most in LARGEST.items():
            values[f"{name}_{quantity}_off"] = Expected(0.0, most, why, **opensim)
        for quantity in ("different", "only_one", "slack_here_taut"):
            values[f"{name}_{quantity}"] = Expected(0.0, 1e-3, "a count", **opensim)
    return values


def study(fine: bool = False) -> dict:
    """Counts, and the list of those that do not agree.

    Parameters
    ----------
    fine : bool
        The same.
    """
    table, listed = [], []
    for name in POSES:
        rows = both(name)
        table.append([name, *counts(rows).values()])
        for row in rows:
            off = differences(row)
            if is_slack(row) or off is None or off[0] > SAME:
                own, there = row["own"], row["opensim"]
                listed.append(
                    [
                        f"{name}, pose {row['pose']}, {row['muscle'].name}",
                        row["activation"],
                        row["length"],
                        row["why"] if own is None else own.fiber_length,
                        row["opensim_why"] if there is None else there["fiber_length"],
                    ]
                )
    columns = ["model", "fiber length [m]", "tendon force / F0", "same", "different", "only one"]
    columns += ["slack", "of them taut here"]
    return {
        "tables": {
            "Largest differences from OpenSim": {"columns": columns, "rows": table},
            "Equilibria that differ": {
                "columns": ["muscle", "activation", "length [m]", "here [m]", "OpenSim [m]"],
                "rows": listed,
            },
        }
    }
