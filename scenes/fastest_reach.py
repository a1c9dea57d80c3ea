"""A forearm is lifted by two muscles as fast as possible, by optimal control.

The arm of `two_muscle_arm`: from rest at 0.3 rad to rest at 1.7 rad in the least time. Excitations
jump between their bounds. Where a jump falls into an interval, the duration converges irregularly;
with `phases` it is found in three parts of their own lengths, in which the excitations are fixed.

New here: a free duration, and parts of a motion.
"""

from two_muscle_arm import RANGE, arm, paths

import fibermsk as fm

LONGEST = 2.0
"""Longest duration [s]."""
PARTS = ((1.0, 0.0), (0.0, 0.0), (0.0, 1.0))
"""Excitations of biceps and triceps in each part."""


def scene(
    steps: int = 100,
    duration: float = 0.3,
    phases: bool = False,
    path: str = "exact",
    path_nodes: int = 20,
) -> fm.OptimalControl:
    """Describe the problem.

    Parameters
    ----------
    steps : int
        Number of intervals; with phases, of each.
    duration : float
        Duration from which the search starts [s].
    phases : bool
        Whether the motion has parts with fixed excitations.
    path : {"exact", "discrete"}
        Paths of the muscles, as in `two_muscle_arm`.
    path_nodes : int
        Number of intervals around each cylinder of discrete ones.
    """
    span = fm.FreeDuration(0.02, LONGEST, guess=duration)
    if phases:
        part = fm.FreeDuration(0.001, LONGEST, guess=duration / len(PARTS))
        span = [
            fm.Phase(part, steps, dict(zip(("biceps", "triceps"), values, strict=True)))
            for values in PARTS
        ]
    return fm.OptimalControl(
        arm(),
        duration=span,
        steps=None if phases else steps,
        objective=fm.Duration(),
        start=fm.AtRest(elbow=0.3, activations="hold"),
        end=fm.AtRest(elbow=1.7),
        path=[fm.Range("elbow", *RANGE)],
        muscle_paths=paths(path, path_nodes),
    )


if __name__ == "__main__":
    fm.run_scene(scene)
