"""What an identification tells, in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fibermsk.identification.fit.certainty import VERDICTS, Certainty
from fibermsk.identification.found import FAR, Identification
from fibermsk.identification.problem import IdentificationProblem
from fibermsk.identification.unknowns import edge_of_stability

_CONFOUNDED = 0.95
"""Correlation from which two numbers are told to be one."""

_NEGATIVE = 0.01
"""Share of instants with a negative force from which it is told."""

_NOTHING = 1e-9
"""Residual of a coordinate, over that of all, that is round-off: it has no equation."""

_EDGE = 1e-6
"""Distance of a filter from the edge of stability, at which it is at it."""

_MOST = 12

_SCALED = {
    "normalized": " (both at the scale of the guess)", "torque": "",
    "acceleration": " (both as accelerations, in units of the torques at the guess)",
}  # fmt: skip

_PULLS = {
    "normalized": (
        "With this loss errors of torques raise forces and inertias together, beyond these "
        "intervals; errors of EMG hardly do. Where motions are noisier than EMG use the loss "
        '"torque"'
    ),
    "torque": (
        "With this loss errors of EMG shrink forces and inertias together, beyond these intervals. "
        'Where EMG is noisier than motions use the loss "normalized"'
    ),
    "acceleration": (
        "With this loss errors of EMG and torques change forces and inertias together, beyond "
        "these intervals"
    ),
}  # fmt: skip
_CAUTION = (
    "Intervals hold if the model is right; errors of moment arms and lengths, which the unknowns "
    "absorb, are in them in part. {}. A weighed load, a known segment mass or a measured torque "
    "anchors their scale. Accuracy on exact data does not carry over to measured EMG: 20 s of it "
    "tell hardly more than a guess of 10 %; record minutes."
)


def caution_of(loss: str) -> str:
    """What intervals do not tell."""
    return _CAUTION.format(_PULLS[loss])


def conditions_in_words(problem: IdentificationProblem) -> list[str]:
    """What the data can tell, before a search."""
    own, n = problem.conditions, problem.preparation.skeleton.n
    lines = []
    deep = ", ".join(problem.deep) or "none"
    lines.append(f"muscles without EMG: {deep}")
    if problem.deep:
        left = (
            f"{own.left} equations per instant are"
            if own.left > 1
            else "one equation per instant is"
        )
        lines.append(
            f"they reach {own.rank} of {n} generalized forces (smallest singular value "
            f"{1e3 * own.smallest:.3g} mm); {left} left"
        )
    if own.idle:
        lines.append(f"in none of the equations, and not identifiable: {', '.join(own.idle)}")
    share = own.anchor / own.size if own.size else 0.0
    weak = "; it is weak: give a load or a known mass" if share < 0.1 else ""
    lines.append(
        f"scale of forces and inertias: anchored by what is known, {own.anchor:.3g} of "
        f"{own.size:.3g} N m{weak}"
    )
    lines.append(
        f"{len(problem.names)} unknowns, of which {problem.base.independent.size} base inertial "
        f"parameters; {sum(one.time.size for one in problem.training)} instants in "
        f"{len(problem.training)} movement{'s' * (len(problem.training) > 1)}"
    )
    lines.append(f"speeds and accelerations: {problem.rates}")
    if problem.held_out:
        lines.append(f"{len(problem.held_out)} held out: {problem.held_out[0].name!r}")
    return lines


def certainty_in_words(names: Sequence[str], own: Certainty) -> list[str]:
    """How much of the unknowns the data tell."""
    lines = [
        f"with residuals of {own.sigma:.3g} N m the data know more than the guess in {own.known} "
        f"of {len(names)} directions"
    ]
    for verdict in VERDICTS:
        members = [n for n, one in zip(names, own.verdict, strict=True) if one == verdict]
        if members:
            shown = ", ".join(members[:_MOST]) + (
                f" and {len(members) - _MOST} more" if len(members) > _MOST else ""
            )
            told = {"data": "told by the data", "prior": "told by guess and data"}
            lines.append(f"{told.get(verdict, verdict)}: {len(members)} ({shown})")
    pairs = np.argwhere(np.triu(np.abs(own.correlation), 1) > _CONFOUNDED)
    words = [f"{names[i]} with {names[j]} ({own.correlation[i, j]:+.3f})" for i, j in pairs[:_MOST]]
    if words:
        more = f" and {len(pairs) - _MOST} more pairs" if len(pairs) > _MOST else ""
        lines.append(f"confounded: {', '.join(words)}{more}")
    lines += [f"sloppy direction, {one}" for one in own.sloppy(tuple(names))]
    return lines


def found_in_words(found: Identification) -> list[str]:
    """What was found, in lines."""
    own, lines = found.solved, list[str]()
    state = "converged" if own.converged else "did not converge"
    lines.append(
        f"{state} after {own.iterations} steps in {own.seconds:.1f} s; residuals {own.rms:.3g} N m"
        + (f", believed to {own.sigma:.3g} N m" if own.sigma else "")
        + _SCALED[found.problem.loss]
    )
    lines.append(
        f"scale: anchored by {found.problem.conditions.anchor:.3g} N m that is known, against "
        f"residuals of {own.rms:.3g} N m"
    )
    if own.restarted:
        lines.append(f"muscles that started a second time: {', '.join(own.restarted)}")
    if found.at_bounds:
        lines.append(f"at their bounds: {', '.join(found.at_bounds)}")
    if np.isnan(found.filter[0]):
        lines.append("the filter rings: its poles are complex, or negative ones; fix or bound it")
    else:
        lines.append(
            f"filter c = {found.filter[0]:.4g} and {found.filter[1]:.4g}, time constants "
            f"{1e3 * found.time_constants[0]:.3g} and {1e3 * found.time_constants[1]:.3g} ms"
        )
    if edge_of_stability(found.problem.unknowns.at(own.z).common) < _EDGE:
        lines.append(
            "the filter is at the edge of what forgets: EMG does not tell it; fix or bound it"
        )
    for name, slack in found.slack.items():
        lines.append(
            f"{name}: slack length of the tendon {1e3 * slack.length:.4g} mm, deviation "
            f"{1e3 * slack.deviation:.2g} mm"
        )
    lines += _short(found)
    for one in found.movements:
        kind = "held out" if one.held_out else "used"
        lines.append(
            f"{one.name} ({kind}): residual {one.rms:.3g} of {one.size:.3g} N m, "
            f"{one.residual.size} samples count as {one.independent:.0f}; by coordinate "
            + ", ".join(
                f"{name} {value:.3g}"
                for name, value in one.by_coordinate.items()
                if value > _NOTHING * one.rms
            )
        )
        left = [name for name in found.problem.deep if name not in one.deep_force]
        if left:
            lines.append(f"{one.name}: it does not determine the forces of {', '.join(left)}")
        for name, share in one.negative.items():
            if share > _NEGATIVE:
                lines.append(
                    f"{one.name}: the force of {name} would be negative in {100.0 * share:.3g} % "
                    "of the time: model or EMG are wrong"
                )
    lines += inertia_in_words(found)
    return lines


def _short(found: Identification) -> list[str]:
    """Muscles whose path is shorter in what was held out than the tendon that was found."""
    problem, lines = found.problem, list[str]()
    slack = problem.unknowns.at(found.solved.z).muscles[:, 2]
    for one in problem.held_out if problem.mode == "rigid" else ():
        for m, muscle in enumerate(problem.preparation.seen):
            if problem.used[m] and one.path[:, m].min() <= slack[m]:
                lines.append(
                    f"{one.name}: the path of {muscle.name} becomes shorter than its tendon, and "
                    "its force there is none"
                )
    return lines


def inertia_in_words(found: Identification) -> list[str]:
    """Bones that a body can have, and whether they have what was found."""
    if not found.inertia:
        return []
    masses = ", ".join(f"{name} {one[0]:.4g}" for name, one in found.inertia.items())
    worst = max(found.inertia_off, key=lambda name: abs(found.inertia_off[name]))
    off = f"{abs(found.inertia_off[worst]):.2g} deviations of {worst}"
    fit = f"they have what was found to {off}"
    if abs(found.inertia_off[worst]) > FAR:
        fit = (
            f"they are off by {off}: no bones have what was found, whose masses or principal "
            "moments break their inequalities: the model or its data are wrong"
        )
    return [f"nearest bones with a mass distribution, masses [kg]: {masses}; {fit}"]


def table_of(found: Identification) -> dict[str, list[Any]]:
    """Columns of the estimates."""
    problem, own = found.problem, found.certainty
    return {
        "parameter": list(problem.names), "unit": list(problem.units),
        "guess": problem.guess.tolist(), "estimate": found.solved.z.tolist(),
        "deviation": own.deviation.tolist(), "lower_95": own.interval[:, 0].tolist(),
        "upper_95": own.interval[:, 1].tolist(), "posterior_over_prior": own.share.tolist(),
        "told_by": list(own.verdict),
    }  # fmt: skip
