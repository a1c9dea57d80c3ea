"""The pose of a model in a viewer: its coordinates, the chosen muscle, and the sliders for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fibermsk._check import suggestion
from fibermsk.errors import ModelError
from fibermsk.results.still import FreeCoordinate, MuscleLine, Still
from fibermsk.view.drawing.looks import Theme
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures.vtk_draw import VtkScene
from fibermsk.view.window.sliders import Sliders, SliderState

_NEAR = 8.0
"""Distance from a muscle's line at which a click chooses it, in pixels."""


class Posing:
    """Pose of a model, by its free coordinates; coupled ones follow.

    Attributes
    ----------
    values : dict of float
        All coordinates by name [rad or m].
    muscle : str or None
        The chosen muscle, marked in the scene.
    """

    def __init__(self, stage: Stage, scene: VtkScene) -> None:
        self._stage, self._scene = stage, scene
        assert stage.still is not None and stage.still.poses is not None
        self._poses = stage.still.poses
        self._start = {one.name: self._value(one.name) for one in self.coordinates}
        self.muscle: str | None = None
        self._page = 0
        self._sliding: int | None = None
        self._panel: Sliders | None = None

    @property
    def coordinates(self) -> tuple[FreeCoordinate, ...]:
        """Coordinates that can be set."""
        return self._poses.coordinates

    @property
    def still(self) -> Still:
        """The model as shown."""
        assert self._stage.still is not None
        return self._stage.still

    @property
    def values(self) -> dict[str, float]:
        """All coordinates by name [rad or m]."""
        return {name: float(series[0]) for name, series in self.still.result.coordinates.items()}

    @property
    def line(self) -> MuscleLine | None:
        """Path, length and moment arms of the chosen muscle."""
        return None if self.muscle is None else self.still.muscles[self.muscle]

    def set(self, values: Mapping[str, float]) -> None:
        """Set coordinates by name [rad or m]; the other free ones stay."""
        now = {one.name: self._value(one.name) for one in self.coordinates}
        for name in values:
            if name not in now:
                known = list(now)
                raise ModelError(
                    f"coordinate {name!r}; must be free, one of: {', '.join(known) or 'none'}"
                    + suggestion(name, known)
                )
        self._stage.pose_as(self._poses.still(now | dict(values)), self.muscle)
        self._scene.show_pose()

    def choose(self, muscle: str | None) -> None:
        """Choose a muscle by name, or none."""
        names = list(self.still.muscles)
        if muscle is not None and muscle not in names:
            raise ModelError(
                f"no muscle {muscle!r}; there are: {', '.join(names) or 'none'}"
                + suggestion(muscle, names)
            )
        self.muscle = muscle
        self._stage.pose_as(self.still, muscle)
        self._scene.show_pose()

    def do(self, action: str) -> None:
        """Perform ``"start pose"``, ``"next page"``, ``"next muscle"`` or ``"previous muscle"``."""
        names = list(self.still.muscles)
        if action == "start pose":
            self.set(self._start)
        elif action == "next page":
            self._page = (self._page + 1) % (self._panel.pages if self._panel else 1)
        elif names:
            step = 1 if action == "next muscle" else -1
            now = -1 if self.muscle is None else names.index(self.muscle)
            if now < 0 and step < 0:
                now = 0
            self.choose(names[(now + step) % len(names)])

    def muscle_at(self, x: float, y: float) -> str | None:
        """Muscle nearest to a pixel from the left and from below; None if none is near."""
        renderer = self._scene.renderer
        aspect = renderer.GetTiledAspectRatio()
        matrix: Any = renderer.GetActiveCamera().GetCompositeProjectionTransformMatrix(
            aspect, -1, 1
        )
        M = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
        left, bottom = renderer.GetOrigin()
        width, height = renderer.GetSize()
        best, nearest = _NEAR, None
        for name, line in self.still.muscles.items():
            found = np.c_[line.points, np.ones(len(line.points))] @ M.T
            flat = found[:, :2] / found[:, 3:]
            flat = 0.5 * (flat + 1.0) * [width, height] + [left, bottom]
            a, step = flat[:-1], np.diff(flat, axis=0)
            square = np.maximum(np.einsum("ni,ni->n", step, step), 1e-12)
            share = np.clip(np.einsum("ni,ni->n", [x, y] - a, step) / square, 0.0, 1.0)
            off = float(np.linalg.norm(a + share[:, None] * step - [x, y], axis=1).min())
            if off < best:
                best, nearest = off, name
        return nearest

    # the panel

    def press(self, x: float, down: float) -> None:
        """Perform the action at a pixel from the top left of the panel."""
        hit = None if self._panel is None else self._panel.hit(x, down)
        if isinstance(hit, str):
            self.do(hit)
        elif hit is not None:
            self._sliding = hit
            self.drag(x)

    def drag(self, x: float) -> bool:
        """Move the slider that was pressed; returns whether there is one."""
        if self._sliding is None or self._panel is None:
            return False
        name = self.coordinates[self._sliding].name
        self.set({name: self._panel.value_at(self._sliding, x)})
        return True

    def release(self) -> bool:
        """Leave the slider that was pressed; returns whether there was one."""
        held, self._sliding = self._sliding is not None, None
        return held

    def state(self) -> SliderState:
        """State that the panel shows."""
        values = tuple(self._value(one.name) for one in self.coordinates)
        unsolved = sum(bool(line.problem) for line in self.still.muscles.values())
        return SliderState(self.coordinates, values, self._page, self.muscle, self.line, unsolved)

    def image(self, theme: Theme, height: int) -> NDArray[np.uint8]:
        """Picture of the panel of a height."""
        self._panel = Sliders(self.state(), height)
        return self._panel.image(theme)

    def _value(self, name: str) -> float:
        return float(self.still.result.coordinates[name][0])
