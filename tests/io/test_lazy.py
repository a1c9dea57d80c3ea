"""Results that are read from their file when they are asked for."""

import copy
import json
import os
import pickle
import tracemalloc

import h5py
import numpy as np
import pytest
from make_result import make_meshed_arm, make_reporting_arm, make_result
from test_hdf5 import assert_same

import fibermsk as fm
from fibermsk.io import describe, export, load, save
from fibermsk.io.contents import RANGES
from fibermsk.io.sealed import RESULT, write_sealed
from fibermsk.results import FiberHistory
from fibermsk.results.result import BodyMotion


def in_memory(result):
    return pickle.loads(pickle.dumps(result))


@pytest.mark.parametrize("make", [make_result, make_meshed_arm, make_reporting_arm])
def test_it_is_the_same_result(make, tmp_path):
    result = make(7)
    path = save(result, tmp_path / "run.h5")
    for taken in (in_memory(load(path, lazy=True)), copy.deepcopy(load(path, lazy=True))):
        assert_same(taken, result)
    frames = slice(1, 6, 2)
    assert_same(in_memory(load(path, lazy=True).at_frames(frames)), result.at_frames(frames))
    back = load(path, lazy=True).at_frames(slice(None, None, -1)).at_frames(slice(0, 3))
    assert_same(in_memory(back), result.at_frames(slice(None, None, -1)).at_frames(slice(0, 3)))
    assert_same(load(save(load(path, lazy=True), tmp_path / "copy.h5")), result)


def test_only_what_is_asked_for_is_read(tmp_path, monkeypatch):
    path, read = save(make_result(5), tmp_path / "run.h5"), []
    take = h5py.Dataset.__getitem__

    def noted(item, *place):
        read.append(item.name)
        return take(item, *place)

    monkeypatch.setattr(h5py.Dataset, "__getitem__", noted)
    result = load(path, lazy=True)
    assert not {name for name in read if name.rpartition("/")[2] in ("position", "stretch")}
    read.clear()
    fiber = result.fibers["biceps_1"]
    assert fiber.stretch is fiber.stretch and fiber.shape_of("position") == (5, 9, 3)
    assert result.coordinate("elbow_flexion").size == 5
    assert read == ["/fibers/biceps_1/stretch", "/coordinates/elbow_flexion"]
    read.clear()
    describe(path)
    assert not {name for name in read if name.rpartition("/")[2] in ("position", "stretch")}


def test_the_file_may_be_replaced_and_removed(tmp_path):
    path = save(make_result(5), tmp_path / "run.h5")
    first, second = load(path, lazy=True), load(path, lazy=True)
    save(make_result(9), path)
    assert first.fibers["biceps_1"].position.shape == (5, 9, 3)
    path.unlink()
    assert second.fibers["biceps_1"].position.shape == (5, 9, 3)
    assert os.listdir(tmp_path) == []


def test_files_are_closed_with_their_results(tmp_path):
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files cannot be counted here")
    path = save(make_result(5), tmp_path / "run.h5")
    before = len(os.listdir("/proc/self/fd"))
    fiber = load(path, lazy=True).fibers["biceps_1"]
    assert len(os.listdir("/proc/self/fd")) == before + 1
    assert fiber.stretch.shape == (5, 21)
    del fiber
    describe(path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_damaged_file_is_refused_at_once_and_a_wrong_unit_when_it_is_read(tmp_path):
    path = save(make_result(5), tmp_path / "run.h5")
    data = bytearray(path.read_bytes())
    data[-9] ^= 1
    (tmp_path / "damaged.h5").write_bytes(data)
    with pytest.raises(fm.ModelError, match="damaged.h5: the result is damaged"):
        load(tmp_path / "damaged.h5", lazy=True)

    def fill(file):
        with h5py.File(path) as other:
            for name in other:
                other.copy(name, file)
            file.attrs.update(other.attrs)
        file["fibers/biceps_1/stretch"].attrs["units"] = "m"
        yield

    result = load(write_sealed(tmp_path / "forged.h5", RESULT, fill), lazy=True)
    with pytest.raises(fm.ModelError, match=r"forged.h5: .*stretch has the units 'm'; must be '1'"):
        _ = result.fibers["biceps_1"].stretch
    with pytest.raises(fm.ModelError, match="lazy = True; must be left out with unsealed=True"):
        load(path, lazy=True, unsealed=True)


def test_files_of_earlier_versions_are_described(tmp_path):
    path = save(make_result(5), tmp_path / "run.h5")

    def fill(file):
        with h5py.File(path) as other:
            for name in other:
                other.copy(name, file)
            file.attrs.update({k: v for k, v in other.attrs.items() if k != RANGES})
            assert "/fibers/biceps_1/stretch" in json.loads(other.attrs[RANGES])
        yield

    old = write_sealed(tmp_path / "old.h5", RESULT, fill)
    assert describe(old) == describe(path)
    assert_same(load(old), make_result(5))


def test_tables_are_written_without_the_whole_result(tmp_path):
    path = save(make_result(3000), tmp_path / "run.h5")
    size = path.stat().st_size
    export(load(path, lazy=True), tmp_path / "lazy.csv")
    tracemalloc.start()
    result = load(path, lazy=True)
    for name in result.fibers:
        assert result.fibers[name].axial_force.shape == (3000, 21)
    assert tracemalloc.get_traced_memory()[1] < 0.3 * size
    tracemalloc.stop()
    export(make_result(3000), tmp_path / "whole.csv")
    for name in ("time", "fibers", "nodes", "bodies"):
        texts = [(tmp_path / f"{kind}_{name}.csv").read_text() for kind in ("lazy", "whole")]
        assert texts[0] == texts[1]


def test_what_is_not_there_is_an_attribute_error(tmp_path):
    result = load(save(make_result(2), tmp_path / "run.h5"), lazy=True)
    for one in (result.fibers["biceps_1"], result.bodies["forearm"]):
        assert isinstance(one, FiberHistory | BodyMotion)
        with pytest.raises(AttributeError, match="'nothing'"):
            _ = one.nothing
    with pytest.raises(KeyError, match="no coordinate 'knee'; this result has: elbow_flexion"):
        result.coordinate("knee")
    assert np.array_equal((result.coordinates | {"x": np.ones(2)})["x"], np.ones(2))


@pytest.mark.parametrize("how", ["shorter", "other"])
def test_a_file_that_is_changed_in_place_is_refused(tmp_path, how):
    path = save(make_result(5), tmp_path / "run.h5")
    result = load(path, lazy=True)
    _ = result.fibers["biceps_1"].stretch
    if how == "shorter":
        os.truncate(path, path.stat().st_size // 2)
    else:
        path.write_bytes(save(make_result(9), tmp_path / "other.h5").read_bytes())
    with pytest.raises(fm.ModelError, match="changed since it was opened"):
        _ = result.fibers["biceps_1"].position


def test_lazy_results_look_as_others(tmp_path):
    path = save(make_result(5), tmp_path / "run.h5")
    result = load(path, lazy=True)
    assert "elbow_flexion  5 [rad], not read yet" in repr(result.coordinates)
    assert {"position", "stretch"} <= set(dir(result.fibers["biceps_1"]))
    for one in (result, copy.deepcopy(result)):
        with pytest.raises(KeyError, match="did you mean 'elbow_flexion'"):
            _ = one.coordinates["elbow_flexio"]
    assert "rad" in repr(result.speeds) and "elbow_flexion" in repr(copy.deepcopy(result).speeds)
