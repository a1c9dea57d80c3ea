"""Force-length curves of active muscle: factor of the stress over length / optimal length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

from fibermsk._numbers import Checked, bounded, number
from fibermsk.laws.hill import active_force_length
from fibermsk.laws.stress import STEEPEST, VANISHES

_WIDTHS = bounded(least=1e-3, most=1e3)


class ForceLength(Protocol):
    """Force-length curve: a frozen dataclass of numbers, best given by `law_constant`.

    It is checked at lengths from 0.5 to 2.
    """

    def factor(self, length: Any) -> Any:
        """Factor of the active stress at a length over the optimal one; zero or positive.

        Or a tuple of the factor and its derivative. A factor alone must accept complex numbers: its
        derivative is a complex step.
        """
        ...


@dataclass(frozen=True)
class DeGrooteForceLength(Checked):
    """Force-length curve of De Groote et al. (2016), the sum of three Gaussians.

    Parameters
    ----------
    pennation_angle : float
        Angle alpha_0 of muscle fibers to the path at optimal length [rad], in [0, 1.4]; then
        lengths and forces are those along the path.

    Notes
    -----
    Largest 1.00107 at 1.01329, see `fibermsk.laws.hill`. Pennate: cos(alpha) f_L(l), with l =
    sqrt((x cos(alpha_0))^2 + sin(alpha_0)^2) and cos(alpha) = x cos(alpha_0) / l, whose height is
    constant; over cos(alpha_0), so that it is one at the optimum.
    """

    pennation_angle: float = number("rad", bounded(least=0.0, most=1.4), default=0.0)

    def factor(self, length):
        """Factor and derivative at a length over the optimal one, along the path."""
        along, height = math.cos(self.pennation_angle), math.sin(self.pennation_angle)
        fiber = math.sqrt((length * along) ** 2 + height**2)
        cosine = length * along / fiber
        force, slope = active_force_length(fiber)
        # d fiber = cosine along dx, and d cosine = along height^2 / fiber^3 dx
        turning = height * height / (fiber * fiber * fiber)
        return cosine / along * force, cosine * cosine * slope + turning * force


@dataclass(frozen=True)
class BellForceLength(Checked):
    """Symmetric force-length curve exp(-abs((x - 1) / width)^exponent), as of `ActiveStress`.

    Parameters
    ----------
    width : float
        Distance from the optimum at which the factor is 1/e [-], in [1e-3, 1e3].
    exponent : float
        [-]; above 1, at most 100.
    """

    width: float = number("", _WIDTHS, default=0.45)
    exponent: float = number("", bounded(above=1.0, most=STEEPEST), default=2.0)

    def factor(self, length):
        """Factor and derivative at a length over the optimal one."""
        offset = (length - 1.0) / self.width
        distance = abs(offset)
        if distance >= VANISHES:
            return 0.0, 0.0
        power = distance ** (self.exponent - 1.0)
        force = math.exp(-power * distance)
        slope = self.exponent * power / self.width * force
        return force, -slope if offset > 0.0 else slope


@dataclass(frozen=True)
class GaussianForceLength(Checked):
    """Force-length curve exp(-((x - 1) / width)^2) with two widths.

    Parameters
    ----------
    below, above : float
        Distances below and above the optimum at which the factor is 1/e [-], in [1e-3, 1e3]. The
        defaults fit cat soleus (Scott, Brown and Loeb 1996, fig. 3, five animals).
    """

    below: float = number("", _WIDTHS, default=0.465)
    above: float = number("", _WIDTHS, default=0.554)

    def factor(self, length):
        """Factor and derivative at a length over the optimal one."""
        width = self.below if length < 1.0 else self.above
        offset = (length - 1.0) / width
        force = math.exp(-offset * offset)
        return force, -2.0 * offset / width * force
