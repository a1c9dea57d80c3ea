"""Checkpoints that nobody asked for: written each minute, removed at success, never lost."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from swing import CHECKPOINT, OUT

import fibermsk as fm
from fibermsk import scene_run
from fibermsk.cli.running import checkpoints
from fibermsk.io import load, load_checkpoint, save_checkpoint
from fibermsk.solvers import restart

SECOND = Path("results/swing.checkpoint2.h5")


@pytest.fixture
def used(monkeypatch):
    """Intervals of the checkpoints that runs write [s]; None for those that write none."""
    found, simulate = [], scene_run.simulate

    def noting(*arguments, **options):
        found.append(options.get("checkpoint_every") if options.get("checkpoint") else None)
        return simulate(*arguments, **options)

    monkeypatch.setattr(scene_run, "simulate", noting)
    return found


def lengthen(file, seconds):
    """Change the wall time of the run of a checkpoint."""
    taken = load_checkpoint(file)
    wall = {"run.wall_seconds": np.float64(seconds)}
    save_checkpoint(replace(taken, arrays=taken.arrays | wall), file)


def test_a_run_writes_one_each_minute_and_removes_it(cli, swing_file, used):
    done = cli("run", swing_file)
    assert done.exit_code == 0 and "checkpoint" not in done.output
    assert used == [60.0] and list(Path("results").iterdir()) == [OUT]
    assert cli("run", swing_file, "--no-checkpoint").exit_code == 0 and used == [60.0, None]


def test_a_stopped_run_keeps_it_and_says_how_it_resumes(cli, swing_file, stopped):
    done = cli("run", swing_file)
    assert done.exit_code == 130
    assert f"to resume: fibermsk resume {CHECKPOINT}" in done.stderr
    stopped.after = np.inf
    done = cli("resume", CHECKPOINT)
    assert done.exit_code == 0 and load(OUT).time.size == 41 and not CHECKPOINT.exists()


def test_a_failed_run_keeps_it_too(cli, swing_file, monkeypatch):
    simulate = scene_run.simulate
    newton = fm.Newton(max_iterations=1)
    monkeypatch.setattr(scene_run, "simulate", lambda *a, **k: simulate(*a, newton=newton, **k))
    done = cli("run", swing_file, "--set", "scale=5,1", "steps=3")
    assert done.exit_code == 1 and load(OUT).status == "failed"
    kept = load(OUT).time.size > 1
    assert CHECKPOINT.exists() == kept == ("to resume:" in done.stderr)


def test_the_next_run_says_what_is_there(cli, swing_file, stopped):
    cli("run", swing_file)
    done = cli("run", swing_file, "--quiet")
    assert "ended at" not in done.stderr
    lengthen(CHECKPOINT, 30.0)
    done = cli("run", swing_file)
    line = f"swing: {CHECKPOINT} is of a run that ended at t = 0.035 of 0.2 s; to resume that: "
    assert f"{line}fibermsk resume {CHECKPOINT}; this run replaces it" in done.stderr.replace(
        "\n", " "
    )


def test_a_checkpoint_of_long_work_is_not_replaced(cli, swing_file, stopped):
    cli("run", swing_file)
    lengthen(CHECKPOINT, 61.0)
    kept = CHECKPOINT.read_bytes()
    done = cli("run", swing_file, "--set", "level=0.2")
    assert f"fibermsk resume {CHECKPOINT}" in done.stderr and CHECKPOINT.read_bytes() == kept
    assert f"to resume: fibermsk resume {SECOND}" in done.stderr and SECOND.exists()
    stopped.after = np.inf
    # another result: the checkpoint stays; the same result: nothing is left to resume
    assert cli("run", swing_file, "--set", "level=0.2").exit_code == 0
    assert CHECKPOINT.read_bytes() == kept and not SECOND.exists()
    assert cli("run", swing_file).exit_code == 0
    assert list(Path("results").iterdir()) == [OUT]


def test_other_files_with_the_name_of_a_checkpoint_are_left(cli, swing_file, stopped):
    CHECKPOINT.parent.mkdir()
    CHECKPOINT.write_text("notes")
    done = cli("run", swing_file)
    assert CHECKPOINT.read_text() == "notes" and f"fibermsk resume {SECOND}" in done.stderr


def test_a_run_without_a_step_leaves_none(cli, swing_file, stopped, monkeypatch):
    stopped.after = np.inf

    def interrupted(march, now):
        raise KeyboardInterrupt
        yield now

    monkeypatch.setattr(sys.modules["fibermsk.solvers.simulate"], "advance", interrupted)
    done = cli("run", swing_file)
    assert done.exit_code == 130 and "resume" not in done.stderr and not CHECKPOINT.exists()


def test_methods_without_checkpoints(cli, swing_file):
    done = cli("run", swing_file, "--method", "explicit", "--checkpoint-every", "9")
    assert done.exit_code == 2
    assert "--checkpoint-every 9: must be left out with the method explicit" in done.stderr
    assert not OUT.exists()
    kept = checkpoints.Keeping(Path("a.checkpoint.h5"), 60.0, {}, asked=False)
    assert kept.options("explicit") == kept.options(fm.Explicit()) == {}
    assert kept.options("bdf2")["checkpoint"] == kept.options(None)["checkpoint"] == kept.file
    done = cli("run", swing_file, "--checkpoint-every", "9", "--no-checkpoint")
    assert done.exit_code == 2 and "leave one of them out" in done.stderr


def test_writing_takes_a_twentieth_of_the_time_at_most(monkeypatch):
    """A checkpoint that takes four seconds is followed by at least 80 s without one."""
    now, taken = [0.0], []
    monkeypatch.setattr(restart.clock, "perf_counter", lambda: now[0])
    for every, expected in ((60.0, [60, 144, 228]), (0.5, list(range(1, 300, 5)))):
        taken.clear()
        now[0] = 0.0
        keeper = restart.Checkpoints(None, every, 1.0, {}, 0.0)

        def take(_):
            taken.append(now[0])
            now[0] += 4.0

        monkeypatch.setattr(keeper, "take", take)
        while now[0] < 240.0 + 60.0 * (every < 1.0):
            keeper.step(None)
            now[0] += 1.0
        assert taken == [float(one) for one in expected]
