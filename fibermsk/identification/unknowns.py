"""Unknowns of an identification: names, guesses, bounds, priors, and numbers that share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.identification.equations.inertia import UNITS, Base
from fibermsk.kernels.identification.emg import BETA1, BETA2, DELAY, FALL, RISE
from fibermsk.model import LineMuscle

OF_A_MUSCLE = (
    "max_isometric_force", "optimal_fiber_length", "tendon_slack_length",
    "pennation_angle_squared", "max_fiber_velocity",
)  # fmt: skip
MUSCLE_UNITS = ("N", "m", "m", "rad^2", "m/s")

COMMON = ("emg/beta1", "emg/beta2", "emg/delay", "activation_time", "deactivation_time")
"""Filter and delay of the EMG, and time constants of the activation; common to all muscles."""
COMMON_UNITS = ("", "", "s", "s", "s")

PRIOR = 0.1
"""Relative deviation of a guess."""

_FLOOR = 1e-4
"""Least deviation of an inertial parameter, over that of the largest mass in a length."""
_LENGTH = 0.1
"""[m]"""

_MUSCLE_RANGE = 0.4, 2.0
"""Bounds of forces, lengths and velocities, over the guess."""
_CLEARANCE = 2e-3
"""Least length of the fibers along a rigid tendon [m]."""
_LEAST_SLACK = 1e-4
_MOST_PENNATION = 1.2
"""[rad]"""

DELAY_RANGE = 0.005, 0.150
_TIMES = 0.2, 5.0
"""Bounds of the delay [s], and of time constants over the guess."""


class Numbers(NamedTuple):
    """All numbers of a model of the data.

    Attributes
    ----------
    muscles : (m, 5) float array
        By `OF_A_MUSCLE`.
    base : (b,) float array
        Base inertial parameters.
    common : (5,) float array
        By `COMMON`.
    """

    muscles: Array
    base: Array
    common: Array

    @property
    def flat(self) -> Array:
        """In one array."""
        return np.concatenate([self.muscles.ravel(), self.base, self.common])

    def like(self, flat: Array) -> Numbers:
        """Numbers of this shape from one array."""
        m = self.muscles.size
        return Numbers(flat[:m].reshape(self.muscles.shape), flat[m:-5], flat[-5:])


def numbers_of(muscle: LineMuscle) -> Array:
    """Numbers (5,) of a muscle, by `OF_A_MUSCLE`."""
    optimum = muscle.optimal_fiber_length
    return np.array([
        muscle.max_isometric_force, optimum, muscle.tendon_slack_length,
        muscle.pennation_angle**2, muscle.max_contraction_velocity * optimum,
    ])  # fmt: skip


def betas(c: Sequence[float]) -> tuple[float, float]:
    """Filter coefficients b_1, b_2 from c_1, c_2 of poles -c_1, -c_2."""
    return c[0] + c[1], c[0] * c[1]


def poles(common: Array) -> tuple[complex, complex]:
    """c_1 <= c_2 of a filter; complex where it rings."""
    root = np.sqrt(complex(common[BETA1] ** 2 - 4.0 * common[BETA2]))
    low, high = 0.5 * (common[BETA1] - root), 0.5 * (common[BETA1] + root)
    return low, high


def unstable(common: Array) -> bool:
    """Whether a filter does not forget, or a time constant or the delay is not positive."""
    b1, b2 = common[BETA1], common[BETA2]
    return not (abs(b2) < 1.0 and abs(b1) < 1.0 + b2 and common[DELAY:].min() > 0.0)


class Unknowns:
    """Unknowns z of which all numbers are a linear function, fixed + C z.

    Attributes
    ----------
    names, units : tuple of str
        Of the unknowns.
    guess, lower, upper : (u,) float array
        Guess and bounds.
    prior : (u, u) float array
        Precision of the guess.
    scale : (u,) float array
        Deviations of the guess.
    numbers : Numbers
        Of the guess.
    map : (all, u) float array
        C.
    """

    def __init__(
        self, names: Sequence[str], units: Sequence[str], guess: Array, lower: Array,
        upper: Array, covariance: Array, numbers: Numbers, C: Array,
    ) -> None:  # fmt: skip
        self.names, self.units = tuple(names), tuple(units)
        self.guess, self.lower, self.upper = guess, lower, upper
        self.scale = np.sqrt(np.diag(covariance))
        inverse = np.linalg.inv(covariance / np.outer(self.scale, self.scale))
        self.prior = np.asarray(inverse, float) / np.outer(self.scale, self.scale)
        self.numbers, self.map = numbers, C
        self._fixed = numbers.flat - C @ guess

    def at(self, z: Array) -> Numbers:
        """All numbers at unknowns z."""
        return self.numbers.like(self._fixed + self.map @ z)

    def of(self, numbers: Numbers) -> Array:
        """Unknowns (u,) nearest to all numbers, within bounds: of a group, the mean factor."""
        change = numbers.flat - self._fixed
        counts = (self.map != 0.0).sum(axis=0)
        shares = np.divide(
            change[:, None], self.map, out=np.zeros_like(self.map), where=self.map != 0.0
        )
        return np.clip(shares.sum(axis=0) / counts, self.lower, self.upper)

    def index(self, name: str) -> int:
        """Position of an unknown, or -1."""
        return self.names.index(name) if name in self.names else -1


class Choices(NamedTuple):
    """What a user says of the unknowns, by name or pattern.

    Attributes
    ----------
    prior : mapping of str to float
        Relative deviation of the guess.
    bounds : mapping of str to (float, float)
        Bounds, in the unit of the number.
    groups : mapping of str to str or sequence of str
        Numbers that share one factor on their guess, by the name of the factor.
    fixed : sequence of str
        Numbers that are known.
    """

    prior: Mapping[str, float] = {}
    bounds: Mapping[str, tuple[float, float]] = {}
    groups: Mapping[str, Sequence[str]] = {}
    fixed: Sequence[str] = ()

    @classmethod
    def of(cls, owner: str, prior: Any, bounds: Any, groups: Any, fixed: Any) -> Choices:
        """Checked choices; one number as `prior` is that of all."""
        shares: dict[str, Any] = dict(prior) if isinstance(prior, Mapping) else {"*": prior}
        limits, sets = (
            {} if value is None else _check.instance(owner, field, value, Mapping, "a dict by name")
            for field, value in (("bounds", bounds), ("groups", groups))
        )
        return cls(
            {name: _positive(owner, name, one) for name, one in shares.items()},
            {_text(owner, "bounds", name): _pair(owner, name, one) for name, one in limits.items()},
            {
                _text(owner, "groups", name): texts(owner, f"groups[{name!r}]", one)
                for name, one in sets.items()
            },
            texts(owner, "fixed", fixed),
        )


def texts(owner: str, field: str, value: Any) -> tuple[str, ...]:
    """Names or patterns: one, or several."""
    several = [value] if isinstance(value, str) else value
    return tuple(_check.items(owner, field, several, str, "a name or pattern", "names or patterns"))


def _text(owner: str, field: str, value: Any) -> str:
    return _check.instance(owner, f"name in {field}", value, str, "a name or pattern")


def _positive(owner: str, name: Any, value: Any) -> float:
    _text(owner, "prior", name)
    return _check.positive(owner, "prior" if name == "*" else f"prior of {name!r}", value)


def _pair(owner: str, name: str, value: Any) -> tuple[float, float]:
    low, high = _check.array(owner, f"bounds[{name!r}]", value, (2,)).tolist()
    if not low < high:
        _check.refuse(owner, f"bounds[{name!r}]", (low, high), "have the lower one first")
    return low, high


def unknowns_of(
    numbers: Numbers,
    muscles: Sequence[str],
    shortest: Array,
    base: Base,
    inertia_names: Sequence[str],
    inertia: Array,
    choices: Choices,
    with_slack: Sequence[bool],
    used: Sequence[bool],
) -> Unknowns:
    """Unknowns of muscles (by name), base parameters and common numbers.

    `shortest` (m,) are the least lengths of the paths [m], `with_slack` whether the slack length of
    a muscle matters, `used` whether the muscle does; `inertia` are all inertial parameters.

    Raises
    ------
    ModelError
        If a pattern of the choices matches nothing, or bounds exclude the guess.
    """
    names = list[str](f"{muscle}/{one}" for muscle in muscles for one in OF_A_MUSCLE)
    names += [str(inertia_names[k]) for k in base.independent.tolist()] + list(COMMON)
    units = list[str](MUSCLE_UNITS) * len(muscles)
    units += [UNITS[k % 10] for k in base.independent.tolist()] + list(COMMON_UNITS)
    guess, n, b = numbers.flat, len(names), base.independent.size
    deviation = _matched(choices.prior, [*names, *inertia_names], "prior")
    share = np.array([deviation.get(name, PRIOR) for name in names])
    cov = np.diag((share * np.abs(guess)) ** 2)
    at = slice(n - 5 - b, n - 5)
    cov[at, at] = _of_base(base, inertia_names, inertia, deviation)
    cov[-5:-3, -5:-3] = _of_filter(numbers.common, share[-5:-3])
    lower, upper = _bounds(numbers, shortest)
    free = np.ones(n, bool)
    for m in range(len(muscles)):
        own = slice(5 * m, 5 * m + 5)
        free[own] &= used[m]
        free[5 * m + 2] &= with_slack[m]
        free[5 * m + 3] &= bool(numbers.muscles[m, 3] > 0.0)
    for pattern in choices.fixed:
        free[[names.index(one) for one in _names(pattern, names, "fixed")]] = False
    for name, (low, high) in _matched(choices.bounds, names, "bounds").items():
        k = names.index(name)
        if not low <= guess[k] <= high:
            must = f"include the guess, {guess[k]:g} {units[k]}"
            _check.refuse("identify", f"bounds of {name}", (low, high), must)
        if low < _least(name):
            must = "not go below zero"
            _check.refuse("identify", f"bounds of {name}", (low, high), must)
        if name.endswith(f"/{OF_A_MUSCLE[2]}") and high > upper[k]:
            must = f"stay below the shortest path by {1e3 * _CLEARANCE:g} mm, {upper[k]:g} m"
            _check.refuse("identify", f"bounds of {name}", (low, high), must, unit="m")
        lower[k], upper[k] = low, high
    owners = np.full(n, -1)
    labels, rows = list[str](), list[list[int]]()
    for label, patterns in choices.groups.items():
        members = [
            names.index(one) for pattern in patterns for one in _names(pattern, names, "groups")
        ]
        members = [k for k in dict.fromkeys(members) if free[k]]
        if label in names:
            _check.refuse("identify", "group", label, "have a name of its own, not of a number")
        taken = [names[k] for k in members if owners[k] >= 0]
        if taken or not members:
            must = f"be in one group ({taken[0]} is in two)" if taken else "have numbers to find"
            _check.refuse("identify", f"group {label!r}", patterns, must)
        for k in members:
            if np.sqrt(cov[k, k]) > abs(guess[k]):
                must = f"have numbers that are not zero: {names[k]} = {guess[k]:.3g}"
                _check.refuse("identify", f"group {label!r}", patterns, must)
        owners[members] = len(labels)
        labels.append(label)
        rows.append(members)
    return _with_groups(names, units, guess, lower, upper, cov, numbers, free, labels, rows)


def _with_groups(
    names: list[str], units: list[str], guess: Array, lower: Array, upper: Array, cov: Array,
    numbers: Numbers, free: Any, labels: list[str], rows: list[list[int]],
) -> Unknowns:  # fmt: skip
    """Unknowns: single numbers, and factors of groups, whose deviation is the mean one."""
    grouped = {k for members in rows for k in members}
    single = [k for k in np.flatnonzero(free).tolist() if k not in grouped]
    u = len(single) + len(rows)
    C = np.zeros((guess.size, u))
    C[single, range(len(single))] = 1.0
    z, low, high = np.ones(u), np.zeros(u), np.zeros(u)
    covariance = np.zeros((u, u))
    s = len(single)
    z[:s], low[:s], high[:s] = guess[single], lower[single], upper[single]
    covariance[:s, :s] = cov[np.ix_(single, single)]
    for j, members in enumerate(rows, s):
        own = guess[members]
        C[members, j] = own
        ratios = np.sort(np.stack([lower[members] / own, upper[members] / own]), axis=0)
        low[j], high[j] = ratios[0].max(), ratios[1].min()
        covariance[j, j] = np.mean(np.diag(cov)[members] / own**2)
    return Unknowns(
        [names[k] for k in single] + labels, [units[k] for k in single] + [""] * len(rows),
        z, low, high, covariance, numbers, C,
    )  # fmt: skip


def _least(name: str) -> float:
    """Least value of a number; none of base parameters and of the filter."""
    ends = name.rpartition("/")[2]
    positive = ends in OF_A_MUSCLE or name in COMMON[2:]
    return 0.0 if positive else -np.inf


def _names(pattern: str, names: Sequence[str], what: str) -> list[str]:
    """Names that match a pattern.

    Raises
    ------
    ModelError
        If none does.
    """
    found = [one for one in names if fnmatchcase(one, pattern)]
    if not found:
        near = _check.suggestion(pattern, list(names))
        raise ModelError(
            f"identify: {what} names {pattern!r}; must match one of {len(names)} numbers, such as "
            f"{names[0]!r}{near}"
        )
    return found


def _matched(values: Mapping[str, Any], names: Sequence[str], what: str) -> dict[str, Any]:
    """Values by name from values by pattern; later ones count."""
    return {one: value for pattern, value in values.items() for one in _names(pattern, names, what)}


def _bounds(numbers: Numbers, shortest: Array) -> tuple[Array, Array]:
    """Usual bounds of all numbers."""
    low, high = (factor * numbers.muscles for factor in _MUSCLE_RANGE)
    slack = numbers.muscles[:, 2]
    low[:, 2] = np.minimum(_LEAST_SLACK, 0.5 * slack)
    high[:, 2] = np.maximum(shortest - _CLEARANCE, slack)
    low[:, 3], high[:, 3] = 0.0, _MOST_PENNATION**2
    none = np.full(numbers.base.size, np.inf)
    common = numbers.common
    low_c = np.array(
        [-2.0, -1.0, DELAY_RANGE[0], _TIMES[0] * common[RISE], _TIMES[0] * common[FALL]]
    )
    high_c = np.array(
        [2.0, 1.0, DELAY_RANGE[1], _TIMES[1] * common[RISE], _TIMES[1] * common[FALL]]
    )
    return np.r_[low.ravel(), -none, low_c], np.r_[high.ravel(), none, high_c]


def _of_base(
    base: Base, names: Sequence[str], values: Array, deviation: Mapping[str, float]
) -> Array:
    """Covariance of base parameters from independent deviations of all."""
    share = np.array([deviation.get(name, PRIOR) for name in names])
    powers = np.tile([0, 1, 1, 1, 2, 2, 2, 2, 2, 2], values.size // 10)
    floor = _FLOOR * np.abs(values[::10]).max(initial=0.0) * _LENGTH**powers
    sizes = np.maximum(share * np.abs(values), floor)
    B = np.zeros((base.independent.size, values.size))
    B[np.arange(base.independent.size), base.independent] = 1.0
    B[:, base.dependent] = base.K
    return (B * sizes**2) @ B.T


def _of_filter(common: Array, share: Array) -> Array:
    """Covariance of (b_1, b_2) from relative deviations of c_1 and c_2."""
    c = np.real(poles(common))
    by = np.array([[1.0, 1.0], [c[1], c[0]]])
    cov = (by * (share * np.abs(c)) ** 2) @ by.T
    return cov + np.diag((1e-2 * share * np.abs(common[:2])) ** 2)
