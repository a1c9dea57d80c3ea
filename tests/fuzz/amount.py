"""How many cases the fuzzers try: FIBERMSK_FUZZ times the default number."""

import os


def cases(n: int) -> int:
    """Number of cases where the default run has n."""
    return n * int(os.environ.get("FIBERMSK_FUZZ", "1"))
