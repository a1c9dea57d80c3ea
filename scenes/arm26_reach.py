"""The arm of an OpenSim model reaches with its six muscles at the least excitation.

Reads `arm26.osim`, gives its muscles smooth laws, and finds the excitations that bring the arm from
hanging to a point in front of the shoulder, at rest at both ends, by optimal control. The model is
not part of this package: it comes with OpenSim and on
https://github.com/opensim-org/opensim-models.

New here: optimal control of a model from a file, with paths over several surfaces and around an
ellipsoid: `fm.FittedPaths` fits polynomials to the package's own paths. The end is a place of the
hand, so that shoulder and elbow are found too.
"""

from _arm26_file import find

import fibermsk as fm

SHOULDER, ELBOW = "r_shoulder_elev", "r_elbow_flex"
RANGES = {SHOULDER: (-0.6, 1.6), ELBOW: (0.05, 2.2)}
"""Where the paths are fitted [rad]; the motion stays inside."""
HAND = (0.0, -0.28, 0.0)
"""Point of the forearm that reaches, in the frame of its body [m]."""


def scene(
    model: str = "",
    geometry: str = "",
    forward: float = 0.30,
    up: float = 0.65,
    steps: int = 60,
    duration: float = 0.6,
) -> fm.OptimalControl:
    """Describe the problem.

    Parameters
    ----------
    model : str
        Path of arm26.osim; by default it is searched in the folder FIBERMSK_MODELS.
    geometry : str
        Folder of its meshes; by default Geometry beside the model.
    forward, up : float
        Place to which the hand comes in ground [m]; the shoulder is at -0.018 and 0.793.
    steps : int
        Number of intervals.
    duration : float
        Duration of the motion [s].
    """
    path, meshes = find("arm26_reach", model, geometry)
    arm = fm.with_smooth_muscles(fm.read_osim(path, geometry=meshes))
    body = {one.name: one for one in arm.bodies}
    hand = body["r_ulna_radius_hand"].at(HAND)
    return fm.OptimalControl(
        arm,
        duration=duration,
        steps=steps,
        start=fm.AtRest({SHOULDER: 0.0, ELBOW: 0.3}, activations="hold"),
        end=fm.AtRest(points=[(hand, (forward, up, None))]),
        path=[fm.Range(name, *own) for name, own in RANGES.items()],
        muscle_paths=fm.FittedPaths(),
    )


if __name__ == "__main__":
    fm.run_scene(scene)
