"""The study, the limb moved by electromyograms, and what all scenes have in common."""

import csv
import importlib.util
import inspect
import subprocess
import sys

import numpy as np
import pytest
from scenes_of_tests import FROM_FILES, ROOT, load_scene
from texts_of_pages import overlapping

import fibermsk as fm
from fibermsk.scene_files import find, list_files, read_title

NAMES = [path.stem for path in list_files("scenes")]


def test_scenes_are_listed_simplest_first_and_all_of_them():
    ordered = (ROOT / "scenes" / "order.txt").read_text().split()
    assert ordered == NAMES and NAMES[0] == "hanging_fiber"
    assert set(NAMES) == {path.stem for path in (ROOT / "scenes").glob("[!_]*.py")}


def test_scenes_that_nobody_ordered_come_last(tmp_path, monkeypatch):
    from fibermsk import scene_files

    for name in ("zebra", "apple", "late", "early"):
        (tmp_path / f"{name}.py").write_text("")
    (tmp_path / "order.txt").write_text("early\nlate\n")
    monkeypatch.setattr(scene_files, "folder_of", lambda kind: tmp_path)
    assert [path.stem for path in list_files("scenes")] == ["early", "late", "apple", "zebra"]


@pytest.mark.parametrize("name", NAMES)
def test_every_scene_says_what_it_is_and_explains_its_parameters(name):
    file = find(name)
    title = read_title(file.path)
    assert title.endswith(".") and 20 < len(title) < 100
    documented = inspect.getdoc(file.function)
    for parameter, known in file.parameters.items():
        assert parameter in documented and known.default is not known.empty
    assert {"elements", "steps", "duration"} & set(file.parameters) >= {"steps", "duration"}


def test_scenes_are_made_by_name_and_by_file(tmp_path):
    scene = fm.make_scene("hanging_fiber", elements=4, steps=3)
    assert scene.steps == 3 and scene.model.fibers[0].n_elements == 4
    path = tmp_path / "mine.py"
    path.write_text(
        "import fibermsk as fm\n\n\n"
        "def scene(load: float = 1.0) -> fm.Scene:\n"
        "    return fm.make_scene('hanging_fiber', duration=load)\n"
    )
    assert fm.make_scene(str(path), load=0.25).duration == 0.25
    with pytest.raises(fm.ModelError, match="has no parameter 'step'; it has: .*did you mean 'st"):
        fm.make_scene("hanging_fiber", step=3)
    with pytest.raises(fm.ModelError, match="there is no scene 'hanging_fibre'; there are"):
        fm.make_scene("hanging_fibre")


@pytest.fixture(scope="module")
def study():
    module = load_scene("load_study")
    return module, *module.study(loads=(0.3, 0.6))


def test_speeds_of_the_study_lie_on_the_law(study):
    module, results, table = study
    assert all(result.status == "success" and not result.slack for result in results)
    load, stress, speed = table.T
    np.testing.assert_allclose(stress, load * 2.0e5, rtol=5e-3)
    # slower under more load, as the viscosity alone makes it: a straight line of slope
    # stretch^2 / (3 eta), from 1.3 lengths a second at the isometric 200 kPa
    np.testing.assert_allclose(np.diff(speed), -0.3 * 1.3 * 0.85**2, rtol=1e-2)
    tissue = module.scene().model.fibers[0].tissue
    np.testing.assert_allclose(speed, module.law(tissue, stress), rtol=5e-3)


def test_picture_of_the_study_shows_all_runs(study):
    module, results, table = study
    figure = module.draw(results, table)
    runs, speeds, powers = figure.axes
    assert len(runs.lines) == 3  # a run each, and the stretch of comparison
    np.testing.assert_array_equal(
        speeds.lines[1].get_xydata(), np.c_[table[:, 1] / 1e3, table[:, 2]]
    )
    assert powers.get_ylabel() == "power by volume [kW/m³]"


def test_study_writes_a_picture_and_a_table(study, tmp_path, monkeypatch):
    module, results, table = study
    monkeypatch.setattr(module, "study", lambda: (results, table))
    module.main(tmp_path / "new")
    with (tmp_path / "new" / "load_study.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["load [1]", "stress [N/m^2]", "speed [1/s]"]
    np.testing.assert_allclose(np.array(rows[1:], float), table, rtol=1e-5)
    assert (tmp_path / "new" / "load_study.png").stat().st_size > 10_000


def test_load_that_is_too_heavy_for_the_study_is_refused(study):
    module = study[0]
    result = fm.simulate_scene(module.scene(load=0.9, steps=40, duration=0.3))
    with pytest.raises(fm.ModelError, match="shortens to .* only: lower the load"):
        module.measure(result)


@pytest.fixture(scope="module")
def emg():
    result = fm.simulate_scene(load_scene("emg_limb").scene())
    assert result.status == "success" and not result.slack
    return result


@pytest.mark.slow
def test_limb_follows_the_electromyograms(emg):
    assert emg.stats["failed_steps"] == 0
    angle, t = emg.coordinate("elbow_flexion"), emg.time
    bent = [angle[(t > a) & (t < b)] for a, b in ((0.8, 1.8), (3.6, 4.6))]
    straight = [angle[(t > a) & (t < b)] for a, b in ((2.2, 2.7), (5.2, 5.6))]
    # two curls, the second with more effort; between them the triceps stretches the elbow
    assert 0.8 < bent[0].mean() < bent[1].mean() < 1.2
    assert all(-0.05 < part.mean() < 0.25 for part in straight)


def test_activations_are_those_of_the_bursts(emg):
    # the effort that the file was made from, delayed by 50 ms
    maker = ROOT / "scenes" / "data" / "make_limb_emg.py"
    spec = importlib.util.spec_from_file_location("make_limb_emg", maker)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    scene = load_scene("emg_limb")
    assert scene.MAX_VOLUNTARY == made.MAX_VOLUNTARY
    for muscle in ("biceps", "triceps"):
        found = emg.fibers[f"{muscle}_1"].activation / scene.SCALE[muscle]
        effort = made.effort(muscle, emg.time - 0.05)
        strong = effort > 0.2
        assert found[strong].mean() == pytest.approx(effort[strong].mean(), rel=0.1)
        assert np.corrcoef(found, effort)[0, 1] > 0.97
        np.testing.assert_array_equal(
            emg.fibers[f"{muscle}_1"].activation, emg.fibers[f"{muscle}_2"].activation
        )


def test_file_of_electromyograms_is_what_its_script_writes():
    done = subprocess.run(
        [sys.executable, "-c", "import make_limb_emg as m, sys; sys.stdout.write(m.table())"],
        cwd=ROOT / "scenes" / "data",
        capture_output=True,
        text=True,
        check=True,
    )
    stored = (ROOT / "scenes" / "data" / "limb_emg.csv").read_text()
    made = [line.split(",") for line in done.stdout.splitlines()[2:]]
    kept = [line.split(",") for line in stored.splitlines()[2:]]
    # random numbers and filters may round otherwise elsewhere
    np.testing.assert_allclose(np.array(kept, float), np.array(made, float), atol=2e-4)
    assert len(stored) < 300_000


def test_emg_of_ones_own(tmp_path):
    scene = load_scene("emg_limb")
    text = scene.FILE.read_text().splitlines()
    own = tmp_path / "own.csv"
    own.write_text("\n".join(text[:1502]) + "\n")
    made = scene.scene(emg=str(own), steps=10, duration=0.3)
    usual = scene.scene(steps=10, duration=0.3)
    at = [model.fibers[0].activation_at(0.9) for model in (made.model, usual.model)]
    assert at[0] == pytest.approx(at[1], rel=1e-2)
    with pytest.raises(fm.ModelError, match="own.txt"):
        scene.scene(emg=str(tmp_path / "own.txt"))


# as little as shows that it runs
OWN = [name for name in NAMES if name not in FROM_FILES]
CONTROLLED = "two_muscle_arm", "fastest_reach", "upper_body"
"""Scenes of optimal control, which cannot be solved in any duration."""

SHORT = {
    "contracting_fiber": ["experiment=quick_release"],
    "packed_muscle": ["fibers=7"],
    "upper_limb": ["elements=4"],
}


@pytest.mark.parametrize("name", OWN)
def test_every_scene_runs_by_its_name(name, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from fibermsk.cli.main import app

    monkeypatch.chdir(tmp_path)
    steps = 10 if name in CONTROLLED else 4
    settings = [f"steps={steps}", *SHORT.get(name, [])]
    settings += [] if name in CONTROLLED else ["duration=0.02"]
    done = CliRunner().invoke(app, ["run", name, "--set", *settings])
    assert done.exit_code == 0, done.stderr
    result = fm.load(tmp_path / "results" / f"{name}.h5")
    assert (result.scene, result.status, result.time.size) == (name, "success", steps + 1)
    page = fm.view.plot(result)
    assert overlapping(page) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [n for n in OWN if n not in (*CONTROLLED, "reaching_arm")])
def test_gallery_runs_without_a_warning(name):
    result = fm.simulate_scene(fm.make_scene(name))
    assert result.status == "success" and not result.slack
    assert result.stats["failed_steps"] == 0
