"""A time integrator of one's own in a scene, by value and by its name on the command line."""

import json

import numpy as np
import pytest

import fibermsk as fm

SCENE = '''"""A mass on a spring."""

from dataclasses import dataclass
from typing import NamedTuple

import fibermsk as fm
from fibermsk.solvers.initial import accelerations
from fibermsk.solvers.newton.stage import State, Step, predict, solve_stage


@dataclass(frozen=True)
class Euler:
    """Backward Euler, written again."""

    name = "my_euler"
    order = 1
    error_order = 2
    most_growth = 4.0

    def start(self, system, state):
        return Memory(state, accelerations(system, *state))

    def step(self, system, newton, memory, h):
        (t, y, v), _ = memory
        guess = predict(system, newton, t + h, y, h * v)
        stage = solve_stage(system, newton, t + h, guess, y, v, h)
        state = State(t + h, stage.y, stage.v)
        error = 0.0 * y
        return Step(
            Memory(state, stage.v_dot), (stage.report,), stage.report.final, error, error
        )


class Memory(NamedTuple):
    state: State
    v_dot: object


def scene(steps: int = 20, own: bool = True) -> fm.Scene:
    model = fm.Model("spring", gravity=(0, 0, 0))
    mass = model.add(fm.Body("mass", mass=2.0, inertia=(1, 1, 1)))
    x = fm.Coordinate("x", "translation", value=0.1, forces=fm.Spring(8.0))
    model.add(fm.Slider("rail", model.ground, mass, at=(0, 0, 0), axis=(1, 0, 0), coordinate=x))
    method = Euler() if own else "backward_euler"
    return fm.Scene(model, duration=1.0, steps=steps, method=method, tolerance=0.0)
'''


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spring.py").write_text(SCENE)
    return tmp_path


def run(cli, *options):
    done = cli("run", "spring.py", "--json", *options)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["final"]["x"], fm.load("results/spring.h5").method


def test_a_scene_takes_a_method_by_value(cli, folder):
    """As from `simulate_scene`; the result tells which it was."""
    found, method = run(cli)
    expected = 0.1 * np.real((1.0 + 0.05 * 2.0j) ** -20)  # of backward Euler on an oscillator
    assert found == pytest.approx(expected, rel=1e-9)
    assert method == "my_euler"
    scene = fm.make_scene("spring.py")
    assert fm.simulate_scene(scene).coordinate("x")[-1] == found
    assert fm.simulate_scene(scene, method=fm.BDF2()).coordinate("x")[-1] != found
    with pytest.raises(fm.ModelError, match="simulate_scene: method = .*must be a method such as"):
        fm.simulate_scene(scene, method=fm.BDF2)


@pytest.mark.parametrize("name", ["my_euler", "Euler"])
def test_the_command_line_finds_what_the_file_defines(cli, folder, name):
    by_name = run(cli, "--set", "own=false", "--method", name)
    assert by_name == run(cli)
    assert by_name[0] == pytest.approx(run(cli, "--method", "backward_euler")[0], rel=1e-9)
    done = cli("run", "spring.py", "--method", "Oiler")
    assert done.exit_code == 2 and "did you mean 'Euler'?" in done.stderr


def test_a_run_of_it_is_resumed(cli, folder):
    whole = run(cli, "--method", "Euler")
    scene = fm.make_scene("spring.py")

    def stop(progress):
        if progress.time > 0.5:
            raise KeyboardInterrupt

    result = fm.simulate_scene(scene, progress=stop, checkpoint="part.h5", checkpoint_every=0.0)
    assert result.status == "interrupted"
    rest = fm.simulate_scene(scene, resume_from="part.h5")
    assert rest.coordinate("x")[-1] == whole[0]
