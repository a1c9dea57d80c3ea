"""What `fibermsk sensitivity` refuses, with the option, the range and a remedy."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.gradients.quantity import check_quantity

SCENE = ["sensitivity", "two_bones", "--set", "duration=0.05", "steps=5"]


def told(*arguments):
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--of", "q9_end"], "of = 'q9_end': quantity = 'q9'; must be one of q1, q2"),
        (
            ["--of", "muscle/length_end"],
            "'muscle/length'; must be of a line muscle with a law; 'muscle' has none and is not "
            "reported; give it one, such as fm.HillLaw()",
        ),
        (["--to", "first/name"], "'first/name' is a text; must be a number, such as first/mass"),
        (["--set", "steps=abc"], "--set steps = 'abc'; must be a whole number; its default is 200"),
        (
            ["--param", "first/mass=abc"],
            "--param first/mass = 'abc'; must be a finite number; 'fibermsk info SCENE "
            "--parameters' lists ranges and units",
        ),
        pytest.param(
            ["--out", "/proc/a.csv"],
            "no file can be created in /proc; choose another folder",
            marks=pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no /proc"),
        ),
    ],
)
def test_errors_have_a_range_or_a_remedy(arguments, words):
    given = [*SCENE, "--of", "q1_end", "--to", "first/mass", *arguments]
    status, _, error = told(*given)
    assert status == 2 and words in error, error


@pytest.mark.parametrize(
    "scene, of, words",
    [
        (
            "upper_limb",
            "elbow_flexon_max",
            "be one of elbow_flexion, elbow_flexion/speed, biceps_1",
        ),
        ("upper_limb", "elbow_flexion", "one of the ends _max, _min, _end, _mean"),
        ("upper_limb", "bizeps_1/length_max", "quantity = 'bizeps_1/length'; must be one of"),
        ("two_bones", "muscle/tendon_force_max", "must be of a line muscle with a law"),
    ],
)
def test_quantities_are_checked_before_a_system_is_built(monkeypatch, scene, of, words):
    def build(*_):
        raise AssertionError("built")

    monkeypatch.setattr("fibermsk.gradients.simulation.build", build)
    status, _, error = told("sensitivity", scene, "--of", of, "--to", "*/mass")
    assert status == 2 and words in error, error


@pytest.mark.parametrize("of", ["elbow_flexion_max", "angle_end", "energy_mean"])
def test_quantities_that_may_be_there_pass(of):
    check_quantity(fm.make_scene("upper_limb").model, of)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "plain").write_text("")
    out = str(tmp_path / "plain" / "deep" / "a.csv")
    status, _, error = told(*SCENE, "--of", "q1_end", "--to", "first/mass", "--out", out)
    assert status == 2
    assert f"{tmp_path / 'plain'} is a file, not a folder; choose another folder" in error


def test_several_patterns_may_follow_one_option():
    status, table, error = told(*SCENE, "--of", "q1_end", "--to", "first/mass", "q1/speed", "q2/*")
    assert status == 0, error
    assert "first/mass" in table and "q1/speed" in table and "q2/value" in table


def test_the_scene_may_come_last():
    status, table, error = told("sensitivity", "--of", "q1_end", "--to", "q1/speed", *SCENE[1:])
    assert status == 0 and "q1/speed" in table, error


def test_problems_of_control_are_refused_with_what_to_use():
    pytest.importorskip("casadi", reason="optimal control needs CasADi")
    status, _, error = told("sensitivity", "two_muscle_arm", "--of", "q1_end", "--to", "*")
    assert status == 2
    assert "must be run with excitations that are given, not a problem that is solved" in error
    assert "solve it with 'fibermsk run two_muscle_arm'" in error


def test_quantities_besides_coordinates_are_told():
    _, text, _ = told("sensitivity", "--help")
    for word in ("NAME/length", "tendon_force", "tissue_force", "energy"):
        assert word in text, text


def test_forces_lengths_and_the_energy_have_sensitivities():
    scene = fm.make_scene("two_bones", duration=0.05, steps=5)
    assert fm.sensitivity(scene, "energy_end", "first/mass").unit == "J"
