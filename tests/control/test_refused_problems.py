"""Problems that cannot be solved are refused before they are; failures name what is violated."""

import re
import signal

import numpy as np
import pytest

import fibermsk as fm


def arm(**settings):
    problem = fm.make_scene("two_muscle_arm", steps=5)
    names = "controls", "objective", "start", "end", "path"
    settings = {"duration": 0.6, "steps": 5} | settings
    given = {name: getattr(problem, name) for name in names} | settings
    return fm.OptimalControl(given.pop("model", problem.model), **given)


def model(change):
    """The arm with another field of one of its items."""
    own = fm.make_scene("two_muscle_arm").model
    return own.edit({change[0](own): change[1]})


def biceps(**fields):
    return model((lambda own: own.muscle("biceps"), fields))


REFUSED = {
    "an inertia that no body has": (
        lambda: model((lambda m: m.body("forearm"), {"inertia": (1e-2, 1e-2, 5e-2)})),
        {},
        r"body 'forearm': inertia|triangle",
    ),
    "a start outside of a range": (
        None, {"start": fm.AtRest(elbow=0.05)}, r"start: elbow = 0\.05; must lie in its range",
    ),
    "an end outside of a range": (
        None, {"end": fm.AtRest(elbow=2.5)}, r"end: elbow = 2\.5; must lie in its range",
    ),
    "other steps than those of phases": (
        None, {"duration": [fm.Phase(0.3, 3)], "steps": 5}, r"steps = 5; must be left out",
    ),
    "no steps": (None, {"steps": 0}, r"steps = 0; must be"),
    "a fraction of steps": (None, {"steps": 2.5}, r"steps = 2\.5"),
    "an unknown coordinate": (
        None, {"end": fm.AtRest(elbo=1.0)}, r"'elbo'.*did you mean 'elbow'",
    ),
    "an unknown coordinate in a range": (
        None, {"path": [fm.Range("knee", 0.0, 1.0)]}, r"Range: coordinate = 'knee'",
    ),
    "conflicting conditions at the end": (
        None,
        {"end": "point"},
        r"end: points = 1; must be left out where all coordinates are given",
    ),
    "an activation that is none": (
        None,
        {"start": fm.AtRest(elbow=0.3, activations={"brachialis": 0.1})},
        r"activation = 'brachialis'.*they are: biceps, triceps",
    ),
    "a start that cannot be held": (
        None,
        {"start": fm.AtRest(elbow=1.8, activations="hold"), "model": "weak"},
        r"no activations in \[0, 1\] hold the pose",
    ),
    "a point inside of its cylinder": (
        lambda: model((lambda m: m.muscle("biceps").wraps[0].shape, {"radius": 0.3})),
        {},
        r"must exceed its radius",
    ),
    "a surface without a closed form": (
        "ellipsoid", {}, r"must be a whole sphere or a whole cylinder",
    ),
    "curves in pieces": (
        lambda: biceps(law=fm.HillLaw(fm.ThelenCurves(), tendon="rigid", damping=0.1)),
        {},
        r"curves = 'ThelenCurves'; must be those of De Groote",
    ),
    "an activation with a kink": (
        lambda: biceps(activation=fm.ActivationDynamics(0.0, fm.PiecewiseActivation())),
        {},
        r"activation law = 'PiecewiseActivation'",
    ),
    "a muscle with mass": (lambda: biceps(mass=0.3), {}, r"mass = .*must be None"),
    "fibers": ("fiber", {}, r"fibers = 'f'; must be none.*fm\.gradient"),
    "an unknown torque": (
        None, {"controls": fm.Torques({"knee": 3.0})}, r"Torques: largest = 'knee'",
    ),
    "an unknown control of a phase": (
        None,
        {"duration": [fm.Phase(0.3, 3, {"biseps": 1.0})], "steps": None},
        r"did you mean 'biceps'",
    ),
    "a motion of an unknown coordinate": (
        None,
        {"objective": fm.Tracking(np.arange(4.0), {"elbo": np.zeros(4)})},
        r"Tracking: coordinate = 'elbo'.*did you mean 'elbow'",
    ),
    "a motion that is too short": (
        None,
        {"objective": fm.Tracking(np.arange(4.0) / 10, {"elbow": np.zeros(4)})},
        r"Tracking: time of a node = 0\.6 s; must lie within the motion, \[0, 0\.3\]",
    ),
    "a speed of an unknown coordinate": (
        None,
        {"end": fm.EndState(at_rest=False, speeds={"knee": 1.0})},
        r"end: speed = 'knee'",
    ),
    "jerk of another model": (
        None,
        {"objective": fm.Jerk([fm.Body("other", 1.0, (0, 0, 0), (1, 1, 1)).at(0, 0, 0)])},
        r"Jerk: points = 'other'",
    ),
    "no muscles": ("bones", {}, r"muscles = 0; must be one or more"),
}  # fmt: skip


def made(what):
    own = fm.make_scene("two_muscle_arm").model
    if what == "weak":
        return own.edit({own.muscle("biceps"): {"max_isometric_force": 5.0}})
    if what == "bones":
        return own.edit(remove=own.muscles)
    if what == "fiber":
        tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3))
        ends = own.ground.at(0, 0, 0), own.ground.at(0.1, 0, 0)
        return own.edit(add=[fm.Fiber("f", attach=ends, radius=3e-3, n_elements=2, tissue=tissue)])
    surface = fm.WrapEllipsoid("egg", own.ground, (0.025, 0.0, -0.291), radii=(0.02, 0.03, 0.02))
    return own.edit({own.muscle("biceps"): {"wraps": [fm.PathWrap(surface)]}})


def test_a_motion_is_not_followed_in_a_time_that_is_chosen():
    motion = fm.Tracking(np.arange(4.0), {"elbow": np.zeros(4)})
    with pytest.raises(fm.ModelError, match="be a number where a motion is followed"):
        arm(duration=fm.FreeDuration(0.2, 1.0), objective=motion)
    with pytest.raises(fm.ModelError, match="be left out at rest; give at_rest=False"):
        fm.EndState(speeds={"elbow": 1.0})


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_solved_is_refused(case):
    model_, settings, message = REFUSED[case]
    settings = dict(settings)
    if settings.get("end") == "point":
        hand = fm.make_scene("two_muscle_arm").model.body("forearm").at(0, 0, -0.28)
        settings["end"] = fm.AtRest(elbow=1.7, points=[(hand, (0.2, 0, -0.3))])
    with pytest.raises(fm.ModelError) as caught:
        if model_ is not None:
            settings["model"] = model_() if callable(model_) else made(model_)
        elif "model" in settings:
            settings["model"] = made(settings["model"])
        arm(**settings).solve(progress=False)
    assert re.search(message, str(caught.value), re.DOTALL), str(caught.value)


def test_a_failure_names_what_is_violated_and_the_controls_at_their_bounds():
    with pytest.raises(fm.ConvergenceError) as caught:
        arm(duration=0.05, steps=10).solve(progress=False, iterations=60)
    text = str(caught.value)
    assert "no optimum was found" in text and "at their bounds: biceps" in text
    assert re.search(r"worst violation is '.*' at node .*, t = .* s: .* [<>] ", text), text
    solution = caught.value.solution
    assert solution.status == solution.result.status == "failed"
    assert solution.result.stats["control"]["violation"] > 1e-3


def test_an_interrupt_keeps_the_iterate():
    def stop(step):
        if step.iteration == 0:
            signal.raise_signal(signal.SIGINT)

    solution = arm(steps=50).solve(progress=stop)
    assert solution.status == "interrupted" and solution.iterations < 10
    assert solution.result.coordinates["elbow"].size == 51


def test_excitations_that_would_chatter_are_warned_of():
    sharp = fm.ActivationDynamics(0.0, fm.SmoothActivation(sharpness=10.0))
    with pytest.warns(fm.ModelWarning, match="sharpness = 10 of its activation exceeds 2"):
        arm(model=biceps(activation=sharp))


def test_few_steps_are_told():
    solution = arm(steps=2).solve(progress=False)
    assert any("the steps are too few" in one for one in solution.remarks)
    assert solution.summary["warnings"] == list(solution.remarks)


def test_a_solution_is_kept_in_a_file(tmp_path):
    solution = arm().solve(progress=False)
    again = fm.load(fm.save(solution.result, tmp_path / "arm.h5"))
    for name, column in solution.result.tables["control"].items():
        np.testing.assert_array_equal(again.tables["control"][name].values, column.values)
    assert again.stats["control"]["objective"] == solution.objective
    assert set(again.tables) == {"control", "optimum", "multipliers", "convergence", "sparsity"}
