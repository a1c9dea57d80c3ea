"""Runs whose result is written part by part equal those in memory, and hold no history."""

import errno
import gc
import os
import tracemalloc
import warnings
from dataclasses import fields, is_dataclass, replace

import h5py
import numpy as np
import pytest

import fibermsk as fm
from fibermsk.io import result_file, sealed
from fibermsk.results.histories import Histories
from fibermsk.solvers.observers import spool


def string():
    model = fm.Model("string")
    tissue = fm.Tissue(density=1060, muscle=fm.KelvinVoigt(2e4, 1e2), prestress=2e4)
    for k in range(2):
        ends = (model.ground.at(x, 0.006 * k, 0) for x in (0, 0.3))
        model.add(fm.Fiber(f"f{k}", attach=tuple(ends), radius=4e-3, n_elements=3, tissue=tissue))
    fibers = model.fibers
    model.add(fm.Contact(fibers, fibers, fm.PenaltyContact(40.0, 3.0)))
    ball = fm.Body("ball", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    model.add(ball, fm.Hinge("turn", model.ground, ball, at=(0, 0, 0), axis=(0, 1, 0)))
    ends = model.ground.at(0, 0, 0.2), ball.at(0.1, 0, 0)
    model.add(fm.PointSpring("band", *ends, stiffness=50.0, rest_length=0.1, damping=1.0))
    return fm.build(model)


@pytest.fixture(scope="module")
def system():
    return string()


SETTINGS = {"t_end": 0.06, "dt": 0.005, "method": fm.BackwardEuler(), "control": fm.FixedSteps()}


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(spool, "_PART", 5000)


def assert_same(a, b, where="result"):
    """Every array of two results bitwise, and all else but wall times."""
    if is_dataclass(a) and not isinstance(a, Histories):
        for one in fields(a):
            assert_same(getattr(a, one.name), getattr(b, one.name), f"{where}.{one.name}")
    elif hasattr(a, "keys"):
        assert list(a) == list(b), where
        for key in a:
            if key != "wall_seconds":
                assert_same(a[key], b[key], f"{where}[{key}]")
    elif isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b, where)
    elif not callable(a):
        assert a == b, where


def test_a_run_that_is_written_as_it_goes_equals_one_in_memory(system, small_parts, tmp_path):
    whole = fm.simulate(system, **SETTINGS)
    path = tmp_path / "run.h5"
    file = fm.ResultFile(path, scene="mine", parameters={"n": 3})
    found = fm.simulate(system, **SETTINGS, save=file)
    whole = replace(whole, scene="mine", parameters={"n": 3})
    assert_same(whole, found)
    assert_same(whole, fm.load(path))
    assert os.listdir(tmp_path) == ["run.h5"]
    fm.save(found, tmp_path / "copy.h5")
    assert_same(whole, fm.load(tmp_path / "copy.h5"))
    # several parts, with ranges over all of them
    with h5py.File(path) as data:
        assert data["fibers/f0/position"].id.get_num_chunks() > 2
    found = {one["path"]: one for one in fm.io.describe(path)["datasets"]}
    stretch = whole.fibers["f0"].stretch
    told = found["/fibers/f0/stretch"]
    assert (told["min"], told["max"]) == (stretch.min(), stretch.max())


def test_a_failed_run_leaves_its_frames_and_the_reason(system, small_parts, tmp_path):
    path = tmp_path / "run.h5"
    given = {**SETTINGS, "newton": fm.Newton(max_iterations=1), "save": fm.ResultFile(path)}
    with pytest.raises(fm.ConvergenceError) as caught:
        fm.simulate(system, **given)
    assert caught.value.result.status == "failed"
    assert fm.load(path).message == str(caught.value)
    found = fm.simulate(system, **given, throw=False)
    assert found.status == "failed" and found.time.size == fm.load(path).time.size


def test_a_run_goes_on_from_the_checkpoint_of_one_that_was_killed(system, small_parts, tmp_path):
    """In either way, whatever the other was."""
    whole, taken = fm.simulate(system, **SETTINGS), []

    def keep(snapshot):
        taken.append(fm.save_checkpoint(snapshot, tmp_path / "run.checkpoint.h5"))
        if snapshot.time > 0.03:
            raise RuntimeError("killed")

    file = fm.ResultFile(tmp_path / "run.h5")
    with pytest.raises(RuntimeError, match="killed"):
        fm.simulate(system, **SETTINGS, save=file, checkpoint=keep, checkpoint_every=0.0)
    assert os.listdir(tmp_path) == ["run.checkpoint.h5"]
    for more in ({}, {"save": file}):
        snapshot = fm.load_checkpoint(taken[-1])
        assert_same(whole, fm.simulate(system, **SETTINGS, resume_from=snapshot, **more))


def test_frames_that_the_disk_refuses_stay_in_memory(system, small_parts, monkeypatch, tmp_path):
    whole, write, written = fm.simulate(system, **SETTINGS), os.write, []

    def full(file, data):
        written.append(len(data))
        if len(written) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data)

    monkeypatch.setattr(spool.os, "write", full)
    with pytest.warns(fm.ModelWarning, match="No space left.*frames from t = 0.025 s on are kept"):
        found = fm.simulate(system, **SETTINGS, save=fm.ResultFile(tmp_path / "run.h5"))
    assert len(written) == 6
    assert_same(whole, found)


def test_a_result_that_cannot_be_written_is_written_again(system, monkeypatch, tmp_path):
    def refuse(path, kind, fill):
        raise fm.WriteError(f"cannot write {path}: no room")

    with monkeypatch.context() as patch, pytest.raises(fm.WriteError, match="no room") as caught:
        patch.setattr(result_file, "write_sealed", refuse)
        fm.simulate(system, **SETTINGS, save=fm.ResultFile(tmp_path / "run.h5"))
    found = caught.value.again(tmp_path / "other.h5")
    assert found.time.size == 13 and os.listdir(tmp_path) == ["other.h5"]


def test_a_run_holds_no_history(system, monkeypatch, tmp_path):
    """Neither during it nor when the last part is written; cycles are collected before."""
    monkeypatch.setattr(spool, "_PART", 20_000)
    file, seal, held = fm.ResultFile(tmp_path / "run.h5"), sealed._seal, []

    def noted(*about):
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
        return seal(*about)

    fm.simulate(system, **SETTINGS, save=file)  # compiles
    monkeypatch.setattr(sealed, "_seal", noted)
    for n in (60, 360):
        tracemalloc.start()
        fm.simulate(system, **SETTINGS | {"t_end": 0.001 * n, "dt": 0.001}, save=file)
        tracemalloc.stop()
    # sealed when written, and verified when opened; positions and velocities alone would be more
    assert held[2] - held[0] < 0.5 * 300 * 2 * system.scale.nbytes


def test_what_is_no_file_is_refused(system, tmp_path):
    for save in ("run.h5", fm.ResultFile, 3):
        with pytest.raises(fm.ModelError, match="save = .*; must be an fm.ResultFile"):
            fm.simulate(system, **SETTINGS, save=save)
    with pytest.raises(fm.ModelError, match="it is a folder"):
        fm.ResultFile(tmp_path)


def test_warnings_are_those_of_a_run_in_memory(small_parts, tmp_path):
    """Also where an interval crosses from one part to the next."""
    model = fm.Model("soft")
    tissue = fm.Tissue(
        density=1060,
        muscle=fm.KelvinVoigt(1e3, 5e3),
        active=fm.ActiveStress(3e5, optimal_stretch=0.8, width=0.5, exponent=2),
    )
    ends = model.ground.at(0, 0, 0), model.ground.at(0.3, 0, 0)
    given = {"radius": 4e-3, "n_elements": 3, "tissue": tissue, "activation": 0.5}
    model.add(fm.Fiber("f", attach=ends, **given))
    system, told, found = fm.build(model), [], []
    for more in ({}, {"save": fm.ResultFile(tmp_path / "run.h5")}):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            found.append(fm.simulate(system, **SETTINGS, **more))
        told.append([str(one.message) for one in seen])
    assert told[0] == told[1]
    assert any("soften" in text for text in told[0])
    assert found[0].softening == found[1].softening
