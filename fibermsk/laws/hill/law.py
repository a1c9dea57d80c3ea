"""Hill muscle with tendon as a law of line muscles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Protocol

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._numbers import FRACTION, NON_NEGATIVE, bounded, checked, number, part
from fibermsk.laws.derivatives import STEP
from fibermsk.laws.hill.degroote import DeGrooteCurves
from fibermsk.laws.hill.equations import FORMS, OUTPUTS
from fibermsk.laws.hill.equilibrium import Balances, HillStart, static_start
from fibermsk.laws.hill.kinds import KINDS, equations_of

NUMBERS = (
    "max_isometric_force",
    "optimal_fiber_length",
    "tendon_slack_length",
    "pennation_angle",
    "max_contraction_velocity",
)
"""Numbers of a muscle in the order of their columns."""

_OWN = ("damping", "min_activation", "max_pennation_angle")

_STATES = {
    "elastic": ("fiber_length", "m"),
    "balance": ("fiber_length", "m"),
    "implicit": ("normalized_tendon_force", ""),
    "rigid": None,
}


class HillNumbers(Protocol):
    """Numbers of a muscle: those of `LineMuscle`."""

    @property
    def name(self) -> str:
        """Name, for messages."""
        ...

    @property
    def max_isometric_force(self) -> float:
        """F_0 [N]."""
        ...

    @property
    def optimal_fiber_length(self) -> float:
        """l_0 [m]."""
        ...

    @property
    def tendon_slack_length(self) -> float:
        """l_Ts [m]."""
        ...

    @property
    def pennation_angle(self) -> float:
        """alpha_0 [rad]."""
        ...

    @property
    def max_contraction_velocity(self) -> float:
        """v_max [1/s]."""
        ...


class HillSlopes(NamedTuple):
    """Derivatives in one quantity, in N and in the unit of the state's equation per its unit.

    Attributes
    ----------
    force, equation : float
        Of the tendon's force, and of the residual of the state's equation.
    """

    force: float
    equation: float

    @classmethod
    def of(cls, force: Any, row: Any) -> HillSlopes:
        """Imaginary parts of values after a complex step."""
        return cls(float(np.imag(force[0])) / STEP, float(np.imag(row[0])) / STEP)


def _held_numbers(law: HillLaw) -> dict[str, str]:
    """Numbers of the curves that a form of the tendon holds, with the reason."""
    return {"slack_width": 'is 0 for tendon="implicit"'} if law.tendon == "implicit" else {}


@dataclass(frozen=True)
class HillLaw:
    """Force of a line muscle: Hill's fibers in series with a tendon.

    Parameters
    ----------
    curves : DeGrooteCurves, MillardCurves or ThelenCurves
        Curves of the fibers and of the tendon.
    tendon : str
        How the tendon enters, and with it the state:
        "elastic": the length of the fibers [m]; the force balance is solved for their velocity.
        "balance": the same state; the force balance is its equation, without an inner solution.
        "implicit": the force of the tendon over max_isometric_force; curves of De Groote only.
        "rigid": none; the tendon keeps its slack length.
    damping : float
        Damping beta of the fibers: force over max_isometric_force at a velocity of
        max_contraction_velocity [-]; zero or positive.
    min_activation : float
        Least activation in the force [-], in [0, 1]; smaller activations act like it.
    max_pennation_angle : float
        Angle that the fibers do not exceed [rad], in [0.1, 1.55].
    pull_only : bool
        Whether a rigid tendon carries nothing where it would push, in fast shortening, as in
        OpenSim's muscle of Millard. Else it pushes, and `describe` says so.

    Raises
    ------
    ModelError
        If a value lies outside its range, or curves and tendon do not fit together.

    Notes
    -----
    P = a f_L f_V + f_P + beta v_M / (v_max l_0) along the fibers and P cos(alpha) = f_T, over F_0,
    with fibers of constant height l_0 sin(alpha_0) [1]_. In the elastic forms fibers shorten no
    further than to the length of the largest pennation angle, or to 0.01 l_0 without pennation: in
    "elastic" their velocity of shortening fades to zero over the last 0.01 l_0.

    References
    ----------
    .. [1] Millard, Uchida, Seth and Delp, Journal of Biomechanical Engineering 135 (2013), 021005.

    Examples
    --------
    >>> import fibermsk as fm
    >>> fm.HillLaw(tendon="rigid").state is None
    True
    >>> fm.HillLaw().state
    ('fiber_length', 'm')
    """

    curves: Any = part(default=DeGrooteCurves(), unless=_held_numbers)
    tendon: str = "elastic"
    damping: float = number("", NON_NEGATIVE, default=0.1)
    min_activation: float = number("", FRACTION, default=0.0)
    max_pennation_angle: float = number(
        "rad", bounded(least=0.1, most=1.55), default=math.acos(0.1)
    )
    pull_only: bool = False

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if type(self.curves) not in KINDS:
            names = " or ".join(kind.__name__ for kind in KINDS)
            _check.refuse(owner, "curves", self.curves, f"be {names}")
        _check.choice(owner, "tendon", self.tendon, FORMS)
        _check.store(self, **checked(self, owner))
        if _check.flag(owner, "pull_only", self.pull_only) and self.tendon != "rigid":
            remedy = "an elastic tendon pushes with no curves but the published ones of De Groote"
            must = f'be False for tendon="{self.tendon}"'
            _check.refuse(owner, "pull_only", self.pull_only, must, remedy=remedy)
        solved = self.tendon in ("elastic", "implicit")
        if solved and self.damping == 0.0 and self.min_activation == 0.0:
            must = f'be positive for tendon="{self.tendon}" without min_activation'
            remedy = "without both, passive fibers have no velocity that carries the tendon's force"
            _check.refuse(owner, "damping", self.damping, must, remedy=remedy)
        why = KINDS[type(self.curves)].refused(self.curves, self.tendon, self.damping)
        if why:
            must, remedy = why
            _check.refuse(owner, "tendon", self.tendon, must, remedy=remedy)

    @property
    def state(self) -> tuple[str, str] | None:
        """Name and unit of the state; None for a rigid tendon."""
        return _STATES[self.tendon]

    def check(self, muscle: HillNumbers) -> None:
        """Check that the law can act on a muscle.

        Raises
        ------
        ModelError
            If the tendon is elastic and has no length, or the pennation angle exceeds the largest.
        """
        owner = f"line muscle {muscle.name!r}"
        if self.tendon != "rigid" and not muscle.tendon_slack_length > 0.0:
            _check.refuse(
                owner, "tendon_slack_length", muscle.tendon_slack_length,
                "be positive for an elastic tendon", unit="m",
                remedy='give its law tendon="rigid"',
            )  # fmt: skip
        if muscle.pennation_angle >= self.max_pennation_angle:
            must = f"be below the law's max_pennation_angle = {self.max_pennation_angle:g}"
            _check.refuse(owner, "pennation_angle", muscle.pennation_angle, must, unit="rad")

    def values(self, muscle: HillNumbers) -> dict[str, float]:
        """Every number of the muscle and of the law that the force depends on, by name."""
        found = {name: float(getattr(muscle, name)) for name in NUMBERS}
        found |= {name: float(getattr(self, name)) for name in _OWN}
        return found | {
            f"curves/{one.name}": float(getattr(self.curves, one.name))
            for one in fields(self.curves)
        }

    def row(self, values: Mapping[str, Any]) -> Array:
        """Row of constants (n_constants,) from `values`, real or complex.

        With one value moved by a complex step, the row holds its derivative.
        """
        own = [values[name] for name in (*NUMBERS, "damping", "min_activation")]
        own += [np.cos(values["max_pennation_angle"]), float(self.pull_only)]
        given = [values[f"curves/{one.name}"] for one in fields(self.curves)]
        return np.array([*own, *KINDS[type(self.curves)].constants(given)])

    def constants(self, muscle: HillNumbers) -> Array:
        """Row of constants (n_constants,) of a muscle, see `fibermsk.laws.hill.row`."""
        return self.row(self.values(muscle))

    def start(
        self,
        muscle: HillNumbers,
        length: float,
        activation: float,
        near: float | None = None,
        balances: Balances | None = None,
    ) -> HillStart:
        """Static equilibrium of fibers and tendon, from which a run starts.

        Parameters
        ----------
        muscle : HillNumbers
            The muscle.
        length : float
            Length of its path [m].
        activation : float
            In [0, 1].
        near : float, optional
            Length of the fibers [m] next to which the equilibrium is wanted if there are several.
        balances : callable, optional
            Samples of the balance by compiled code, which finds the same; see
            `fibermsk.kernels.lines.hill`.

        Returns
        -------
        HillStart

        Raises
        ------
        ModelError
            If there is no equilibrium, or the path is so long that the fibers would exceed 5
            optimal_fiber_length or the tendon 100 max_isometric_force; the message says why.
        """
        kind = type(self.curves)
        c, owner = self.constants(muscle), f"line muscle {muscle.name!r}"
        return static_start(
            owner, c, equations_of(kind), self.tendon, length, activation, near, balances
        )

    def describe(
        self,
        muscle: HillNumbers,
        length: float,
        speed: float,
        activation: float,
        state: float = 0.0,
        rate: float = 0.0,
    ) -> dict[str, float]:
        """Outputs of a muscle by OpenSim's names, see `fibermsk.laws.hill.equations.OUTPUTS`.

        Parameters
        ----------
        muscle : HillNumbers
            The muscle.
        length, speed : float
            Length of its path [m] and its rate [m/s].
        activation : float
            In [0, 1].
        state, rate : float
            Its state and the rate of it; `rate` matters to "balance" alone.
        """
        one = getattr(equations_of(type(self.curves)), f"{self.tendon}_outputs")
        values = one(self.constants(muscle), length, speed, activation, state, rate)
        return dict(zip(OUTPUTS, map(float, values), strict=True))

    def derivatives(
        self,
        muscle: HillNumbers,
        length: float,
        speed: float,
        activation: float,
        state: float = 0.0,
        rate: float = 0.0,
    ) -> dict[str, HillSlopes]:
        """Derivatives of the tendon's force and of the state's equation, by complex steps.

        Parameters
        ----------
        muscle, length, speed, activation, state, rate
            As for `describe`.

        Returns
        -------
        dict of str to HillSlopes
            In "length", "speed", "activation", "state" and "rate", and in every number of
            `values`, such as "max_isometric_force", "damping" and "curves/...". Exact; one-sided
            in `min_activation` where it binds.

        Raises
        ------
        ModelError
            If no velocity of the fibers carries the tendon's force, so that there is none.

        Examples
        --------
        >>> import fibermsk as fm
        >>> muscle = fm.make_scene("arm2").model.muscle("brachialis")
        >>> found = fm.HillLaw(tendon="rigid").derivatives(muscle, 0.14, 0.0, 0.5)
        >>> force = fm.HillLaw(tendon="rigid").describe(muscle, 0.14, 0.0, 0.5)["tendon_force"]
        >>> bool(abs(found["max_isometric_force"].force - force / 987.26) < 1e-12)
        True
        """
        one = getattr(equations_of(type(self.curves)), self.tendon)
        at = [complex(value) for value in (length, speed, activation, state, rate)]
        values, found = self.values(muscle), dict[str, HillSlopes]()
        with np.errstate(all="ignore"):
            for k, name in enumerate(("length", "speed", "activation", "state", "rate")):
                moved = list(at)
                moved[k] += STEP * 1j
                found[name] = HillSlopes.of(*one(self.row(values).astype(complex), *moved))
            for name, value in values.items():
                row = self.row(values | {name: complex(value, STEP)})
                found[name] = HillSlopes.of(*one(row, *at))
        if not np.isfinite(list(found.values())).all():
            owner, must = f"line muscle {muscle.name!r}", "admit a velocity of the fibers"
            remedy = "give the law damping or min_activation, or take a state nearer to its start"
            _check.refuse(owner, "state", state, f"{must} that carries the tendon", remedy=remedy)
        return found

    def energy(
        self, muscle: HillNumbers, fiber_length: float, tendon_length: float
    ) -> tuple[float, float]:
        """Elastic energies of fibers and tendon [J] at their lengths [m].

        The first is zero at optimal length, or where the passive force begins; the second at slack
        length, and everywhere for a rigid tendon. Both exact integrals of the curves.
        """
        c, l0, slack = (
            self.constants(muscle),
            muscle.optimal_fiber_length,
            muscle.tendon_slack_length,
        )
        relative = tendon_length / slack if self.tendon != "rigid" else 1.0
        fibers, tendon = KINDS[type(self.curves)].stored(c, fiber_length / l0, relative)
        force = muscle.max_isometric_force
        in_tendon = force * slack * tendon if self.tendon != "rigid" else 0.0
        return float(force * l0 * fibers), float(in_tendon)
