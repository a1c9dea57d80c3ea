"""Pictures of a viewer for a page in a browser, as fast as the page takes them."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from trame_rca.protocol import AreaAdapter
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkWebCore import vtkRemoteInteractionAdapter

from fibermsk.view.viewer import Viewer

__all__ = ["SceneStream"]

_PICTURES_PER_SECOND = 30
_MOVING_QUALITY = 80
_PATIENCE = 0.25
"""Seconds without a change until a picture is sent once more, without loss."""
_IN_FLIGHT = 2
"""Pictures on their way to the page: one that it shows, and one that is being made."""
_CLICK = 4.0
"""Pixels that the pointer may move between press and release of a click."""
_SMALLEST, _LARGEST = 64, 4096
"""Pixels along a side of a picture."""


class SceneStream(AreaAdapter):
    """The scene on a page: takes its size and its mouse, and sends it pictures.

    One task, `run`, lets the clock of the viewer go on, draws and sends. It draws only when
    something has changed, and waits while pictures are still on their way: a slow machine or a slow
    line sees fewer pictures of the right time, not all of them late.

    Parameters
    ----------
    name : str
        Of the area on the page.
    viewer : Viewer
        What to show, off the screen.
    tell : callable
        Called with the number of each picture, and whether it is the last one until something
        changes, right after it was sent; the page answers by `confirm`.
    picked : callable
        Called with nothing after a click has selected a fiber, or none.
    """

    def __init__(
        self,
        name: str,
        viewer: Viewer,
        tell: Callable[[int, bool], None],
        picked: Callable[[], None],
    ) -> None:
        super().__init__(name)
        self.viewer = viewer
        self.sent = 0
        self._confirmed = 0
        self._tell = tell
        self._picked = picked
        self._pixels = vtkUnsignedCharArray()
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._stale = False
        self._sharp = True
        self._due: float | None = None
        self._before = perf_counter()
        self._pressed: set[str] = set()
        self._press_at = (0.0, 0.0)
        self._camera_moved = False
        viewer.plotter.iren.interactor.EnableRenderOff()

    # What the page asks for

    def ask(self) -> None:
        """Have the scene drawn anew."""
        self._stale = True
        self._wake.set()

    def seek(self, time: float) -> None:
        """Have a time [s] shown; of several that come too fast, the last one."""
        self._due = time
        self.ask()

    def toggle(self) -> None:
        """Have the clock run, or stop."""
        self.viewer.playback.toggle()
        self._before = perf_counter()
        self.ask()

    def look(self, preset: str) -> None:
        """Have the camera set to one of the presets, whatever the mouse did to it."""
        self.viewer.look(preset)
        self._camera_moved = False
        self.ask()

    def confirm(self, number: int) -> None:
        """Note that a picture has arrived."""
        self._confirmed = max(self._confirmed, min(int(number), self.sent))
        self._room.set()

    # What the area on the page calls

    def update_size(self, origin: str, size: dict[str, Any]) -> None:
        """Draw in the size of the area, in pixels of the page."""
        width, height = (
            int(np.clip(round(float(size.get(key, 0))), _SMALLEST, _LARGEST)) for key in "wh"
        )
        plotter = self.viewer.plotter
        if list(plotter.window_size) != [width, height]:
            plotter.window_size = [width, height]
            if not self._camera_moved:
                self.viewer.look(self.viewer.preset)
        # A page that has just opened has not confirmed anything, and has no picture.
        self._confirmed = self.sent
        self._room.set()
        self.ask()

    def on_interaction(self, origin: str, event: dict[str, Any]) -> None:
        """Turn, shift and zoom with the mouse; select by a click."""
        kind = str(event.get("type", ""))
        if not kind.endswith(("Press", "Release", "Move", "Wheel", "Pinch", "Pan", "Rotate")):
            return
        if kind.startswith("Key"):
            return
        if kind.endswith("Press"):
            self._pressed.add(kind)
        elif kind.endswith("Release"):
            press = kind.removesuffix("Release") + "Press"
            if press not in self._pressed:
                return
            self._pressed.discard(press)
        x, y = float(event.get("x", 0.0)), float(event.get("y", 0.0))
        if kind == "LeftButtonPress":
            self._press_at = (x, y)
        vtkRemoteInteractionAdapter.ProcessEvent(
            self.viewer.plotter.iren.interactor, json.dumps(event)
        )
        if kind == "LeftButtonRelease" and self._near_press(x, y):
            self.viewer.pick(x, y)
            self._picked()
        elif not kind.endswith("Press"):
            self._camera_moved = True
        self.ask()

    def reset(self) -> None:
        """Nothing: each picture stands for itself."""

    # Drawing

    def image(self) -> NDArray[np.uint8]:
        """The scene as it is now, (height, width, 3)."""
        window = self.viewer.plotter.render_window
        window.Render()
        width, height = window.GetSize()
        window.GetPixelData(0, 0, width - 1, height - 1, 0, self._pixels, 0)
        image = vtk_to_numpy(self._pixels).reshape(height, width, 3)
        return np.ascontiguousarray(image[::-1])

    async def run(self) -> None:
        """Let the clock go on, draw and send, until cancelled."""
        playback = self.viewer.playback
        while True:
            start = perf_counter()
            if playback.playing:
                moved = self.viewer.tick(start - self._before)
                # a clock that has stopped by itself is news too
                self._stale |= moved or not playback.playing
            self._before = start
            if self._due is not None:
                self.viewer.show_time(self._due)
                self._due = None
            if self._stale:
                self._stale, self._sharp = False, False
                await self._send(sharp=False)
                rest = 1.0 / _PICTURES_PER_SECOND - (perf_counter() - start)
                await asyncio.sleep(max(rest, 0.001))
            elif playback.playing:
                await asyncio.sleep(0.5 / _PICTURES_PER_SECOND)
            elif not await self._woken():
                self._sharp = True
                await self._send(sharp=True)
            while self.sent - self._confirmed >= _IN_FLIGHT:
                self._room.clear()
                await self._room.wait()

    async def _woken(self) -> bool:
        """Wait for a change; False if none came while a sharp picture is still to be sent."""
        self._wake.clear()
        if self._stale or self._due is not None:
            return True
        try:
            await asyncio.wait_for(self._wake.wait(), None if self._sharp else _PATIENCE)
        except TimeoutError:
            return False
        return True

    async def _send(self, *, sharp: bool) -> None:
        if self.streamer is None:
            return
        image = self.image()
        loop = asyncio.get_running_loop()
        content = await loop.run_in_executor(None, _encode, image, sharp)
        self.sent += 1
        self.push(
            content,
            {
                "type": "image/png" if sharp else "image/jpeg",
                "codec": "",
                "w": image.shape[1],
                "h": image.shape[0],
                "st": round(1000.0 * perf_counter()),
                "key": "key",
                "quality": 100 if sharp else _MOVING_QUALITY,
            },
        )
        self._tell(self.sent, sharp)

    def _near_press(self, x: float, y: float) -> bool:
        return float(np.hypot(x - self._press_at[0], y - self._press_at[1])) <= _CLICK


def _encode(image: NDArray[np.uint8], sharp: bool) -> bytes:
    target = io.BytesIO()
    picture = Image.fromarray(image)
    if sharp:
        # the least effort already brings nearly all there is to gain
        picture.save(target, "png", compress_level=1)
    else:
        picture.save(target, "jpeg", quality=_MOVING_QUALITY)
    return target.getvalue()
