"""Checkpoint files."""

import os

import h5py
import numpy as np
import pytest
from make_result import make_result

from fibermsk.errors import ModelError
from fibermsk.io import load_checkpoint, save, save_checkpoint
from fibermsk.results import Snapshot


@pytest.fixture
def snapshot(rng):
    arrays = {
        "method.state.t": 0.1 + 0.2,
        "method.state.y": rng.normal(size=70),
        "control.ends": np.zeros(0),
        "counters.substeps": 12,
        "method.started": True,
        "frames.reactions": rng.normal(size=(4, 0, 3)),
        "system.reach": np.array(1e-300),
        "run.strange": np.array([np.nan, np.inf, -0.0]),
    }
    return Snapshot(
        0.3, 8.0, arrays, {"fibermsk": "1", "gravity": "ab"}, {"numpy": "2"}, {"a": [1]}
    )


def test_what_is_written_is_read(snapshot, tmp_path):
    path = save_checkpoint(snapshot, tmp_path / "deep" / "x.checkpoint.h5")
    read = load_checkpoint(path)
    assert (read.time, read.duration) == (0.3, 8.0)
    assert (read.identity, read.libraries, read.job) == (
        snapshot.identity,
        snapshot.libraries,
        snapshot.job,
    )
    assert read.arrays.keys() == snapshot.arrays.keys()
    for name, value in snapshot.arrays.items():
        one, other = np.asarray(value), np.asarray(read.arrays[name])
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes()
    # nothing is left beside it
    assert [item.name for item in path.parent.iterdir()] == ["x.checkpoint.h5"]


def test_failed_write_leaves_the_file_before(snapshot, tmp_path, monkeypatch):
    path = save_checkpoint(snapshot, tmp_path / "x.h5")
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelError, match=r"cannot write .*x.h5: .*No space left"):
        save_checkpoint(Snapshot(0.4, 8.0, {}, {}, {}), path)
    monkeypatch.undo()
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_every_truncation_is_refused(snapshot, tmp_path, rng):
    whole = save_checkpoint(snapshot, tmp_path / "x.h5").read_bytes()
    part = tmp_path / "part.h5"
    for length in {0, 1, 100, len(whole) - 1, *rng.integers(1, len(whole), 40).tolist()}:
        part.write_bytes(whole[:length])
        with pytest.raises(ModelError, match=r"cannot read .*part.h5: .*(damaged|incomplete)"):
            load_checkpoint(part)


def test_every_flipped_bit_is_refused(snapshot, tmp_path, rng):
    whole = save_checkpoint(snapshot, tmp_path / "x.h5").read_bytes()
    part = tmp_path / "part.h5"
    for place in [*range(90), *rng.integers(90, len(whole), 200)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        part.write_bytes(damaged)
        with pytest.raises(ModelError, match=r"cannot read .*part.h5: "):
            load_checkpoint(part)


def test_foreign_files_are_refused(tmp_path, snapshot):
    with pytest.raises(ModelError, match="there is no such file"):
        load_checkpoint(tmp_path / "none.h5")
    with pytest.raises(ModelError, match="it is a folder"):
        load_checkpoint(tmp_path)
    text = tmp_path / "text.h5"
    text.write_text("hello")
    with pytest.raises(ModelError, match="it is not an HDF5 file, or its beginning"):
        load_checkpoint(text)
    message = "it is a result, not a checkpoint; fm.load, .* read it"
    with pytest.raises(ModelError, match=message):
        load_checkpoint(save(make_result(), tmp_path / "result.h5"))
    newer = save_checkpoint(snapshot, tmp_path / "newer.h5")
    newer.write_bytes(newer.read_bytes().replace(b"checkpoint 2 ", b"checkpoint 3 ", 1))
    with pytest.raises(ModelError, match="its checkpoint format is 3; must be 2"):
        load_checkpoint(newer)
    with h5py.File(newer, "w") as file:
        file["x"] = 1
    with pytest.raises(ModelError, match="but not a fibermsk checkpoint: it has no seal"):
        load_checkpoint(newer)
