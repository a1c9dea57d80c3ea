"""Fixtures of the command tests."""

from __future__ import annotations

import pytest
from fake_computing import FakeScene, fake_simulate
from swing import SCENE as SWING
from typer.testing import CliRunner

import fibermsk
from fibermsk.cli.main import app


@pytest.fixture(autouse=True)
def own_state(monkeypatch, tmp_path_factory):
    """Keep what a user keeps in a folder of the tests."""
    folder = tmp_path_factory.getbasetemp() / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture
def computing(monkeypatch, tmp_path):
    """Work in an empty folder, with a computing side that makes results up."""
    monkeypatch.setattr(fibermsk, "Scene", FakeScene, raising=False)
    monkeypatch.setattr(fibermsk, "simulate_scene", fake_simulate, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli():
    """Run a command: its outcome has exit_code, stdout and stderr."""

    def invoke(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


SCENE = '''"""An arm that {model}.

More about it.
"""

import fibermsk as fm

print("loading")


def scene(elements: int = 8, steps: int = 4, duration: float = 8.0, fast: bool = False) -> fm.Scene:
    return fm.Scene("{model}", duration, steps)


if __name__ == "__main__":
    fm.run_scene(scene)
'''


@pytest.fixture
def scene_file(computing):
    """Write a scene file whose run goes as told."""

    def write(model="works", name="arm"):
        path = computing / f"{name}.py"
        path.write_text(SCENE.format(model=model))
        return path

    return write


@pytest.fixture
def swing_file(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "swing.py"
    path.write_text(SWING)
    return path


@pytest.fixture
def stopped(monkeypatch):
    """Make runs stop by Ctrl-C after some steps, as long as this says so."""
    from fibermsk import scene_run

    class Stop:
        after: float = 7

    simulate = scene_run.simulate

    def stopping(*arguments, progress, **options):
        def tell(state):
            progress(state)
            if state.step == Stop.after:
                raise KeyboardInterrupt

        return simulate(*arguments, progress=tell, **options)

    monkeypatch.setattr(scene_run, "simulate", stopping)
    return Stop
