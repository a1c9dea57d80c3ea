"""Functions that keep state are refused, before a run or in it, and never end in "success"."""

import itertools

import numpy as np
import pytest

import fibermsk as fm


def one_fiber(**fields):
    """System of a muscle that is held at both ends."""
    model = fm.Model("model", gravity=(0, 0, 0))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=fm.ActiveStress(1e5), prestress=1e4)
    origin = model.ground.at(0, 0, 0)
    given = {"attach": (origin, model.ground.at(0.1, 0, 0))} | fields
    given["attach"] = origin, given["attach"][1]
    model.add(fm.Fiber("f", radius=3e-3, n_elements=2, tissue=tissue, **given))
    return fm.build(model)


def run(system, **options):
    return fm.simulate(
        system, **{"t_end": 0.1, "dt": 0.01, "method": fm.BDF2(), "throw": False, **options}
    )


def counting():
    """An activation that grows with every call."""
    calls = itertools.count()
    return lambda t: min(1e-3 * next(calls), 1.0)


def random():
    rng = np.random.default_rng(1)
    return lambda t: 0.5 * rng.random()


def latching():
    """An activation that stays on once a late time was asked for."""
    seen = []

    def activation(t):
        if t > 0.05:
            seen.append(t)
        return 0.5 if seen else 0.0

    return activation


def filtering():
    """A low-pass filter with a memory of the last time and value."""
    memory = {"t": 0.0, "a": 0.0}

    def activation(t):
        memory["a"] += (0.5 - memory["a"]) * min(max(t - memory["t"], 0.0) / 0.05, 1.0)
        memory["t"] = t
        return memory["a"]

    return activation


KEEPING = {"counting": counting, "random": random, "latching": latching, "filtering": filtering}


@pytest.mark.parametrize("make", KEEPING.values(), ids=KEEPING)
def test_activations_that_keep_state_are_refused_before_a_run(make):
    system = one_fiber(activation=make())
    with pytest.raises(fm.ModelError, match=r"fiber 'f': activation at t = .*keeps state"):
        run(system)


@pytest.mark.parametrize("make", [counting, random, latching])
def test_line_loads_and_moving_points_that_keep_state_are_refused(make):
    signal = make()
    system = one_fiber(line_load=lambda theta, t: np.outer(np.ones(theta.size), [0, 0, signal(t)]))
    with pytest.raises(fm.ModelError, match="fiber 'f': line_load at t = .*keeps state"):
        run(system)
    motion = make()
    end = fm.MovingPoint(lambda t: np.array([0.1 + 1e-2 * motion(t), 0, 0]))
    system = one_fiber(attach=(None, end))
    with pytest.raises(fm.ModelError, match="moving point of fiber 'f': motion at t = .*state"):
        run(system)


@pytest.mark.parametrize("control", [fm.FixedSteps(), fm.AdaptiveSteps(landing=False)])
def test_a_function_that_changes_later_in_a_run_ends_it_and_keeps_what_was_computed(control):
    level = {"a": 0.1}
    system = one_fiber(activation=lambda t: level["a"])

    def change(progress):
        if progress.time >= 0.05:
            level["a"] = 0.3

    result = run(system, progress=change, control=control)
    assert result.status == "failed"
    assert "activation at t = " in result.message and "keeps state" in result.message
    assert 0.04 <= result.time[-1] < 0.1  # what was accepted before is kept


def test_a_change_after_the_last_step_is_no_success_either():
    level = {"a": 0.1}
    system = one_fiber(activation=lambda t: level["a"])

    def change(progress):
        if progress.time >= 0.1:
            level["a"] = 0.3

    result = run(system, progress=change)
    assert result.status == "failed" and "keeps state" in result.message
    assert result.time[-1] == 0.1


def test_functions_may_change_between_runs():
    level = {"a": 0.1}
    system = one_fiber(activation=lambda t: level["a"])
    pulls = []
    for level["a"] in (0.1, 0.3):
        result = run(system)
        assert result.status == "success"
        pulls.append(result.fibers["f"].axial_force[-1].max())
    assert pulls[1] > 1.5 * pulls[0]


def test_one_of_many_functions_is_found_in_its_turn():
    level = {"a": 0.1}
    model = fm.Model("model", gravity=(0, 0, 0))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), prestress=1e4)
    for k in range(20):
        ends = model.ground.at(0, 0.01 * k, 0), model.ground.at(0.1, 0.01 * k, 0)
        signal = (lambda t: level["a"]) if k == 13 else (lambda t, k=k: 0.01 * k)
        model.add(
            fm.Fiber(
                f"f{k}", attach=ends, radius=1e-3, n_elements=1, tissue=tissue, activation=signal
            )
        )

    def change(progress):
        if progress.time >= 0.05:
            level["a"] = 0.3

    result = run(fm.build(model), progress=change)
    assert result.status == "failed" and "fiber 'f13'" in result.message
    assert result.time[-1] < 0.1


def test_functions_of_theta_that_keep_state_are_refused_at_build():
    calls = itertools.count()
    for field, give, text in (
        ("radius", lambda s: (3e-3 + 1e-6 * next(calls)) * np.ones_like(s), "radius as a function"),
        ("muscle_fraction", lambda s: np.full_like(s, 0.5 + 1e-3 * next(calls)), "muscle_fraction"),
    ):
        model = fm.Model("m")
        ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
        tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3))
        given = {"radius": 3e-3, field: give}
        model.add(fm.Fiber("f", attach=ends, n_elements=2, tissue=tissue, **given))
        with pytest.raises(fm.ModelError, match=text):
            fm.build(model)
