"""Static optimization of arm26 against OpenSim's tool, in a process of its own."""

from pathlib import Path

import numpy as np
import pytest
from opensim_peer import run_script

import fibermsk as fm

SCRIPT = Path(__file__).with_name("so_in_opensim.py")
COORDINATES = ["r_shoulder_elev", "r_elbow_flex"]
SURFACES = ["TRI", "TRIlonghh", "BIClonghh", "TRIlongglen"]
LEAST = 0.01


def both(folder, shared_models, wraps, **options):
    """Ours, and OpenSim's activations and reserves at the same instants."""
    home = shared_models / "opensim-core" / "arm26_static_opt"
    motion = home / "arm26_InverseKinematics.mot"
    task = {
        "folder": str(folder), "model": str(home / "arm26.osim"), "motion": str(motion),
        "least": LEAST, "lowpass": 6.0, "end": 1.0, "coordinates": COORDINATES, "wraps": wraps,
    }  # fmt: skip
    run_script(SCRIPT, folder, task)
    with pytest.warns(fm.ModelWarning):
        ours = fm.static_optimization(
            fm.read_osim(folder / "arm.osim"), motion, lowpass=6.0, bounds=(LEAST, 1.0), **options
        )
    signals = [fm.read_signals(folder / f"arm_so_{what}.sto") for what in ("activation", "force")]
    theirs = [
        {name: np.interp(ours.time, one.time, series) for name, series in one.values.items()}
        for one in signals
    ]
    return ours, *theirs


def largest(ours, theirs, frames=slice(None), ending=""):
    """Largest difference over some frames."""
    return max(float(np.abs(theirs[k + ending] - v)[frames].max()) for k, v in ours.items())


def test_the_same_assumptions_give_the_same_activations(tmp_path, shared_models):
    """Without wrap surfaces paths are the same, and so is the problem of each frame.

    OpenSim's solver leaves the equations open by 5e-6 N m, which is 1e-5 of an activation. Motions
    differ within 15 frames of the ends, by the padding of the filter and the ends of splines.
    """
    ours, activation, force = both(tmp_path, shared_models, [], passive=False)
    inner = slice(15, -15)
    assert largest(ours.activation, activation, inner) < 3e-5
    assert largest(ours.activation, activation) < 4e-4
    assert largest(ours.reserve, force, inner, "_reserve") < 1e-5
    assert max(one.max() for one in ours.activation.values()) > 0.25
    # forces at the same activation; both files have 8 digits
    for name, own in ours.force.items():
        per = force[name] / activation[name] * ours.activation[name]
        np.testing.assert_allclose(own[inner], per[inner], rtol=3e-5)


def test_paths_and_passive_forces_explain_the_rest(tmp_path, shared_models):
    """Cylinders change nothing, also the one that ends; OpenSim's ellipsoids are approximate."""
    cylinders = [name for name in SURFACES if "hh" not in name]
    ours, activation, _ = both(tmp_path, shared_models, cylinders, passive=False)
    assert largest(ours.activation, activation) < 4e-4
    ours, activation, _ = both(tmp_path, shared_models, SURFACES, passive=False)
    assert 1e-3 < largest(ours.activation, activation) < 6e-3
