"""Friction of contacts: full over a transition velocity, with a static peak and a viscous part."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fibermsk.system.frames import Numbers

REST = 1e-12
"""Squared speed [m^2/s^2] added to that of sliding, so that it has a direction at rest."""


class Rubbing(Protocol):
    """A contact with coefficients of friction."""

    @property
    def static_friction(self) -> float:
        """Coefficient at the peak [-]."""
        ...

    @property
    def dynamic_friction(self) -> float:
        """Coefficient of fast sliding [-]."""
        ...

    @property
    def viscous_friction(self) -> float:
        """Coefficient that grows with the speed [s/m]."""
        ...

    @property
    def transition_velocity(self) -> float:
        """Speed at which friction is full [m/s]."""
        ...


def rubbing(contact: Rubbing, slide: Numbers, rest: float = REST) -> Numbers:
    """Force of friction over the normal force and the velocity of sliding (..., 3)."""
    slip = np.sqrt(np.sum(slide * slide, axis=-1) + rest)
    r = slip / contact.transition_velocity
    low, high = contact.dynamic_friction, contact.static_friction
    full = np.where(r.real < 1.0, r, 1.0) * (low + 2.0 * (high - low) / (1.0 + r * r))
    return (full + contact.viscous_friction * slip) / slip
