"""Parameters of an arm from its motion and surface EMG, without EMG of its deep muscles.

The arm of MoBL-ARMS makes two movements of 10 s, by a forward simulation with known parameters.
From the motion and the EMG of eleven superficial muscles (method M1), or of all sixteen (M2), the
parameters of muscles, bones, EMG filter and activation are found again, from a guess that is off by
ten percent. After Sanderink and others; the file of the arm is not part of this package.

New here: ``fm.identify``, and what data can and cannot tell. Look at the errors, and add noise:
``--set noise=1``.
"""

from dataclasses import replace

import numpy as np
from _identify_arm_data import CENTERS, find, record

import fibermsk as fm

BONES = "humerus", "ulna", "radius"
TRUTH = -0.60 - 0.75, 0.60 * 0.75, 0.042, 0.010, 0.040
"""Filter b_1, b_2, delay [s], and time constants of the activation [s]."""
SUPERFICIAL = (
    "PECM1", "PECM2", "PECM3", "DELT1", "DELT2", "DELT3", "BIClong", "BICshort", "TRIlong",
    "TRIlat", "BRD",
)  # fmt: skip
IN_NO_EQUATION = "TRIlat", "BRD"
"""Of M1: what they do at the elbow, deep muscles may do as well."""
NOISE = "torque", "length", "arm", "emg"
WRONG = {"INFSP": "DELT3", "SUBSC": "PECM2", "TRImed": "TRIlat", "BRA": "BICshort"}
"""Whose EMG stands for that of a deep muscle in ``deep="wrong"``; the fifth has a constant."""


def arm(path):
    """The arm with rigid tendons, and curves and numbers of its file."""
    model = fm.mobl_arm(path)
    acting = fm.with_muscle_forces(model, 0.0)
    changes = {}
    for muscle in acting.muscles:
        law = replace(muscle.law, tendon="rigid", pull_only=False)
        changes[muscle] = {"law": law, "activation": 0.0}
    return acting.edit(changes)


def scene(
    method: str = "M1",
    mode: str = "rigid",
    movements: int = 2,
    held_out: int = 0,
    seed: int = 1,
    noise: float = 0.0,
    noise_in: str = "all",
    deep: str = "true",
    loss: str = "normalized",
    sigma: float = 0.0,
    guesses: int = 1,
    model: str = "",
    steps: int = 200,
    duration: float = 10.0,
):
    """Describe the study.

    Parameters
    ----------
    method : str
        "M1": EMG of the superficial muscles; "M2": of all.
    mode : str
        "rigid", or "fiber" with measured lengths of the fibers.
    movements : int
        Movements that are used, 1 to 3.
    held_out : int
        Further ones that are predicted.
    seed : int
        Of guess and noise.
    noise : float
        Multiple of the noise: 0.1 N m in torques, 0.5 mm in lengths of paths, 2 % in moment arms,
        5 % in EMG.
    noise_in : str
        "all", or one of "torque", "length", "arm" and "emg".
    deep : str
        "true", or "wrong" EMG of the deep muscles in M2.
    loss : str
        "normalized", "torque" or "acceleration".
    sigma : float
        Deviation of the residuals [N m] with which the guess counts; negative to estimate it.
    guesses : int
        Searches from different guesses.
    model : str
        Path of MOBL_ARMS_41.osim; by default it is searched in the folder FIBERMSK_MODELS.
    steps : int
        Frames of the movement that is shown.
    duration : float
        Of each movement [s].
    """
    for name, value, known in (
        ("method", method, ("M1", "M2")), ("mode", mode, ("rigid", "fiber")),
        ("deep", deep, ("true", "wrong")), ("noise_in", noise_in, ("all", *NOISE)),
    ):  # fmt: skip
        if value not in known:
            why = "; data are made with rigid tendons" if value == "elastic" else ""
            raise fm.ModelError(
                f"identify_arm: {name} = {value!r}; must be one of {', '.join(known)}{why}"
            )
    if not 1 <= movements <= movements + held_out <= len(CENTERS) or held_out < 0:
        raise fm.ModelError(
            f"identify_arm: movements = {movements}, held_out = {held_out}; must be at least 1 and "
            f"0, and at most {len(CENTERS)} together"
        )
    truth = arm(find(model))
    names = [one.name for one in truth.muscles]
    seen = [one for one in names if method == "M2" or one in SUPERFICIAL]

    def make(tell):
        rng = np.random.default_rng(7)
        found = []
        for k in range(movements + held_out):

            def told(t, k=k):
                tell(f"movement {k + 1}: simulated to t = {t:g} s of {duration:g} s")

            one = record(truth, TRUTH, CENTERS[k], duration, rng, told)
            emg = {name: one.emg[name] for name in ("time", *seen)}
            if method == "M2" and deep == "wrong":
                emg |= {name: one.emg[other] for name, other in WRONG.items()}
                emg["PQ"] = np.full(emg["time"].size, 0.15)
            found.append(one._replace(emg=emg))
        return found

    kinds = NOISE if noise_in == "all" else (noise_in,)
    scored = [one for one in SUPERFICIAL if one not in IN_NO_EQUATION]
    return fm.IdentificationStudy(
        truth, TRUTH, make,
        {"bodies": BONES, "mode": mode, "loss": loss, "held_out": held_out},
        scored=scored, noise=dict.fromkeys(kinds, noise) if noise else {}, seed=seed,
        sigma="estimate" if sigma < 0.0 else sigma, guesses=guesses, frames=steps,
    )  # fmt: skip


if __name__ == "__main__":
    result = fm.run_scene(scene)
    found = result.stats["identification"]
    print(f"mean error of the parameters: {found['cr2']:.2g} %, of muscles {found['cr2m']:.2g} %")
