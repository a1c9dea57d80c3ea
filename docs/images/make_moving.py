"""Moving pictures of the gallery of scenes that need a model: ``python make_moving.py [NAME ...]``.

The folder FIBERMSK_MODELS holds the models; see `gallery.toml`.
"""

import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import fibermsk as fm

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "_ext"), str(HERE.parents[1] / "scenes")]
import identify_arm  # noqa: E402
from _identify_arm_data import CENTERS, find, record  # noqa: E402
from moving import write_moving  # noqa: E402


def without_finger(result: fm.Result) -> fm.Result:
    """A result of arm26 without the bones of the hand, of which one finger is at hand."""
    arm = result.bodies["r_ulna_radius_hand"]
    kept = [mesh for mesh in arm.visuals if mesh.vertices[:, 1].max() > WRIST]
    arm = replace(arm, visuals=tuple(kept))
    return replace(result, bodies={**result.bodies, "r_ulna_radius_hand": arm})


def arm26_fibers() -> fm.Result:
    """A curl with bundles of fibers."""
    return without_finger(fm.simulate_scene(fm.make_scene("arm26_fibers")))


def arm26_lines() -> fm.Result:
    """A curl of the line muscles."""
    return without_finger(fm.simulate_scene(fm.make_scene("arm26_lines")))


def arm26_reach() -> fm.Result:
    """The reach at the least excitation."""
    return without_finger(fm.make_scene("arm26_reach").solve(progress=False).result)


def finger_flick() -> fm.Result:
    """The flick of the index finger."""
    return fm.simulate_scene(fm.make_scene("finger_flick"))


def identification() -> fm.Result:
    """Part of the first movement of `identify_arm`, with the muscles red by their EMG."""
    truth, rng = identify_arm.arm(find("")), np.random.default_rng(7)
    movement = record(truth, identify_arm.TRUTH, CENTERS[0], 3.0, rng)
    time = movement.emg["time"]
    signals = {
        muscle: {"activation": fm.Table(time, np.clip(movement.emg[muscle.name], 0.0, 1.0))}
        for muscle in truth.muscles
    }
    # the meshes of arm26: its humerus and ulna have the same frames, its radius that of the ulna
    geometry = Path(os.environ["FIBERMSK_MODELS"]) / "opensim-models" / "Geometry"
    bones = {}
    for name in identify_arm.BONES:
        mesh = fm.read_mesh(geometry / f"arm_r_{name}.vtp")
        if name == "radius":
            (joint,) = (one for one in truth.joints if one.child.name == name)
            mesh = fm.Mesh(mesh.vertices - joint.at, mesh.faces, name=name)
        bones[truth.body(name)] = {"visuals": (mesh,)}
    motion = {name: one for name, one in movement.motion.items() if "/" not in name}
    driven = fm.drive(truth.edit(signals | bones), motion, in_degrees=False)
    return fm.simulate(driven, t_end=2.9, dt=0.05)


WRIST = -0.2
"""Height of the wrist in the frame of the forearm of arm26 [m]."""
LOOKS = {"arm26_fibers": {"size": (560, 480), "envelope": True, "labels": True}}
STILLS = {
    "arm26_fibers": {"arm26_fibers.png": {"time": 0.3, "labels": True, "envelope": True}},
    "arm26_lines": {"arm26_lines.png": {"time": 0.25}},
}
"""Looks of moving pictures, and pictures of the same runs."""
MADE = {
    "arm26_fibers": arm26_fibers,
    "arm26_lines": arm26_lines,
    "arm26_reach": arm26_reach,
    "finger_flick": finger_flick,
    "identification": identification,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore", fm.ModelWarning)  # of markers in the files
    for name in sys.argv[1:] or MADE:
        result = MADE[name]()
        write_moving(result, HERE / f"{name}.webp", **LOOKS.get(name, {}))
        for file, look in STILLS.get(name, {}).items():
            fm.view.screenshot(result, HERE / file, **look)
