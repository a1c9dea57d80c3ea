"""A server of the viewer in a process of its own, for tests of its page."""

import os
import re
import signal
import subprocess
import sys
import threading

import pytest

from fibermsk.view import opengl

HANGS = 300.0
"""Seconds after which a program hangs: on a busy machine a start alone takes a minute."""


def needs_server():
    pytest.importorskip("trame_rca", reason="trame is not installed: pip install fibermsk[web]")
    pytest.importorskip("trame_vuetify", reason="trame is not installed: pip install fibermsk[web]")
    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL")


def start(path, *options):
    """Server of a file, and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from fibermsk.cli.main import main; main()", "view", str(path),
         "--web", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"DISPLAY": ""},
    )  # fmt: skip
    watchdog = threading.Timer(HANGS, process.kill)
    watchdog.start()
    line = process.stdout.readline()
    watchdog.cancel()
    found = re.search(r"http://127\.0\.0\.1:\d+/", line)
    if not found:
        process.kill()
        _, words = process.communicate()
        pytest.fail(f"the server printed {line!r} and {words!r}")
    return process, found.group()


def stop(process):
    """Ctrl-C; gives the exit status and what was written to standard error."""
    process.send_signal(signal.SIGINT)
    try:
        _, words = process.communicate(timeout=HANGS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, words
