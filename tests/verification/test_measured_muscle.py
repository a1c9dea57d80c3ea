"""Problems against measured muscle: moment arms at the elbow, and a transverse load."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from opensim_peer import python_of_opensim
from verify.problem_files import load_module

import fibermsk as fm
from fibermsk.verify import Unavailable

sys.path.insert(0, str(Path(__file__).parents[2] / "verification"))

import _held_elbow as held

OPTIONS = {"activation": 0.1, "tendon": 0.25, "tension": 1.4e6, "fibers": 3, "elements": 8}

ASK = """
import json, sys
import opensim

path, heads, degrees = json.loads(sys.argv[1])
opensim.Logger.setLevelString("Off")
model = opensim.Model(path)
state = model.initSystem()
elbow = model.getCoordinateSet().get("r_elbow_flex")
model.getCoordinateSet().get("r_shoulder_elev").setValue(state, 0.0)
found = {}
for angle in degrees:
    elbow.setValue(state, angle)
    model.realizePosition(state)
    for name in heads:
        path = opensim.GeometryPath.safeDownCast(model.getMuscles().get(name).updPath())
        found.setdefault(name, []).append(path.computeMomentArm(state, elbow))
print("\\n" + json.dumps(found))
"""


@pytest.fixture
def files(shared_models, monkeypatch):
    """Folder of arm26.osim, for the problem too."""
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    try:
        return held.folder()
    except Unavailable as missing:
        pytest.skip(str(missing))


def test_without_the_model_the_problem_is_skipped(monkeypatch, tmp_path):
    problem = load_module("elbow_moment_arms")
    monkeypatch.delenv("FIBERMSK_MODELS", raising=False)
    with pytest.raises(Unavailable, match="looked at nothing.*opensim-org/opensim-models"):
        problem.run()
    monkeypatch.setenv("FIBERMSK_MODELS", str(tmp_path))
    with pytest.raises(Unavailable, match=str(tmp_path)):
        problem.run()
    assert problem.expected()  # the answers need no model


@pytest.mark.parametrize(
    "name, settings, message",
    [
        ("elbow_moment_arms", {"guide": "skin"}, "guide = 'skin'; must be one of"),
        ("elbow_moment_arms", {"activation": 0.9}, "must be 0.02 to 0.5"),
        ("elbow_moment_arms", {"tendon": 0.7}, "tendon = 0.7; must be 0.1 to 0.5"),
        ("transverse_load", {"fibers": 3}, "must be 7 or more fibers"),
        ("transverse_load", {"elements": 4}, "6 or more elements"),
        ("transverse_load", {"activation": 0.0}, "activation of 0.1 to 1"),
    ],
)
def test_settings_out_of_range(name, settings, message):
    problem = load_module(name)
    for function in (problem.run, problem.expected):
        with pytest.raises(fm.ModelError, match=message):
            function(**settings)


def test_line_muscles_are_those_of_opensim(files):
    """The moment arms of the line muscles, of each head, are what OpenSim computes."""
    python = python_of_opensim()
    if python is None:
        pytest.skip("no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON")
    problem = load_module("elbow_moment_arms")
    heads = [head for one in problem.MUSCLES.values() for head in one]
    task = json.dumps([str(files / held.FILE), heads, np.radians(problem.DEGREES).tolist()])
    said = subprocess.run(
        [python, "-c", ASK, task], capture_output=True, text=True, check=True, timeout=300
    )
    found = json.loads(said.stdout.splitlines()[-1])
    for name, own in problem.MUSCLES.items():
        for head in own:
            ours = 100.0 * np.abs(found[head])
            assert np.abs(ours - problem.LINE[name]).max() < 2e-3, head


@pytest.mark.slow
def test_moment_of_a_bundle_is_that_of_its_energy(files):
    """In both senses of the motion: extensors have negative moments, flexors positive ones."""
    problem = load_module("elbow_moment_arms")
    for muscle, sign in (("TRIlat", -1.0), ("BICshort", 1.0)):
        assert abs(problem.work_over_energy(muscle, guide="wrap", **OPTIONS) - 1.0) < 1e-3
        rows = held.sweep(muscle, [30.0, 50.0], guide="wrap", **OPTIONS)
        assert (sign * rows[:, 0] > 0.0).all() and (rows[:, 1] > 0.0).all()
        # an extensor is longer in flexion, a flexor shorter
        assert sign * (rows[0, 2] - rows[1, 2]) > 0.0


@pytest.mark.slow
def test_transverse_load_weakens_by_the_gearing():
    """A coarse packing: more load, more loss, of the size of the measured one."""
    problem = load_module("transverse_load")
    found = problem.run(fibers=7, elements=6)
    assert 0.3 < found["loss_59_percent"] < found["loss_108_percent"] < 8.0
    assert 0.05 < found["gearing"] < 1.0  # height lost per length gained: the muscle bulges
    for quantity, answer in problem.expected(fibers=7, elements=6).items():
        assert answer.holds(found[quantity]), quantity
