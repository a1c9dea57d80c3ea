"""Systems, threads, copies and pickles."""

import copy
import pickle
import threading

import numpy as np
import pytest
from same_results import differences
from scenes_of_tests import rubber, two_link_arm

import fibermsk as fm

RUN = {"t_end": 0.04, "dt": 0.01, "method": fm.BDF2(), "control": fm.FixedSteps()}


def thickness(theta):
    return 0.005 + 0.004 * theta * (1.0 - theta)


def pickled_model():
    """Two fibers that touch, with functions that pickle finds by their names."""
    model = fm.Model("pair", gravity=(0.3, -0.2, -9.81))
    fibers = [
        model.add(
            fm.Fiber(
                f"f{i}",
                attach=(model.ground.at(0, y, 0), model.ground.at(0.1, y, 0)),
                radius=thickness,
                n_elements=4,
                tissue=rubber(300.0, 1e4),
                activation=fm.Ramp(0.0, 0.1, 0.5),
            )
        )
        for i, y in enumerate((0.0055, -0.0055))
    ]
    model.add(fm.Contact(fibers, fibers, fm.PenaltyContact(400.0, 3.0)))
    return model


@pytest.fixture(scope="module")
def arm():
    return fm.build(two_link_arm(elements=3))


def in_thread(function, *arguments, **options):
    """What a function gives, or raises, in a thread of its own."""
    found = []

    def call():
        try:
            found.append(function(*arguments, **options))
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(60.0)
    return found[0]


def test_a_second_thread_is_refused_for_as_long_as_a_run_lasts(arm, tmp_path):
    y, v = arm.initial_state()
    calls = {
        "simulate": lambda: fm.simulate(arm, **RUN),
        "equilibrium": lambda: fm.equilibrium(arm),
        "stability": lambda: fm.stability(arm, y),
        "evaluate": lambda: arm.evaluate(0.0, y, v, 0.0 * v),
        "step_fraction": lambda: arm.step_fraction(y, 0.0 * y, 0.1),
        "energy": lambda: arm.energy(y, v),
    }
    found = {}

    def others(progress):
        for name, call in calls.items():
            found[name] = in_thread(call)

    alone = fm.simulate(arm, **RUN)
    beside = fm.simulate(arm, **RUN, progress=others)
    for name, error in found.items():
        assert isinstance(error, fm.ModelError), name
        assert "the system of model 'arm' is in use by another thread" in str(error)
        assert "copy.deepcopy" in str(error)
    assert differences(alone, beside, tmp_path) == []
    # afterwards any thread may use it
    assert differences(in_thread(fm.simulate, arm, **RUN), alone, tmp_path) == []


def test_two_threads_that_evaluate_are_right_or_refused(arm):
    """Each number is that of a thread alone."""
    y, v = arm.initial_state()
    rng = np.random.default_rng(3)
    states = [y + 1e-4 * rng.normal(size=y.size) for _ in range(2)]
    alone = [arm.evaluate(0.0, state, v, 0.0 * v, 1e3, 1e3).residual for state in states]
    wrong, counts = [], [0, 0]

    def work(k):
        while counts[k] < 50:
            try:
                found = arm.evaluate(0.0, states[k], v, 0.0 * v, 1e3, 1e3)
            except fm.ModelError:
                continue
            counts[k] += 1
            if not np.allclose(found.residual, alone[k], rtol=1e-9, atol=1e-9):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_with_copies_of_a_system_run_as_alone(arm, tmp_path):
    alone = fm.simulate(arm, **RUN)
    found = [None] * 3

    def work(k, own):
        found[k] = fm.simulate(own, **RUN)

    own = [copy.deepcopy(arm), copy.copy(arm), fm.build(two_link_arm(elements=3))]
    threads = [threading.Thread(target=work, args=item) for item in enumerate(own)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [differences(one, alone, tmp_path) for one in found] == [[], [], []]


@pytest.mark.parametrize("method", [fm.SDIRK2(), fm.BDF2(), fm.GeneralizedAlpha()], ids=repr)
def test_a_callback_may_use_the_system_without_a_trace(arm, method, tmp_path):
    """Evaluate it elsewhere, and even run it."""
    options = RUN | {"method": method}
    y, v = arm.initial_state()
    away = y + 1e-3 * np.random.default_rng(5).normal(size=y.size)

    def use(progress):
        arm.evaluate(0.3, away, v, 0.0 * v, 1e3, 1e3)
        if progress.step == 2:
            fm.simulate(arm, t_end=0.02, dt=0.01)

    alone = fm.simulate(arm, **options)
    assert differences(fm.simulate(arm, **options, progress=use), alone, tmp_path) == []
    saved = []

    def save(snapshot):
        saved.append(snapshot)
        use(fm.Progress(0.0, 1.0))

    whole = fm.simulate(arm, **options, checkpoint=save, checkpoint_every=0.0)
    assert differences(whole, alone, tmp_path) == []
    rest = fm.simulate(arm, **options, resume_from=saved[1])
    assert differences(rest, alone, tmp_path) == []


def test_a_pickled_system_runs_bitwise_like_the_first(tmp_path):
    system = fm.build(pickled_model())
    first = fm.simulate(system, **RUN)
    for one in (system, fm.build(pickled_model())):
        again = pickle.loads(pickle.dumps(one))
        assert differences(fm.simulate(again, **RUN), first, tmp_path) == []
    # taken in the middle of a run, too
    taken = []
    fm.simulate(system, **RUN, progress=lambda progress: taken.append(pickle.dumps(system)))
    assert differences(fm.simulate(pickle.loads(taken[1]), **RUN), first, tmp_path) == []


def moved(t):
    return np.array([0.0, 0.004, 1e-3 * t])


FUNCTIONS = {
    "activation": {"activation": lambda t: 0.1},
    "radius": {"radius": lambda theta: 0.004 + 0.0 * theta},
    "line_load": {"line_load": lambda theta, t: np.zeros((theta.size, 3))},
    "the motion of a moving point": {"attach": fm.MovingPoint(lambda t: moved(t))},
}


@pytest.mark.parametrize("field", FUNCTIONS)
def test_a_system_with_a_lambda_says_why_it_cannot_be_pickled(field):
    model = fm.Model("nameless")
    given = FUNCTIONS[field].copy()
    start = given.pop("attach", model.ground.at(0, 0, 0))
    options = {"radius": 3e-3, "tissue": rubber(300.0)} | given
    ends = start, model.ground.at(0.1, 0, 0)
    model.add(fm.Fiber("f", attach=ends, n_elements=3, **options))
    system = fm.build(model)
    with pytest.raises(fm.ModelError, match=f"fiber 'f': {field} = .*define it with def"):
        pickle.dumps(system)
    # a copy in the same process needs no names
    assert copy.deepcopy(system).n == system.n
