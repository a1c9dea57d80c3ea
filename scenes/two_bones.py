"""Two bones pulled straight by a muscle that is as heavy as each of them.

Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022), Fig. 6, with chosen
numbers: two bones of 1 kg without gravity, and a straight muscle of 1 kg from the ground to the
second bone, with a constant tension. With the mass along the muscle both hinges first pass through
zero together, after 0.300 s; with half of it on each bone (``lumped=true``) at 0.329 and 0.359 s.

New here: inertia of a muscle, and an element of one's own that pulls along a path.
"""

from dataclasses import dataclass

import numpy as np

import fibermsk as fm
from fibermsk.system.lines.paths import LinePaths

LENGTH = 0.3
TENSION = 10.2718
START = (0.5, -0.08181)


@dataclass(frozen=True)
class ConstantTension:
    """Element that pulls along the path of a line muscle with a constant force [N]."""

    muscle: fm.LineMuscle
    tension: float

    name, signals, coordinates = "pull", (), ()

    @property
    def bodies(self):
        """Bodies of the path."""
        return tuple(point.body for point in self.muscle.points)

    def contribute(self, configuration):
        """Create the contribution, with the path of the muscle."""
        return _Pull(self.tension, LinePaths(configuration, [self.muscle]))


class _Pull:
    """A constant tension in a system."""

    def __init__(self, tension, paths):
        self._tension, self._paths = np.array([tension]), paths

    def add(self, at, sums):
        """Add the pull."""
        none = np.zeros(1)
        self._paths.push(at, self._paths.at(at), sums, self._tension, none, none)

    def fingerprint(self, times):
        """The tension."""
        return {"the pull": [self._tension]}


def scene(
    lumped: bool = False,
    points: int = 20,
    tension: float = TENSION,
    steps: int = 200,
    duration: float = 0.5,
    tolerance: float = 1e-8,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    lumped : bool
        Put half of the mass of the muscle on each bone.
    points : int
        Number of mass points along the muscle.
    tension : float
        Force of the muscle [N].
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    tolerance : float
        Relative tolerance of the time steps.
    """
    model = fm.Model("two_bones", gravity=(0.0, 0.0, 0.0))
    mass, below, bone = 1.5 if lumped else 1.0, model.ground, None
    inertia = mass * LENGTH**2 / 12.0
    for k, joint in enumerate(("q1", "q2")):
        bone = fm.Body(
            ("first", "second")[k],
            mass=mass,
            com=(0.0, -0.5 * LENGTH, 0.0),
            inertia=(inertia, 1e-4, inertia),
            shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, -LENGTH, 0.0), 0.01),
        )
        at = (0.0, -LENGTH * k, 0.0)
        model.add(bone, fm.Hinge(joint, below, bone, at, (0.0, 0.0, 1.0), value=START[k]))
        below = bone
    ends = model.ground.at(0.0, -0.8, 0.0), below.at(0.0, -0.15, 0.0)
    muscle = fm.LineMuscle(
        "muscle",
        [fm.PathPoint(name, end) for name, end in zip(("origin", "insertion"), ends, strict=True)],
        max_isometric_force=100.0,
        optimal_fiber_length=0.3,
        tendon_slack_length=0.05,
        mass=fm.MuscleMass(0.0 if lumped else 1.0, points=points),
    )
    model.add(muscle, ConstantTension(muscle, tension))
    return fm.Scene(model, duration=duration, steps=steps, method="sdirk4", tolerance=tolerance)


if __name__ == "__main__":
    fm.run_scene(scene)
