"""Help and completion of commands."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from make_result import make_result

from fibermsk.cli.main import app
from fibermsk.cli.options import COMPILED, METHODS
from fibermsk.io import save
from fibermsk.solvers import COMPILED as WHOLE, METHODS as KNOWN

LIMB = Path(__file__).parents[1] / "data" / "limb_v4.osim"
COMMANDS = sorted(one.name for one in app.registered_commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_has_words_for_values(cli, command):
    text = cli(command, "--help").stdout
    assert not any(f"<{word}>" in text for word in ("str", "bool", "path", "int", "float"))
    assert "<list" not in text and "{" not in text.partition("Options")[0]
    assert "<" not in cli("--help").stdout


def test_the_help_names_the_integrators(cli):
    assert tuple(KNOWN) == METHODS and tuple(WHOLE) == COMPILED
    text = "".join(cli("run", "--help").stdout.replace("│", "").split())
    assert all(f"{name}," in text for name in METHODS + COMPILED)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, tmp_path):
    """Of commands and of values, as the shell asks for it."""
    ask = "import sys; sys.argv[0] = 'fibermsk'; from fibermsk.cli.main import main; main()"
    result_file = save(make_result(2), tmp_path / "arm.h5")
    cases: list[tuple[str, Sequence[str]]] = [
        ("fibermsk res", ["resume"]),
        ("fibermsk run --method ", METHODS),
        ("fibermsk run upper_limb --set ", ["elements=8", "start=initial"]),
        (f"fibermsk view {result_file} --measure ", ["elbow_flexion", "biceps.length"]),
        (f"fibermsk plot {result_file} --what ", ["stretch_map"]),
        (f"fibermsk plot {result_file} --fiber ", ["biceps_1"]),
        (f"fibermsk run {LIMB} --bundle ", ["flexor"]),
        (f"fibermsk view {LIMB} --set ", ["flexion="]),
    ]
    for words, expected in cases if shell == "bash" else cases[:3]:
        given = {
            "_FIBERMSK_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": words,
            "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1),
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", ask], env=os.environ | given, capture_output=True, text=True
        )
        assert all(one in done.stdout for one in expected), done.stderr


def test_threads_must_be_there(cli):
    done = cli("run", "hanging_fiber", "--threads", "4096")
    assert done.exit_code == 2 and "--threads = 4096; must be" in done.stderr


COMPUTE = "run", "resume", "verify", "so", "track", "fit", "id", "muscles", "sensitivity"


@pytest.mark.parametrize("command", COMPUTE)
def test_all_that_compute_take_threads(cli, command):
    assert "--threads" in cli(command, "--help").stdout
    assert "--threads" in str(cli(command, "--threads", "0").stderr)
