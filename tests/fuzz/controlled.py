"""A valid call of each name of optimal control."""

import numpy as np
from parts import Call

import fibermsk as fm

SOLVING = fm.ModelError, fm.ConvergenceError


def problem(p, **settings):
    """A problem on a bone on a hinge."""
    given = {
        "duration": 0.1, "steps": 2, "controls": fm.Torques({"elbow": 5.0}),
        "start": fm.AtRest(elbow=0.0), "end": fm.AtRest(elbow=0.1),
    }  # fmt: skip
    return fm.OptimalControl(p.with_bone(), **{**given, **settings})


CONTROLLED = {
    "Activation": Call(fm.Activation, lambda p: {}),
    "Along": Call(
        fm.Along,
        lambda p: {
            "name": "low",
            "function": lambda pose: pose.coordinate("elbow"),
            "lower": -1.0,
            "upper": 1.0,
            "ends": False,
        },
    ),  # fmt: skip
    "AtRest": Call(
        fm.AtRest,
        lambda p: {
            "coordinates": {"elbow": 0.0},
            "rotations": {"ball": np.eye(3)},
            "points": [(p.bone.at(0, 0, 0.1), (0, 0, 0.1))],
            "activations": {"line": 0.1},
            "named": 0.1,
        },
    ),  # fmt: skip
    "DiscretePaths": Call(fm.DiscretePaths, lambda p: {"nodes": 5}),
    "Duration": Call(fm.Duration, lambda p: {}),
    "Effort": Call(fm.Effort, lambda p: {}),
    "EndState": Call(
        fm.EndState,
        lambda p: {
            "coordinates": {"elbow": 0.0},
            "rotations": {"ball": np.eye(3)},
            "points": [(p.bone.at(0, 0, 0.1), (0, 0, 0.1))],
            "activations": "hold",
            "at_rest": False,
            "speeds": {"elbow": 0.1},
        },
    ),  # fmt: skip
    "Excitations": Call(fm.Excitations, lambda p: {"lower": 0.0, "upper": 1.0}),
    "FittedPaths": Call(fm.FittedPaths, lambda p: {"degree": 5, "within": 1e-3}),
    "FreeDuration": Call(fm.FreeDuration, lambda p: {"lower": 0.1, "upper": 1.0, "guess": 0.3}),
    "Jerk": Call(fm.Jerk, lambda p: {"points": [p.bone.at(0, 0, 0.1)]}),
    "OptimalControl": Call(
        fm.OptimalControl,
        lambda p: {
            "model": p.with_bone(),
            "duration": 0.1,
            "steps": 2,
            "controls": fm.Torques({"elbow": 5.0}),
            "objective": fm.Effort(),
            "start": fm.AtRest(elbow=0.0),
            "end": fm.AtRest(elbow=0.1),
            "path": (),
            "muscle_paths": fm.FittedPaths(),
        },
    ),  # fmt: skip
    "OptimalControl.solve": Call(
        lambda p, **options: problem(p).solve(**options),
        lambda p: {
            "p": p,
            "guess": None,
            "starts": 1,
            "coarse": 0,
            "tolerance": 1e-8,
            "iterations": 50,
            "seed": 0,
            "expand": False,
            "progress": False,
        },
        errors=SOLVING,
    ),  # fmt: skip
    "Phase": Call(fm.Phase, lambda p: {"duration": 0.1, "steps": 3, "controls": {"elbow": 0.1}}),
    "Range": Call(fm.Range, lambda p: {"coordinate": "elbow", "lower": 0.0, "upper": 1.0}),
    "Torques": Call(fm.Torques, lambda p: {"largest": {"elbow": 5.0}, "limited": False}),
    "Tracking": Call(
        fm.Tracking,
        lambda p: {
            "time": np.linspace(0.0, 1.0, 5),
            "motion": {"elbow": np.linspace(0.0, 0.1, 5)},
            "sizes": {"elbow": 0.1},
        },
    ),  # fmt: skip
    "track_motion": Call(
        fm.track_motion,
        lambda p: {
            "model": p.with_bone(),
            "motion": {"time": np.linspace(0.0, 1.0, 5), "elbow": np.linspace(0.0, 0.1, 5)},
            "begin": 0.0,
            "end": 0.5,
            "steps": 3,
            "reserve": 1.0,
            "sizes": 0.02,
            "muscle_paths": fm.FittedPaths(),
            "in_degrees": False,
        },
    ),  # fmt: skip
    "with_smooth_muscles": Call(
        fm.with_smooth_muscles,
        lambda p: {"model": p.with_muscle(), "tendon": "rigid", "damping": 0.1},
    ),  # fmt: skip
    "Work": Call(fm.Work, lambda p: {"positive": False, "smoothing": 1e-3}),
}
