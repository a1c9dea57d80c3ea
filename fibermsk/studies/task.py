"""One point of a study: make the scene, run it, keep what is asked for. Runs in any process."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fibermsk.errors import ConvergenceError, ModelError, ModelWarning
from fibermsk.model import Scene
from fibermsk.parameters import with_parameters
from fibermsk.scene_files import SceneFile, find
from fibermsk.scene_run import simulate_scene
from fibermsk.studies.identity import file_digest
from fibermsk.studies.outputs import Kept, OutputError, kept_of
from fibermsk.studies.steady import with_constants

Source = str | Path | Scene | Callable[..., Scene]

DONE, FAILED, REFUSED, BROKEN = "done", "failed", "refused", "broken"
"""States of a point: computed; a step failed; the model was refused; another error."""


class OtherFile(ModelError):
    """A scene's file is not the one that the study began with."""


class Record(NamedTuple):
    """What a study keeps of a point.

    Attributes
    ----------
    point : int
        Its number.
    status, message : str
        See `DONE`; why, if it is not, or else what was warned of.
    seconds : float
        Wall time [s].
    kept : dict of Kept
        Empty if it is not done.
    """

    point: int
    status: str
    message: str
    seconds: float
    kept: dict[str, Kept]


@lru_cache(maxsize=4)
def _file(scene: str, digest: str) -> SceneFile:
    file = find(scene)
    if file_digest(file.path) != digest:
        raise OtherFile(
            f"sweep: {file.path} is not the file that the study began with; must be the same: "
            "restore it, or begin anew"
        )
    return file


@lru_cache(maxsize=1)
def _last_made(scene: str, digest: str, own: tuple[tuple[str, Any], ...], _: str) -> Any:
    return _file(scene, digest).make(dict(own))


def _made(scene: str, digest: str, own: dict[str, Any]) -> Any:
    """What a scene's file makes of settings: the last one again, where points share settings.

    Runs copy its model. Observers, and methods of the user, may remember a run: then it is made
    anew.
    """
    given = tuple(sorted(own.items()))
    try:
        hash(given)
    except TypeError:
        return _file(scene, digest).make(own)
    last = _last_made(scene, digest, given, repr(given))
    if isinstance(last, Scene) and not last.observers and isinstance(last.method, str):
        return last
    return _file(scene, digest).make(own)


@dataclass(frozen=True)
class Task:
    """What is done at each point.

    Attributes
    ----------
    scene : str, path, Scene or callable
        Name or file of a scene, a scene, or a function that makes one.
    digest : str
        Of the scene's file.
    settings, numbers : dict
        Parameters of the scene, and numbers of its model by path, at all points.
    method : str or Method, optional
        Time integrator.
    outputs : tuple of str, or dict of callable, optional
        See `fibermsk.studies.outputs`.
    """

    scene: Source
    digest: str
    settings: dict[str, Any]
    numbers: dict[str, Any]
    method: Any
    outputs: Any

    def scene_at(self, settings: dict[str, Any], numbers: dict[str, Any]) -> Scene:
        """The scene of a point."""
        own, values = self.settings | settings, self.numbers | numbers
        if isinstance(self.scene, str | Path):
            scene = _made(str(self.scene), self.digest, own)
        else:
            scene = self.scene if isinstance(self.scene, Scene) else self.scene(**own)
        if not isinstance(scene, Scene):
            raise ModelError(
                f"sweep: scene = {type(scene).__name__}; must be a scene that runs in time, or a "
                "function of one"
            )
        if not values:
            return scene
        model, left = with_constants(scene.model, values)
        return replace(scene, model=with_parameters(model, left) if left else model)

    def __call__(self, point: int, settings: dict[str, Any], numbers: dict[str, Any]) -> Record:
        """Run a point; failures are part of the record.

        Raises
        ------
        OtherFile
            If the scene is another one now.
        """
        begin = time.perf_counter()

        def ended(status: str, message: str = "", kept: dict[str, Kept] | None = None) -> Record:
            return Record(point, status, message, time.perf_counter() - begin, kept or {})

        try:
            scene = self.scene_at(settings, numbers)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ModelWarning)
                result = simulate_scene(scene, method=self.method)
            told = dict.fromkeys(str(one.message) for one in caught)
            return ended(DONE, "; ".join(told), kept_of(result, self.outputs))
        except OtherFile:
            raise
        except ConvergenceError as error:
            return ended(FAILED, str(error))
        except OutputError as error:
            return ended(BROKEN, str(error))
        except ModelError as error:
            return ended(REFUSED, str(error))
        except (Exception, SystemExit) as error:  # of a function of the user; the others go on
            return ended(BROKEN, f"{type(error).__name__}: {error}")
