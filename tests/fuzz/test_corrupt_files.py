"""Files with errors: none is read in silence.

`FIBERMSK_FUZZ=100 pytest tests/fuzz/test_corrupt_files.py` tries a hundred times as many.
"""

from dataclasses import replace

import h5py
import numpy as np
import pytest
from amount import cases
from damage import OF_BYTES, OF_CHECKPOINTS, OF_CONTENTS, reseal
from make_result import make_meshed_arm

from fibermsk.errors import ModelError
from fibermsk.io import describe, load, load_checkpoint, save, save_checkpoint
from fibermsk.results import Snapshot


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Bytes of a result file of two fibers."""
    arm = make_meshed_arm(5)
    few = replace(arm, fibers={name: arm.fibers[name] for name in ("biceps_1", "triceps_1")})
    return save(few, tmp_path_factory.mktemp("whole") / "run.h5").read_bytes()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """Bytes of a checkpoint."""
    rng = np.random.default_rng(1)
    arrays = {"method.state.y": rng.normal(size=700), "run.h": 0.1, "control.ends": np.zeros(0)}
    taken = Snapshot(0.3, 8.0, arrays, {"fibermsk": "1"}, {"numpy": "2"}, {"a": [1]})
    folder = tmp_path_factory.mktemp("checkpoint")
    return save_checkpoint(taken, folder / "x.checkpoint.h5").read_bytes()


def refused(path, *readers):
    """Each reader refuses the file with a message that names it, and with nothing else."""
    for reader in readers:
        with pytest.raises(ModelError, match=r"cannot read .*damaged\.h5: .+") as caught:
            reader(path)
        message = str(caught.value)
    return message


@pytest.mark.parametrize("damage", OF_BYTES, ids=lambda damage: damage.__name__)
def test_damaged_bytes_are_refused(whole, checkpoint, tmp_path, rng, damage):
    path = tmp_path / "damaged.h5"
    for case in range(cases(24)):
        original, readers = (
            (whole, (load, describe)) if case % 3 else (checkpoint, (load_checkpoint,))
        )
        data = bytearray(original)
        damage(data, rng)
        if data == original:
            continue
        path.write_bytes(data)
        refused(path, *readers)


def edit(path, change, rng):
    with h5py.File(path, "r+") as file:
        change(file, rng)


@pytest.mark.parametrize("damage", OF_CONTENTS, ids=lambda damage: damage.__name__)
def test_wrong_contents_are_refused(whole, tmp_path, monkeypatch, rng, damage):
    """By the seal; and where the seal is right, or is not looked at, by what they are."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "damaged.h5"
    for _ in range(cases(4)):
        path.write_bytes(whole)
        edit(path, damage, rng)
        assert "damaged or incomplete" in refused(path, load, describe)
        refused(path, lambda path: load(path, unsealed=True))
        reseal(path)
        assert "SHA-256" not in refused(path, load)


@pytest.mark.parametrize("damage", OF_CHECKPOINTS, ids=lambda damage: damage.__name__)
def test_wrong_checkpoints_are_refused(checkpoint, tmp_path, rng, damage):
    path = tmp_path / "damaged.h5"
    for _ in range(cases(4)):
        path.write_bytes(checkpoint)
        edit(path, damage, rng)
        refused(path, load_checkpoint)
        reseal(path)
        assert "SHA-256" not in refused(path, load_checkpoint)


def test_what_was_not_damaged_is_read(whole, checkpoint, tmp_path):
    """So that the others do not pass because nothing is read."""
    path = tmp_path / "run.h5"
    path.write_bytes(whole)
    reseal(path)
    assert path.read_bytes() == whole
    assert load(path).time.size == 5 and describe(path)["attributes"]["status"] == "success"
    path.write_bytes(checkpoint)
    assert load_checkpoint(path).time == 0.3
