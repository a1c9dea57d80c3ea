"""How much the fuzzers do: FIBERMSK_FUZZ times the cases of the default run."""

import os


def cases(n):
    return n * int(os.environ.get("FIBERMSK_FUZZ", "1"))
