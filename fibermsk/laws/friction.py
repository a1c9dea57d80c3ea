"""Coulomb friction, regularized by a speed."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk._numbers import NON_NEGATIVE, POSITIVE, Checked, number


@dataclass(frozen=True)
class Friction(Checked):
    """Friction of a contact: a force against the sliding, proportional to the normal force.

    Parameters
    ----------
    coefficient : float
        Friction coefficient mu [-]; zero or positive. Zero is no friction.
    speed : float
        Regularization speed [m/s]; positive. Sliding at this speed meets 71 % of mu times the
        normal force, at ten times it 99.5 %. A contact that should stick creeps: a force of the
        part k < 1 of the limit moves it at ``speed * k / sqrt(1 - k^2)``.

    Notes
    -----
    The force is mu P s / sqrt(s^2 + speed^2) with the normal force P and the sliding velocity s.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.Friction(0.3, speed=1e-4)
    Friction(coefficient=0.3, speed=0.0001)
    """

    coefficient: float = number("", NON_NEGATIVE)
    speed: float = number("m/s", POSITIVE)
