"""`fibermsk new`: the template, and what it refuses."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fibermsk as fm

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A scene as the command writes it."""
    from fibermsk.cli.commands.new import new

    path = tmp_path_factory.mktemp("own") / "my_scene.py"
    new(path)
    return path


def flexion(path, **parameters):
    """Result of the scene, and its elbow's angle at the end [rad]."""
    result = fm.simulate_scene(fm.make_scene(str(path), **parameters))
    assert result.status == "success" and not result.slack
    assert result.stats["failed_steps"] == 0
    return result, result.coordinate("elbow")[-1]


def test_new_writes_a_scene_and_says_what_is_next(folder, cli):
    made = cli("new", "my_scene.py")
    assert made.exit_code == 0 and made.stderr == ""
    assert made.stdout.startswith("written my_scene.py")
    assert "  fibermsk run my_scene.py\n" in made.stdout
    assert "  fibermsk view results/my_scene.h5\n" in made.stdout
    assert os.listdir(folder) == ["my_scene.py"]
    text = Path("my_scene.py").read_text()
    assert text.startswith('"""my_scene: a muscle') and "NAME" not in text
    shown = cli("scenes", "my_scene.py")
    assert shown.exit_code == 0 and "radius" in shown.stdout and "default 0.01" in shown.stdout


def test_commands_that_are_printed_work(folder, cli):
    lines = cli("new", "sub/own.py").stdout.splitlines()
    assert "  fibermsk run sub/own.py" in lines
    done = cli("run", "sub/own.py", "--set", "steps=5", "duration=0.1", "--json")
    assert done.exit_code == 0, done.stderr
    assert fm.load("results/own.h5").status == "success"
    with_values = next(line for line in lines if "--set" in line)
    arguments = with_values.split()[1:]
    assert arguments[-2] == "--out" and arguments[-1] != "results/own.h5"
    usual = fm.load("results/own.h5").parameters
    done = cli(*arguments, "--set", "steps=5", "duration=0.1", "--quiet")
    assert done.exit_code == 0, done.stderr
    assert fm.load(arguments[-1]).parameters["radius"] == 0.012
    assert fm.load("results/own.h5").parameters == usual
    for line in lines:
        if "--html" in line or " plot " in line:
            done = cli(*line.split()[1:])
            assert done.exit_code == 0, done.stderr
            assert Path(line.split()[-1]).stat().st_size > 10_000
    assert any("--html" in line for line in lines) and any(" plot " in line for line in lines)


def test_paths_with_blanks_are_quoted(folder, cli):
    lines = cli("new", "my scenes/own.py").stdout.splitlines()
    assert "  fibermsk run 'my scenes/own.py'" in lines
    wrong = cli("new", "my scenes/other")
    assert wrong.exit_code == 2 and "fibermsk new 'my scenes/other.py'" in wrong.stderr
    wrong = cli("new", "my scenes")
    assert wrong.exit_code == 2 and "fibermsk new 'my scenes/my_scene.py'" in wrong.stderr


def test_scene_runs_as_a_program(written, tmp_path):
    done = subprocess.run(
        [sys.executable, str(written), "--set", "steps=10", "duration=0.2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "elbow: 3 to " in done.stdout
    result = fm.load(tmp_path / "results" / "my_scene.h5")
    assert result.scene == "my_scene"
    pull = np.linalg.norm(result.fibers["biceps"].force_insertion, axis=1).max()
    # along the fiber the force has swings of the mesh
    assert f"{pull:.0f}" != f"{result.tension('biceps').max():.0f}"
    assert f"largest force in the muscle: {pull:.0f} N\n" in done.stdout


def test_scene_passes_the_checks_of_the_package(written):
    if shutil.which("ruff") is None:
        pytest.skip("needs ruff on the path")
    settings = ["--config", str(ROOT / "pyproject.toml")]
    for command in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        done = subprocess.run(
            ["ruff", *command, *settings, str(written)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_muscle_bends_the_elbow_and_touches_the_bone(written):
    result, angle = flexion(written)
    assert 1.0 < angle < 1.3
    # at rest the relaxed muscle lies on the bones, and the forearm hangs down
    assert abs(result.coordinate("elbow")[0]) < 0.1
    assert result.min_admissibility.min() < 0.95
    # the muscle's moment is that of the forearm's weight
    weight = 1.5 * 9.81 * 0.14 * np.sin(angle)
    muscle, forearm = result.fibers["biceps"], result.bodies["forearm"]
    arm = muscle.position[-1, -1] - forearm.position[-1]
    moment = np.cross(arm, muscle.force_insertion[-1])[1]
    # less the damping and the inertia of what still sways
    assert -moment == pytest.approx(weight, rel=0.1)


def test_more_radius_and_more_activation_bend_it_further(written):
    _, usual = flexion(written)
    thick, further = flexion(written, radius=0.012)
    strong, highest = flexion(written, activation=0.8)
    assert further > usual + 0.1 and highest > usual + 0.1
    assert thick.fibers["biceps"].radius[0].max() == pytest.approx(0.012, rel=0.05)
    assert strong.fibers["biceps"].activation[-1] == pytest.approx(0.8)
    _, relaxed = flexion(written, activation=0.0, duration=0.5, steps=20)
    assert abs(relaxed) < 0.1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("my_scene", "must end with .py: fibermsk new my_scene.py"),
        ("my_scene.txt", "must end with .py: fibermsk new my_scene.py"),
        ("my-scene.py", "'my-scene' is not a valid Python module name"),
        ("2nd.py", "'2nd' is not a valid Python module name"),
        ("class.py", "'class' is not a valid Python module name"),
        ("numpy.py", "'numpy' is a module that Python imports; must differ from it, such as my_"),
        ("random.py", "such as my_random.py"),
        ("pytest.py", "'pytest' is a module that Python imports"),
        ("h5py.py", "such as my_h5py.py"),
    ],
)
def test_wrong_names_are_refused(folder, cli, name, message):
    made = cli("new", name)
    assert made.exit_code == 2 and message in made.stderr
    assert not os.listdir(folder)


def test_own_files_and_folders_may_be_called_alike(folder, cli, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    Path("walk.py").write_text("raise RuntimeError")
    Path("jump").mkdir()
    Path("run").mkdir()
    for name in ("run/walk.py", "jump.py"):
        assert cli("new", name).exit_code == 0


def test_nothing_is_overwritten(folder, cli):
    Path("mine.py").write_text("precious")
    made = cli("new", "mine.py")
    assert made.exit_code == 2
    assert "mine.py exists; remove it first, or choose another name" in made.stderr
    assert Path("mine.py").read_text() == "precious"
    Path("there").mkdir()
    made = cli("new", "there")
    assert made.exit_code == 2 and "there is a folder; name a file in it" in made.stderr
    Path("loose.py").symlink_to("nowhere.py")
    assert cli("new", "loose.py").exit_code == 2 and not Path("nowhere.py").exists()
