"""A server of the page in a process of its own, for tests of what it sends."""

import os
import re
import signal
import subprocess
import sys
import threading

import pytest

HANGS = 300.0
"""Seconds after which a program hangs: on a busy machine a start alone takes a minute."""


def start(paths, *options):
    """Server of files, and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from fibermsk.cli.main import main; main()", "view",
         *map(str, paths), "--web", *options],
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
