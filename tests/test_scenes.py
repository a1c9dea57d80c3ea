"""Every scene, with numbers that it must show."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scenes_of_tests import ROOT, load_scene

import fibermsk as fm


@pytest.fixture(scope="module")
def limb():
    return fm.simulate_scene(load_scene("upper_limb").scene())


def test_upper_limb_runs_to_the_end(limb):
    assert limb.status == "success" and limb.time[-1] == 8.0
    assert limb.stats["failed_steps"] == 0
    assert limb.min_admissibility.min() > 0.1
    assert limb.newton_iterations[1:].mean() <= 5.0
    angle = limb.coordinate("elbow_flexion")
    assert 0.9 < angle.max() < 1.05 and angle.min() > -0.01
    # periodic once the start is forgotten
    period = 64
    np.testing.assert_allclose(angle[-period:], angle[-2 * period : -period], atol=2e-3)


def test_taut_biceps_pulls_the_upper_arm_down(limb):
    for name in ("biceps_1", "triceps_2"):
        assert (limb.fibers[name].force_origin[2:, 2] < 0).all()
    for fiber in limb.fibers.values():
        assert fiber.axial_force[1:].min() > 0


def test_symmetric_muscles_move_symmetrically(limb):
    left, right = limb.fibers["biceps_1"], limb.fibers["biceps_2"]
    mirror = np.array([1.0, -1.0, 1.0])
    np.testing.assert_allclose(left.position, right.position * mirror, atol=1e-9)


def test_tighter_newton_does_not_change_the_angle(limb):
    scene = load_scene("upper_limb").scene()
    tight = fm.simulate(
        fm.build(scene.model),
        t_end=2.0,
        dt=8 / 256,
        newton=fm.Newton(tolerance=1e-8),
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    assert tight.version == limb.version == fm.__version__
    change = tight.coordinate("elbow_flexion") - limb.coordinate("elbow_flexion")[:65]
    assert np.abs(change).max() < 1e-5


@pytest.mark.slow
def test_levels_of_the_upper_limb_approach_each_other():
    """Up to 4 s: half of the scene, one swing."""
    angles = []
    for level in range(3):
        n = 2**level
        scene = load_scene("upper_limb").scene(elements=8 * n, steps=128 * n, duration=4.0)
        result = fm.simulate_scene(scene)
        assert result.status == "success" and result.min_admissibility.min() > 0.1
        angles.append(result.coordinate("elbow_flexion")[:: 2**level])
    differences = [np.abs(a - b) for a, b in zip(angles, angles[1:], strict=False)]
    assert differences[1].max() < differences[0].max() < 0.05
    # first order in time once the start's transient is over
    late = [d[64:].max() for d in differences]
    assert late[1] < 0.6 * late[0] < 0.01


def test_scene_file_runs_as_a_program(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "scenes" / "hanging_fiber.py"), "--out", "fiber.h5"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "sag of the middle: 41.89" in done.stdout
    assert fm.load(tmp_path / "fiber.h5").status == "success"


@pytest.mark.slow
def test_ended_run_leaves_what_it_has_computed(tmp_path):
    out, checkpoint = tmp_path / "limb.h5", tmp_path / "limb.checkpoint.h5"
    command = "from fibermsk.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "run", "upper_limb", "--out", str(out)]
        + ["--set", "elements=4", "steps=20000", "--checkpoint-every", "1e-9", "--quiet"],
    )
    # the first checkpoint says that steps are made
    while not checkpoint.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode != 0
    result = fm.load(out)
    assert result.status == "interrupted" and 1 < result.time.size < 20001


def test_model_of_the_upper_limb_can_be_pickled(monkeypatch):
    import pickle

    scene = load_scene("upper_limb")
    monkeypatch.setitem(sys.modules, scene.__name__, scene)
    copy = pickle.loads(pickle.dumps(scene.scene(elements=2).model))
    y, v = fm.build(copy).initial_state()
    assert y.size == 5 * 3 * 6 + 1 and not v.any()


def test_limb_from_equilibrium_with_adaptive_steps():
    scene = load_scene("upper_limb").scene(
        elements=4, steps=4, duration=0.125, start="equilibrium", tolerance=1e-3
    )
    result = fm.simulate_scene(scene, method="bdf2")
    assert result.status == "success" and result.method == "bdf2"
    assert result.stats["substeps"] > 4
    # at rest at first: the forearm hangs a little forward, its weight balanced by the muscles
    assert 0.03 < result.coordinate("elbow_flexion")[0] < 0.1
    assert result.speeds["elbow_flexion"][0] == 0.0
    still = fm.simulate(
        fm.build(scene.model),
        fm.equilibrium(fm.build(scene.model)),
        t_end=1e-4,
        dt=1e-4,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    # only the activation's rise moves it: 0.4 / s of 4e7 N/m^2 for 1e-4 s
    assert abs(still.speeds["elbow_flexion"][-1]) < 1e-2
