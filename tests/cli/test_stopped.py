"""A scene that an observer stops: exit status 0, message, file and checkpoint."""

import json

import pytest

import fibermsk as fm
from fibermsk.cli.main import app

SCENE = '''
import fibermsk as fm


def scene(floor=-2.0):
    """A ball that falls."""
    model = fm.Model("fall", gravity=(0, 0, -10.0))
    ball = model.add(fm.Body("ball", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(fm.Slider("height", model.ground, ball, (0, 0, 0), axis=(0, 0, 1)))
    lands = fm.StopWhen(lambda now: now.position(ball)[2] - floor, "the ball lands")
    return fm.Scene(model, duration=2.0, steps=20, observers=(lands,))
'''


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        app(["run", "fall.py", "--out", "fall.h5", "--checkpoint-every", "1e-9", *arguments])
    return end.value.code or 0


def test_stopped_run_succeeds(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fall.py").write_text(SCENE, encoding="utf-8")
    assert run("--json") == 0
    printed, errors = capsys.readouterr()
    report = json.loads(printed)
    assert report["status"] == "stopped" and "error" not in errors
    assert report["message"].endswith(": the ball lands")
    assert report["time_end"] == pytest.approx(0.4**0.5, abs=1e-9)
    assert report["final"]["height"] == pytest.approx(-2.0, abs=1e-8)
    result = fm.load("fall.h5")
    assert result.status == "stopped" and result.is_complete
    assert not (tmp_path / "fall.checkpoint.h5").exists()
    assert run() == 0
    out = capsys.readouterr().out
    assert "fall: stopped, t = 0.632" in out and "the ball lands" in out


def test_a_scene_names_its_bad_observers():
    with pytest.raises(fm.ModelError, match="observers = 3; must be a tuple"):
        fm.Scene(fm.Model("empty"), 1.0, 1, observers=3)
