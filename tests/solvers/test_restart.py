"""A resumed run is bitwise identical to an uninterrupted run."""

from dataclasses import replace

import numpy as np
import pytest
from pendulum import Pendulum
from same_results import differences
from scenes_of_tests import load_scene, two_link_arm

import fibermsk as fm
from fibermsk.solvers.newton.newton import Newton

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(), fm.SDIRK4()]
CONTROLS = [
    fm.FixedSteps(),
    fm.AdaptiveSteps(1e-2),
    fm.AdaptiveSteps(1e-2, landing=False),
]

FIXED = {"method": fm.BackwardEuler(), "control": fm.FixedSteps()}


def small():
    """Two bones and three fibers that slide on them and on each other."""
    return two_link_arm(elements=3)


def run(model, options, **more):
    system = fm.build(model)
    return fm.simulate(system, **FIXED | options, **more)


@pytest.mark.parametrize("control", CONTROLS, ids=["fixed", "landing", "dense"])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_split_run_equals_the_whole_to_the_bit(method, control, tmp_path, monkeypatch, rng):
    from fibermsk.system.contact import search as module

    # few iterations, so that fixed steps are halved and a split may fall inside an interval
    options = {
        "t_end": 0.12,
        "dt": 0.012,
        "method": method,
        "control": control,
        "newton": fm.Newton(max_iterations=9),
    }
    monkeypatch.setattr(module, "_OF_FEW", ((64, 1.5),))  # candidates change more often
    patterns, search = [], module.ContactSearch._search

    def spy(self, reach):
        search(self, reach)
        patterns.append(b"".join(part.runs.candidates.tobytes() for part in self.sets.fibers))

    taken = []
    with monkeypatch.context() as patched:
        patched.setattr(module.ContactSearch, "_search", spy)
        whole = run(small(), options, checkpoint=taken.append, checkpoint_every=0.0)
    # the candidates change on the way
    assert len(set(patterns)) > 3
    assert len(taken) == whole.stats["substeps"]
    rest = run(small(), options, resume_from=taken[rng.integers(len(taken))])
    assert differences(rest, whole, tmp_path) == []


def test_checkpoints_change_nothing(tmp_path):
    options = {"t_end": 0.12, "dt": 0.012, "method": fm.BDF2()}
    whole = run(small(), options, checkpoint=lambda snapshot: None, checkpoint_every=0.0)
    assert differences(run(small(), options), whole, tmp_path) == []


def test_candidates_change_nothing(monkeypatch, tmp_path):
    """After the split they may differ, and all that follows is bitwise identical."""
    from fibermsk.system.system import FiberSystem

    options = {"t_end": 0.5, "dt": 1 / 32, "method": fm.BDF2()}
    model, taken = load_scene("upper_limb").scene().model, []
    whole = run(model, options, checkpoint=taken.append, checkpoint_every=0.0)
    monkeypatch.setattr(FiberSystem, "restore", lambda self, memory: None)
    for one in taken[2:14:3]:
        assert differences(run(model, options, resume_from=one), whole, tmp_path) == []


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_limb_interrupted_anywhere_goes_on_as_if_it_had_not_been(method, tmp_path, rng):
    """Ctrl-C in the middle of a step, when the contact search has gone elsewhere."""
    control = fm.AdaptiveSteps(1e-3) if method.order == 2 else fm.FixedSteps()
    options = {"t_end": 0.25, "dt": 1 / 32, "method": method, "control": control}
    model = load_scene("upper_limb").scene().model
    whole = run(model, options)
    calls = int(rng.integers(20, whole.stats["newton_iterations"]))

    system, taken = fm.build(model), []
    evaluate, count = system.evaluate, [0]

    def interrupted(*arguments, **options):
        count[0] += 1
        if count[0] == calls:
            raise KeyboardInterrupt
        return evaluate(*arguments, **options)

    system.evaluate = interrupted
    first = fm.simulate(system, **options, checkpoint=taken.append, checkpoint_every=1e9)
    assert first.status == "interrupted" and len(taken) == 1
    assert first.time[-1] == taken[0].time < 0.25
    # on the same system, with all that it remembers, and on a new one
    system.evaluate = evaluate
    for again in (system, fm.build(model)):
        rest = fm.simulate(again, **options, resume_from=taken[0])
        assert differences(rest, whole, tmp_path) == []


def test_failed_run_leaves_a_checkpoint_at_its_last_step(monkeypatch, tmp_path):
    model = two_link_arm(elements=3, contact=False)
    options = {"t_end": 0.1, "dt": 0.01}
    whole = run(model, options)
    solve, solved, taken = Newton.solve, [], []

    def fail_later(self, *arguments):
        y, report = solve(self, *arguments)
        solved.append(report)
        report.converged = report.converged and len(solved) < 6
        return y, report

    monkeypatch.setattr(Newton, "solve", fail_later)
    with pytest.raises(fm.ConvergenceError):
        run(model, options, checkpoint=taken.append, checkpoint_every=1e9)
    monkeypatch.undo()
    assert [one.time for one in taken] == [0.05]
    assert differences(run(model, options, resume_from=taken[0]), whole, tmp_path) == []


def test_split_between_two_frames_of_halved_steps(tmp_path):
    """The parts of an interval that are left belong to the memory."""
    options = {"t_end": 0.1, "dt": 0.05, "newton": fm.Newton(max_iterations=6)}
    taken = []
    whole = run(two_link_arm(), options, checkpoint=taken.append, checkpoint_every=0.0)
    inside = [one for one in taken if one.arrays["control.ends"].size]
    assert inside
    rest = run(two_link_arm(), options, resume_from=inside[-1])
    assert differences(rest, whole, tmp_path) == []


def snapshot_of(model, options):
    taken = []
    run(model, options, checkpoint=taken.append, checkpoint_every=0.0)
    return taken[0]


def changed(**what):
    """The small model with one thing in another way."""
    model = fm.Model("arm", gravity=what.get("gravity", (0.3, -0.2, -9.81)))
    source = small()
    model.add(*source.bodies[1:])
    for joint in source.joints:
        extra = {"damping": what["damping"]} if "damping" in what else {"damping": joint.damping}
        model.add(
            fm.Hinge(
                joint.name,
                model.ground if joint.parent is source.ground else joint.parent,
                joint.child,
                at=joint.at,
                axis=joint.axis,
                **extra,
            )
        )
    fibers = []
    for fiber in source.fibers:
        origin, insertion = fiber.attach
        own = {
            "radius": fiber.radius,
            "muscle_fraction": fiber.muscle_fraction,
            "n_elements": fiber.n_elements,
            "nodes": fiber.nodes,
            "tissue": fiber.tissue,
            "activation": fiber.activation,
        }
        own |= what.get("fiber", {})
        shift = what.get("shift", 0.0)
        ends = model.ground.at(*(np.asarray(origin.position) + (0.0, 0.0, shift))), insertion
        fibers.append(model.add(fm.Fiber(fiber.name, attach=ends, **own)))
    law = fm.PenaltyContact(stiffness=what.get("stiffness", 400.0), limit=3.0)
    formulation = {"formulation": "half_pass"}
    model.add(fm.Contact(fibers, fibers, law, **formulation))
    model.add(fm.Contact(fibers, list(source.bodies[1:]), law, **formulation))
    return model


OTHER_MODELS = {
    "the activations": {"fiber": {"activation": lambda t: 0.3 + 0.01 * t}},
    "the fibers": {"fiber": {"tissue": fm.Tissue(1001.0, fm.KelvinVoigt(5e4, 300.0))}},
    "the contacts": {"stiffness": 401.0},
    "the bodies or joints": {"damping": 0.06},
    "gravity": {"gravity": (0.3, -0.2, -9.80)},
    "the line loads": {"fiber": {"line_load": (0.0, 0.0, -1e-3)}},
}


@pytest.fixture(scope="module")
def start():
    options = {"t_end": 0.02, "dt": 0.01}
    return options, snapshot_of(changed(), options)


@pytest.mark.parametrize("message", OTHER_MODELS)
def test_checkpoint_of_another_model_is_refused_by_the_part(message, start):
    options, taken = start
    with pytest.raises(
        fm.ModelError, match=f"to another run: it differs in {message}; must be the same model"
    ):
        run(changed(**OTHER_MODELS[message]), options, resume_from=taken)
    assert run(changed(), options, resume_from=taken).status == "success"


OTHER_CALLS = {
    r"the method \(BackwardEuler\(\) there, BDF2\(\) now\)": {"method": fm.BDF2()},
    "the Newton settings": {"newton": fm.Newton(tolerance=1e-8)},
    "the step control": {"control": fm.AdaptiveSteps(1e-3)},
    r"t_end \(0.02 s there, 0.03 s now\)": {"t_end": 0.03},
    r"the number of frames \(3 there, 5 now\)": {"dt": 0.005},
}


@pytest.mark.parametrize("message", OTHER_CALLS)
def test_checkpoint_of_other_settings_is_refused(message, start):
    options, taken = start
    with pytest.raises(fm.ModelError, match=f"to another run: it differs in {message}"):
        run(changed(), options | OTHER_CALLS[message], resume_from=taken)


def test_checkpoint_of_another_version_is_refused(start):
    options, taken = start
    old = replace(taken, identity=taken.identity | {"fibermsk": "0.0.7"})
    with pytest.raises(fm.ModelError, match="written by fibermsk 0.0.7; must be of this version"):
        run(changed(), options, resume_from=old)


def test_other_libraries_are_warned_of(start):
    options, taken = start
    other = replace(taken, libraries=taken.libraries | {"scipy": "1.0"})
    with pytest.warns(fm.ModelWarning, match=r"written with scipy 1.0 \(now .*round-off"):
        assert run(changed(), options, resume_from=other).status == "success"


def test_incomplete_snapshot_is_refused(start):
    options, taken = start
    arrays = {name: value for name, value in taken.arrays.items() if name != "method.state.v"}
    with pytest.raises(fm.ModelError, match="the checkpoint lacks method.state.v"):
        run(changed(), options, resume_from=replace(taken, arrays=arrays))


def test_bad_calls():
    with pytest.raises(fm.ModelError, match="simulate: resume_from = 'x.h5'; must be a Snapshot"):
        fm.simulate(
            Pendulum(),
            t_end=1.0,
            dt=0.1,
            resume_from="x.h5",
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
    with pytest.raises(fm.ModelError, match="simulate: checkpoint_every = -1"):
        fm.simulate(
            Pendulum(),
            t_end=1.0,
            dt=0.1,
            checkpoint_every=-1.0,
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
    taken = snapshot_of_pendulum()
    start = np.zeros(1), np.zeros(1)
    with pytest.raises(fm.ModelError, match="simulate: start = .* must be left out"):
        fm.simulate(
            Pendulum(),
            start,
            t_end=1.0,
            dt=0.1,
            resume_from=taken,
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )


def snapshot_of_pendulum():
    taken = []
    fm.simulate(
        Pendulum(),
        t_end=1.0,
        dt=0.1,
        checkpoint=taken.append,
        checkpoint_every=0.0,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    return taken[4]


def test_snapshots_are_taken_as_often_as_asked(monkeypatch):
    from fibermsk.solvers import restart

    now = [0.0]
    monkeypatch.setattr(restart.clock, "perf_counter", lambda: now[0])

    def second(progress):
        now[0] += 1.0

    taken = []
    fm.simulate(
        Pendulum(),
        t_end=1.0,
        dt=0.05,
        checkpoint=taken.append,
        checkpoint_every=4.0,
        progress=second,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    # a step takes a second, and the fifth snapshot would come after the end
    assert [round(one.time, 9) for one in taken] == [0.25, 0.45, 0.65, 0.85]
