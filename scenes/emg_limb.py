"""The upper limb moved by electromyograms: raw signals from a file become activations.

The limb is that of the scene `upper_limb`; the file holds raw surface electromyograms of biceps and
triceps, 1000 samples a second. They are filtered, rectified, smoothed, divided by those of a
maximal contraction and delayed (`fm.emg_activation`), and then activate the fibers: the elbow is
flexed twice, and extended by the triceps. New here: signals from a file, and another scene's model
with other activations. Look at the activations and the resulting angle; for your own recording set
its file, ``--set emg=my.csv``.
"""

from pathlib import Path

import fibermsk as fm

# Synthetic, from data/make_limb_emg.py, which also defines the maximal contraction.
FILE = Path(__file__).resolve().parent / "data" / "limb_emg.csv"
MAX_VOLUNTARY = {"biceps": 0.6, "triceps": 0.4}  # envelope in the unit of the file, mV
# Activation of the limb's muscles at the maximal contraction: the muscles of the paper's limb are
# far too strong, so that it works at activations of 0.13 and less.
SCALE = {"biceps": 0.26, "triceps": 0.02}


def scene(
    emg: str = "",
    low_pass: float = 4.0,
    delay: float = 0.05,
    elements: int = 8,
    steps: int = 240,
    duration: float = 6.0,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    emg : str
        File of the raw signals (.csv, .sto or .mot) with the columns biceps and triceps [mV]; by
        default the one of this scene.
    low_pass : float
        Corner frequency of the smoothing [Hz].
    delay : float
        Time from the electric signal to the force [s].
    elements : int
        Finite elements of each fiber.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    """
    signals = fm.read_signals(emg or FILE)
    activations = {
        muscle: fm.emg_activation(
            signals,
            muscle,
            max_voluntary=MAX_VOLUNTARY[muscle],
            low_pass=low_pass,
            delay=delay,
            scale=SCALE[muscle],
        )
        for muscle in MAX_VOLUNTARY
    }
    limb = fm.make_scene("upper_limb", elements=elements).model
    # biceps_1 is a fiber of the biceps
    model = fm.with_activations(
        limb, {fiber.name: activations[fiber.name.split("_")[0]] for fiber in limb.fibers}
    )
    return fm.Scene(model, duration=duration, steps=steps, start="equilibrium")


if __name__ == "__main__":
    result = fm.run_scene(scene)
    angle = result.coordinate("elbow_flexion")
    print(f"the elbow is bent to {angle.max():.2f} rad, at t = {result.time[angle.argmax()]:.2f} s")
