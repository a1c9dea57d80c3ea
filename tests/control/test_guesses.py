"""Guesses from other problems, coarse grids, steps that are too long, and who stops a search."""

import numpy as np
import pytest
from control.trees import sled
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.control.solving.guess import _shares

QUIET = {"progress": False}


def arm(steps=20, **settings):
    problem = fm.make_scene("two_muscle_arm", steps=steps)
    names = "duration", "controls", "objective", "start", "end", "path"
    given = {name: getattr(problem, name) for name in names}
    if "duration" in settings:
        given["steps"] = steps if not isinstance(settings["duration"], list) else None
    return fm.OptimalControl(problem.model, **{**given, **settings})


@pytest.mark.parametrize(
    "duration",
    [
        0.5,
        pytest.param(fm.FreeDuration(0.4, 0.55), marks=pytest.mark.slow),
        [fm.Phase(0.2, 8, {"triceps": 0.0}), fm.Phase(fm.FreeDuration(0.2, 0.4), 12)],
    ],
)
def test_a_guess_may_have_another_duration(brief, duration):
    """What is found is the same as without a guess, whose times and multipliers are not kept."""
    guess = arm().solve(**QUIET)
    wanted = arm(duration=duration)
    own, again = wanted.solve(**QUIET), wanted.solve(guess=guess, **QUIET)
    assert again.objective == pytest.approx(own.objective, abs=1e-9)
    np.testing.assert_allclose(again.time, own.time, atol=1e-6)
    back = arm().solve(guess=own, **QUIET)
    assert back.duration == pytest.approx(0.6, abs=1e-15)
    assert back.objective == pytest.approx(guess.objective, abs=1e-9)


def test_a_followed_motion_keeps_its_times_with_a_guess(brief):
    time = np.linspace(0.0, 1.0, 21)
    motion = fm.Tracking(time, {"elbow": 0.3 + time**2}, {"elbow": 0.01})
    settings = {
        "objective": fm.Effort() + motion, "end": fm.EndState(at_rest=False), "path": (),
    }  # fmt: skip
    guess = arm(**settings, duration=0.6).solve(**QUIET)
    own = arm(**settings, duration=0.9).solve(guess=guess, **QUIET)
    assert own.time[-1] == own.duration == 0.9
    assert own.coordinates["elbow"] == pytest.approx(0.3 + own.time**2, abs=0.02)


def test_nodes_of_a_guess_stay_in_their_phase():
    shares = _shares(np.array([0.1, 0.3]), (2, 3), by_phase=True)
    assert shares == pytest.approx([0, 0.5, 1, 4 / 3, 5 / 3, 2]) and shares[2] == 1.0
    whole = _shares(np.array([0.1, 0.3]), (2, 3), by_phase=False)
    assert whole == pytest.approx([0, 0.125, 0.25, 0.5, 0.75, 1.0])


@pytest.mark.parametrize("steps", [7, 20])
def test_coarse_grids_need_not_halve_evenly(brief, steps):
    own = arm(steps).solve(coarse=4, **QUIET)
    assert own.objective == pytest.approx(arm(steps).solve(**QUIET).objective, abs=1e-9)


def test_a_coarse_grid_without_a_solution_is_passed_over(brief):
    """One interval has no motion from rest to rest that starts with given activations."""
    own = arm(8).solve(coarse=3, iterations=100, **QUIET)
    assert own.objective == pytest.approx(arm(8).solve(**QUIET).objective, abs=1e-9)


def spun(kind, angle):
    """A body on a ball or a hinge that is turned about the vertical, in a number of steps."""
    model = fm.Model("top", gravity=(0, 0, 0))
    body = model.add(fm.Body("top", 1.0, (0, 0, 0), (0.01, 0.01, 0.01)))
    if kind == "ball":
        model.add(fm.Spherical("j", model.ground, body, (0, 0, 0)))
        c, s = np.cos(angle), np.sin(angle)
        return model, fm.AtRest(rotations={"j": [[c, -s, 0], [s, c, 0], [0, 0, 1]]})
    model.add(fm.Hinge("j", model.ground, body, (0, 0, 0), (0, 0, 1)))
    return model, fm.AtRest(j=angle)


@pytest.mark.parametrize("kind", ["ball", "hinge"])
def test_a_turn_that_steps_are_too_few_for_is_no_solution(brief, kind):
    """Over 3.1 rad in two steps, each by 1.55 rad; in one step there is no such motion."""
    model, end = spun(kind, 3.1)
    settings = {"duration": 0.5, "controls": fm.Torques({"j": 1.0}, limited=False)}
    problem = fm.OptimalControl(model, steps=2, end=end, **settings)
    assert problem.solve(**QUIET).status == "success"
    free = fm.EndState(end.coordinates, end.rotations, at_rest=False)
    with pytest.raises(fm.ConvergenceError, match=r"'top' turns by 178 degrees in interval 0"):
        fm.OptimalControl(model, steps=1, end=free, **settings).solve(**QUIET)


def test_whole_turns_are_leaps_too(brief):
    """A hinge that is asked for a turn, in one step, where rest remains rest."""
    model, _ = spun("hinge", 0.0)
    problem = fm.OptimalControl(
        model, duration=0.5, steps=1, controls=fm.Torques({"j": 1.0}, limited=False),
        end=fm.AtRest(j=2.0 * np.pi),
    )  # fmt: skip
    with pytest.raises(fm.ConvergenceError, match="turns by 360 degrees in interval 0"):
        problem.solve(**QUIET)


def turned(vector):
    return {"j": Rotation.from_rotvec(vector).as_matrix()}


def test_a_guess_leaves_the_rotations_at_the_ends_to_the_problem(brief):
    model, _ = spun("ball", 0.0)

    def made(start, end, steps):
        ends = {
            "start": fm.AtRest(rotations=turned(start)),
            "end": fm.AtRest(rotations=turned(end)),
        }
        return fm.OptimalControl(
            model, duration=0.5, steps=steps, controls=fm.Torques({"j": 1.0}, limited=False), **ends
        )

    guess = made((0, 0, 0), (0, 0, 1.0), 10).solve(**QUIET)
    for steps in (10, 15):
        wanted = made((0.5, 0, 0), (0, 1.2, 0), steps)
        own, again = wanted.solve(**QUIET), wanted.solve(guess=guess, **QUIET)
        assert again.objective == pytest.approx(own.objective, abs=1e-10)
        q = np.stack(list(again.coordinates.values()), axis=1)[[0, -1]][:, [1, 2, 3, 0]]
        found = Rotation.from_quat(q).as_rotvec()
        np.testing.assert_allclose(found, [(0.5, 0, 0), (0, 1.2, 0)], atol=1e-9)


@pytest.mark.parametrize("speed", [14.0, 20.0])
def test_a_top_that_spins_far_from_the_guess_needs_no_torque(brief, speed):
    """Several turns of a ball, while the guess stands still."""
    model, _ = spun("ball", 0.0)
    spin = {
        one: {"speed": 0.5 * speed}
        for one in model.coordinates
        if one.name == model.joints[0].quaternion[3]
    }
    problem = fm.OptimalControl(
        model.edit(spin), duration=1.0, steps=80, controls=fm.Torques({"j": 1.0}),
        start=fm.EndState(at_rest=False), end=fm.EndState(at_rest=False),
    )  # fmt: skip
    own = problem.solve(**QUIET)
    assert own.objective < 1e-12 and own.resimulation.discrete < 1e-9


def test_an_error_of_a_progress_function_is_its_own():
    def tell(step):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        arm().solve(progress=tell)


def test_the_force_of_a_slide_that_is_missing_is_in_newton(brief):
    """Rest to rest over 0.4 m in 0.1 s takes a mass of 2 kg more than 10 N."""
    model, _ = sled()
    problem = fm.OptimalControl(
        model, duration=0.1, steps=10, controls=fm.Torques({"x": 10.0}), end=fm.AtRest(x=0.4)
    )
    with pytest.raises(fm.ConvergenceError, match=r"'motion of x' at node .* N [<>] 0 N; at"):
        problem.solve(**QUIET)
