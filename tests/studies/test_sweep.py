"""Points of studies are the runs that they stand for, and survive failures of any kind."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from studies.cases import added, killing, pendulum, pulled

import fibermsk as fm
from fibermsk.studies import dataset, task
from fibermsk.studies.journal import Journal

pytest.importorskip("h5netcdf")
xarray = pytest.importorskip("xarray")

ANGLES = [0.1, 0.3]
MASSES = [1.0, 2.0, 3.0]
OVER = {"angle": ANGLES, "rod/com/y": [-0.1, -0.2]}


def same(one, other):
    """Whether datasets are equal but for wall times."""
    xarray.testing.assert_identical(
        *(each.drop_vars("seconds").drop_attrs() for each in (one, other))
    )


def test_points_of_a_grid_are_their_runs():
    found = fm.sweep(pendulum, OVER, outputs=["hinge", "hinge.speed_max", "h*ge_end"])
    assert found["hinge"].dims == ("angle", "rod.com.y", "frame")
    assert (found["status"] == "done").all() and found["hinge"].attrs["units"] == "rad"
    assert found["rod.com.y"].attrs["path"] == "rod/com/y"
    assert found.attrs["scene"] == "pendulum"
    for angle in ANGLES:
        for y in OVER["rod/com/y"]:
            scene = pendulum(angle=angle)
            model = fm.with_parameters(scene.model, {"rod/com/y": y})
            one = fm.simulate(fm.build(model), t_end=0.02, dt=0.005, method=fm.SDIRK2())
            point = found.sel({"angle": angle, "rod.com.y": y})
            np.testing.assert_array_equal(point["hinge"], one.coordinate("hinge"))
            np.testing.assert_array_equal(point["time"], one.time)
            assert point["hinge.speed_max"] == one.speeds["hinge"].max()
            assert point["hinge_end"] == one.coordinate("hinge")[-1]


def test_line_muscles_run_in_one_compiled_loop_too():
    """States that results of muscles report too are columns once."""
    over = {"muscle/max_isometric_force": [70.0, 90.0]}
    outputs = ["slider", "muscle.fiber_length", "muscle.tendon_force_end"]
    found = [fm.sweep(pulled, over, outputs=outputs, method=name) for name in ("ndf", "sdirk2")]
    for k, force in enumerate([70.0, 90.0]):
        model = fm.with_parameters(pulled().model, {"muscle/max_isometric_force": force})
        one = fm.simulate(fm.build(model), t_end=0.02, dt=0.005, method=fm.NDF(1e-6))
        point = found[0].isel({"muscle.max_isometric_force": k})
        assert point["status"] == "done"
        np.testing.assert_array_equal(point["slider"], one.coordinate("slider"))
        np.testing.assert_array_equal(
            point["muscle.fiber_length"], one.states["muscle"]["fiber_length"]
        )
        assert point["muscle.tendon_force_end"] == one.muscles["muscle"]["tendon_force"][-1]
    for name in ("slider", "muscle.fiber_length", "muscle.tendon_force_end"):
        np.testing.assert_allclose(*(one[name] for one in found), rtol=1e-4)


@pytest.mark.parametrize("watched", [False, True])
def test_a_file_makes_its_scene_once_for_equal_settings(watched, tmp_path):
    """Unless its observers could remember a run."""
    file, calls = tmp_path / "counting.py", tmp_path / "calls"
    watching = "fm.StopWhen(lambda moment: 1.0, 'never')," if watched else ""
    file.write_text(
        "from pathlib import Path\nfrom dataclasses import replace\nimport fibermsk as fm\n"
        "from studies.cases import pendulum\n\n"
        "def scene(angle: float = 0.2) -> fm.Scene:\n"
        f"    with Path({str(calls)!r}).open('a') as out:\n        out.write('.')\n"
        f"    return replace(pendulum(angle=angle), observers=({watching}))\n"
    )
    over = {"angle": ANGLES, "rod/mass": MASSES}
    found = fm.sweep(str(file), over, outputs="hinge")
    assert (found["status"] == "done").all()
    assert len(calls.read_text()) <= 4 if not watched else len(calls.read_text()) >= 6
    same(found.drop_attrs(), fm.sweep(pendulum, over, outputs="hinge").drop_attrs())


def test_scenes_by_name_by_value_and_by_function_are_alike():
    over = {"fiber/radius": [3e-3, 4e-3]}
    settings = {"steps": 5, "duration": 0.02}
    by_name = fm.sweep("hanging_fiber", over, settings=settings, outputs="fiber.length")
    by_value = fm.sweep(fm.make_scene("hanging_fiber", **settings), over, outputs="fiber/length")
    same(by_name, by_value)
    assert by_name.attrs["scene"] == "hanging_fiber" and by_name.sizes["frame"] == 6


def test_failures_are_kept_with_their_reason():
    found = fm.sweep(pendulum, {"mode": ["broken", "ends", "plain"], "rod/mass": [1.0, -1.0]})
    status, message = found["status"].values, found["message"].values
    assert status.tolist() == [["broken"] * 2, ["broken"] * 2, ["done", "refused"]]
    assert "rod/mass = -1.0 kg; must be positive" in str(message[2, 1])
    assert str(message[0, 0]) == "ZeroDivisionError: one over nothing"
    assert str(message[1, 0]) == "SystemExit: 3"
    assert np.isnan(found["hinge"].values[status != "done"]).all()
    assert np.isfinite(found["hinge"].values[2, 0]).all()


def test_outputs_that_some_points_lack_are_failures_of_these():
    def rows(result):
        return np.zeros((2, 2)) if result.time.size == 4 else result.coordinate("hinge")[0]

    found = fm.sweep(pendulum, {"steps": [2, 3, 4]}, outputs={"x": rows})
    assert found["status"].values.tolist() == ["done", "broken", "done"]

    def mixed(result):
        return [1.0, 2.0] if result.time.size == 4 else 1.0

    found = fm.sweep(pendulum, {"steps": [2, 3, 4]}, outputs={"x": mixed})
    assert found["status"].values.tolist() == ["done", "broken", "done"]
    assert "must be a number at all points, or a row at all" in str(found["message"].values[1])


def test_a_point_that_ends_its_process_is_a_failure():
    pytest.importorskip("joblib")
    found = fm.sweep(killing, {"steps": [2, 3, 4, 5, 6, 7]}, n_jobs=2)
    assert found["status"].values.tolist() == ["done"] * 3 + ["broken"] + ["done"] * 2
    assert "its process ended: killed" in str(found["message"].values[3])


CHANGED = {
    "an activation": lambda: [limb(0.1), limb(0.9)],
    "what a function knows": lambda: [known(1.0), known(2.0)],
    "arguments of a part": lambda: [partial(pendulum, steps=2), partial(pendulum, steps=7)],
}


def limb(value):
    model = fm.Model("limb", gravity=(0.0, 0.0, 0.0))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=fm.ActiveStress(3e5))
    ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
    activation = fm.Ramp(0.0, 0.01, value)
    model.add(
        fm.Fiber("f", attach=ends, radius=3e-3, n_elements=2, tissue=tissue, activation=activation)
    )
    return fm.Scene(model, duration=0.02, steps=2, tolerance=0.0)


def known(factor):
    def scene(angle=0.1):
        return pendulum(angle=factor * angle)

    return scene


@pytest.mark.parametrize("change", CHANGED)
def test_a_study_of_something_else_is_refused(change, tmp_path):
    first, other = CHANGED[change]()
    over = {"f/radius": [3e-3]} if change == "an activation" else {"angle": ANGLES}
    options = {"out": tmp_path / "s.nc", "outputs": "*"}
    fm.sweep(first, over, **options)
    with pytest.raises(fm.ModelError, match="of another study: its model differ"):
        fm.sweep(other, over, **options)


def test_outputs_that_know_something_else_are_others(tmp_path):
    def half(factor):
        return lambda result: factor * result.coordinate("hinge")[0]

    fm.sweep(pendulum, {"angle": ANGLES}, outputs={"x": half(0.5)}, out=tmp_path / "s.nc")
    with pytest.raises(fm.ModelError, match="of another study: its outputs differ"):
        fm.sweep(pendulum, {"angle": ANGLES}, outputs={"x": half(0.2)}, out=tmp_path / "s.nc")


def test_a_scene_that_imports_something_else_is_refused(tmp_path):
    (tmp_path / "own.py").write_text(
        "import _beside\nfrom studies.cases import pendulum\n"
        "def scene(angle=0.1):\n    return pendulum(angle=_beside.FACTOR * angle)\n"
    )
    call = (
        "import sys, fibermsk as fm; sys.path.insert(0, sys.argv[1])\n"
        "fm.sweep('own.py', {'angle': [0.1, 0.2]}, out='s.nc')"
    )
    tests = str(Path(__file__).parents[1])
    for factor, status in (1.0, 0), (1.0, 0), (2.0, 1):
        (tmp_path / "_beside.py").write_text(f"FACTOR = {factor}\n")
        run = [sys.executable, "-B", "-c", call, tests]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
    assert "of another study: its model differ" in done.stderr


def test_a_missing_package_is_told_before_anything_is_computed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5netcdf", None)
    with pytest.raises(fm.ModelError, match=r'pip install -e "\.\[sweep\]"'):
        fm.sweep(pendulum, {"angle": ANGLES}, out=tmp_path / "s.nc")
    assert not list(tmp_path.iterdir())


def test_one_study_writes_to_a_file(tmp_path):
    beside = tmp_path / "s.nc.points"
    with (
        Journal(beside, {}),
        pytest.raises(fm.ModelError, match="must be free: does another study write to it"),
    ):
        fm.sweep(pendulum, {"angle": ANGLES}, out=tmp_path / "s.nc")


def test_a_disk_without_room_is_refused_before_the_file_is_written(tmp_path, monkeypatch):
    out = tmp_path / "s.nc"
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(fm.WriteError, match="needs 1.05 MB, and 0.001 MB are free"):
        fm.sweep(pendulum, {"angle": ANGLES}, out=out)
    monkeypatch.undo()
    monkeypatch.setattr(task, "simulate_scene", None)  # all points were kept
    assert (fm.sweep(pendulum, {"angle": ANGLES}, out=out)["status"] == "done").all()


def test_values_of_all_kinds():
    def scene(flag=True, size=(1.0, 2.0), word="a", angle=0.1):
        return pendulum(steps=1 + flag, angle=angle)

    angles = list(np.linspace(0.1, 0.3, 3))
    over = {"flag": [True, False], "size": [(1.0, 2.0), (1.0, 3.0)], "word": ["a", "b"]}
    found = fm.sweep(scene, over | {"angle": angles}, outputs="hinge_end")
    assert found["flag"].dtype == bool and found["angle"].dtype == float
    assert found["size"].values.tolist() == ["(1.0, 2.0)", "(1.0, 3.0)"]
    assert found.sel(flag=True, word="b", angle=0.2, method=None)["hinge_end"].shape == (2,)


def test_numbers_take_the_place_of_activations_in_time():
    found = fm.sweep(limb(0.3), {"f*/activation": [0.1, 0.9]}, outputs="f.axial_force_end")
    exact = [
        fm.simulate_scene(replace(limb(0.3), model=fm.with_activations(limb(0.3).model, {"f": a})))
        .fibers["f"].axial_force[-1].mean() for a in (0.1, 0.9)
    ]  # fmt: skip
    np.testing.assert_allclose(found["f.axial_force_end"], exact, rtol=1e-6)


def test_large_studies_are_written_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(dataset, "_BLOCK", 4)
    over = {"angle": [0.1, 0.2, 0.3], "rod/mass": [1.0, 2.0, 3.0, 4.0, 5.0], "steps": [1, 2]}
    found = fm.sweep(pendulum, over, out=tmp_path / "s.nc")
    for angle in over["angle"]:
        part = found.sel({"angle": angle})
        assert (part["status"] == "done").all()
        np.testing.assert_array_equal(part["hinge"].isel(frame=0), angle)
    np.testing.assert_array_equal(np.isnan(found["time"].isel(steps=0, frame=2)), True)


def test_a_failed_run_is_a_point_that_failed(monkeypatch):
    own = task.simulate_scene

    def failing(scene, **options):
        if scene.steps == 3:
            raise fm.ConvergenceError("no solution at t = 0.01 s", time=0.01)
        return own(scene, **options)

    monkeypatch.setattr(task, "simulate_scene", failing)
    found = fm.sweep(pendulum, {"steps": [2, 3, 4]})
    assert found["status"].values.tolist() == ["done", "failed", "done"]
    assert str(found["message"].values[1]) == "no solution at t = 0.01 s"


def test_warnings_of_a_run_are_in_its_message():
    found = fm.sweep(pendulum, {"rod/mass": [1.0, 5000.0]})
    assert not found["message"].values[0] and "5000" in str(found["message"].values[1])


def test_frames_may_differ():
    found = fm.sweep(pendulum, {"steps": [2, 4]})
    assert found["time"].dims == ("steps", "frame") and found["steps"].dtype.kind == "i"
    np.testing.assert_allclose(found["time"].sel(steps=2), [0.0, 0.01, 0.02, np.nan, np.nan])
    assert np.isnan(found["hinge"].sel(steps=2)[3:]).all()


def test_functions_of_a_result():
    outputs = {"half": added, "ends": lambda result: result.coordinate("hinge")[[0, -1]]}
    found = fm.sweep(pendulum, {"angle": ANGLES}, outputs=outputs)
    np.testing.assert_allclose(found["half"], [0.05, 0.15])
    assert found["ends"].dims == ("angle", "ends.part")


def test_processes_give_what_one_gives(tmp_path):
    pytest.importorskip("joblib")
    over = {"fiber/radius": [3e-3, 4e-3, -1.0, 5e-3]}
    settings = {"steps": 5, "duration": 0.02}
    alone = fm.sweep("hanging_fiber", over, settings=settings)
    several = fm.sweep("hanging_fiber", over, settings=settings, n_jobs=2, out=tmp_path / "s.nc")
    same(alone, several)


def test_a_cluster_gives_what_one_process_gives():
    distributed = pytest.importorskip("distributed")
    over = {"fiber/radius": [3e-3, 4e-3, -1.0, 5e-3]}
    settings = {"steps": 5, "duration": 0.02}
    alone = fm.sweep("hanging_fiber", over, settings=settings)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        same(alone, fm.sweep("hanging_fiber", over, settings=settings, client=client))
        with pytest.raises(fm.ModelError, match="outputs name 'hingo'"):
            fm.sweep("two_bones", {"q1/speed": [0.0]}, outputs="hingo", client=client,
                     settings={"steps": 3, "duration": 0.01})  # fmt: skip


SCRIPT = """
import sys
sys.path[:0] = [{tests!r}]
from studies.cases import counted
import fibermsk as fm
fm.sweep(counted, {{"angle": [0.01 * k for k in range(1, 41)]}}, out={out!r})
"""


def test_a_killed_study_goes_on(tmp_path):
    """Points that had ended are not computed again, and the file is that of one go."""
    out, calls = tmp_path / "study.nc", tmp_path / "calls"
    tests = str(Path(__file__).parents[1])
    script = SCRIPT.format(tests=tests, out=str(out))
    environment = os.environ | {"STUDY_CALLS": str(calls)}
    run = subprocess.Popen([sys.executable, "-c", script], env=environment)
    beside = tmp_path / "study.nc.points"

    def ended():
        with closing(sqlite3.connect(f"file:{beside}?mode=ro", uri=True)) as base:
            return base.execute("SELECT count(*) FROM point").fetchone()[0]

    limit = time.monotonic() + 120
    while run.poll() is None and time.monotonic() < limit:
        if calls.exists() and len(calls.read_text().split()) > 10:
            break
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    first = ended()
    assert 5 <= first < 40 and not out.exists()
    before = len(calls.read_text().split())
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    after = calls.read_text().split()[before:]
    # scenes of the first and the last point are looked at before
    assert len(after) == 3 + 40 - first and not beside.exists()
    found = xarray.open_dataset(out, engine="h5netcdf")
    alone = fm.sweep(pendulum, {"angle": [0.01 * k for k in range(1, 41)]}, settings={"steps": 2})
    same(found, alone)


def test_a_finished_study_is_read_and_another_one_is_refused(tmp_path, monkeypatch):
    out = tmp_path / "study.nc"
    first = fm.sweep(pendulum, {"angle": ANGLES}, out=out)
    monkeypatch.setattr(task, "simulate_scene", None)  # nothing is computed
    same(fm.sweep(pendulum, {"angle": ANGLES}, out=out), first)
    with pytest.raises(fm.ModelError, match=r"of another study: its model, over differ; remove it"):
        fm.sweep(pendulum, {"angle": [0.1, 0.4]}, out=out)
    (tmp_path / "other.nc").write_text("no dataset")
    with pytest.raises(fm.ModelError, match="is no file of a study"):
        fm.sweep(pendulum, {"angle": ANGLES}, out=tmp_path / "other.nc")
    (tmp_path / "new.nc.points").write_text("no database")
    with pytest.raises(fm.ModelError, match="must be a file of this study, or not be there"):
        fm.sweep(pendulum, {"angle": ANGLES}, out=tmp_path / "new.nc")


def test_an_interrupted_study_of_other_values_is_refused(tmp_path):
    out, seen = tmp_path / "study.nc", []

    def stop(now):
        seen.append(now)
        if now.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fm.sweep(pendulum, {"angle": ANGLES}, out=out, progress=stop)
    assert [(one.done, one.total) for one in seen] == [(0, 2), (1, 2)]
    with pytest.raises(fm.ModelError, match="points of another study: its seed differ"):
        fm.sweep(pendulum, {"angle": ANGLES}, out=out, seed=1)
    seen.clear()
    fm.sweep(pendulum, {"angle": ANGLES}, out=out, progress=seen.append)
    assert [one.done for one in seen] == [1, 2] and seen[-1].fraction == 1.0


def test_latin_hypercubes_have_a_point_in_each_stratum():
    pytest.importorskip("SALib")
    over = {"angle": (0.0, 0.4), "rod/mass": (1.0, 3.0)}
    found, again = (
        fm.sweep(pendulum, over, design="latin", n=8, seed=3, outputs="hinge_end") for _ in range(2)
    )
    assert found["hinge_end"].dims == ("sample",)
    for name, (low, high) in {"angle": (0.0, 0.4), "rod.mass": (1.0, 3.0)}.items():
        strata = np.floor((found[name].values - low) / (high - low) * 8)
        assert sorted(strata) == list(range(8))
    same(found, again)


def test_sobol_indices_are_those_of_a_sum():
    """Of x + y with ranges of 1 and 2 the shares of the variance are 1/5 and 4/5."""
    pytest.importorskip("SALib")
    over = {"angle": (0.0, 0.5), "hinge/speed": (0.0, 1.0)}

    def total(result):
        return result.coordinate("hinge")[0] + result.speeds["hinge"][0]

    def scene(angle=0.0):
        return pendulum(steps=1, angle=angle)

    study = fm.sweep(scene, over, design="sobol", n=64, outputs={"total": total, "half": added})
    assert study.sizes["sample"] == 64 * 6
    found = fm.sobol_indices(study, "total")
    np.testing.assert_allclose(found["S1"], [0.2, 0.8], atol=0.05)
    np.testing.assert_allclose(found["ST"], [0.2, 0.8], atol=0.05)
    assert found["parameter"].values.tolist() == ["angle", "hinge.speed"]
    with pytest.raises(fm.ModelError, match="output = 'halv'; must be a number of each point"):
        fm.sobol_indices(study, "halv")
    with pytest.raises(fm.ModelError, match="which it is not at 3"):
        numbers = study["half"].where(study["half"] < study["half"].max())
        fm.sobol_indices(study.assign(half=numbers), "half")
    with pytest.raises(fm.ModelError, match="1 of 384 points failed"):
        fm.sobol_indices(
            study.assign(status=study["status"].copy(data=["x"] + ["done"] * 383)), "half"
        )


REFUSED = {
    "a parameter that is not there": (
        {"over": {"angel": [1.0]}}, "key = 'angel'; must be a parameter .*did you mean 'angle'"
    ),
    "a path that is not there": ({"over": {"rod/mas": [1.0]}}, "no parameter 'rod/mas'"),
    "a number": ({"over": {"angle": 0.1}}, "values of angle = 0.1; must be several"),
    "a value twice": ({"over": {"angle": [0.1, 0.1]}}, "must differ from each other"),
    "nothing": ({"over": {}}, "must have one key or more"),
    "an output that is not there": ({"outputs": "hinge_median"}, "outputs name 'hinge_median'"),
    "a table": ({"outputs": {"x": lambda result: [[1.0]]}}, "output 'x' = .*a row of numbers"),
    "a number of points of a grid": ({"n": 3}, "n = 3; must be left out for a grid"),
    "no number of samples": ({"design": "latin"}, 'n = None; must be given for the design "latin"'),
    "a range the wrong way": (
        {"design": "latin", "n": 4, "over": {"angle": (1.0, 0.0)}}, "must have the lower end first"
    ),
    "samples that are no power of two": (
        {"design": "sobol", "n": 6, "over": {"angle": (0.0, 1.0)}}, "n = 6; must be a power of two"
    ),
    "an unknown design": ({"design": "random"}, "design = 'random'"),
    "no jobs": ({"n_jobs": 0}, "n_jobs = 0; must be a number of processes"),
    "a setting that is not there": ({"settings": {"lenght": 1}}, "must be parameters of the scene"),
    "a setting that is varied": ({"settings": {"angle": 1}}, "'angle'; must not be varied, too"),
    "no scene": ({"scene": 3}, "scene = 3; must be a name"),
    "no client": ({"client": 3}, "client = 3; must be a client of dask"),
    "a name that is taken": ({"outputs": {"status": added}}, "none of .*'status'"),
    "a name of a parameter": (
        {"outputs": {"angle": added}}, "output 'angle'; must have a name of its own"
    ),
    "a reserved parameter": (
        {"scene": lambda frame=1: pendulum(), "over": {"frame": [1]}},
        "over = 'frame'; must have keys with names of their own, none of",
    ),
    "too large a number": ({"over": {"angle": [2**60]}}, "must be numbers, truth values, texts"),
    "samples of whole numbers": (
        {"design": "latin", "n": 4, "over": {"steps": (2, 8)}}, "must be of a real number"
    ),
}  # fmt: skip


@pytest.mark.parametrize("options, message", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_studied_is_refused(options, message, tmp_path):
    call = {"scene": pendulum, "over": {"angle": ANGLES}, "out": tmp_path / "s.nc"} | options
    with pytest.raises(fm.ModelError, match=message):
        fm.sweep(**call)
    assert not (tmp_path / "s.nc").exists()
