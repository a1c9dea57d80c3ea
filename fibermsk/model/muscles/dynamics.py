"""Activation as a state: a first-order process driven by an excitation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._numbers import FRACTION, checked, number, part
from fibermsk._shown import Described
from fibermsk.laws.activation import ActivationLaw, PiecewiseActivation, SmoothActivation
from fibermsk.laws.checking import check_activation_law
from fibermsk.model.muscles import profile
from fibermsk.model.muscles.activation import Activation, Constant, Ramp, Table
from fibermsk.model.muscles.reflex import Reflex

_OWN_LAWS = SmoothActivation, PiecewiseActivation


@dataclass(frozen=True, eq=False, repr=False)
class ActivationDynamics(Described):
    """Activation of muscle as a state of first order, which follows an excitation.

    The state is an unknown of the equations of motion. All fibers with the same object, or with an
    equal one, share one state.

    Parameters
    ----------
    excitation : float, callable or Reflex
        Excitation in [0, 1]: a number (stored as a `Constant`), a function t -> float such as a
        `Table`, or a `Reflex`, which measures the motion.
    law : ActivationLaw
        Rate of the activation: `SmoothActivation` (default), `PiecewiseActivation` or a
        user-defined law.
    start : float
        Activation at the start of a run, in [0, 1]. `equilibrium` replaces it by that at which the
        activation is at rest, which is the excitation.
    name : str
        Name of the state in results; default: that of the first of its fibers.

    Raises
    ------
    ModelError
        If a field lies outside its range, or a user-defined law has a wrong derivative.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.ActivationDynamics(fm.Ramp(0.1, 0.11, 1.0), fm.PiecewiseActivation(0.113, 0.142)).start
    0.0
    """

    excitation: float | Activation | Reflex = number("", FRACTION, varies=True)
    law: ActivationLaw = part(path="", default=SmoothActivation())
    _: KW_ONLY
    start: float = number("", FRACTION, default=0.0)
    name: str = ""

    varying = True  # in time, for `fibermsk._numbers`

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name == ""):
            _check.item_name("ActivationDynamics", self.name)
        owner = self._owner
        _check.store(self, **checked(self, owner))
        if type(self.law) not in _OWN_LAWS:
            check_activation_law(owner, self.law)
        if isinstance(self.excitation, Reflex):
            return
        if not callable(self.excitation):
            _check.store(self, excitation=Constant(self.excitation))
        self.excitation_at(0.0)

    @property
    def _owner(self) -> str:
        return f"ActivationDynamics {self.name!r}" if self.name else "ActivationDynamics"

    def excitation_at(self, t: float) -> float:
        """Excitation at time `t` [s], in [0, 1]; of a `Reflex` that without feedback.

        Raises
        ------
        ModelError
            If the function raises or returns anything but a number in [0, 1].
        """
        if isinstance(self.excitation, Reflex):
            return self.excitation.base_at(t)
        return profile.fraction_at(self._owner, "excitation", self.excitation, t)

    @property
    def signal(self) -> Any:
        """The function of time that is given: the excitation, or that of a reflex as its base."""
        return self.excitation.base if isinstance(self.excitation, Reflex) else self.excitation

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two of them equal: values, or the identity of a function."""
        driven = self.excitation
        if isinstance(driven, Reflex):
            numbers = driven.gain, driven.rate_gain, driven.threshold, driven.delay
            sensed = driven.fiber, driven.coordinate, id(driven.measure)
            return "reflex", numbers, sensed, _key(driven.base), self.law, self.start, self.name
        return _key(driven), self.law, self.start, self.name


def _key(signal: Any) -> Any:
    """Values of a signal of this package; the identity of any other function."""
    if type(signal) in (Constant, Ramp):
        return signal
    if type(signal) is Table:
        return tuple(np.asarray(part).tobytes() for part in (signal.times, signal.values))
    return id(signal)
