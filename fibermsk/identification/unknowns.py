"""Unknowns of an identification: names, guesses, bounds, priors, and numbers that share one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.identification.choices import Choices, matches
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


def edge_of_stability(common: Array) -> float:
    """Distance of a filter from the edge beyond which it does not forget."""
    b1, b2 = common[BETA1], common[BETA2]
    return float(min(1.0 - abs(b2), 1.0 + b2 - abs(b1)))


def unstable(common: Array) -> bool:
    """Whether a filter does not forget, or a time constant or the delay is not positive."""
    return not (edge_of_stability(common) > 0.0 and common[DELAY:].min() > 0.0)


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
    for pattern in choices.prior:
        if pattern not in choices.groups:
            matches(pattern, [*names, *inertia_names], "prior")
    share = choices.shares(names)
    cov = np.diag((share * np.abs(guess)) ** 2)
    at = slice(n - 5 - b, n - 5)
    sizes = deviations_of_inertia(inertia_names, inertia, choices)
    cov[at, at] = (base.matrix * sizes**2) @ base.matrix.T
    cov[-5:-3, -5:-3] = _of_filter(numbers.common, share[-5:-3])
    lower, upper = _bounds(numbers, shortest)
    free = np.ones(n, bool)
    for m in range(len(muscles)):
        own = slice(5 * m, 5 * m + 5)
        free[own] &= used[m]
        free[5 * m + 2] &= with_slack[m]
        free[5 * m + 3] &= bool(numbers.muscles[m, 3] > 0.0)
    for pattern in choices.fixed:
        free[[names.index(one) for one in matches(pattern, names, "fixed")]] = False
    _narrow(lower, upper, names, units, guess, choices)
    groups = _groups_of(names, guess, cov, free, choices)
    if not free.any():
        _check.refuse("identify", "fixed", choices.fixed, "leave a number to find")
    return _with_groups(names, units, guess, lower, upper, cov, numbers, free, groups, choices)


def _narrow(
    lower: Array, upper: Array, names: list[str], units: list[str], guess: Array, choices: Choices
) -> None:
    """Put what a user gives in place of the usual bounds."""
    given = {
        one: pair
        for pattern, pair in choices.bounds.items() if pattern not in choices.groups
        for one in matches(pattern, names, "bounds")
    }  # fmt: skip
    for name, (low, high) in given.items():
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


def _groups_of(
    names: list[str], guess: Array, cov: Array, free: Any, choices: Choices
) -> dict[str, list[int]]:
    """Numbers of each group."""
    found = dict[str, list[int]]()
    for label, patterns in choices.groups.items():
        if label in names:
            _check.refuse("identify", "group", label, "have a name of its own, not of a number")
        several = [one for pattern in patterns for one in matches(pattern, names, "groups")]
        members = [k for k in map(names.index, dict.fromkeys(several)) if free[k]]
        taken = {k for others in found.values() for k in others}.intersection(members)
        if taken or not members:
            must = "have numbers to find"
            if taken:
                must = f"be in one group ({names[min(taken)]} is in two)"
            _check.refuse("identify", f"group {label!r}", patterns, must)
        for k in members:
            if np.sqrt(cov[k, k]) > abs(guess[k]):
                off = np.sqrt(cov[k, k])
                must = (
                    f"have guesses to better than 100 %: {names[k]} = {guess[k]:.3g} +- {off:.2g}"
                )
                _check.refuse("identify", f"group {label!r}", patterns, must)
        low, high = choices.bounds.get(label, (0.0, np.inf))
        if not 0.0 <= low <= 1.0 <= high:
            must = "include 1, the factor of the guess, and not go below zero"
            _check.refuse("identify", f"bounds of {label}", (low, high), must)
        found[label] = members
    return found


def _with_groups(
    names: list[str], units: list[str], guess: Array, lower: Array, upper: Array, cov: Array,
    numbers: Numbers, free: Any, groups: dict[str, list[int]], choices: Choices,
) -> Unknowns:  # fmt: skip
    """Unknowns: single numbers, and factors of groups.

    The deviation of a factor is what its name is given, or the mean one of its numbers.
    """
    grouped = {k for members in groups.values() for k in members}
    single = [k for k in np.flatnonzero(free).tolist() if k not in grouped]
    u, s = len(single) + len(groups), len(single)
    C = np.zeros((guess.size, u))
    C[single, range(s)] = 1.0
    z, low, high = np.ones(u), np.zeros(u), np.zeros(u)
    covariance = np.zeros((u, u))
    z[:s], low[:s], high[:s] = guess[single], lower[single], upper[single]
    covariance[:s, :s] = cov[np.ix_(single, single)]
    for j, (label, members) in enumerate(groups.items(), s):
        own = guess[members]
        C[members, j] = own
        ratios = np.sort(np.stack([lower[members] / own, upper[members] / own]), axis=0)
        given = choices.bounds.get(label, (0.0, np.inf))
        low[j], high[j] = max(ratios[0].max(), given[0]), min(ratios[1].min(), given[1])
        covariance[j, j] = np.mean(np.diag(cov)[members] / own**2)
        if label in choices.prior:
            covariance[j, j] = choices.prior[label] ** 2
    return Unknowns(
        [names[k] for k in single] + list(groups), [units[k] for k in single] + [""] * len(groups),
        z, low, high, covariance, numbers, C,
    )  # fmt: skip


def _least(name: str) -> float:
    """Least value of a number; none of base parameters and of the filter."""
    ends = name.rpartition("/")[2]
    positive = ends in OF_A_MUSCLE or name in COMMON[2:]
    return 0.0 if positive else -np.inf


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


def deviations_of_inertia(names: Sequence[str], values: Array, choices: Choices) -> Array:
    """Deviations of the guesses of all inertial parameters.

    They are relative to the guess, or where this is zero to the largest of its kind in the body.
    """
    size = np.abs(values).reshape(-1, 10)
    for kind in (slice(1, 4), slice(4, 10)):
        own = size[:, kind]
        own[:] = np.where(own > 0.0, own, own.max(axis=1, keepdims=True))
    powers = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    floor = _FLOOR * size[:, 0].max(initial=0.0) * _LENGTH**powers
    return np.maximum(choices.shares(names) * size.ravel(), np.tile(floor, size.shape[0]))


def _of_filter(common: Array, share: Array) -> Array:
    """Covariance of (b_1, b_2) from relative deviations of c_1 and c_2."""
    c = np.real(poles(common))
    by = np.array([[1.0, 1.0], [c[1], c[0]]])
    cov = (by * (share * np.abs(c)) ** 2) @ by.T
    return cov + np.diag((1e-2 * share * np.abs(common[:2])) ** 2)
