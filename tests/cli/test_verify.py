import json
from pathlib import Path

import pytest
from verify.problem_files import write_problem

from fibermsk import scene_files


@pytest.fixture
def problems(computing, monkeypatch):
    """Installation with two problems, and a writer of more."""
    package = computing / "fibermsk"
    folder = computing / "verification"
    package.mkdir()
    folder.mkdir()
    monkeypatch.setattr(scene_files.fibermsk, "__file__", str(package / "__init__.py"))
    write_problem(folder, name="first")
    write_problem(folder, name="second")
    (folder / "_part.py").write_text("1 / 0")
    return lambda how, name: write_problem(folder, how, name)


def test_all_problems_run_without_an_argument(cli, problems):
    done = cli("verify")
    assert done.exit_code == 0, done.output
    assert "first: passed" in done.stdout and "second: passed" in done.stdout
    assert "length  1.0625, expected 1 within 0.069: ok (independent)" in done.stdout
    assert "first: running (1 of 2)" in done.stderr
    assert "second: running (2 of 2)" in done.stderr


def test_json_is_one_object(cli, problems):
    done = cli("verify", "second", "--set", "elements=8", "offset=1e-4", "--json")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["problems"]
    assert found["problem"] == "second" and found["passed"] is True
    assert found["parameters"] == {"elements": 8, "offset": 1e-4}
    assert found["values"]["length"] == 1.0 + 1.0 / 64 + 1e-4
    assert found["expected"]["length"]["tolerance"] == 1.1 / 64
    assert "loading" in done.stderr


def test_falling_short_is_status_1(cli, problems):
    done = cli("verify", "--set", "offset=0.5", "--json")
    assert done.exit_code == 1
    assert [item["passed"] for item in json.loads(done.stdout)["problems"]] == [False, False]
    assert "error: failed: first, second" in done.stderr
    assert "FAILED" in cli("verify", "first", "--set", "offset=0.5").stdout


@pytest.mark.parametrize(
    "how, message", [("fails", "no equilibrium"), ("breaks", "RuntimeError: a defect")]
)
def test_a_failing_problem_does_not_stop_the_others(cli, problems, how, message):
    problems(how, "bad")
    done = cli("verify", "--json")
    assert done.exit_code == 1
    found = {item["problem"]: item for item in json.loads(done.stdout)["problems"]}
    assert found["bad"]["error"] == message and found["bad"]["passed"] is False
    assert found["first"]["passed"] and found["second"]["passed"]
    assert "Traceback" not in done.stderr
    assert "Traceback" in cli("verify", "bad", "--debug").stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["frist"], "there is no verification problem 'frist'; there are: first, second; did you"),
        (["first", "nothing"], "there is no verification problem 'nothing'"),
        (["no/such.py"], "there is no verification problem file no/such.py"),
        (["--set", "element=3"], "'first' has no parameter 'element'; it has: elements, offset"),
        (["--set", "elements=3.5"], "elements = '3.5'; must be a whole number"),
        (["--set", "elements=0"], "elements = 0; must be 1 or more"),
        (["--report", "taken"], "cannot write to taken: it is a file"),
        (["--report", "taken/deeper"], "cannot write"),
        (["--fine"], "give --report DIR"),
    ],
)
def test_bad_input_is_status_2(cli, problems, arguments, message):
    Path("taken").write_text("a file")
    done = cli("verify", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout.replace("loading\n", "") == ""


def test_folder_of_the_report_is_checked_before_computing(cli, problems):
    Path("taken").write_text("a file")
    done = cli("verify", "--report", "taken")
    assert "running" not in done.stderr


def test_report(cli, problems):
    problems("fails", "bad")
    done = cli("verify", "--report", "out/report", "--json")
    assert done.exit_code == 1
    assert len(json.loads(done.stdout)["problems"]) == 3
    page = Path("out/report/verification.html").read_text()
    assert "1 of 3 problems failed: bad." in page
    text = Path("out/report/verification.md").read_text()
    assert "![A problem that works](first.png)" in text
    assert Path("out/report/first.png").is_file() and Path("out/report/second.png").is_file()
    assert "written to out/report/verification.html" in done.stderr


def test_a_problem_given_twice_runs_once(cli, problems):
    done = cli("verify", "first", "first", "--json")
    assert len(json.loads(done.stdout)["problems"]) == 1


def test_own_problem_by_its_path(cli, problems, computing):
    path = write_problem(computing, name="mine")
    assert "mine: passed" in cli("verify", path).stdout


def test_installation_without_problems(cli, problems):
    for path in Path("verification").iterdir():
        path.unlink()
    done = cli("verify")
    assert done.exit_code == 2
    assert "no verification problems" in done.stderr


def test_missing_package_skips_its_problem(tmp_path):
    """Without Pinocchio: skipped in a run of everything, bad input where asked for by name."""
    import subprocess
    import sys

    (tmp_path / "pinocchio.py").write_text("raise ImportError('not here')")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import fibermsk.scene_files as files\n"
        "files.problem_names = lambda: ['rigid_trees']\n"
        "from fibermsk.cli.main import main\n"
        "main()"
    )
    codes = {}
    for names in ((), ("rigid_trees",)):
        done = subprocess.run(
            [sys.executable, "-c", program, "verify", *names, "--json"],
            capture_output=True,
            text=True,
        )
        codes[names] = done.returncode
        assert "Pinocchio is not installed" in done.stdout + done.stderr
    assert codes == {(): 0, ("rigid_trees",): 2}
