"""Diagnosis of failed states, for error messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from fibermsk.system.contribution import At, Contribution, HasFlaws, HasSuspects

Array = NDArray[np.float64]


def suspects(contributions: Iterable[Contribution], at: At) -> list[str]:
    """Likely causes of a failed step, with remedies, from the state before it."""
    asked = [one for one in contributions if isinstance(one, HasSuspects)]
    return [text for one in asked for text in one.suspects(at)]


def flawed_term(
    contributions: Iterable[Contribution],
    at: At,
    unknowns: dict[str, Array],
    residual: Array,
    describe: Callable[[int], str],
) -> str:
    """Find the term of a residual that is not finite.

    Parameters
    ----------
    contributions : iterable of Contribution
        All contributions, last evaluated at this state.
    at : At
        The state.
    unknowns : dict of (n,) float arrays
        Position, velocity and acceleration by these names.
    residual : (n,) float array
        Sum of all terms, with a NaN or an infinity in it.
    describe : callable
        Name of an unknown.
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
