"""Contributions on a device, as in `fibermsk.system.contribution`.

Forces on nodes are computed on the device. Contributions that act on axes and coordinates only are
those of the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.gpu.border import Border
from fibermsk.gpu.ends import Ends, Links
from fibermsk.gpu.pairs import DeviceCouplings
from fibermsk.system.contribution import At, AxisBorder, Contribution, Slopes, StateSums, Sums
from fibermsk.system.optional import FollowsEnds, HasStepFraction
from fibermsk.system.skeleton.skeleton import Motion


class _OnlyOnDevice(Exception):
    """Access on the host to data that is on the device."""


class _Elsewhere(NDArrayOperatorsMixin):
    """Placeholder for arrays that are not on the host: any use raises an error."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise _OnlyOnDevice

    __array__ = __array_ufunc__ = __array_function__ = __getattr__ = _refuse
    __getitem__ = __setitem__ = __iter__ = __len__ = __bool__ = _refuse


_ELSEWHERE: Any = _Elsewhere()


class DeviceAt(NamedTuple):
    """State and kinematics of one evaluation."""

    nodes: Any  # positions and theta-tangents (n_nodes, 6), and their rates
    velocity: Any
    acceleration: Any
    links: Links  # bodies and attached ends
    host: At  # the same state for contributions of the host, without nodes


def at_on_host(t: float, border: list[tuple[Array, Array]], motion: Motion) -> At:
    """State of the skeleton at a time [s], and of the unknowns of first order.

    border: coordinates and states, their rates, and their accelerations, which states have not.
    """
    (q, states), (p, rates), (p_dot, _) = border
    nodes = velocity = acceleration = ends = _ELSEWHERE
    return At(t, nodes, velocity, acceleration, q, p, p_dot, states, rates, motion, ends)


@dataclass
class DeviceSums:
    """Residual and tangent that contributions add to."""

    nodes: Any  # residual (n_nodes, 6)
    lines: Any  # tangent along the fibers (n_nodes, 3, 6, 6)
    border: Border | None  # of the axes; None if only the residual is needed
    host: Sums  # sums of axes, coordinates and states
    couplings: DeviceCouplings | None = None  # between fibers

    @classmethod
    def zero(
        cls, ends: Ends, nodes: Any, lines: Any, border: Border | None, slopes: Slopes | None
    ) -> DeviceSums:
        """Zero sums; the arrays nodes, lines and border are reused.

        Without a map the corner of the coordinates is that of the axes.
        """
        n, m = ends.n_q, ends.n_border - ends.n_q
        on_axes = np.zeros((0, 0)) if border is None else border.D
        axes = AxisBorder(np.zeros(ends.n_axes), _ELSEWHERE, _ELSEWHERE, on_axes)
        own = 0 if border is None else n
        corner = np.zeros((own, own)) if ends.mapped else on_axes
        states = StateSums.zero(m, n, 0, slopes is not None)
        states = states._replace(by_nodes=_ELSEWHERE, on_nodes=_ELSEWHERE)
        host = Sums(_ELSEWHERE, axes, np.zeros(n), corner, _ELSEWHERE, slopes, states)
        if border is not None:
            lines[...] = 0.0
        return cls(nodes, lines, border, host)


class DeviceContribution(Protocol):
    """A contribution on a device; it may also satisfy `FollowsEnds` and `HasStepFraction`."""

    def add(self, at: DeviceAt, sums: DeviceSums) -> None:
        """Add to the residual and, if there is a border, to the exact tangent."""
        ...


_ON_FIBERS = "acts on fibers; must act on bodies, coordinates and states only"


class OnHost:
    """A contribution of the host that acts on axes, coordinates and states; name is for messages.

    Raises ModelError if it acts on fibers, here or in the first evaluation.
    """

    def __init__(self, own: Contribution, name: str) -> None:
        self._own, self._name = own, name
        if isinstance(own, FollowsEnds | HasStepFraction):
            raise self._refusal(_ON_FIBERS)

    def add(self, at: DeviceAt, sums: DeviceSums) -> None:
        """Add the terms of the contribution of the host."""
        try:
            self._own.add(at.host, sums.host)
        except _OnlyOnDevice:
            raise self._refusal(_ON_FIBERS) from None

    def _refusal(self, why: str) -> ModelError:
        return ModelError(f"{self._name}: {why} for backend='cupy'; use backend='cpu'")
