"""A Chromium of the machine, driven without a window, for tests of pages."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import time

import numpy as np
import pytest
from matplotlib.image import imread

_ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
_PATIENCE = 300_000
"""Milliseconds after which a page hangs: slow and busy machines draw on the processor."""


@contextlib.contextmanager
def chromium():
    """Browser that pages are opened in; the test skips where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("this machine has no Chromium; set CHROMIUM to its program")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, headless=False, args=_ARGUMENTS
        )
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page from a file or an address, with what went wrong in it and what it asked for."""

    def __init__(self, browser, place, *, before=None, wait=True, **context):
        self._context = browser.new_context(
            **({"viewport": {"width": 900, "height": 600}} | context)
        )
        self.tab = self._context.new_page()
        self.tab.set_default_timeout(_PATIENCE)
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.tab.on("console", lambda message: self._note(message.type, message.text))
        self.tab.on("pageerror", lambda error: self.problems.append(str(error)))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        if before:
            self.tab.add_init_script(before)
        self.url = place if isinstance(place, str) else place.resolve().as_uri()
        self.tab.goto(self.url)
        if wait:
            self.settle()

    def _note(self, kind, words):
        # SwiftShader tells how slow it is to read pixels, which is no fault of the page.
        if kind in ("error", "warning") and "GPU stall due to ReadPixels" not in words:
            self.problems.append(words)

    def wait(self, expression, frame=None):
        """Wait until an expression is true in the page, whose policy forbids to wait inside."""
        end = time.monotonic() + _PATIENCE / 1000
        while not (frame or self.tab).evaluate(expression):
            assert time.monotonic() < end, f"never: {expression}"
            self.tab.wait_for_timeout(20)

    def settle(self, frame=None):
        """Wait until what is drawn is up to date."""
        self.wait("!!window.fibermsk?.state().settled", frame)

    def ask(self, name, *arguments):
        """Answer of one of the page's functions."""
        words = ", ".join(json.dumps(argument) for argument in arguments)
        return self.tab.evaluate(f"window.fibermsk.{name}({words})")

    @property
    def state(self):
        return self.ask("state")

    def seek(self, seconds):
        """Move the slider to a time."""
        self.tab.evaluate(
            """time => {
                const slider = document.getElementById("time");
                slider.value = time;
                slider.dispatchEvent(new Event("input"));
            }""",
            seconds,
        )
        self.settle()

    def text(self, selector):
        return self.tab.locator(selector).inner_text()

    def picture(self, selector="#scene"):
        """Pixels of a part of the page, (height, width, 3) from 0 to 255."""
        self.wait("window.fibermsk.state().resting")
        png = self.tab.locator(selector).screenshot()
        return np.rint(255 * imread(io.BytesIO(png))[..., :3]).astype(int)

    def close(self):
        self._context.close()
