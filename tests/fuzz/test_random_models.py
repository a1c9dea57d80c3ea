"""Random small models: ends, penetration, balance and energy, checked without the package."""

from collections import Counter

import numpy as np
import pytest
from amount import cases
from balance_checks import (
    energies,
    least_tension,
    momentum_misfit,
    static_misfits,
    step_misfits,
)
from model_checks import check_attachments, least_admissibility
from random_models import build, draw, draw_law, plucked, rest, run
from solving import METHODS

import fibermsk as fm

_AT_PLACE = 1e-9
"""Distance of an end from its place, over the fiber's length."""

_ROOM = -0.01
"""Least 1 + gamma g that counts as admissible: the package finds depths at points a tenth of the
radii apart, which leaves 0.13 % of the radii, times gamma."""

_BALANCED = 1e-8
"""Sum of forces over the sum of their sizes: an increment of Newton's method below 1e-7 leaves an
error of the order of its square, and stiff fibers pull with 1e4 times the forces on them."""

_REFUSED = 0.3

_TRIED = {
    "backward_euler": fm.BackwardEuler(),
    "bdf2": fm.BDF2(),
    "sdirk2": fm.SDIRK2(),
    "generalized_alpha": fm.GeneralizedAlpha(1.0),
}

_LEAST_FALL = 3.0
"""By how much errors of second order fall at least as the step is halved; 4 in the limit."""


def systems(kind, seed, n, counts, choose=None, **which):
    """Every case that can be built, with its random numbers and its system.

    choose(rng, case): changes what was drawn.
    """
    for number in range(n):
        rng = np.random.default_rng([kind, seed, number])
        case = draw(rng, **which)
        if choose is not None:
            choose(rng, case)
        system = build(case)
        if isinstance(system, fm.ModelError):
            counts["refused"] += 1
            continue
        counts["built"] += 1
        yield f"seed {[kind, seed, number]}", rng, case, system


def quick_and_long(n, more):
    """Seed and number of cases: a quick part, and one marked as slow."""
    return pytest.mark.parametrize(
        ("seed", "n"), [(0, n), pytest.param(1, more, marks=pytest.mark.slow)]
    )


def few_refused(counts):
    """Whether most of the cases could be built."""
    return counts["refused"] < _REFUSED * (counts["refused"] + counts["built"])


@quick_and_long(12, 40)
def test_ends_keep_their_places_and_nothing_is_too_deep(seed, n):
    counts, faults = Counter(), []
    for where, _, case, system in systems(0, seed, cases(n), counts):
        result = run(case, system)
        counts[result.status] += 1
        away, ends = check_attachments(case, result)
        counts["ends"] += ends
        if not away <= _AT_PLACE:
            faults.append((where, f"an end is {away:.3g} of its fiber's length from its place"))
        if result.status != "success":
            continue
        least, pairs = least_admissibility(case, result)
        counts["pairs"] += pairs
        counts["closed"] += least < 1.0
        if not least >= _ROOM:
            faults.append((where, f"1 + gamma g = {least:.3g}"))
    assert not faults, faults
    assert few_refused(counts)
    assert counts["success"] > 0.7 * counts["built"]
    assert counts["ends"] > 20 * n and counts["pairs"] > 10 * n and counts["closed"] > 0.2 * n


def _choose_contact(rng, case):
    """No contact, contact among fibers that cancels, or any."""
    kind = rng.integers(3)
    if kind < 2:
        case["bone_law"] = None
    if kind == 0:
        case["fiber_law"] = None
    elif kind == 1 and len(case["fibers"]) > 1:
        case["fiber_law"] = {**draw_law(rng), "formulation": "variational"}


@quick_and_long(24, 60)
def test_forces_balance_at_rest(seed, n):
    counts, faults = Counter(), []
    for where, _, case, system in systems(1, seed, cases(n), counts, _choose_contact, still=True):
        result = rest(system)
        if isinstance(result, fm.ConvergenceError):
            counts["no rest"] += 1
            continue
        counts["touching"] += bool(result.min_admissibility[0] < 1.0)
        for kind, misfit in zip(
            ("alone", "together", "joints"), static_misfits(case, result), strict=True
        ):
            counts[kind] += misfit.seen
            if not misfit.worst <= _BALANCED:
                faults.append((where, misfit.where, misfit.worst))
    assert not faults, faults
    assert few_refused(counts)
    assert counts["no rest"] < 0.3 * counts["built"]
    for kind in ("alone", "together", "joints", "touching"):
        assert counts[kind] > 0.05 * n, (kind, counts)


def test_a_run_begins_in_balance_where_contact_points_were_doubled_on_the_way():
    rng = np.random.default_rng([1, 0, 29])
    case = draw(rng, still=True)
    _choose_contact(rng, case)
    result = rest(build(case))
    assert isinstance(result, fm.Result)
    assert max(misfit.worst for misfit in static_misfits(case, result)) <= _BALANCED


def test_checks_see_what_is_slightly_wrong():
    """A result judged by numbers that it was not made with."""
    case = draw(np.random.default_rng([1, 0, 0]), still=True, contact=False)
    case["gravity"] = (0.0, 0.0, -9.81)
    case["fibers"][0]["attach"] = ("ground", "ground")
    result = rest(build(case))
    assert isinstance(result, fm.Result) and case["bodies"]
    alone, _, joints = static_misfits(case, result)
    assert max(alone.worst, joints.worst) <= _BALANCED < 1.0
    fiber, bone = case["fibers"][0], case["bodies"][0]
    fiber["density"] *= 1.0001
    assert static_misfits(case, result)[0].worst > 100.0 * _BALANCED
    fiber["density"] /= 1.0001
    bone["spring"] *= 1.0001
    assert static_misfits(case, result)[2].worst > 100.0 * _BALANCED
    fiber["ends"] = fiber["ends"][0] + 1e-6 * fiber["length"], fiber["ends"][1]
    assert check_attachments(case, result)[0] > _AT_PLACE
    # a bone as thick as the fibers' distance from its axis
    bone["radius"] = 1.0
    case["touched"], case["bone_law"] = 0, {"limit": 2.0}
    assert least_admissibility(case, result)[0] < _ROOM


def _choose_steps(rng, case):
    """Fixed steps of the methods whose own difference formulas follow from the frames alone."""
    case["bone_law"] = None
    if case["fiber_law"]:
        case["fiber_law"]["formulation"] = "variational"
    case["method"] = list(METHODS)[rng.integers(2)]
    case["control"], case["frames"] = fm.FixedSteps(), 8


@quick_and_long(24, 60)
def test_momentum_balances_in_every_step(seed, n):
    counts, faults = Counter(), []
    for where, _, case, system in systems(2, seed, cases(n), counts, _choose_steps):
        result = run(case, system)
        if result.status != "success" or result.stats["substeps"] != case["frames"]:
            counts["shorter steps"] += 1
            continue
        misfit = step_misfits(case, result, case["method"])
        counts[case["method"]] += misfit.seen
        counts["touching"] += bool(result.min_admissibility.min() < 1.0)
        if not misfit.worst <= _BALANCED:
            faults.append((where, misfit.where, misfit.worst))
    assert not faults, faults
    assert few_refused(counts)
    for kind in ("backward_euler", "bdf2"):
        assert counts[kind] > n, (kind, counts)
    assert counts["touching"] > 0.05 * n, counts


def _choose_energy(rng, case):
    """Fixed steps; fibers that press each other at contact points that stay, fibers alone, any."""
    case["control"], case["frames"] = fm.FixedSteps(), 24
    kind = rng.random()
    if kind < 0.6 and len(case["fibers"]) > 1:
        case["fiber_law"] = {**draw_law(rng), "formulation": "variational", "refine": False}
        for fiber in case["fibers"]:
            fiber["ends"] = tuple(end * (1.0, 1.0, 0.9) for end in fiber["ends"])
    elif kind < 0.8:
        case["bodies"] = []
        for fiber in case["fibers"]:
            fiber["attach"] = "ground", "ground"


@quick_and_long(4, 10)
def test_energy_is_kept_or_lost_as_the_method_says(seed, n):
    counts, faults = Counter(), []
    which = {"conservative": True, "still": True, "contact": False}
    for where, rng, case, system in systems(3, seed, cases(n), counts, _choose_energy, **which):
        start = plucked(rng, case, system)
        for name, method in _TRIED.items():
            case["integrator"] = method
            results = [run(case, system, start, refine=k) for k in (1, 2)]
            if any(
                r.status != "success" or r.stats["substeps"] != len(r.time) - 1 for r in results
            ):
                counts["shorter steps"] += 1
                continue
            counts[name] += 1
            counts["touching"] += bool(results[0].min_admissibility.min() < 1.0)
            for fault in _energy_faults(name, case, results, counts):
                faults.append((where, name, fault))
    assert not faults, faults
    assert few_refused(counts)
    for name in _TRIED:
        assert counts[name] > 0.7 * counts["built"], counts
    for what in ("touching", "orders of energy", "orders of momentum", "backward differences"):
        assert counts[what] > 0, counts


def _energy_faults(name, case, results, counts):
    """What is wrong with the energy or the momentum of runs with steps dt and dt / 2, in words."""
    found = [energies(case, result) for result in results]
    # the frames that both have, and where both have central differences
    both = [found[0][1][:20], found[1][1][2::2][:20]]
    kinetic = max(part.max() for part, _ in found)
    if name == "backward_euler":
        for total in both:
            if np.diff(total).max() > 0.0:
                yield f"energy grows by {np.diff(total).max() / kinetic:.3g} of the kinetic"
        free = not (case["bodies"] or case["fiber_law"])
        if free and min(least_tension(case, r) for r in results) > 0.0:
            # a theorem: the energy of a tense fiber is convex in its nodes
            counts["backward differences"] += 1
            _, total = energies(case, results[0], backward=True)
            if np.diff(total).max() > 1e-10 * kinetic:
                yield f"energy grows in a step by {np.diff(total).max() / kinetic:.3g}"
        return
    spread = [np.ptp(total) for total in both]
    if spread[0] > 0.05 * kinetic:
        yield f"energy changes by {spread[0] / kinetic:.3g} of the kinetic"
    if spread[1] > 1e-9 * kinetic:
        counts["orders of energy"] += 1
        if spread[0] / spread[1] < _LEAST_FALL:
            yield f"the error of the energy falls by {spread[0] / spread[1]:.3g} only"
    if name == "bdf2" or case["fiber_law"]:
        return  # its momentum is tried in every step; that of fibers that touch, of all together
    left = [momentum_misfit(case, r, k) for k, r in zip((1, 2), results, strict=True)]
    counts["orders of momentum"] += left[0][1] > 0
    if left[0][0] / left[1][0] < _LEAST_FALL:
        yield f"the misfit of momentum falls by {left[0][0] / left[1][0]:.3g} only"
