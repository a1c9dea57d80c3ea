import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from make_result import make_result

import fibermsk
from fibermsk.cli.commands.run import run_scene
from fibermsk.errors import ModelError
from fibermsk.io import load
from fibermsk.results import Progress
from fibermsk.scene_files import find


def test_run_writes_the_result_and_prints_one_json_object(cli, scene_file, computing):
    done = cli("run", scene_file(), "--set", "steps=6", "elements=3", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert list(report) == [
        "scene",
        "file",
        "replaced",
        "status",
        "message",
        "time_end",
        "steps",
        "newton_iterations",
        "wall_seconds",
        "step_seconds",
        "final",
        "slack",
        "softening",
        "time_error",
        "warnings",
        "compile_seconds",
    ]
    assert report["scene"] == "arm"
    assert report["file"] == "results/arm.h5"
    assert report["status"] == "success"
    assert report["steps"] == 6
    assert report["newton_iterations"] == 21
    assert report["final"]["elbow_flexion"] == pytest.approx(1.0471975511965976)
    result = load("results/arm.h5")
    assert result.parameters == {"elements": 3, "steps": 6, "duration": 8.0, "fast": False}
    assert "loading" in done.stderr


BUCKLING = """
import fibermsk as fm


def scene(steps: int = 4) -> fm.Scene:
    model = fm.Model("buckling", gravity=(0, 0, 0))
    tissue = fm.Tissue(1.06, fm.KelvinVoigt(2e4, 1e3))
    end = fm.MovingPoint(lambda t: (0.1 - 0.1 * t, 0, 0))
    ends = model.ground.at(0, 0, 0), end
    model.add(fm.Fiber("strut", attach=ends, radius=3e-3, n_elements=2, tissue=tissue))
    forearm = model.add(fm.Body("forearm"))
    model.add(fm.Weld(model.ground, forearm))
    points = [fm.PathPoint(n, b.at(0, 0, 0)) for n, b in (("o", model.ground), ("i", forearm))]
    model.add(
        fm.LineMuscle(
            "biceps", points, max_isometric_force=500.0, optimal_fiber_length=0.1,
            tendon_slack_length=0.2,
        )
    )
    return fm.Scene(model, 0.04, steps)
"""


def test_warnings_are_shown_by_name_and_reported(tmp_path):
    path = tmp_path / "buckling.py"
    path.write_text(BUCKLING)
    code = "from fibermsk.cli.main import main; main()"
    command = [sys.executable, "-c", code, "run", path, "--json", "--out", tmp_path / "x.h5"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["warnings"]
    assert [sorted(entry) for entry in found] == [["fiber", "kind", "text", "time"]] * 3
    assert [entry["kind"] for entry in found] == ["plausibility", "line_muscles", "compression"]
    density, muscles, compressed = found
    assert density["fiber"] == "strut" and density["time"] is None
    assert "density = 1.06 kg/m^3" in density["text"]
    assert "1 line muscles exert no force" in muscles["text"] and "'biceps'" in muscles["text"]
    assert muscles["fiber"] is None
    # at the start already: the driven end moves, and the tissue is viscous
    assert compressed["fiber"] == "strut" and 0.0 <= compressed["time"] <= 0.04
    for entry in found:  # and on the terminal
        assert f"warning: {entry['text']}" in done.stderr


def test_plain_run_tells_what_it_did(cli, scene_file):
    done = cli("run", scene_file(), "--out", "deep/er/x.h5", "--method", "bdf2")
    assert done.exit_code == 0
    assert "arm: success" in done.stdout
    assert "written to deep/er/x.h5" in done.stdout
    assert load("deep/er/x.h5").method == "bdf2"


def test_check_is_printed_and_kept(cli, scene_file):
    path = scene_file()
    done = cli("run", path, "--check")
    assert done.exit_code == 0
    assert "elbow_flexion        0.5       1.25 (2 s)  of        30 N m" in done.stdout
    done = cli("run", path, "--check", "--json")
    assert json.loads(done.stdout)["check"]["coordinates"]["elbow_flexion"]["rms"] == 0.5
    assert load("results/arm.h5").stats["check"]["end"] == 7.0
    done = cli("run", path, "--check", "--set", "steps=2")
    assert "forces not checked" in done.stdout


def test_quiet_run_says_nothing(cli, scene_file):
    path = scene_file()
    path.write_text(path.read_text().replace('print("loading")', ""))
    done = cli("run", path, "--quiet")
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.parametrize("model, status", [("fails", "failed"), ("interrupted", "interrupted")])
def test_broken_run_leaves_its_result(cli, scene_file, model, status):
    done = cli("run", scene_file(model), "--json")
    assert done.exit_code == (130 if status == "interrupted" else 1)
    assert json.loads(done.stdout)["status"] == status
    assert load("results/arm.h5").status == status
    assert "Traceback" not in done.stderr
    assert "results/arm.h5" in done.stderr


def test_a_scene_changed_within_a_second_runs_as_it_is(cli, scene_file, monkeypatch):
    """Python knows what it compiled by the size of the text and its time in whole seconds."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = scene_file()
    for steps in (4, 6):
        path.write_text(path.read_text().replace("steps: int = 4", f"steps: int = {steps}"))
        os.utime(path, (1e9, 1e9))
        assert cli("run", path).exit_code == 0
        assert load("results/arm.h5").time.size == steps + 1


def test_what_is_replaced_is_said(cli, scene_file):
    path = scene_file()
    first, second = cli("run", path), cli("run", path)
    assert first.stdout.endswith("written to results/arm.h5\n")
    assert second.stdout.endswith("written to results/arm.h5, which was replaced\n")
    scene_file("fails")
    done = cli("run", path, "--json", "--overwrite")
    assert "are in results/arm.h5, which was replaced" in done.stderr
    assert json.loads(done.stdout)["replaced"] and load("results/arm.h5").status == "failed"


def test_a_failed_run_leaves_a_complete_result_alone(cli, scene_file):
    path = scene_file()
    assert cli("run", path).exit_code == 0
    before = Path("results/arm.h5").read_bytes()
    scene_file("fails")
    for again in (False, True):  # what is incomplete is replaced
        done = cli("run", path, "--json")
        assert done.exit_code == 1
        told = json.loads(done.stdout)
        assert (told["file"], told["replaced"]) == ("results/arm.partial.h5", again)
        assert "the complete result in results/arm.h5 is kept (--overwrite repl" in done.stderr
        assert Path("results/arm.h5").read_bytes() == before
        assert load("results/arm.partial.h5").status == "failed"
    # a complete result of that name is kept, too
    Path("results/arm.partial.h5").write_bytes(before)
    assert "are in results/arm.partial2.h5" in cli("run", path).stderr
    assert Path("results/arm.partial.h5").read_bytes() == before
    Path("results/arm.partial.h5").unlink()
    Path("results/arm.partial.h5").mkdir()  # known before the run
    assert "cannot write results/arm.partial.h5: it is a folder" in cli("run", path).stderr
    # where none is complete, it goes to its place
    assert "are in other.h5" in cli("run", path, "--out", "other.h5").stderr
    assert not Path("other.partial.h5").exists()


@pytest.mark.parametrize("status", ["failed", "interrupted"])
def test_run_without_a_step_leaves_a_complete_result_alone(cli, scene_file, monkeypatch, status):
    path = scene_file()
    assert cli("run", path, "--set", "steps=6").exit_code == 0

    def start_only(scene, **given):
        return make_result(1, scene="arm", status=status, message="no luck")

    monkeypatch.setattr(fibermsk, "simulate_scene", start_only)
    done = cli("run", path, "--json")
    assert done.exit_code == (130 if status == "interrupted" else 1)
    assert "no step was completed, and the earlier result in results/arm.h5 is kept" in done.stderr
    assert json.loads(done.stdout)["file"] is None
    assert load("results/arm.h5").time.size == 7
    # where there is none, what there is is written; and that in turn is replaced
    for _ in range(2):
        assert "are in other.h5" in cli("run", path, "--out", "other.h5").stderr
        assert load("other.h5").status == status


def test_both_times_of_a_run_are_named(cli, scene_file, monkeypatch):
    def timed(scene, **given):
        return make_result(3, scene="arm", stats={"wall_seconds": 7.61})

    monkeypatch.setattr(fibermsk, "simulate_scene", timed)
    assert " s in all, 7.6 s of them for the steps\n" in cli("run", scene_file()).stdout


@pytest.mark.parametrize(
    "model, message",
    [
        ("fails at once", "error: no equilibrium was found"),
        ("killed", "interrupted"),
        ("breaks", "error: RuntimeError: a defect (--debug shows the traceback)"),
    ],
)
def test_run_without_any_result(cli, scene_file, model, message):
    done = cli("run", scene_file(model), "--quiet")
    assert done.exit_code == (130 if message == "interrupted" else 1)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("front", [True, False])
def test_debug_shows_the_traceback(cli, scene_file, front):
    arguments = ["run", scene_file("breaks")]
    arguments.insert(0 if front else 2, "--debug")
    done = cli(*arguments)
    assert done.exit_code == 1
    assert "Traceback" in done.stderr
    assert "--debug" not in done.stderr


def test_folder_is_checked_before_computing(cli, scene_file, monkeypatch):
    def never(*args, **options):
        raise AssertionError("computed")

    monkeypatch.setattr(fibermsk, "simulate_scene", never)
    Path("taken").write_text("a file")
    done = cli("run", scene_file(), "--out", "taken/run.h5")
    assert done.exit_code == 2
    assert "cannot write taken/run.h5" in done.stderr


@pytest.mark.parametrize(
    "setting, message",
    [
        (
            "step=3",
            "has no parameter 'step'; it has: elements, steps, duration, fast; did you mean",
        ),
        ("steps=3.5", "steps = '3.5'; must be a whole number"),
        ("duration=long", "duration = 'long'; must be a finite number"),
        ("fast=maybe", "fast = 'maybe'; must be true or false"),
        ("steps", "must be key=value"),
    ],
)
def test_bad_settings(cli, scene_file, setting, message):
    done = cli("run", scene_file(), "--set", setting)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout.replace("loading\n", "") == ""


@pytest.mark.parametrize("given", [["steps", "=", "3"], ["steps", "=3"]])
def test_blanks_around_the_equals_sign(cli, scene_file, given):
    done = cli("run", scene_file(), "--set", *given)
    assert done.exit_code == 2
    assert "no spaces may be around the = of a value" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "text, message",
    [
        ("def scene(:\n", "line 1: invalid syntax"),
        ("x = 1\ny = 1 / 0\n", r"line 2: the file raised ZeroDivisionError"),
        ("import no_such_module\n", "line 1: the file raised ModuleNotFoundError"),
        ("x = 1\n", "defines no function scene()"),
        ("def scene():\n    return 3\n", "scene() returned int; must return fm.Scene"),
        ("def scene(n=1):\n    return {}[n]\n", "line 2: scene() raised KeyError: 1"),
        ("from fibermsk.errors import ModelError\nraise ModelError('bad')\n", "bad (.*line 2)"),
        ("import sys\nsys.exit(0)\n", "line 2: the file raised SystemExit"),
        ("a\0b", "null bytes"),
    ],
)
def test_bad_scene_files(cli, computing, text, message):
    path = computing / "mine.py"
    path.write_text(text)
    done = cli("run", path)
    assert done.exit_code == 2
    assert str(path) in done.stderr
    if "bad (" in message:
        assert f"bad ({path}, line 2)" in done.stderr
    else:
        assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "scene, message",
    [
        ("no_such_scene", "there is no scene 'no_such_scene'"),
        ("folder/scene.py", "there is no scene file folder/scene.py"),
        (".", "is a folder"),
        ("text.txt", "is not a Python file"),
    ],
)
def test_scene_that_is_not_there(cli, computing, scene, message):
    Path("text.txt").write_text("hello")
    done = cli("run", scene)
    assert done.exit_code == 2
    assert message in done.stderr


def test_bad_usage(cli):
    assert cli("run").exit_code == 2
    assert cli("nonsense").exit_code == 2
    assert cli("run", "x", "--nonsense").exit_code == 2


def test_what_a_scene_file_defines_can_be_pickled(scene_file):
    import pickle

    function = find(str(scene_file())).function
    assert pickle.loads(pickle.dumps(function)) is function


def test_run_scene_runs_with_defaults_and_settings(scene_file):
    file = find(str(scene_file()))
    result = run_scene(file.function, ["--set", "steps=2", "--out", "mine.h5"])
    assert result.time.size == 3
    assert load("mine.h5").scene == "arm"
    with pytest.raises(SystemExit) as end:
        run_scene(file.function, ["--set", "wrong=2"])
    assert end.value.code == 2


def test_required_parameter(cli, computing):
    path = computing / "mine.py"
    path.write_text("def scene(mass: float):\n    return 3\n")
    done = cli("run", path)
    assert done.exit_code == 2
    assert "needs a value for: mass" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_during_a_run_saves_what_there_is(computing, scene_file, number):
    program = computing / "program.py"
    program.write_text(
        textwrap.dedent("""
        import signal, sys, time
        import fibermsk
        from fake_computing import FakeScene
        from make_result import make_result
        from fibermsk.cli.main import main

        # a background job of a shell is started with it ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def simulate_scene(scene, *, name, parameters, method, progress, save, **checkpoints):
            try:
                print("ready", flush=True)
                time.sleep(60)
            except KeyboardInterrupt:
                return make_result(3, scene=name, status="interrupted")

        fibermsk.Scene, fibermsk.simulate_scene = FakeScene, simulate_scene
        main()
        """)
    )
    paths = [str(Path(fibermsk.__file__).parents[1]), *sys.path, str(Path(__file__).parent)]
    start = f"import sys, runpy; sys.path[:] = {paths!r}; sys.argv.pop(0); "
    process = subprocess.Popen(
        [sys.executable, "-c", start + "runpy.run_path(sys.argv[0], run_name='__main__')"]
        + [str(program), "run", str(scene_file())],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=computing,
    )
    for line in process.stdout:
        if line == "ready\n":
            break
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert load(computing / "results" / "arm.h5").status == "interrupted"
    assert "Traceback" not in errors


def test_a_run_with_other_settings_tells_what_it_will_replace(cli, scene_file):
    path = scene_file()
    said = "will replace results/arm.h5, of a run with other settings; --out FILE keeps it"
    for steps, told in ((3, False), (3, False), (4, True)):
        done = cli("run", path, "--set", f"steps={steps}")
        assert done.exit_code == 0 and (said in done.stderr) == told
    assert said not in cli("run", path, "--set", "steps=5", "--quiet").stderr


@pytest.mark.parametrize("out", ["arm.csv", "there/arm.txt"])
def test_a_result_is_an_hdf5_file(cli, scene_file, computing, out):
    done = cli("run", scene_file(), "--out", out)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: --out {out}; must end with .h5; fibermsk export makes")
    assert not list(computing.rglob(out))


def test_model_error_of_the_computation_is_bad_input(cli, scene_file, monkeypatch):
    def refuse(*args, **options):
        raise ModelError("t_end = -1; must be positive")

    monkeypatch.setattr(fibermsk, "simulate_scene", refuse)
    done = cli("run", scene_file())
    assert done.exit_code == 2
    assert done.stderr.strip() == "error: t_end = -1; must be positive"


def test_summary_names_the_unit_of_each_coordinate(capsys):
    from fibermsk.cli.running.summary import print_summary

    report = {"scene": "s", "status": "success", "time_end": 1.0, "steps": 2, "file": "s.h5"}
    report |= {"newton_iterations": 3, "wall_seconds": 0.1, "step_seconds": 0.05, "replaced": False}
    report |= {"final": {"knee": 0.5, "slide": 0.25, "hip_w": 1.0}, "compile_seconds": 0.0}
    print_summary(report, {"slide": "m", "hip_w": "1"})
    out = capsys.readouterr().out
    assert "knee = 0.5 rad\n  slide = 0.25 m\n  hip_w = 1\n" in out and "compiled" not in out
    print_summary(report | {"compile_seconds": 97.3}, {"slide": "m", "hip_w": "1"})
    assert "for the steps; 97 s compiled kernels, once\n" in capsys.readouterr().out


def test_movie_says_now_and_then_how_far_it_is(monkeypatch, capsys):
    from fibermsk.cli.running import progress

    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with progress.progress_report("arm.mp4", quiet=False) as report:
        for done in range(9):
            report(progress.Counted(done, 8, "picture"))
            clock[0] += 1.0
    assert capsys.readouterr().err.splitlines() == [
        "arm.mp4: picture 0 of 8",
        "arm.mp4: picture 3 of 8, about 5 s left",
        "arm.mp4: picture 6 of 8, about 2 s left",
    ]


def test_compilation_says_now_and_then_how_much_is_left(monkeypatch, capsys):
    from fibermsk.cli.running import progress

    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with progress.progress_report("arm", quiet=False) as report:
        for done in range(40):
            part = f"{done} of 40"
            report(Progress(0.0, 1.0, message="compiling kernels", part=part, done=done / 40))
            clock[0] += 0.5
    assert capsys.readouterr().err.splitlines() == [
        "arm: compiling kernels",
        "arm: compiling kernels, 20 of 40",
    ]


def test_the_bar_begins_anew_after_compilation(monkeypatch, capsys):
    from rich.progress import Progress as Bars

    from fibermsk.cli.running import progress

    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    restarted = []
    reset = Bars.reset
    monkeypatch.setattr(Bars, "reset", lambda *a, **k: (restarted.append(a), reset(*a, **k)))
    with progress.progress_report("arm", quiet=False) as report:
        for done in (0.1, 0.9):
            report(Progress(0.0, 1.0, message="compiling kernels", part="2 of 9", done=done))
        assert not restarted
        for t in (0.0, 0.5, 1.0):
            report(Progress(t, 1.0))
    assert len(restarted) == 1
    assert "compiling kernels, 2 of 9" in capsys.readouterr().err


def test_short_steps_are_told_once_with_their_reason(capsys):
    from fibermsk.cli.running.progress import progress_report

    reasons = "no convergence in 25 iterations; largest residual {} N", "a contact is too deep"
    with progress_report("arm", quiet=False) as report:
        for step in range(200):
            reason = reasons[step > 120].format(step)
            report(Progress(1e-6 * step, 0.01, step, step_size=1e-6, obstacle=reason))
        report(Progress(0.005, 0.01, 201, step_size=1e-3, obstacle="neither short"))
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "arm: at t = 5e-05 s steps are 1e-06 s, 10,000 of them to the end, since longer ones do "
        "not succeed: no convergence in 25 iterations; largest residual 50 N",
        "arm: at t = 0.000121 s steps are 1e-06 s, 9,900 of them to the end, since longer ones "
        "do not succeed: a contact is too deep",
    ]
