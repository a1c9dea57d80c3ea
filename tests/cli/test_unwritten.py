"""Commands whose files cannot be written: exit status 1, and where the result is."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from make_result import make_result

import fibermsk
from fibermsk import files
from fibermsk.cli.running import saving
from fibermsk.cli.running.interrupts import interruptible
from fibermsk.cli.running.progress import progress_report
from fibermsk.io import load, save
from fibermsk.results import Progress

TESTS = Path(__file__).parents[1]


@pytest.fixture
def full(monkeypatch, tmp_path):
    """Folder to which no file can be moved."""
    folder = tmp_path / "full"
    folder.mkdir()
    replace = os.replace

    def no_room(source, target):
        if Path(target).parent.resolve() == folder:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", no_room)
    return folder


@pytest.mark.parametrize("model, status", [("works", "success"), ("fails", "failed")])
def test_run_keeps_its_result_elsewhere(cli, scene_file, full, model, status):
    done = cli("run", scene_file(model), "--out", full / "arm.h5", "--json")
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    assert (report["status"], report["replaced"]) == (status, False)
    assert load(report["file"]).status == status
    assert f"cannot write {full / 'arm.h5'}: No space left on device" in done.stderr
    assert f"it is kept in {report['file']}: free disk space and move it" in done.stderr
    assert ("no convergence at t = 4 s" in done.stderr) == (model == "fails")
    assert list(full.iterdir()) == []


def test_checkpoint_stays_with_a_result_that_is_not_in_its_place(scene_file, full, monkeypatch):
    """So that the run can be done again from there."""
    from fibermsk.cli.running.checkpoints import Keeping
    from fibermsk.cli.running.computing import compute
    from fibermsk.scene_files import find

    checkpoint = full / "arm.checkpoint.h5"
    checkpoint.write_text("here")
    monkeypatch.setattr(fibermsk, "simulate_scene", lambda scene, **given: make_result(3))
    file = find(str(scene_file()))
    for folder, stays in ((full, True), (full.parent, False)):
        try:
            keeping = Keeping(checkpoint, 60.0, {})
            compute(file, {}, {}, None, folder / "x.h5", True, False, {}, keeping=keeping)
        except saving.typer.Exit as end:
            assert end.exit_code == 1 and stays
        assert checkpoint.exists() == stays


@pytest.fixture
def nowhere(monkeypatch):
    """No folder can be written to, until the name of the file has "room" in it."""
    replace = os.replace

    def no_room(source, target):
        if "room" not in Path(target).name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", no_room)


def test_without_a_terminal_nobody_is_asked(nowhere, tmp_path):
    place, error = saving.save_result(make_result(3), tmp_path / "arm.h5")
    assert place is None and "free disk space, or set FIBERMSK_RESCUE" in error


def test_on_a_terminal_the_user_names_another_file(nowhere, tmp_path, monkeypatch, capsys):
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    answers = iter(["", str(tmp_path / "no"), f" {tmp_path / 'with room.h5'} "])
    monkeypatch.setattr(saving.typer, "prompt", lambda question, **how: next(answers))
    place, error = saving.save_result(make_result(3), tmp_path / "arm.h5")
    assert place == tmp_path / "with room.h5" and load(place).time.size == 3
    assert error.endswith(f"it is in {place}") and "cannot write" in error
    assert capsys.readouterr().err.count("No space left") == 3

    def give_up(question, **how):
        raise saving.typer.Abort

    monkeypatch.setattr(saving.typer, "prompt", give_up)
    assert saving.save_result(make_result(3), tmp_path / "arm.h5")[0] is None


@pytest.mark.skipif(os.name != "posix", reason="signals of this kind")
@pytest.mark.parametrize("times", [1, 2])
def test_one_ctrl_c_while_a_result_is_written_does_not_lose_it(tmp_path, monkeypatch, capfd, times):
    move = os.replace

    def slow(source, target):
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
        move(source, target)

    monkeypatch.setattr(files.os, "replace", slow)
    before = signal.getsignal(signal.SIGINT)
    with interruptible():
        if times == 1:
            assert saving.save_result(make_result(3), tmp_path / "arm.h5")[1] == ""
        else:
            with pytest.raises(KeyboardInterrupt):
                saving.save_result(make_result(3), tmp_path / "arm.h5")
    assert [path.name for path in tmp_path.iterdir()] == ["arm.h5"] * (2 - times)
    assert "arm.h5 is being written; another Ctrl-C loses it" in capfd.readouterr().err
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    "arguments",
    [
        ["plot", "FILE", "--what", "speeds", "--out", "OUT.png"],
        ["export", "FILE", "--out", "OUT.csv"],
        ["view", "FILE", "--html", "OUT.html"],
        ["new", "OUT.py"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_other_commands_fail_with_status_1(cli, full, tmp_path, arguments):
    file = save(make_result(3), tmp_path / "arm.h5")
    words = {"FILE": str(file)}
    done = cli(*(words.get(a, a.replace("OUT", str(full / "mine"))) for a in arguments))
    assert done.exit_code == 1, done.output
    assert f"cannot write {full}" in done.stderr and "No space left on device" in done.stderr
    assert list(full.iterdir()) == []


SMALL_FILES = """
import resource, sys
sys.path[:0] = {paths!r}
import fibermsk
from fake_computing import FakeScene, fake_simulate
fibermsk.Scene, fibermsk.simulate_scene = FakeScene, fake_simulate
from fibermsk.cli.main import main
limit = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limit[1]))
sys.argv = ["fibermsk", "run", {scene!r}, "--out", {out!r}, "--json"]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_a_run_ends_in_order_where_no_file_can_grow(scene_file, tmp_path):
    """A program of its own, because it is the HDF5 library that crashed when it closed the file."""
    paths = [str(Path(fibermsk.__file__).parents[1]), str(TESTS), str(TESTS / "cli")]
    code = SMALL_FILES.format(paths=paths, scene=str(scene_file()), out=str(tmp_path / "arm.h5"))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert json.loads(done.stdout)["file"] is None
    assert "cannot write" in done.stderr and "File too large" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "arm.h5").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_a_result_without_room_leaves_the_earlier_one(cli, tmp_path, monkeypatch):
    """Not a part of the new one that fits."""
    monkeypatch.chdir(tmp_path)
    assert cli("run", "hanging_fiber", "--set", "steps=2", "--out", "a.h5").exit_code == 0
    before = Path("a.h5").read_bytes()
    code = LIMITED.format(most=len(before) + 2000, paths=[str(Path(fibermsk.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 1 and "cannot write a.h5" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and Path("a.h5").read_bytes() == before
    assert json.loads(done.stdout)["file"] is None


LIMITED = """
import resource, sys
sys.path[:0] = {paths!r}
from fibermsk.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
sys.argv = ["fibermsk", "run", "hanging_fiber", "--set", "steps=400", "--out", "a.h5", "--json"]
main()
"""


class FullLog(io.StringIO):
    """Stream into a file on a full disk."""

    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_log_on_a_full_disk_does_not_end_a_run(monkeypatch):
    with progress_report("arm", quiet=False) as report:
        monkeypatch.setattr(sys, "stderr", FullLog())
        report(Progress(0.0, 1.0, message="finding the equilibrium"))
        monkeypatch.undo()
