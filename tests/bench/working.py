"""Functions that the tests of workers call."""

import os
import sys


def add(a, b):
    print("noise")
    os.write(1, b"noise that Python does not see\n")
    return a + b


def fail(message):
    raise ValueError(message)


def die():
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


def threads():
    return os.environ["NUMBA_NUM_THREADS"], os.environ.get("MADE_UP")
