"""Other programs, asked by scripts of this folder that run in their own interpreters."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fibermsk.verify import Unavailable


def python_of(package: str) -> str | None:
    """Interpreter that imports a package, or None."""
    named = os.environ.get(f"FIBERMSK_{package.upper()}_PYTHON")
    return named or (sys.executable if importlib.util.find_spec(package) else None)


def python_of_opensim() -> str:
    """Interpreter that imports opensim."""
    found = python_of("opensim")
    if found is None:
        raise Unavailable(
            "no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON to an interpreter "
            "that has it"
        )
    return found


def ask_opensim(script: str, task: Any, hangs: float) -> Any:
    """Answer of a script that takes files of a task and of the answer, within so many seconds."""
    with tempfile.TemporaryDirectory() as place:
        given, answer = Path(place) / "task.json", Path(place) / "answer.json"
        given.write_text(json.dumps(task))
        path = str(Path(__file__).with_name(script))
        command = [python_of_opensim(), path, str(given), str(answer)]
        done = subprocess.run(
            command, cwd=place, capture_output=True, text=True, timeout=hangs, check=False
        )
        if done.returncode:
            raise RuntimeError(f"OpenSim failed: {done.stderr[-2000:]}")
        return json.loads(answer.read_text())
