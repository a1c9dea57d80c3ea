"""`--t-end` and `--dt` of all commands that run a scene."""

import json

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.cli.running.times import settings_of_times
from fibermsk.scene_files import find


@pytest.fixture(scope="module")
def hanging():
    return find("hanging_fiber")


def test_both_set_what_a_scene_has(hanging):
    assert settings_of_times(hanging, [], None, None) == []
    # the step stays, or is shorter
    usual = hanging.parameters["steps"].default / hanging.parameters["duration"].default
    assert settings_of_times(hanging, [], 0.5, None) == ["duration=0.5", f"steps={0.5 * usual:.0f}"]
    assert settings_of_times(hanging, ["steps=7"], 0.5, None) == ["duration=0.5"]
    assert settings_of_times(hanging, [], 0.5, None, ["steps"]) == ["duration=0.5"]
    # the duration of a problem is where its search starts
    assert settings_of_times(find("fastest_reach"), [], 0.1, None) == ["duration=0.1"]
    assert settings_of_times(hanging, [], 0.5, 0.05) == ["duration=0.5", "steps=10"]
    duration = hanging.parameters["duration"].default
    assert settings_of_times(hanging, [], None, duration / 8) == ["steps=8"]
    assert settings_of_times(hanging, ["duration=3"], None, 0.1) == ["steps=30"]


REFUSED = {
    "negative": ([], -1.0, None, "--t-end = -1.0 s; must be positive"),
    "zero": ([], None, 0.0, "--dt = 0.0 s; must be positive"),
    "uneven": ([], 0.5, 0.3, "0.5 s are 1.66667 steps; must be a whole number: use 0.25"),
    "longer": ([], 0.5, 2.0, "0.5 s are 0.25 steps; must be a whole number: use 0.5"),
    "end twice": (["duration=2"], 1.0, None, "--set duration=... is given too"),
    "steps twice": (["steps = 2"], None, 0.1, "--set steps=... is given too"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(hanging, case):
    settings, t_end, dt, message = REFUSED[case]
    with pytest.raises(fm.ModelError) as error:
        settings_of_times(hanging, settings, t_end, dt)
    assert message in str(error.value)


def test_scenes_without_such_a_parameter_are_named(tmp_path):
    own = tmp_path / "own.py"
    own.write_text(
        '"""Own."""\nimport fibermsk as fm\n\n\ndef scene(stiffness: float = 1.0) -> fm.Scene:\n'
        '    """A scene."""\n    raise NotImplementedError\n'
    )
    with pytest.raises(fm.ModelError, match="own has no parameter 'steps'.*it has: stiffness"):
        settings_of_times(find(str(own)), [], None, 0.1)


def test_the_duration_of_a_model_may_be_unknown():
    from fibermsk.cli.running.model_files import MODEL_SCENE

    with pytest.raises(fm.ModelError, match="--dt 0.1: the duration is not known here"):
        settings_of_times(find(str(MODEL_SCENE)), ["model=x.osim"], None, 0.1)


def test_a_run_ends_and_steps_as_told(cli, tmp_path):
    options = ["--t-end", "0.2", "--dt", "0.05", "--out", str(tmp_path / "x.h5"), "--json"]
    found = json.loads(cli("run", "hanging_fiber", *options).stdout)
    assert (found["time_end"], found["steps"]) == (0.2, 4)


def test_a_study_and_a_sensitivity_end_as_told(cli, tmp_path):
    xarray = pytest.importorskip("xarray")
    out = tmp_path / "x.nc"
    times = "--t-end", "0.1", "--dt", "0.05"
    given = "--over", "fiber/tissue/density=1000,1100", "--of", "fiber.length", "--out", out
    done = cli("sweep", "hanging_fiber", *given, *times, "--jobs", "2", "--threads", "1")
    assert done.exit_code == 0
    with xarray.open_dataset(out) as kept:
        assert np.allclose(kept["time"], [0.0, 0.05, 0.1])
    options = "--of", "fiber/length_end", "--to", "fiber/tissue/density", "--json"
    found = [
        json.loads(cli("sensitivity", "hanging_fiber", *options, *how).stdout)["value"]
        for how in (times, ("--set", "duration=0.1", "steps=2"))
    ]
    assert found[0] == found[1]
