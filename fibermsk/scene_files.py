"""Scene files: search, loading, and error messages."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import fibermsk
from fibermsk import files
from fibermsk._check import suggestion
from fibermsk.errors import ConvergenceError, ModelError
from fibermsk.model.scene import METHODS

if TYPE_CHECKING:
    from fibermsk.verify import Problem

_FOLDERS = {"scenes": "_scenes", "verification": "_verification"}
"""Folder in a checkout, and in the package of a wheel."""


@dataclass(frozen=True)
class SceneFile:
    """A loaded scene."""

    name: str  # file name without its ending
    path: Path
    title: str  # first line of the file's docstring
    function: Callable[..., Any]  # ``scene(**parameters)``
    parameters: dict[str, inspect.Parameter]  # with resolved annotations

    @property
    def reference(self) -> str:
        """Name of a scene of the package, or else its path."""
        return self.name if self.path in list_files("scenes") else str(self.path)

    def method(self, name: str | None) -> Any:
        """Integrator by name, of the package or of the scene's file, there a value or class."""
        if name is None or name in METHODS:
            return name
        own = {
            bound: value
            for bound, value in self.function.__globals__.items()
            if all(callable(getattr(value, part, None)) for part in ("start", "step"))
        }
        for bound, value in own.items():
            if name in (bound, getattr(value, "name", None)):
                with _blamed_on(self.path, f"{bound}()"):
                    return value() if isinstance(value, type) else value
        known = [*METHODS, *own]
        raise ModelError(
            f"method = {name!r}; must be one of {', '.join(known)}{suggestion(name, known)}"
        )

    def make(self, parameters: dict[str, Any], numbers: Mapping[str, Any] | None = None) -> Any:
        """Scene with these parameters, and with numbers of its model by path.

        Exceptions of its function become a ModelError.
        """
        with _blamed_on(self.path, "scene()"):
            scene = self.function(**parameters)
        if not isinstance(scene, fibermsk.Scene) and not is_problem(scene):
            raise ModelError(
                f"{self.path}: scene() returned {type(scene).__name__}; must return fm.Scene(...), "
                "fm.OptimalControl(...) or fm.IdentificationStudy(...)"
            )
        if not numbers:
            return scene
        return replace(scene, model=fibermsk.with_parameters(scene.model, numbers))


def make_scene(scene: str, **parameters: Any) -> Any:
    """Return the scene of a name or of a file, for use in a script.

    An `fm.Scene`, or an `fm.OptimalControl`.

    Parameters
    ----------
    scene : str
        A name, such as ``"upper_limb"``, or the path of a Python file.
    **parameters
        Parameters of the scene that differ from their defaults.

    Examples
    --------
    >>> import fibermsk as fm
    >>> for load in (0.2, 0.4):  # doctest: +SKIP
    ...     result = fm.simulate_scene(fm.make_scene("contracting_fiber", load=load))
    """
    file = find(str(files.path_of(scene, "make_scene: scene")))
    for name in parameters:
        if name not in file.parameters:
            known = ", ".join(file.parameters) or "none"
            raise ModelError(
                f"scene {file.name!r} has no parameter {name!r}; it has: {known}"
                + suggestion(name, list(file.parameters))
            )
    return file.make(parameters)


def folder_of(kind: str) -> Path:
    """Folder of the ``"scenes"`` or ``"verification"`` problems, which may not exist."""
    package = Path(fibermsk.__file__).resolve().parent
    carried = package / _FOLDERS[kind]
    return carried if carried.is_dir() else package.parent / kind


def list_files(kind: str) -> list[Path]:
    """Files of ``"scenes"`` or ``"verification"``, in the order of ``order.txt``, then by name."""
    folder = folder_of(kind)
    files = folder.glob("*.py") if folder.is_dir() else []
    order = folder / "order.txt"
    first = order.read_text(encoding="utf-8").split() if order.is_file() else []
    rank = {name: place for place, name in enumerate(first)}
    return sorted(
        (path for path in files if not path.name.startswith(("_", "test_", "conftest"))),
        key=lambda path: (rank.get(path.stem, len(rank)), path.name),
    )


def is_packaged(scene: str) -> bool:
    """Whether a text is the name of a scene of the package."""
    return any(path.stem == scene for path in list_files("scenes"))


def problem_names() -> list[str]:
    """Names of all verification problems."""
    return [path.stem for path in list_files("verification")]


def find(
    scene: str, functions: Sequence[str] = ("scene",), source: bytes | None = None
) -> SceneFile:
    """Load a scene by name or Python file, whose `source` may have been read already.

    The first of the `functions` that the file defines is taken.
    """
    path = path_of(scene)
    module = _load(path, source)
    defined = [getattr(module, name, None) for name in functions]
    function = next((item for item in defined if callable(item)), None)
    if function is None:
        if path in list_files("verification"):
            raise ModelError(
                f"{path.stem!r} is a verification problem; run it with: fibermsk verify {path.stem}"
            )
        raise ModelError(
            f"{path} defines no function scene(); a scene file has "
            "'def scene(steps: int = 100) -> fm.Scene:'"
        )
    return scene_of(function, path, module.__doc__)


def find_problem(name: str) -> Problem:
    """Load a verification problem by name or Python file."""
    from fibermsk.verify import problem_of

    path = path_of(name, ("verification",))
    module = _load(path)
    function = getattr(module, "run", None)
    parameters = scene_of(function, path, module.__doc__).parameters if callable(function) else {}
    return problem_of(module, path, parameters)


def scene_of(function: Callable[..., Any], path: Path, doc: str | None) -> SceneFile:
    """Scene of a function in a file."""
    signature = inspect.signature(function)
    try:
        signature = inspect.signature(function, eval_str=True)
    except (NameError, SyntaxError, TypeError):
        pass  # unresolved annotations: types follow from the defaults
    named = {
        name: parameter
        for name, parameter in signature.parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    return SceneFile(path.stem, path, _first_line(doc), function, named)


def read_title(path: Path) -> str:
    """First line of a file's docstring, without running the file."""
    try:
        return _first_line(ast.get_docstring(ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return "(cannot be read)"


def path_of(scene: str, kinds: Sequence[str] = tuple(_FOLDERS)) -> Path:
    """Path of a scene by name or file; refused if there is none."""
    what = "scene" if "scenes" in kinds else "verification problem"
    for kind in kinds:
        for path in list_files(kind):
            if path.stem == scene:
                return path
    path = Path(scene)
    if path.is_dir():
        raise ModelError(f"{scene} is a folder; name a {what} (.py) in it")
    if path.is_file():
        if path.suffix != ".py":
            raise ModelError(f"{scene} is not a Python file (.py)")
        return path.resolve()
    if path.suffix == ".py" or os.sep in scene or "/" in scene:
        raise ModelError(f"there is no {what} file {scene}")
    names = [path.stem for path in list_files(kinds[0])]
    raise ModelError(
        f"there is no {what} {scene!r}; there are: {', '.join(names) or 'none'}"
        f"{suggestion(scene, names)} (or name a file: path/to/{what.split()[-1]}.py)"
    )


def _load(path: Path, source: bytes | None = None) -> ModuleType:
    """Import a file as a registered module, so that its definitions can be pickled.

    It is compiled from its source: a cached file may be outdated or from elsewhere.
    """
    # with the folder, because a scene and a problem may have the same name
    name = re.sub(r"\W", "_", f"fibermsk_{path.parent.name}_{path.stem}")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ModelError(f"{path} is not a Python file (.py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.parent)
    if folder not in sys.path:
        # as for a script: a scene may import modules beside it
        sys.path.insert(0, folder)
    try:
        with _blamed_on(path, "the file"):
            text = path.read_bytes() if source is None else source
            exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


@contextmanager
def _blamed_on(path: Path, what: str) -> Iterator[None]:
    """Context that converts exceptions of a user's file to a ModelError with file and line."""
    try:
        yield
    except (KeyboardInterrupt, ConvergenceError, GeneratorExit):
        raise
    except BaseException as error:
        if isinstance(error, SyntaxError) and error.filename:
            message = f"{error.filename}, line {error.lineno}: {error.msg}"
            raise ModelError(f"cannot read the file: {message}") from error
        where, frames = str(path), traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == where]
        if lines:
            where += f", line {lines[-1]}"
        if isinstance(error, ModelError) and path.is_relative_to(Path(__file__).parent):
            raise  # a scene of the program itself, of which the user has only the settings
        if isinstance(error, ModelError):
            raise ModelError(f"{error} ({where})") from error
        raise ModelError(f"{where}: {what} raised {type(error).__name__}: {error}") from error


def _first_line(doc: str | None) -> str:
    lines = (doc or "").strip().splitlines()
    return lines[0].strip() if lines else ""


def is_control(scene: Any) -> bool:
    """Whether a scene is a problem of optimal control."""
    return _is(scene, "fibermsk.control.problem", "OptimalControl")


def is_study(scene: Any) -> bool:
    """Whether a scene is a study of identification."""
    return _is(scene, "fibermsk.identification.study", "IdentificationStudy")


def is_problem(scene: Any) -> bool:
    """Whether a scene is either."""
    return is_control(scene) or is_study(scene)


def _is(scene: Any, module: str, name: str) -> bool:
    found = sys.modules.get(module)
    return found is not None and isinstance(scene, getattr(found, name))
