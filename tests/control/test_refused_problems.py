"""Problems that cannot be solved are refused before they are; failures name what is violated."""

import math
import re
import signal
from dataclasses import dataclass

import casadi as ca
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


def beside_insertion(elbow, off=0.015):
    """Place of the cylinder in which the insertion of the biceps is at an angle."""
    own = fm.make_scene("two_muscle_arm").model
    skeleton, end = fm.skeleton(own), own.muscle("biceps").points[1].station
    R, x = skeleton.poses(skeleton.q_of({"elbow": elbow}))["forearm"]
    place = x + R @ np.asarray(end.position)
    return {"position": (place[0], 0.0, place[2] + off)}


@dataclass(frozen=True)
class Branching:
    """An activation law whose rate has a kink where excitation and activation are equal."""

    up: float = 0.01
    down: float = 0.04

    def rate(self, excitation, activation):
        tau = self.up if excitation.real > activation.real else self.down
        return (excitation - activation) / tau


OTHER = fm.Body("other", 1.0, (0, 0, 0), (1, 1, 1)).at(0, 0, 0)


def hand():
    return fm.make_scene("two_muscle_arm").model.body("forearm").at(0, 0, -0.28)


def end_of(given):
    """State at an end: as given, or with the hand at places, and activations."""
    if given == "point":
        return fm.AtRest(elbow=1.7, points=[(hand(), (0.2, 0, -0.3))])
    if given == "ground":
        return fm.AtRest(
            points=[(fm.make_scene("two_muscle_arm").model.ground.at(0, 0, 0), (0,) * 3)]
        )
    if isinstance(given, fm.EndState):
        return given
    places, active = (given[0], given[1]) if given[-1] == "hold" else (given, None)
    if not isinstance(places, list):
        places = [places]
    return fm.AtRest(points=[(hand(), one) for one in places], activations=active)


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
    "an end with a point inside of its cylinder": (
        lambda: model((lambda m: m.muscle("biceps").wraps[0].shape, beside_insertion(1.7))),
        {"end": fm.AtRest(elbow=1.7)},
        r"'biceps' at the end: distance of the last point .* must exceed its radius",
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
    "an activation law with branches": (
        lambda: biceps(activation=fm.ActivationDynamics(0.0, Branching())),
        {},
        r"activation law = 'Branching'; must be an expression of CasADi without branches",
    ),
    "names that are no texts": (
        None, {"end": fm.AtRest({1: 2.0})}, r"end: coordinate = 1; must be a free coordinate",
    ),
    "a tolerance that is none": (
        None, {"tolerance": 10.0}, r"tolerance = 10\.0; must be at most 0\.001",
    ),
    "a path constraint of other symbols": (
        None,
        {"path": [fm.Along("far", lambda pose: pose.coordinate("elbow") + ca.MX.sym("k"), 0.0)]},
        r"'far': function returns an expression of other symbols",
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
        {"objective": fm.Jerk([OTHER])},
        r"Jerk: points = 'other'",
    ),
    "no muscles": ("bones", {}, r"muscles = 0; must be one or more"),
    "no controls": (None, {"controls": []}, r"controls = .*must have an Excitations or Torques"),
    "excitations twice": (
        None, {"controls": [fm.Excitations(), fm.Excitations(0.1)]}, r"two of Excitations",
    ),
    "a torque twice": (
        None,
        {"controls": [fm.Torques({"elbow": 1.0}), fm.Torques({"elbow": 2.0}, limited=False)]},
        r"controls = 'elbow'; must be in one of Torques",
    ),
    "excitations of a part that are none": (
        None,
        {"duration": [fm.Phase(0.3, 3, {"biceps": (-0.1, 1.0)})], "steps": None},
        r"Phase 0: controls\['biceps'\].*must lie in \[0, 1\]",
    ),
    "excited without excitations": (
        None,
        {"controls": fm.Torques({"elbow": 9.0}), "start": fm.AtRest(activations="excited")},
        r"activations = 'excited'; must be numbers by name, or left out",
    ),
    "ranges that leave nothing": (
        None,
        {"path": [fm.Range("elbow", 0.1, 1.0), fm.Range("elbow", 1.2)]},
        r"Range of 'elbow': lower = 1\.2; must be at most upper = 1;",
    ),
    "a muscle with a least activation": (
        lambda: biceps(law=fm.HillLaw(tendon="rigid", min_activation=0.05)),
        {},
        r"law: min_activation = 0\.05; must be 0",
    ),
    "fibers at their shortest at the start": (
        lambda: biceps(tendon_slack_length=0.4),
        {"start": fm.AtRest(elbow=0.3)},
        r"length of the path = .* m; must exceed tendon_slack_length",
    ),
    "a muscle that only pulls": (
        lambda: biceps(law=fm.HillLaw(tendon="rigid", pull_only=True)),
        {},
        r"law: pull_only = True; must be False",
    ),
    "a term plus a number": (
        None, {"objective": lambda: 1 + fm.Effort()}, r"objective = 1; must be a term",
    ),
    "a point of the ground": (
        None, {"end": "ground"}, r"end: points = 'ground'; must be on a body of the model that mov",
    ),
    "a point out of reach": (
        None, {"end": (0.9, None, 0.0)}, r"point 0 on forearm at the end, x = 0\.\d+ m; must be 0",
    ),
    "points that contradict each other": (
        None, {"end": [(0.2, None, None), (0.1, None, None)]}, r"no pose was found that is nearer",
    ),
    "a point outside of a range": (
        None,
        {"end": (0.0, None, -0.631), "path": [fm.Range("elbow", 0.2, 2.0)]},
        r"point 0 on forearm at the end, .* no pose was found",
    ),
    "a start by a point outside of a range": (
        None,
        {"start": (0.0, None, -0.631), "path": [fm.Range("elbow", 0.2, 2.0)]},
        r"point 0 on forearm at the start, .* no pose was found",
    ),
    "a held start by a point": (
        None,
        {"start": ((0.1, None, None), "hold")},
        r"start: points = 1; must be by coordinates where activations hold the pose",
    ),
    "a path constraint that an end breaks": (
        None,
        {"path": [fm.Along("low", lambda pose: pose.coordinate("elbow"), upper=1.5, ends=True)]},
        r"end: low = 1\.7; must lie in \[-inf, 1\.5\]",
    ),
    "a path constraint that returns nothing": (
        None, {"path": [fm.Along("none", lambda pose: None, 0.0)]}, r"'none': function returns",
    ),
    "a path constraint of numbers": (
        None, {"path": [fm.Along("one", lambda pose: 1.0, 0.0)]}, r"'one': function returns 1\.0;",
    ),
    "a path constraint that compares": (
        None,
        {"path": [fm.Along("most", lambda pose: max(pose.coordinate("elbow"), 1.0), 0.0)]},
        r"'most': function raises .*fmax for max",
    ),
    "a path constraint of another model": (
        None,
        {"path": [fm.Along("far", lambda pose: pose.point(OTHER)[0], 0.0)]},
        r"Pose: point = 'other'; must be on a body of the model",
    ),
    "a path constraint of speeds": (
        None,
        {"path": [fm.Along("slow", lambda pose: pose.velocity(hand())[0], 0.0)]},
        r"'slow': function raises TypeError.*a Pose has no velocities here",
    ),
    "a muscle with the name of a coordinate": (
        "renamed", {"controls": [fm.Excitations(), fm.Torques({"elbow": 5.0})]},
        r"control = 'elbow'; must be the name of one control",
    ),
    "a law of a coordinate that needs numbers": (
        "law", {}, r"coordinate 'elbow': law Sine cannot be an expression of CasADi \(TypeError",
    ),
}  # fmt: skip


class Sine:
    """A law that computes with numbers alone."""

    def __call__(self, q, p):
        return fm.CoordinateForce(-math.sin(q), -math.cos(q), 0.0, 1.0 - math.cos(q))


def made(what):
    own = fm.make_scene("two_muscle_arm").model
    if what == "law":
        return own.edit({own.coordinates[0]: {"forces": Sine()}})
    if what == "renamed":
        return own.edit({own.muscle("biceps"): {"name": "elbow"}})
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
    for which in ("start", "end"):
        if which in settings:
            settings[which] = end_of(settings[which])
    with pytest.raises(fm.ModelError) as caught:
        if model_ is not None:
            settings["model"] = model_() if callable(model_) else made(model_)
        elif "model" in settings:
            settings["model"] = made(settings["model"])
        if callable(settings.get("objective")):
            settings["objective"] = settings["objective"]()
        how = {name: settings.pop(name) for name in ("tolerance",) if name in settings}
        arm(**settings).solve(progress=False, **how)
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


def test_too_few_iterations_are_told_what_helps():
    with pytest.raises(fm.ConvergenceError, match=r"in 2 iterations.*solve\(coarse=1\)"):
        arm().solve(progress=False, iterations=2)


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


def test_forces_that_are_not_those_of_the_law_are_told():
    """A rigid tendon that becomes longer than the path of its muscle."""
    own = fm.make_scene("two_muscle_arm").model
    slack = {"tendon_slack_length": 0.33, "pennation_angle": 0.0}
    solution = arm(
        model=own.edit({own.muscle("triceps"): slack}), steps=20, start=fm.AtRest(elbow=1.7),
        controls=[fm.Excitations(), fm.Torques({"elbow": 20.0})], end=fm.AtRest(elbow=0.3),
    ).solve(progress=False)  # fmt: skip
    assert any("'triceps' in interval" in one for one in solution.remarks)


def test_a_solution_is_kept_in_a_file(tmp_path):
    solution = arm().solve(progress=False)
    again = fm.load(fm.save(solution.result, tmp_path / "arm.h5"))
    for name, column in solution.result.tables["control"].items():
        np.testing.assert_array_equal(again.tables["control"][name].values, column.values)
    assert again.stats["control"]["objective"] == solution.objective
    assert set(again.tables) == {"control", "optimum", "multipliers", "convergence", "sparsity"}


def test_a_point_that_passes_its_cylinder_is_named():
    """Between a start and an end that lie outside."""
    across = model((lambda own: own.muscle("biceps").wraps[0].shape, beside_insertion(1.0, 0.0)))
    problem = arm(model=across, steps=40, end=fm.AtRest(elbow=1.7))
    with pytest.raises(fm.ConvergenceError, match="last point of line muscle 'biceps' lies 0.0"):
        problem.solve(progress=False, iterations=100)
