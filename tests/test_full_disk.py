"""Writers on a disk without room: a clear error, nothing half-written, nothing computed lost."""

import contextlib
import errno
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import pytest
from make_result import make_result
from PIL import Image

import fibermsk as fm
from fibermsk import files, rescue, view
from fibermsk.cli.commands.plot import plot
from fibermsk.io import load, load_checkpoint, save, save_checkpoint
from fibermsk.results import Snapshot
from fibermsk.verify.report import write_report

if sys.platform != "win32":
    import resource

SIZE = (300, 225)
TAKEN = b"an earlier file " * 8


@contextlib.contextmanager
def mounted(folder):
    """A file system of 64 kB of which 4 kB are left."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (folder / "filling").write_bytes(bytes(56 * 1024))
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@contextlib.contextmanager
def refusing(folder, monkeypatch):
    """A folder to which no file can be moved."""
    folder.mkdir()
    replace = os.replace

    def full(source, target):
        if Path(target).parent == folder:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", full)
        yield


@pytest.fixture(params=["mounted", "refusing"])
def full(request, tmp_path, monkeypatch):
    """Folder without room for a result."""
    folder = tmp_path / "full"
    with mounted(folder) if request.param == "mounted" else refusing(folder, monkeypatch):
        yield folder


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """A result and its file."""
    result = make_result(9)
    return result, save(result, tmp_path_factory.mktemp("arm") / "arm.h5")


def snapshot(time=0.5):
    return Snapshot(time, 1.0, {"x": np.arange(4000.0)}, {"fibermsk": "1"}, {}, {})


def draw(file, path):
    plot([file], out=path, what=["speeds"])


def report(path):
    from fibermsk.verify import Outcome, Problem
    from fibermsk.verify.report import Section

    problem = Problem("square", path, "A title", "", {}, print)
    section = Section(Outcome(problem, {}), notes=["A long note. " * 1000], figure=b"\x89PNG" * 100)
    write_report([section], path.parent)


def opened(path):
    with h5py.File(path) as file:
        return file["VTKHDF/Points"].size


def pictures(path):
    with Image.open(path) as image:
        return image.size == SIZE


def begins(start, path):
    return path.read_bytes().startswith(start)


# ending of the file: what writes it, and whether what was kept is whole
WRITERS = {
    "result.h5": (lambda arm, path: save(arm[0], path), lambda path: load(path).time.size == 9),
    "checkpoint.h5": (
        lambda arm, path: save_checkpoint(snapshot(), path),
        lambda path: load_checkpoint(path).time == 0.5,
    ),
    "x.vtkhdf": (lambda arm, path: fm.export(arm[0], path), opened),
    "x.sto": (lambda arm, path: fm.export(arm[0], path), partial(begins, b"upper_limb_")),
    "x.csv": (lambda arm, path: fm.export(arm[0], path), partial(begins, b"# scene: upper_limb")),
    "plot.png": (
        lambda arm, path: plot([arm[1]], out=path, what=["speeds"]),
        partial(begins, b"\x89PNG"),
    ),
    "plot.pdf": (
        lambda arm, path: plot([arm[1]], out=path, what=["speeds"]),
        partial(begins, b"%PDF"),
    ),
    "picture.png": (lambda arm, path: view.screenshot(arm[0], path, size=SIZE), pictures),
    "movie.gif": (lambda arm, path: view.movie(arm[0], path, size=SIZE, speed=8.0), pictures),
    "movie.mp4": (
        lambda arm, path: view.movie(arm[0], path, size=SIZE, speed=8.0),
        lambda path: b"ftyp" in path.read_bytes()[:12],
    ),
    "page.html": (lambda arm, path: view.write_page(arm[0], path), partial(begins, b"<!")),
    "square.md": (lambda arm, path: report(path), lambda path: path.stat().st_size > 300),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_cannot_be_written_is_kept_elsewhere(full, arm, rescue_folder, name):
    write, is_whole = WRITERS[name]
    if name == "movie.mp4":
        pytest.importorskip("imageio_ffmpeg")
    before = {path.name: path.read_bytes() for path in full.iterdir()}
    with pytest.raises(fm.WriteError, match=r"cannot write .*(No space left|kept in)") as caught:
        write(arm, full / name)
    kept = caught.value.kept
    assert kept and {path.parent.parent for path in kept} == {rescue_folder}
    assert str(kept[0] if len(kept) == 1 else kept[0].parent) in str(caught.value)
    assert all(is_whole(path) for path in kept)
    assert {path.name: path.read_bytes() for path in full.iterdir()} == before


def test_the_earlier_file_stays(full, arm):
    path = full / "run.h5"
    path.write_bytes(TAKEN)
    with pytest.raises(fm.WriteError):
        save(arm[0], path)
    assert path.read_bytes() == TAKEN


@pytest.fixture
def limited():
    """No file may grow beyond 8 kB, in any folder."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    yield partial(resource.setrlimit, resource.RLIMIT_FSIZE, before)
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_what_can_be_written_nowhere_is_in_memory(limited, tmp_path):
    """And is written once there is room; the HDF5 library is not in the way."""
    result, path = make_result(9), tmp_path / "run.h5"
    with pytest.raises(fm.WriteError, match="no other folder can be .*FIBERMSK_RESCUE") as caught:
        save(result, path)
    with pytest.raises(fm.WriteError):
        fm.export(result, tmp_path / "x.vtkhdf")
    with pytest.raises(fm.WriteError):
        save_checkpoint(snapshot(), path)
    assert caught.value.kept == () and list(tmp_path.iterdir()) == []
    limited()
    assert load(save(result, path)).time.size == 9


def test_other_folders_are_tried_in_turn(tmp_path, monkeypatch):
    """The one that the user names first, then those of the system."""
    named, system, home = tmp_path / "named", tmp_path / "system", tmp_path / "home"
    named.write_text("no folder")
    monkeypatch.setenv("FIBERMSK_RESCUE", str(named))
    monkeypatch.setattr(rescue.tempfile, "gettempdir", lambda: str(system))
    monkeypatch.setattr(rescue.Path, "home", lambda: home)
    taken = tmp_path / "run.h5"
    taken.mkdir()

    def keep():
        with pytest.raises(fm.WriteError, match="it is a folder") as caught:
            save(make_result(2), taken)
        return caught.value.kept[0]

    first, second = keep(), keep()
    assert first.parent.parent == second.parent.parent == system and first != second
    assert first.parent.stat().st_mode & 0o077 == 0
    shutil.rmtree(system)
    system.write_text("no folder")
    assert keep().parent.parent == home
    named.unlink()
    assert load(keep()).time.size == 2 and len(list(named.iterdir())) == 1


def test_a_run_goes_on_without_its_checkpoints(full, recwarn):
    """The last one is kept elsewhere, those before it are not."""
    from fibermsk.scene_run import _writer

    write = _writer(full / "x.checkpoint.h5", {"scene": "x"})
    found = []
    for time in (0.1, 0.2, 0.3):
        write(snapshot(time))
        message = str(recwarn.pop(fm.ModelWarning).message)
        assert f"at t = {time:g} s not written, the run continues: cannot" in message
        found.append(Path(message.partition("kept in ")[2].partition(":")[0]))
    assert [path.exists() for path in found] == [False, False, True]
    assert load_checkpoint(found[-1]).time == 0.3
    assert not found[0].parent.exists()
