"""Diagnosis of states that are not finite, for error messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from fibermsk._arrays import Array
from fibermsk.system.contribution import At, Contribution
from fibermsk.system.optional import HasFlaws


def flawed_term(
    contributions: Iterable[Contribution],
    at: At,
    unknowns: dict[str, Array],
    residual: Array,
    describe: Callable[[int], str],
) -> str:
    """Find the term of a residual (n,) that is not finite.

    The contributions were last evaluated at this state; `unknowns` are its position, velocity and
    acceleration (n,) by these names, and `describe` names an unknown.
    """
    for name, values in unknowns.items():
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            return f"the {name} of {describe(int(bad[0]))}"
    for one in contributions:
        flaw = one.flaw(at) if isinstance(one, HasFlaws) else ""
        if flaw:
            return flaw
    bad = int(np.flatnonzero(~np.isfinite(residual))[0])
    kind = "the equation of motion" if bad >= at.nodes.size else "the force balance"
    return f"{kind} of {describe(bad)}"
