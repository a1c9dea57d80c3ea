"""Examples of public names: the shortest statement of a guide or a scene that uses one.

The blocks of the guides and the scenes are run by the tests, and so are these excerpts of them.
"""

from __future__ import annotations

import ast
import re
import textwrap
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["SHOWN_BY", "Example", "example"]

DOCS = Path(__file__).parents[1]
SCENES = DOCS.parent / "scenes"
MOST_LINES = 24

SHOWN_BY = {
    "ActivationLaw": "fm.SmoothActivation(",
    "ContactLaw": "def line_force(",
    "ControlSolution": ".solve(",
    "CoordinateLaw": "def __call__(self, q, p)",
    "ForceLength": "fm.DeGrooteForceLength(",
    "ForceVelocity": "def factor(",
    "Identification": "fm.identify(",
    "ImportReport": ".import_report",
    "InverseDynamics": "fm.inverse_dynamics(",
    "InverseKinematics": "fm.inverse_kinematics(",
    "MeshReport": ".Mesh(corners, faces",
    "ModelBundles": "fm.bundles_from_model(",
    "Moment": "system.moment(",
    "MovedMass": "fm.with_muscle_mass(",
    "MuscleBundle": "fm.fibers_from_muscle(",
    "MuscleCurves": "fm.muscle_curves(",
    "MusclePath": "fm.muscle_path(",
    "MuscleRun": "soleus.simulate(",
    "Observer": "def finish(",
    "Parameter": "system.parameters[",
    "PathBatch": "geometry.at(",
    "PlacedMuscle": "made.muscles[",
    "Resimulation": ".resimulation",
    "Result": "fm.simulate(",
    "RunGradient": "fm.gradient(",
    "ScaledModel": "fm.scale(",
    "Sensitivities": "fm.sensitivity(",
    "Signals": "fm.read_signals(",
    "Skeleton": "fm.skeleton(",
    "Snapshot": "fm.load_checkpoint(",
    "SplitFiber": "fm.split_fiber(",
    "Stability": "fm.stability(",
    "StaticOptimum": "fm.static_optimization(",
    "Still": "fm.still(",
    "StressLaw": "def stress(",
    "StudyResult": "fm.sweep(",
    "WrapArc": "path.arcs[",
}
"""Classes that are not made by their name, such as a result: what code has that shows one."""

_BLOCK = re.compile(r"(<!-- [^\n]* -->\n)?```python\n(.*?)```", re.DOTALL)


class Example(NamedTuple):
    """Code, and where it is from: a page, such as ``howto/wrapping``, or a scene."""

    code: str
    page: str = ""
    scene: str = ""


def example(name: str) -> Example | None:
    """Best example of a public name, such as ``Fiber`` or ``view.plot``; None without any."""
    shown = SHOWN_BY.get(name)
    found = []
    for statement in _statements():
        if shown is not None and shown in statement.code:
            # of a class with this method the whole, of a call the statement
            found.append((shown.startswith("def ") != statement.is_class, statement))
        elif shown is None and name in statement.used:
            found.append((statement.used[name], statement))
    if not found:
        return None
    # guides before scenes, and the shorter the better
    return min(found, key=lambda one: (one[0], bool(one[1].scene), len(one[1].code)))[1].example


class _Statement(NamedTuple):
    code: str
    page: str
    scene: str
    is_class: bool
    used: dict[str, bool]  # names after ``fm.``; whether it is only mentioned

    @property
    def example(self) -> Example:
        return Example(self.code, self.page, self.scene)


@cache
def _statements() -> list[_Statement]:
    """Statements of all guides and scenes, those inside of others too."""
    found = []
    for text, page, scene in _sources():
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            raise ValueError(f"{page or scene}: a block that is not Python: {error}") from error
        lines = text.splitlines()
        for node in ast.walk(tree):
            if not isinstance(node, ast.stmt):
                continue
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(one.lineno for one in decorators)])
            code = textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno]))
            if code.count("\n") < MOST_LINES:
                is_class = isinstance(node, ast.ClassDef)
                found.append(_Statement(code, page, scene, is_class, _used(node)))
    return found


def _sources() -> list[tuple[str, str, str]]:
    """Text of every block that is run and of every scene, with its page or its scene."""
    found = []
    for path in sorted(DOCS.rglob("*.md")):
        inside = path.relative_to(DOCS)
        if inside.parts[0] in ("_build", "generated"):
            continue
        page = inside.with_suffix("").as_posix()
        for mark, code in _BLOCK.findall(path.read_text(encoding="utf-8")):
            if "not run" not in mark and "fails" not in mark:
                found.append((code, page, ""))
    found += [
        (path.read_text(encoding="utf-8"), "", path.stem)
        for path in sorted(SCENES.glob("[!_]*.py"))
    ]
    return found


def _used(statement: ast.stmt) -> dict[str, bool]:
    """Names after ``fm.``, and whether one is only mentioned: neither called nor a base."""
    strong: list[ast.expr] = [n.func for n in ast.walk(statement) if isinstance(n, ast.Call)]
    if isinstance(statement, ast.ClassDef):
        strong += statement.bases
    found: dict[str, bool] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute):
            words = ast.unparse(node).split(".")
            if words[0] == "fm":
                name = ".".join(words[1:])
                found[name] = found.get(name, True) and node not in strong
    return found
