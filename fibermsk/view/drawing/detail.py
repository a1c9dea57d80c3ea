"""Resolution of the tubes of fibers, within a budget of points."""

from __future__ import annotations

from typing import NamedTuple

PICTURE_POINTS = 1_500_000
"""Points of all tubes in a picture that is not interactive."""

_AROUND = 24
_ALONG_PER_ELEMENT = 6
_ALONG = (49, 257)
"""Points around and along a fiber if the budget is large; minimum and maximum along."""
_FLOORS = ((8, 1.5), (6, 1.5), (6, 1.0), (5, 0.5), (4, 0.25))
"""Points around, and along per element: lower limits of successive reductions."""
_ROUND = 8
"""Points around from which an end has more than one ring."""
_FEWEST = (3, 3)


class Detail(NamedTuple):
    """Points along and around one fiber."""

    n_along: int
    n_around: int

    @property
    def n_dome(self) -> int:
        """Rings of each rounded end, besides its pole."""
        return 3 if self.n_around >= _ROUND else 1

    @property
    def n_points(self) -> int:
        """Points of one tube with its two rounded ends."""
        return self.n_along * self.n_around + 2 * (self.n_dome * self.n_around + 1)


def choose_detail(n_fibers: int, n_elements: int, budget: int) -> Detail:
    """Finest tubes within a budget of points; `n_elements` of the longest fiber.

    The coarsest tube has 17 points: more fibers than the budget over 17 exceed it.
    """
    finest = min(max(_ALONG_PER_ELEMENT * n_elements + 1, _ALONG[0]), _ALONG[1])
    for around, per_element in _FLOORS:
        along = max(round(per_element * n_elements) + 1, _FEWEST[0])
        for percent in range(100, 0, -5):
            part = 0.01 * percent
            detail = Detail(max(round(part * finest), along), max(round(part * _AROUND), around))
            if n_fibers * detail.n_points <= budget:
                return detail
    for around in (4, 3):
        room = (budget // max(n_fibers, 1) - 2 * (around + 1)) // around
        if room >= _FEWEST[0]:
            return Detail(room, around)
    return Detail(*_FEWEST)
