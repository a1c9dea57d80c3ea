"""Line muscles over one interval: forces by the package's own laws, activations, tendons.

With path lengths l at both nodes the muscle has the mean length and the speed (l_1 - l_0) / h over
an interval, the mean activation a, and the force of its law there; it pulls on both nodes with half
the impulse. Activations and lengths of fibers obey the midpoint rule. Source: `optimal_control.md`,
section 4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.control.mechanics.branches import Branched, in_all_branches
from fibermsk.control.mechanics.directors import SX
from fibermsk.control.muscles.path import MusclePath
from fibermsk.control.muscles.traced import Traced
from fibermsk.laws.hill import DeGrooteCurves
from fibermsk.laws.hill.kinds import equations_of
from fibermsk.laws.hill.row import OPTIMUM, SLACK
from fibermsk.model import ActivationDynamics, Constant, LineMuscle

_WITNESS = 0.5
"""Activation at which the branches of the laws are taken."""


class Acting(NamedTuple):
    """A muscle over an interval.

    Attributes
    ----------
    force : SX
        Of its tendon [N].
    activation, tendon : SX
        What the rules of activation and of the tendon leave: the first over the interval [-], the
        second over its largest isometric force. Zero without such a state.
    """

    force: SX
    activation: SX
    tendon: SX


class Muscle:
    """A line muscle that acts.

    Attributes
    ----------
    name : str
        Its name.
    path : MusclePath
        Its path.
    excited : bool
        Whether its activation is a state; else the activation of each interval is chosen.
    elastic : bool
        Whether the length of its fibers is a state.
    given, start : float
        Excitation of the model, or its activation, where they are not chosen; and the activation
        from which it starts.
    """

    def __init__(self, muscle: LineMuscle, path: MusclePath, chosen: bool) -> None:
        self.name, self.path = muscle.name, path
        owner = f"line muscle {muscle.name!r}"
        law = muscle.law
        assert law is not None
        curves = law.curves
        if type(curves) is not DeGrooteCurves or curves.slack_width > 0.0:
            found: Any = type(curves).__name__
            if type(curves) is DeGrooteCurves:
                found = f"DeGrooteCurves(slack_width={curves.slack_width:g})"
            remedy = "curves in pieces have no second derivatives where these meet; give it "
            remedy += "fm.HillLaw(fm.DeGrooteCurves(), ...), or use fm.with_smooth_muscles(model)"
            must = "be those of De Groote as published, without slack_width"
            _check.refuse(owner, "curves", found, must, remedy=remedy)
        for field, given in (("min_activation", 0.0), ("pull_only", False)):
            value = getattr(law, field)
            if value != given:
                remedy = "its force has a kink there; use fm.with_smooth_muscles(model)"
                _check.refuse(owner, f"law: {field}", value, f"be {given}", remedy=remedy)
        if muscle.mass is not None:
            remedy = "leave the mass out, or use fm.gradient"
            _check.refuse(owner, "mass", muscle.mass, "be None", remedy=remedy)
        driven = muscle.activation
        if isinstance(driven, ActivationDynamics):
            _check_smooth(owner, driven.law)
        self.given = 0.0 if chosen else _constant(owner, driven)
        self.start = driven.start if isinstance(driven, ActivationDynamics) else self.given
        self.excited = isinstance(driven, ActivationDynamics)
        self.dynamics = driven.law if isinstance(driven, ActivationDynamics) else None
        self.elastic = law.tendon != "rigid"
        self.strength = float(muscle.max_isometric_force)
        self._c = law.constants(muscle)
        own = equations_of(DeGrooteCurves)
        self._equations = own.balance if self.elastic else own.rigid
        self.optimum = float(self._c[OPTIMUM].real)

    def over(self, l0: SX, l1: SX, a0: SX, a1: SX, x0: SX, x1: SX, e: SX, h: SX) -> Acting:
        """Force and rules over an interval of length h, with an excitation e.

        l0, l1 lengths of the path [m], a0, a1 activations, x0, x1 lengths of the fibers over the
        optimal one, at both nodes.
        """
        a = 0.5 * (a0 + a1) if self.excited else e
        x, rate = 0.5 * self.optimum * (x0 + x1), self.optimum * (x1 - x0) / h
        force, row = self._law(0.5 * (l0 + l1), (l1 - l0) / h, a, x, rate)
        rule = ca.SX(0)
        if self.dynamics is not None:
            rule = a1 - a0 - h * _rate(self.dynamics, e, a).value
        return Acting(force, rule, row)

    def by_law(self, lengths: Array, a: Array, fibers: Array, h: Array) -> tuple[Array, Array]:
        """Forces (n,) [N] over intervals, and what the tendon leaves, by the law with its branches.

        Of lengths of path and fibers (n + 1,) [m] at the nodes, mean activations and h (n,).
        """
        middle, fiber = (0.5 * (one[1:] + one[:-1]) for one in (lengths, fibers))
        speed, rate = (np.diff(one) / h for one in (lengths, fibers))
        given = zip(middle, speed, a, fiber, rate, strict=True)
        rows = [self._equations(self._c, *one) for one in given]
        found = np.array([(force[0], row[0]) for force, row in rows]).reshape(-1, 2).T
        return found[0], found[1]

    def force_at(self, length: SX, a: SX, x: SX) -> SX:
        """Force [N] at rest."""
        return self._law(length, ca.SX(0), a, self.optimum * x, ca.SX(0))[0]

    def imbalance(self, length: SX, a: SX, x: SX) -> SX:
        """What fibers at rest exceed the tendon by, over the largest isometric force."""
        return self._law(length, ca.SX(0), a, self.optimum * x, ca.SX(0))[1]

    def _law(self, length: SX, speed: SX, a: SX, x: SX, rate: SX) -> tuple[SX, SX]:
        # branches of fibers of optimal length, neither at their shortest nor at the least angle
        usual = float(self._c[SLACK].real) + self.optimum
        values = usual, 0.0, _WITNESS, self.optimum, 0.0
        given = (Traced(*one) for one in zip((length, speed, a, x, rate), values, strict=True))
        force, row = self._equations(self._c, *given)
        found = row[0].symbol if isinstance(row[0], Traced) else ca.SX(0)
        return force[0].symbol, found


def _rate(law: Any, e: SX, a: SX) -> Branched:
    """Rate of the activation by a law [1/s]."""

    def rate(excitation: Any, activation: Any) -> Any:
        found = law.rate(excitation, activation)
        return found[0] if isinstance(found, tuple) else found

    return in_all_branches(rate, e, a)


def _constant(owner: str, driven: Any) -> float:
    """Excitation or activation of the model, in the absence of controls of muscles."""
    signal = driven.excitation if isinstance(driven, ActivationDynamics) else driven
    if isinstance(signal, Constant):
        return float(signal(0.0))
    if callable(signal) or not isinstance(signal, float | int):
        must, remedy = "be a number where muscles are no controls", "add fm.Excitations() to them"
        _check.refuse(owner, "activation", type(signal).__name__, must, remedy=remedy)
    return float(signal)


def _check_smooth(owner: str, law: Any) -> None:
    """Refuse laws of the activation with branches, and those that are no expressions."""
    must, remedy = "be an expression of CasADi without branches", "use fm.SmoothActivation"
    remedy += "(sharpness=0.1); a kink where excitation and activation are equal has no optimum"
    try:
        branches = _rate(law, ca.SX.sym("e"), ca.SX.sym("a")).branches
    except Exception as error:  # whatever a law of the user does
        remedy += f" ({type(error).__name__}: {error})"
        branches = 0
    if branches != 1:
        _check.refuse(owner, "activation law", type(law).__name__, must, remedy=remedy)
