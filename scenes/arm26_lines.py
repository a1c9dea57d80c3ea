"""The arm of an OpenSim model with its line muscles: a curl by excitations.

Reads `arm26.osim`, with two joints and six muscles, and lets the muscles act as in OpenSim: the
curves and the activation dynamics of their class, with the parameters of the file. The flexors are
excited first, then the extensors, which stop the forearm. Shoulder and elbow are free and without
damping. The model is not part of this package: it comes with OpenSim and on
https://github.com/opensim-org/opensim-models.

New here: a model from a file whose muscles act, excitations by name, a path around an ellipsoid.
Look at the activations, which follow the excitations, and at the lengths of the fibers. The same
motion by OpenSim is compared by ``fibermsk verify arm26_lines``.
"""

from dataclasses import replace

from _arm26_file import find

import fibermsk as fm

SHOULDER, ELBOW = "r_shoulder_elev", "r_elbow_flex"
FLEXORS = "BIClong", "BICshort", "BRA"
EXTENSORS = "TRIlong", "TRIlat", "TRImed"
END = 10.0  # s, after any motion of this scene


def excitations(flexors, extensors, rest):
    """Knots (times, values) of each muscle: rise and fall in 50 to 100 ms."""
    flex = (0.0, 0.05, 0.3, 0.4, END), (rest, flexors, flexors, rest, rest)
    extend = (0.0, 0.3, 0.4, 0.55, 0.65, END), (rest, rest, extensors, extensors, rest, rest)
    return dict.fromkeys(FLEXORS, flex) | dict.fromkeys(EXTENSORS, extend)


def scene(
    model: str = "",
    geometry: str = "",
    flexors: float = 0.12,
    extensors: float = 0.06,
    rest: float = 0.03,
    elbow: float = 0.35,
    steps: int = 100,
    duration: float = 1.0,
    tolerance: float = 1e-5,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    model : str
        Path of arm26.osim; by default it is searched in the folder FIBERMSK_MODELS.
    geometry : str
        Folder of its meshes; by default Geometry beside the model.
    flexors : float
        Excitation of biceps and brachialis from 0.05 to 0.3 s.
    extensors : float
        Excitation of the triceps from 0.4 to 0.55 s.
    rest : float
        Excitation at other times, and activation at the start.
    elbow : float
        Angle of the elbow at the start [rad].
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s], up to 10.
    tolerance : float
        Relative tolerance of the time steps.
    """
    if not 0.0 < duration <= END:
        raise fm.ModelError(
            f"arm26_lines: duration = {duration} s; must be positive and at most {END:g} s"
        )
    path, meshes = find("arm26_lines", model, geometry)
    arm = fm.read_osim(path, geometry=meshes)
    knots = excitations(flexors, extensors, rest)
    arm = fm.with_muscle_forces(arm, {name: fm.Table(*knots[name]) for name in knots})
    changes = {
        coordinate: {"value": elbow} for coordinate in arm.coordinates if coordinate.name == ELBOW
    }
    for muscle in arm.muscles:
        changes[muscle] = {"activation": replace(muscle.activation, start=rest)}
    return fm.Scene(arm.edit(changes), duration=duration, steps=steps, tolerance=tolerance)


if __name__ == "__main__":
    result = fm.run_scene(scene)
    angle = result.coordinate(ELBOW)
    print(f"the elbow is bent to {angle.max():.3f} rad, at t = {result.time[angle.argmax()]:.2f} s")
