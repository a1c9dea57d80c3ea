"""`fibermsk run --checkpoint-every` and `fibermsk resume`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from same_results import contents
from swing import CHECKPOINT, OUT, SCENE

import fibermsk as fm
from fibermsk.io import load, load_checkpoint


def test_interrupted_run_goes_on(cli, swing_file, stopped, tmp_path):
    done = cli("run", swing_file, "--checkpoint-every", "1000", "--set", "steps=20", "scale=2,1")
    assert done.exit_code == 130
    assert f"swing: checkpoints every 1000 s in {CHECKPOINT}" in done.stderr
    assert f"to resume: fibermsk resume {CHECKPOINT}" in done.stderr
    assert load(OUT).status == "interrupted" and CHECKPOINT.exists()
    assert load_checkpoint(CHECKPOINT).time == load(OUT).time[-1]

    stopped.after = 13
    done = cli("resume", CHECKPOINT)
    assert done.exit_code == 130
    assert "swing: resumes at t = 0.14 s of 0.4 s; checkpoints every 1000 s" in done.stderr
    assert f"to resume: fibermsk resume {CHECKPOINT}" in done.stderr

    stopped.after = np.inf
    done = cli("resume", CHECKPOINT, "--json", "--checkpoint-every", "50")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["status"] == "success" and report["file"] == str(OUT) and report["steps"] == 20
    # done: nothing to go on with
    assert not CHECKPOINT.exists()
    continued = contents(OUT)
    assert cli("run", swing_file, "--set", "steps=20", "scale=2,1").exit_code == 0
    assert contents(OUT) == continued


def test_successful_run_leaves_no_checkpoint(cli, swing_file):
    done = cli("run", swing_file, "--checkpoint-every", "1e-9", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    assert OUT.exists() and not CHECKPOINT.exists()


def test_result_goes_where_the_run_would_have_put_it(cli, swing_file, stopped, monkeypatch):
    cli("run", swing_file, "--checkpoint-every", "1000", "--out", "there/limb.h5")
    stopped.after = np.inf
    checkpoint = Path("there/limb.checkpoint.h5").resolve()
    elsewhere = swing_file.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert cli("resume", checkpoint, "--quiet").exit_code == 0
    assert load("../there/limb.h5").status == "success"
    monkeypatch.chdir(swing_file.parent)
    stopped.after = 5
    cli("run", swing_file, "--checkpoint-every", "1000")
    stopped.after = np.inf
    assert cli("resume", CHECKPOINT, "--out", "mine.h5").exit_code == 0
    assert load("mine.h5").status == "success" and load(OUT).status == "interrupted"


def test_run_without_checkpoints_writes_none(cli, swing_file, stopped):
    done = cli("run", swing_file, "--no-checkpoint")
    assert done.exit_code == 130 and "resume" not in done.stderr
    assert load(OUT).status == "interrupted" and not CHECKPOINT.exists()


@pytest.mark.parametrize("seconds", ["0", "-3", "nan"])
def test_bad_interval(cli, swing_file, seconds):
    done = cli("run", swing_file, "--checkpoint-every", seconds)
    assert done.exit_code == 2
    assert f"run: --checkpoint-every = {float(seconds)} s; must be positive" in done.stderr
    assert not OUT.exists()


def refused(cli, message, *arguments):
    done = cli("resume", *arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.startswith("error: ") or "resumes" in done.stderr


def test_refused_checkpoints(cli, swing_file, stopped, monkeypatch):
    cli("run", swing_file, "--checkpoint-every", "1000")
    stopped.after = np.inf
    before = CHECKPOINT.read_bytes()

    # the file has changed, so that it must be named
    named = "--scene", swing_file
    swing_file.write_text(SCENE.replace("steps: int = 40", "steps: int = 50"))
    message = "parameter steps of scene 'swing' was 40 and is now 50; must be the same"
    refused(cli, f"cannot resume {CHECKPOINT}: {message}", CHECKPOINT, *named)
    swing_file.write_text(SCENE.replace("activation=level", "activation=lambda t: level + t"))
    refused(cli, "another run: it differs in the activations; must be the same", CHECKPOINT, *named)
    # between two frames only
    pulse = "activation=lambda t: level + 0.1 * (0.1011 < t < 0.1039)"
    swing_file.write_text(SCENE.replace("activation=level", pulse))
    refused(cli, "another run: it differs in the activations; must be the same", CHECKPOINT, *named)
    swing_file.write_text(SCENE.replace("mass=1.0", "mass=1.1"))
    refused(cli, "another run: it differs in the bodies or joints", CHECKPOINT, *named)
    swing_file.write_text(SCENE.replace("tolerance=0.0", "tolerance=1e-3"))
    refused(
        cli,
        "differs in the step control (FixedSteps(steps_per_frame=1) there, AdaptiveSteps(",
        CHECKPOINT,
        *named,
    )
    swing_file.write_text(SCENE.replace('"bdf2"', '"bdf2", start="equilibrium"'))
    refused(cli, "its start was 'initial', the scene's is 'equilibrium'", CHECKPOINT, *named)
    swing_file.write_text(SCENE)
    with monkeypatch.context() as patch:
        patch.setattr("fibermsk.solvers.restart.code_version", lambda: "9.9")
        refused(cli, "must be of this version, 9.9", CHECKPOINT)
    refused(
        cli, "--checkpoint-every = 0.0 s; must be positive", CHECKPOINT, "--checkpoint-every", 0
    )
    # none of this touched it
    assert CHECKPOINT.read_bytes() == before
    CHECKPOINT.write_bytes(before[:-100])
    refused(cli, "the checkpoint is damaged or incomplete", CHECKPOINT)
    refused(cli, "it is a result, not a checkpoint", OUT)
    refused(cli, "there is no such file", "none.h5")
    CHECKPOINT.write_bytes(before)
    swing_file.unlink()
    refused(cli, f"there is no scene file {swing_file}", CHECKPOINT)


def test_changed_comment_needs_a_word_and_is_warned_of(cli, swing_file, stopped):
    cli("run", swing_file, "--checkpoint-every", "1000")
    stopped.after = np.inf
    swing_file.write_text(SCENE + "# a remark\n")
    message = f"the scene file {swing_file} has changed since the checkpoint;"
    refused(cli, f"{message} to resume with the changed file give --scene {swing_file}", CHECKPOINT)
    with pytest.warns(fm.ModelWarning, match="is not that of the checkpoint, or has changed"):
        assert cli("resume", CHECKPOINT, "--scene", swing_file).exit_code == 0


def test_checkpoint_outlives_a_run_that_does_not_begin(cli, swing_file, stopped):
    cli("run", swing_file, "--checkpoint-every", "1000")
    before = CHECKPOINT.read_bytes()
    done = cli("run", swing_file, "--set", "steps=0", "--checkpoint-every", "1000")
    assert done.exit_code == 2 and CHECKPOINT.read_bytes() == before


def test_info_knows_checkpoints(cli, swing_file, stopped):
    cli("run", swing_file, "--checkpoint-every", "1000")
    shown = cli("info", CHECKPOINT)
    assert shown.exit_code == 0 and f"fibermsk resume {CHECKPOINT}" in shown.stdout
    assert "method: BDF2()" in shown.stdout and "steps = 40" in shown.stdout
    found = json.loads(cli("info", CHECKPOINT, "--json").stdout)
    assert found["kind"] == "checkpoint" and 0.0 < found["time"] < found["duration"] == 0.2


def test_checkpoint_of_a_script_is_resumed_there(cli, swing_file, tmp_path):
    from fibermsk.scene_files import find

    scene = find(str(swing_file)).function()
    path = tmp_path / "own.checkpoint.h5"
    whole = fm.simulate_scene(scene)
    fm.simulate_scene(scene, checkpoint=path, checkpoint_every=1e-9)
    assert load_checkpoint(path).time == 0.2
    refused(cli, "a script wrote it, not fibermsk run; must be resumed there", path)

    def stop(progress):
        if progress.step == 11:
            raise KeyboardInterrupt

    stopped = fm.simulate_scene(scene, checkpoint=path, progress=stop)
    assert stopped.status == "interrupted"
    rest = fm.simulate_scene(scene, resume_from=path)
    np.testing.assert_array_equal(rest.coordinate("hinge"), whole.coordinate("hinge"))
    # the same one level below
    system = fm.build(scene.model)
    rest = fm.simulate(
        system,
        t_end=0.2,
        dt=0.2 / 40,
        method=fm.BDF2(),
        resume_from=fm.load_checkpoint(path),
        control=fm.FixedSteps(),
    )
    np.testing.assert_array_equal(rest.coordinate("hinge"), whole.coordinate("hinge"))


def test_checkpoint_that_cannot_be_written_does_not_end_the_run(swing_file, tmp_path):
    from fibermsk.scene_files import find

    taken = tmp_path / "taken"
    taken.mkdir()
    scene = find(str(swing_file)).function(steps=3)
    with pytest.warns(fm.ModelWarning, match="checkpoint at t = .* the run continues: cannot"):
        result = fm.simulate_scene(scene, checkpoint=taken, checkpoint_every=0.0)
    assert result.status == "success"


def test_script_takes_the_option_too(swing_file):
    done = subprocess.run(
        [sys.executable, str(swing_file), "--checkpoint-every", "100", "--set", "steps=4"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert f"checkpoints every 100 s in {CHECKPOINT}" in done.stderr
    assert load(OUT).time.size == 5 and not CHECKPOINT.exists()


COMMAND = "from fibermsk.cli.main import main; main()"
LIMB = ["upper_limb", "--set", "elements=4", "steps=200", "duration=1", "--method", "bdf2"]


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments, "--quiet", "--checkpoint-every", "1e-9"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def is_newer(path, than):
    try:
        return path.stat().st_mtime > than
    except FileNotFoundError:
        return False


def wait_for(path, process, newer_than=0.0):
    while process.poll() is None and not is_newer(path, newer_than):
        time.sleep(0.01)
    assert process.poll() is None


@pytest.mark.slow
def test_killed_at_any_moment_the_last_checkpoint_is_whole(tmp_path, monkeypatch, rng):
    """Killed again and again while it checkpoints after every step, and continued each time."""
    monkeypatch.chdir(tmp_path)
    checkpoint, out = tmp_path / "limb.checkpoint.h5", tmp_path / "limb.h5"
    command, reached = ["run", *LIMB, "--out", "limb.h5"], 0.0
    for pause in rng.uniform(0.0, 0.6, 4):
        written = checkpoint.stat().st_mtime if checkpoint.exists() else 0.0
        process = start(*command)
        while process.poll() is None and not is_newer(checkpoint, written):
            time.sleep(0.01)
        time.sleep(pause)
        if process.poll() is not None:  # few steps were left
            assert process.returncode == 0
            break
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        if not checkpoint.exists():
            break  # the result was written, and the program just about to end
        assert not out.exists()
        taken = load_checkpoint(checkpoint)
        assert taken.time > reached and taken.duration == 1.0
        reached = taken.time
        command = ["resume", str(checkpoint)]
    if checkpoint.exists():
        process = start("resume", str(checkpoint))
        assert process.wait() == 0
    assert not checkpoint.exists()
    continued = contents(out)
    done = subprocess.run([sys.executable, "-c", COMMAND, "run", *LIMB, "--out", "limb.h5", "-q"])
    assert done.returncode == 0 and contents(out) == continued
    # what a killed program was writing is not left either
    assert sorted(path.name for path in tmp_path.iterdir()) == ["limb.h5"]


def test_the_error_in_time_is_told(cli, swing_file):
    """With fixed steps and with a tolerance: by the run, in its JSON and by info."""
    line = "largest error in time, estimated: "
    for settings, most in (("tolerance=0.0", 1e-2), ("tolerance=1e-3", 5e-3)):
        swing_file.write_text(SCENE.replace("tolerance=0.0", settings))
        run = cli("run", swing_file)
        assert run.exit_code == 0, run.stderr
        assert line in run.stdout and " rad or m, " in run.stdout
        assert line in cli("info", OUT).stdout
        told = json.loads(cli("run", swing_file, "--json").stdout)["time_error"]
        assert 0.0 < told["coordinates"] < most and 0.0 < told["fibers"] < most
        assert fm.load(OUT).stats["time_error"] == told


def test_numbers_of_the_model_by_path(cli, swing_file, stopped, tmp_path):
    """A run with changed numbers is that of a scene that has them, also after a resume."""
    swing_file.write_text(SCENE.replace("mass=1.0", "mass=1.5").replace("500.0", "400.0"))
    stopped.after = float("inf")
    assert cli("run", swing_file, "--out", "other.h5", "--set", "steps=20").exit_code == 0
    swing_file.write_text(SCENE)
    numbers = ["--param", "rod/mass=1.5", "f/*/muscle/viscosity=400"]
    stopped.after = 7
    command = ["run", swing_file, "--set", "steps=20", "--checkpoint-every", "1000"]
    assert cli(*command, *numbers).exit_code == 130
    stopped.after = float("inf")
    done = cli("resume", CHECKPOINT, "--param", "rod/mass=2.0", numbers[-1])
    assert done.exit_code == 2 and "parameter rod/mass of scene 'swing' was 1.5" in done.stderr
    assert cli("resume", CHECKPOINT).exit_code == 0
    changed, other = load(OUT), load(tmp_path / "other.h5")
    assert changed.parameters["rod/mass"] == 1.5 and changed.parameters["steps"] == 20
    np.testing.assert_array_equal(changed.coordinate("hinge"), other.coordinate("hinge"))
    done = cli("run", swing_file, "--param", "rod/mas=1")
    assert done.exit_code == 2 and "did you mean 'rod/mass'" in done.stderr
