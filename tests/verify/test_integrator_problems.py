"""Orders of the integrators on coupled systems, and work against precision."""

from dataclasses import dataclass

import _order_cases
import numpy as np
import pytest
from _stepping import METHODS, attachment_drift, march
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.solvers import State
from fibermsk.verify import run_problem

SHORT = [f"{name}_{method}" for name in ("pendulum", "heavy", "driven") for method in METHODS]


@pytest.mark.parametrize("key", SHORT)
def test_order(key):
    name, _, method = key.partition("_")
    problem = load_module("integrator_orders")
    ladder = problem.Ladder(name, method, (32, 64))
    answer = problem.expected(32)[key]
    assert answer.holds(ladder.lowest()), ladder.orders()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["backward_euler", "bdf2"])
def test_order_of_pulls_on_driven_ends_with_short_steps(method):
    problem = load_module("integrator_orders")
    ladder = problem.Ladder("driven", method, (128, 256))
    answer = problem.expected(128)[f"driven_{method}"]
    assert answer.holds(ladder.lowest()), ladder.orders()


def driven_by(kind):
    """A heavy, viscous fiber along x; its end follows 0.2 + t^2 + 2 t^3 from rest."""
    coefficients = (0.0, 0.0, 1.0, 2.0)  # of the powers of t
    model = fm.Model("driven", gravity=(0.0, 0.0, 0.0))
    if kind == "coordinate":
        sled = model.add(fm.Body("sled", mass=1.0, inertia=(1.0, 1.0, 1.0)))
        way = fm.Coordinate("way", "translation", prescribed=fm.Polynomial(coefficients))
        along = fm.Axis("translation", (1, 0, 0), "way")
        model.add(fm.FunctionalJoint("rail", model.ground, sled, [way], [along]))
        end = sled.at(0.2, 0.0, 0.0)
    else:
        given = {"velocity": lambda t: (2.0 * t + 6.0 * t**2, 0.0, 0.0)}
        given = given if kind == "moving point" else {}
        end = fm.MovingPoint(lambda t: (0.2 + t**2 + 2.0 * t**3, 0.0, 0.0), **given)
    tissue = fm.Tissue(5e4, fm.KelvinVoigt(1e6, 1e4), prestress=1e4)
    attach = (model.ground.at(0, 0, 0), end)
    model.add(fm.Fiber("fiber", attach=attach, radius=5e-3, n_elements=2, tissue=tissue))
    return fm.build(model)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind, method",
    [
        ("moving point", "backward_euler"),
        ("moving point", "bdf2"),
        ("moving point, positions alone", "bdf2"),
        ("coordinate", "backward_euler"),
        ("coordinate", "bdf2"),
    ],
)
def test_order_of_pulls_on_prescribed_ends_at_uneven_steps(kind, method):
    system = driven_by(kind)
    start = State(0.0, *system.initial_state())
    pulls = {
        (name, steps): march(system, METHODS[name], start, 0.05, steps, uneven=True).frames[-1].pull
        for name, steps in ((method, 64), (method, 128), ("sdirk2", 512))
    }
    errors = [np.abs(pulls[method, n] - pulls["sdirk2", 512]).max() for n in (64, 128)]
    order = METHODS[method].order
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2), errors


@pytest.mark.parametrize("name", ["pendulum", "heavy", "driven", "limb"])
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_attached_ends_follow_their_bodies(name, method):
    if name == "limb":
        system, start = _order_cases.limb_start("initial")
        run = march(system, method, start, 0.02, 16, uneven=True, drift=attachment_drift)
    else:
        case = _order_cases.case(name, 32)
        end = case.exact[-1].t
        run = march(case.system, method, case.start, end, 32, uneven=True, drift=case.drift)
    assert run.drift < 1e-14


@pytest.mark.slow
def test_default_setting_passes():
    outcome = run_problem(load_problem("integrator_orders"), {"steps": 32})
    assert outcome.passed, outcome.as_dict()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_order_on_the_limb_from_equilibrium(method):
    """Elbow angle up to the first contact change; nodes where their waves are resolved."""
    problem = load_module("integrator_orders")
    order = METHODS[method].order
    found = problem.Ladder("limb_equilibrium", method, (64, 128))
    for (quantity, uneven), (measured,) in found.orders().items():
        if quantity == "elbow angle":
            assert measured == pytest.approx(order, abs=0.05), uneven
    # 0.01 s: steps of 0.16 and 0.08 ms
    case = _order_cases.case("limb_equilibrium", 64)
    system, start = case.system, case.start
    positions = case.quantities["node positions"]
    at = {
        steps: positions(march(system, METHODS[method], start, 0.01, steps).frames[-1])
        for steps in (64, 128, 256)
    }
    changes = [np.abs(at[n] - at[2 * n]).max() for n in (64, 128)]
    assert np.log2(changes[0] / changes[1]) == pytest.approx(order, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["initial", "equilibrium"])
def test_methods_agree_on_the_limb(kind):
    """The answers of SDIRK2 and BDF2, and no contact changes before the end."""
    name = "limb" if kind == "initial" else "limb_equilibrium"
    answers = _order_cases.case(name, 64), _order_cases.limb(kind, 64, "bdf2")
    for quantity, close in (("elbow angle", 1e-8), ("node positions", 1e-8)):
        a, b = (
            np.array([case.quantities[quantity](frame) for frame in case.exact]) for case in answers
        )
        np.testing.assert_allclose(a, b, rtol=0.0, atol=close)
    system, start = _order_cases.limb_start(kind)
    closed = []

    def watch(_, state):
        system.evaluate(*state, np.zeros(system.n), tangent=False)
        closed.append(system.contact.n_closed())
        return 0.0

    # goes on beyond the end, where contacts do change
    march(system, METHODS["sdirk2"], start, 0.07, 224, drift=watch)
    assert set(closed[:160]) == {(0, 0) if kind == "initial" else (4, 0)}
    assert len(set(closed)) > 1


@pytest.mark.slow
def test_pendulum_by_radau():
    found = _order_cases.solve_pendulum(1e-9)
    np.testing.assert_allclose(found, _order_cases.PENDULUM, rtol=0.0, atol=1e-9)


def test_the_prescribed_motions_are_consistent():
    """Velocities and accelerations are the derivatives, and ends stay where they belong."""
    for name in ("heavy", "driven"):
        case = _order_cases.case(name, 32)
        motion, h = case.system._motion, 1e-4
        for t in (0.0, 0.13):
            y, v, v_dot = motion(t)
            ahead, back = motion(t + h), motion(t - h)
            np.testing.assert_allclose((ahead[0] - back[0]) / (2 * h), v, atol=2e-6)
            np.testing.assert_allclose((ahead[1] - back[1]) / (2 * h), v_dot, atol=2e-5)
            np.testing.assert_allclose(case.system.retract(t, y, 0.0 * y), y, atol=1e-15)
        # and the load keeps them there
        y, v, v_dot = motion(0.1)
        residual = case.system.evaluate(0.1, y, v, v_dot, tangent=False).residual
        assert not residual.any()


@dataclass(frozen=True)
class Late(fm.SDIRK2):
    """A wrong time of the first stage: that of the second, as seen by the loads."""

    def step(self, system, newton, memory, h):
        class Shifted:
            def __getattr__(_, name):
                return getattr(system, name)

            def evaluate(_, t, *state, **options):
                return system.evaluate(memory.state.t + h, *state, **options)

        return super().step(Shifted(), newton, memory, h)


@dataclass(frozen=True)
class Forgetful(fm.BDF2):
    """Coefficients of equal steps, whatever the steps are."""

    def step(self, system, newton, memory, h):
        state, before = memory.state, memory.before
        if before.t < state.t:
            memory = memory._replace(before=before._replace(t=state.t - h))
        return super().step(system, newton, memory, h)


@pytest.mark.parametrize("wrong", [Late(), Forgetful()], ids=repr)
def test_a_wrong_coefficient_is_noticed(wrong, monkeypatch):
    problem = load_module("integrator_orders")
    monkeypatch.setitem(problem.METHODS, "bdf2", wrong)
    ladder = problem.Ladder("heavy", "bdf2", (32, 64))
    assert not problem.expected(32)["heavy_bdf2"].holds(ladder.lowest())
    assert ladder.lowest() < 1.3


@pytest.mark.parametrize("name", ["integrator_orders", "work_precision"])
@pytest.mark.parametrize("value", [0, 24, 512, 0.3, 2.5])
def test_bad_settings_are_refused(name, value):
    module = load_module(name)
    for function in (module.run, module.expected):
        with pytest.raises(fm.ModelError, match=name):
            function(value)


def test_study_and_figure_of_the_orders(monkeypatch):
    module = load_module("integrator_orders")
    short = replace_ladder(module)
    monkeypatch.setattr(module, "Ladder", short)
    for fine in (False, True):
        numbers = module.study(fine)
        assert len(numbers["tables"]) == (5 if fine else 4)
        for table in numbers["tables"].values():
            assert {len(row) for row in table["rows"]} == {len(table["columns"])}
        assert len(module.plot(numbers).axes) == len(numbers["names"])


def replace_ladder(module):
    """Ladder with made-up errors."""

    class Made(module.Ladder):
        def __init__(self, name, method, counts):
            self.order, self.drift = METHODS[method].order, 0.0
            errors = [float(n) ** -self.order for n in counts]
            self.errors = {("nodes", uneven): errors for uneven in (False, True)}

    return Made


CONSTANT = {"backward_euler": 4.5, "bdf2": 95.0, "sdirk2": 12.0, "generalized_alpha": 26.0}
"""Regression: bounds of the limb's error over the step [rad/s], or over its square [rad/s^2]."""
FACTOR = {"backward_euler": 1.1, "bdf2": 1.4, "sdirk2": 0.5, "generalized_alpha": 0.25}
"""Regression: bounds of the limb's error over the tolerance to the power p / (p + 1) [rad]."""


def check_errors(module, values):
    """No error above what was measured before, with the room that scattering contacts need."""
    for name, method in module.METHODS.items():
        for n in module.PER_INTERVAL:
            bound = CONSTANT[name] * (module.INTERVAL / n) ** method.order
            assert values[f"{name}_fixed_{n}_error"] <= bound, (name, n)
        for tolerance in module.TOLERANCES:
            bound = FACTOR[name] * tolerance ** (method.order / (method.order + 1))
            assert values[f"{name}_adaptive_{tolerance:g}_error"] <= bound, (name, tolerance)


def test_first_interval_of_work_and_precision():
    module = load_module("work_precision")
    values, answers = module.run(0.0625), module.expected(0.0625)
    for name, answer in answers.items():
        assert answer.holds(values[name]), (name, values[name])
    check_errors(module, values)
    # tighter tolerances take more steps
    for method in module.METHODS:
        steps = [values[f"{method}_adaptive_{x:g}_steps"] for x in module.TOLERANCES]
        assert steps == sorted(steps) and steps[0] < steps[-1]
        assert values[f"{method}_fixed_8_steps"] == 8.0


@pytest.mark.slow
def test_work_and_precision(monkeypatch):
    """The second-order methods; backward Euler has no answer here."""
    module = load_module("work_precision")
    methods = {name: one for name, one in module.METHODS.items() if one.order == 2}
    monkeypatch.setattr(module, "METHODS", methods)
    monkeypatch.setattr(module, "TOLERANCES", module.TOLERANCES[::2])
    outcome = run_problem(load_problem("work_precision"), {"duration": 2.0})
    assert outcome.passed, outcome.as_dict()
    check_errors(module, outcome.values)


@pytest.mark.slow
def test_work_precision_reference():
    """The table's first quarter against generalized-alpha with many steps.

    The rest would show in `test_work_and_precision`, where all methods are close to all of it.
    """
    module = load_module("work_precision")
    found = module.measure(fm.GeneralizedAlpha(0.8), fm.FixedSteps(), 0.5, 128)
    # 26 h^2 is 6e-6; contacts scatter it
    assert found["error"] < 2e-5


def test_study_and_figure_of_work_and_precision(monkeypatch):
    module = load_module("work_precision")
    one = {"error": 1e-3, "steps": 64.0, "newton": 200.0, "seconds": 0.5}
    monkeypatch.setattr(module, "measure", lambda *setting: dict(one))
    numbers = module.study()
    (table,) = numbers["tables"].values()
    assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    assert len(module.plot(numbers).axes) == 2
