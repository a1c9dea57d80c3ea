"""A valid call of each name of studies."""

from functools import cache

from parts import Call, scene

import fibermsk as fm


@cache
def sampled():
    """A study of the points that Sobol indices need."""
    over = {"elbow/speed": (0.0, 1.0), "bone/mass": (1.0, 2.0)}
    return fm.sweep(scene(), over, design="sobol", n=2, outputs=["elbow_end"])


STUDIED = {
    "sobol_indices": Call(
        fm.sobol_indices, lambda p: {"study": sampled(), "output": "elbow_end", "seed": 0}
    ),
    "sweep": Call(
        fm.sweep,
        lambda p: {
            "scene": scene(), "over": {"bone/mass": [1.0, 2.0]}, "outputs": None, "out": None,
            "design": "grid", "n": None, "seed": 0, "n_jobs": 1, "client": None, "settings": {},
            "numbers": {}, "method": None, "progress": None,
        },
    ),
}  # fmt: skip
