"""A valid call of each name of identification."""

import numpy as np
from parts import Call

import fibermsk as fm

TIME = np.arange(0.0, 1.0, 0.04)
EMG = {"time": TIME, "line": 0.3 + 0.1 * np.sin(9.0 * TIME)}
MOTION = {"time": TIME[13:], "elbow": 0.1 * np.sin(3.0 * TIME[13:])}


def model(p):
    """A bone on a hinge with a muscle of Millard's curves."""
    own = p.with_muscle()
    law = fm.HillLaw(fm.MillardCurves(), tendon="rigid")
    changes = {one: {"law": law, "tendon_slack_length": 1e-3} for one in own.muscles}
    return own.edit(changes)


PROBLEM = {
    "loads": None, "columns": {}, "bodies": None, "mode": "rigid", "fibers": None, "loss": "torque",
    "delay": "smooth", "prior": 0.1, "bounds": {}, "groups": {}, "fixed": (),
    "filter": (-0.5, -0.6), "emg_delay": 0.04, "activation_times": (0.01, 0.04), "held_out": 0,
    "lowpass": None, "in_degrees": False,
}  # fmt: skip


def problem(p):
    return fm.IdentificationProblem(model(p), MOTION, EMG)


IDENTIFIED = {
    "IdentificationProblem": Call(
        fm.IdentificationProblem,
        lambda p: {"model": model(p), "motion": MOTION, "emg": EMG} | PROBLEM,
    ),
    "IdentificationStudy": Call(
        fm.IdentificationStudy,
        lambda p: {
            "model": model(p), "common": (-1.1, 0.3, 0.04, 0.01, 0.04),
            "record": lambda tell: [fm.Recording(MOTION, EMG)], "options": {}, "scored": (),
            "noise": {"emg": 1.0}, "spread": 0.1, "seed": 1, "sigma": 0.1, "guesses": 1,
            "workers": 1, "frames": 10,
        },
    ),
    "Recording": Call(fm.Recording, lambda p: {"motion": MOTION, "emg": EMG, "fibers": None}),
    "identify": Call(
        lambda p, **options: fm.identify(problem(p), **options),
        lambda p: {
            "p": p, "sigma": 1.0, "guesses": 1, "spread": 0.1, "seed": 0, "method": "lm",
            "iterations": 5, "workers": 1, "client": None, "progress": None,
        },
    ),
}  # fmt: skip
