"""Gradients of runs against central differences of the same discrete runs."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scenes_of_tests import two_link_arm
from scipy.optimize import minimize
from system.test_mesh_contact import arm as mesh_arm

import fibermsk as fm
from fibermsk.gradients.changes.entries import entries_of
from fibermsk.gradients.changes.variations import changes_of
from fibermsk.solvers.adjoint import sweeps
from fibermsk.solvers.adjoint.linearized import Linearized, Point
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.steps.control import Advanced, attempt

METHODS = [
    fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8), fm.SDIRK4(),
]  # fmt: skip
NAMES = [one.name for one in METHODS]
TIGHT = fm.Newton(tolerance=1e-12)
STEPS = 1e-3, 1e-4, 1e-5
SMALL = 1e-7


def worst(run, objective, paths, steps=STEPS):
    """Largest error over the derivative of any parameter, each at its best step.

    Also with the extrapolation from the first two steps, whose error is of fourth order. Steps that
    follow one at which the error is `SMALL` are left out.
    """
    problem = fm.GradientProblem(run, objective, paths)
    x, errors = problem.start, []
    _, found = problem(x)
    for k in range(x.size):
        one = np.eye(x.size)[k]
        slopes, best = [], np.inf
        for n, h in enumerate(steps):
            slopes.append((problem.value(x + h * one) - problem.value(x - h * one)) / (2.0 * h))
            size = max(abs(slopes[-1]), 1e-3 * np.abs(found).max())
            if n == 1:
                part = (steps[0] / steps[1]) ** 2
                slopes.append((part * slopes[1] - slopes[0]) / (part - 1.0))
            best = min(abs(found[k] - slope) for slope in slopes) / size
            if best < SMALL:
                break
        errors.append(best)
    return max(errors)


def muscles_with_states():
    """A line muscle with activation and elastic tendon, and a fiber with titin, on one hinge."""
    model = fm.Model("limb", gravity=(0.0, -9.81, 0.0))
    bone = model.add(fm.Body("bone", 0.5, (0, -0.1, 0), (2e-3, 5e-4, 2e-3)))
    model.add(fm.Hinge("hinge", model.ground, bone, (0, 0, 0), (0, 0, 1), value=0.4))

    def dynamics(start):
        table = fm.Table([0.0, 0.013, 0.1], [0.1, 0.6, 0.3])
        return fm.ActivationDynamics(table, start=start)

    ends = model.ground.at(0.03, 0.1, 0.0), bone.at(0.02, -0.08, 0.0)
    path = [fm.PathPoint(name, at) for name, at in zip("oi", ends, strict=True)]
    law = fm.HillLaw(fm.DeGrooteCurves())
    model.add(
        fm.LineMuscle(
            "line", path, max_isometric_force=40.0, optimal_fiber_length=0.08,
            tendon_slack_length=0.09, law=law, activation=dynamics(0.1),
        )
    )  # fmt: skip
    solid = fm.Tissue(1060.0, fm.KelvinVoigt(1e4, 1e3), titin=fm.Titin(3e5))
    ends = model.ground.at(-0.03, 0.05, 0.0), bone.at(-0.02, -0.08, 0.0)
    model.add(fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=4, tissue=solid,
                       activation=dynamics(0.2)))  # fmt: skip
    return model


def heavy():
    """The double pendulum with a heavy muscle around a cylinder, which it touches."""
    return fm.make_scene("double_pendulum", muscle="III").model


def closed():
    """A four-bar linkage, a coordinate coupled by a multiplier, muscles and a fiber."""
    model = fm.Model("linkage", gravity=(0.0, -9.81, 0.0))
    bones = [
        model.add(fm.Body(name, mass, com, (5e-3, 1e-3, 5e-3)))
        for name, mass, com in (
            ("crank", 1.0, (0, -0.15, 0)), ("rod", 0.5, (0.1, 0, 0)),
            ("rocker", 0.7, (0, -0.15, 0)), ("tip", 0.2, (0, -0.05, 0)),
        )
    ]  # fmt: skip
    crank, rod, rocker, tip = bones
    ground, z = model.ground, (0, 0, 1)
    model.add(
        fm.Hinge("h1", ground, crank, (0, 0, 0), z, value=0.4),
        fm.Hinge("h2", crank, rod, (0, -0.3, 0), z, value=-0.4),
        fm.Hinge("h3", ground, rocker, (0.2, 0, 0), z, value=0.4),
        fm.Hinge("h4", rocker, tip, (0, -0.3, 0), z),
        fm.Coupling("h4", fm.Polynomial([0.1, 0.5, -0.3]), "h3", "multiplier"),
        fm.PointConstraint("pin", rod.at(0.2, 0, 0), rocker.at(0, -0.3, 0),
                           directions=[(1, 0, 0), (0, 1, 0)]),
    )  # fmt: skip
    dynamics = fm.ActivationDynamics(fm.Table([0.0, 0.013, 0.1], [0.1, 0.6, 0.3]), start=0.1)
    for name, ends, law in (
        ("line", (crank.at(0.03, 0, 0), rocker.at(0.02, -0.28, 0)), fm.HillLaw()),
        ("rigid", (ground.at(0.25, 0.1, 0), tip.at(0.02, -0.08, 0)), fm.HillLaw(tendon="rigid")),
    ):
        path = [fm.PathPoint(end, at) for end, at in zip("oi", ends, strict=True)]
        numbers = {"optimal_fiber_length": 0.15, "tendon_slack_length": 0.22}
        model.add(fm.LineMuscle(name, path, max_isometric_force=40.0, **numbers, law=law,
                                activation=dynamics))  # fmt: skip
    solid = fm.Tissue(1060.0, fm.KelvinVoigt(1e4, 1e3), bending=1.0)
    ends = ground.at(-0.03, 0.05, 0), rod.at(0.05, 0.02, 0)
    model.add(fm.Fiber("fiber", attach=ends, radius=4e-3, n_elements=3, tissue=solid,
                       activation=dynamics))  # fmt: skip
    return model


def prescribed():
    """A motion in time that carries a fiber, a muscle and a rod that holds another bone."""
    model = fm.Model("driven", gravity=(0.0, -9.81, 0.0))
    upper = model.add(fm.Body("upper", 1.0, (0, -0.15, 0), (5e-3, 1e-3, 5e-3)))
    lower = model.add(fm.Body("lower", 0.5, (0, -0.1, 0), (3e-3, 1e-3, 3e-3)))
    held = model.add(fm.Body("held", 0.3, (0, -0.1, 0), (3e-3, 1e-3, 3e-3)))
    ground, z = model.ground, (0, 0, 1)
    motion = fm.Coordinate("led", prescribed=fm.Polynomial([0.1, 3.0, 20.0]))
    model.add(
        fm.Hinge("h1", ground, upper, (0, 0, 0), z, value=0.4),
        fm.Hinge("h2", upper, lower, (0, -0.3, 0), z, coordinate=motion),
        fm.Hinge("h3", ground, held, (0.2, 0, 0), z, value=0.2),
    )
    tip = np.array([0.3 * np.sin(0.4) + 0.1 * np.sin(0.5), -0.3 * np.cos(0.4) - 0.1 * np.cos(0.5)])
    end = np.array([0.2 + 0.2 * np.sin(0.2), -0.2 * np.cos(0.2)])
    rod = held.at(0, -0.2, 0), lower.at(0, -0.1, 0)
    model.add(fm.PointConstraint("rod", *rod, distance=float(np.linalg.norm(tip - end))))
    path = [
        fm.PathPoint("o", ground.at(0.03, 0.05, 0)),
        fm.PathPoint("i", lower.at(0.02, -0.05, 0)),
    ]
    numbers = {"optimal_fiber_length": 0.15, "tendon_slack_length": 0.22}
    model.add(fm.LineMuscle("line", path, max_isometric_force=40.0, **numbers, law=fm.HillLaw(),
                            activation=0.3))  # fmt: skip
    solid = fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 3e2), prestress=1e4, bending=1.0)
    ends = ground.at(0.03, 0.05, 0), lower.at(0.02, -0.05, 0)
    model.add(fm.Fiber("fiber", attach=ends, radius=1e-2, n_elements=3, tissue=solid,
                       activation=0.3))  # fmt: skip
    return model


def rubbing():
    """The arm whose fibers rub on each other and on the bones."""
    model = two_link_arm()
    rub = {"friction": fm.Friction(0.4, 0.02)}
    return model.edit({contact: rub for contact in model.contacts})


CASES = {
    "contact": (
        two_link_arm, 0.036,
        ["fiber_0/tissue/muscle/shear_modulus", "fiber_1/activation", "fiber_2/tissue/density",
         "fiber_0/attach/insertion/x", "contacts/0/stiffness", "lower/shapes/0/radius",
         "lower/mass", "elbow/at/z", "elbow/value"],
    ),
    "states": (
        muscles_with_states, 0.03,
        ["line/max_isometric_force", "line/tendon_slack_length", "line/points/0/x",
         "line/law/curves/passive_strain", "line/activation/excitation/knots/1", "fiber/radius",
         "fiber/tissue/titin/stress", "fiber/attach/insertion/y", "bone/inertia/zz", "hinge/value",
         "fiber/activation/activation_time", "model/gravity/y"],
    ),
    "friction": (
        rubbing, 0.036,
        ["contacts/0/friction/coefficient", "contacts/0/friction/speed", "fiber_1/activation",
         "elbow/speed"],
    ),
    "closed": (
        closed, 0.03,
        ["line/max_isometric_force", "rigid/optimal_fiber_length", "fiber/attach/insertion/x",
         "pin/first/x", "rod/mass", "h1/value"],
    ),
    "prescribed": (
        prescribed, 0.03,
        ["led/prescribed/coefficients/1", "led/prescribed/coefficients/2", "upper/mass",
         "fiber/attach/insertion/x", "line/max_isometric_force"],
    ),
    "mass": (heavy, 0.16, ["muscle/mass", "second/com", "wraps/cylinder/radius", "q2/speed"]),
}  # fmt: skip


def objective(model):
    """Squares of where a point, the coordinates and their speeds end, and of where they were."""
    last = model.bodies[-1]
    names = [one.name for one in model.coordinates]

    def function(time, x, **own):
        total = ((x[-1] - np.array([0.1, -0.2, 0.05])) ** 2).sum() + 0.1 * (x[2] ** 2).sum()
        return total + sum(1e-3 * (one[-1] + one[3]) ** 2 for one in own.values())

    reads = {f"q{k}": name for k, name in enumerate(names)}
    reads |= {f"p{k}": f"{name}/speed" for k, name in enumerate(names)}
    return fm.Objective(function, {"x": last.at(0.01, -0.1, 0.0), **reads})


DAILY = {
    ("contact", "backward_euler"), ("mass", "bdf2"), ("friction", "sdirk2"),
    ("closed", "sdirk2"), ("states", "sdirk2"),
}  # fmt: skip
"""Besides the prescribed motion with every method."""
PAIRS = [
    pytest.param(
        case, method, id=f"{case}-{method.name}",
        marks=[] if case == "prescribed" or (case, method.name) in DAILY else pytest.mark.slow,
    )
    for case in CASES for method in METHODS
]  # fmt: skip


@pytest.mark.parametrize("case, method", PAIRS)
def test_gradients_are_those_of_the_discrete_run(case, method):
    make, until, wanted = CASES[case]
    model = make()
    run = fm.Simulation(model, t_end=until, dt=until / 6, method=method, newton=TIGHT)
    # the speed of friction matters so little that round-off counts
    steps = (3e-3, 1e-3, 1e-4) if case == "friction" else STEPS
    assert worst(run, objective(model), wanted, steps) < 1e-6


def test_edges_of_a_mesh():
    """A contact lies within a tenth of a micrometer of an edge, where the slope of forces jumps."""
    model = mesh_arm()
    rub = {"friction": fm.Friction(0.3, 0.02)}
    run = fm.Simulation(model.edit({contact: rub for contact in model.contacts}), 8e-3, 4e-3,
                        newton=TIGHT)  # fmt: skip
    end = fm.Objective(lambda time, q: q[-1] ** 2, {"q": "elbow"})
    paths = ["shoulder/rotation", "elbow/at/z"]
    assert worst(run, end, paths, steps=(1e-5, 1e-6)) < 1e-6


@pytest.mark.parametrize("method", METHODS, ids=NAMES)
def test_both_sweeps_are_transposes(rng, method):
    run = fm.Simulation(muscles_with_states(), 0.03, 0.005, method=method)
    system, kept = run.system(), Trajectory()
    run.run(system, kept)
    entries = entries_of(system, ["line/max_isometric_force", "fiber/attach/insertion/z"])
    changes = changes_of(system, entries)
    free = Linearized(system, Point(0.0, *system.initial_state(), None))
    dy, dv = (free.only(rng.normal(size=system.n)) for _ in range(2))
    dy[-len(system.states) :] = dv[-len(system.states) :] = 0.0
    start = free.followed(dy), free.followed_rates(dy, dv)
    direction, weights = rng.normal(size=2), rng.normal(size=(2, system.n))
    ahead = sweeps.push(system, kept, start, direction, changes)
    on_y, on_v, on_parameters = sweeps.pull(system, kept, {4: tuple(weights)}, changes, 2)
    expected = weights[0] @ ahead[4][0] + weights[1] @ ahead[4][1]
    found = on_y @ start[0] + on_v @ start[1] + on_parameters @ direction
    assert found == pytest.approx(expected, rel=1e-8)


def test_contacts_that_open_and_close():
    # three fibers beside each other that slide along two bones, over 32 steps
    model = two_link_arm()
    run = fm.Simulation(model, t_end=0.064, dt=0.002, newton=TIGHT)
    forces = [fiber.contact_line_force for fiber in run.run().fibers.values()]
    touching = sum((np.abs(one).reshape(33, -1) > 0.0).sum(axis=1) for one in forces)
    assert (np.diff(touching) > 0).sum() > 2 and (np.diff(touching) < 0).sum() > 2
    assert worst(run, objective(model), ["fiber_1/activation", "elbow/value"]) < 1e-6


def test_an_inertia_stays_symmetric():
    model = muscles_with_states()
    run = fm.Simulation(model, 0.03, 5e-3, newton=TIGHT)
    scales = np.full(6, 1e-3)
    problem = fm.GradientProblem(run, objective(model), "bone/inertia", scales)
    assert [one.place for one in problem.parameters] == [
        (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2),
    ]  # fmt: skip
    _, found = problem(problem.start)
    for k, one in enumerate(1e-3 * np.eye(6)):
        slope = problem.value(problem.start + one) - problem.value(problem.start - one)
        assert found[k] == pytest.approx(slope / 2e-3, rel=1e-6, abs=1e-5 * np.abs(found).max())


def test_a_rotation_is_three_angles_about_its_own_axes():
    model = muscles_with_states()
    run = fm.Simulation(model, 0.03, 5e-3, newton=TIGHT)
    problem = fm.GradientProblem(run, objective(model), "hinge/rotation")
    assert [one.name[-3:] for one in problem.parameters] == [" x]", " y]", " z]"]
    assert problem.start.tolist() == [0.0, 0.0, 0.0]
    turned = np.array([0.3, -0.2, 0.4])
    _, found = problem(turned)
    for k, one in enumerate(1e-4 * np.eye(3)):
        slope = problem.value(turned + one) - problem.value(turned - one)
        assert found[k] == pytest.approx(slope / 2e-4, rel=1e-6)


def test_fibers_alone_have_gradients():
    model = fm.make_scene("sliding_fibers").model
    fiber = model.fibers[0]
    # the way that the nodes move, in which differences have digits
    aim = fm.Objective(lambda time, x: ((x[-1] - x[0]) ** 2).sum(), {"x": fiber})
    run = fm.Simulation(model, 0.04, 0.01, newton=TIGHT)
    assert worst(run, aim, [f"{fiber.name}/tissue/density", "model/gravity/z"]) < 1e-7


def test_a_time_of_a_table_on_a_frame_is_warned_of():
    model = muscles_with_states()
    run, aim = fm.Simulation(model, 0.03, 5e-3), objective(model)
    with pytest.warns(fm.ModelWarning, match=r"times\[0\]' = 0 s: a corner at which"):
        fm.gradient(run, aim, "line/activation/excitation/times")
    assert worst(run, aim, "line/activation/excitation/times/1") < 1e-6


def test_a_point_that_becomes_a_corner_is_warned_of():
    model = muscles_with_states()
    flat = fm.ActivationDynamics(fm.Table([0.0, 0.01, 0.03], [0.3, 0.3, 0.3]))
    model, aim = fm.with_activations(model, {"line": flat}), objective(model)
    run = fm.Simulation(model, 0.03, 5e-3, method=fm.BDF2())
    with pytest.warns(fm.ModelWarning, match=r"knots' has no corner at t = 0.01 s"):
        fm.gradient(run, aim, "line/activation/excitation/knots")


def test_small_moments_of_inertia_are_varied():
    model = two_link_arm()
    bob = model.add(fm.Body("bob", 0.02, (0, 0, 0), (1.39e-7, 1.62e-6, 1.7e-6)))
    model.add(fm.Hinge("bob", model.bodies[-2], bob, (0, 0, -0.01), axis=(0, 1, 0), value=0.4))
    aim = fm.Objective(lambda time, q: q[-1], {"q": "bob"})
    run = fm.Simulation(model, 0.02, 5e-3, newton=fm.Newton(tolerance=1e-12))
    problem = fm.GradientProblem(run, aim, "bob/inertia")
    assert (problem.scales < 2e-6).all()
    way = np.array([0.1, 0.02, 0.01, 0.3, 0.02, 0.2])
    value, slope = problem(problem.start)
    changes = [problem.value(problem.start + h * way) - value for h in (0.02, -0.02)]
    assert slope @ way == pytest.approx((changes[0] - changes[1]) / 0.04, rel=1e-5)


def test_wrong_functions_of_an_objective_are_refused():
    model = two_link_arm()
    run = fm.Simulation(model, 0.01, 5e-3)
    reads = {"q": "elbow"}
    wrong = fm.Objective(lambda time, q: q[-1] ** 2, reads, lambda time, q: {"q": 0.0 * q + 1.0})
    with pytest.raises(fm.ModelError, match="its slopes give another derivative"):
        fm.gradient(run, wrong, "lower/mass")
    with pytest.raises(fm.ModelError, match="raised IndexError"):
        fm.gradient(run, fm.Objective(lambda time, q: q[99], reads), "lower/mass")


@dataclass(frozen=True)
class Frozen(fm.FixedSteps):
    """The steps of another run."""

    ends: tuple[float, ...] = ()
    meets_corners = True

    def advance(self, system, method, newton, memory, control, t_new, counters):
        """Make the step that the other run made from here."""
        end = min(one for one in self.ends if one > memory.state.t + 1e-9)
        h, step = end - memory.state.t, attempt(system, method, newton, memory, end, counters)
        counters.accept(step)
        return Advanced(step, control, h)


@pytest.mark.parametrize(
    "make",
    [
        muscles_with_states,
        *(pytest.param(one, marks=pytest.mark.slow) for one in (two_link_arm, closed)),
    ],
)
def test_adaptive_steps_are_those_of_the_run(make):
    model = make()
    paths = ["model/gravity/y", f"{model.bodies[-1].name}/mass"]
    aim, kept = objective(model), Trajectory()
    run = fm.Simulation(model, 0.03, 0.005, control=fm.AdaptiveSteps(1e-4), newton=TIGHT)
    run.run(run.system(), kept)
    ends = tuple(step.after.state.t for step in kept.steps)
    assert len(ends) > 6
    found = fm.gradient(run, aim, paths)
    again = replace(run, control=Frozen(ends=ends))
    np.testing.assert_allclose(fm.gradient(again, aim, paths).gradient, found.gradient, rtol=1e-7)
    assert worst(again, aim, paths) < 1e-6


def test_reaching_needs_few_simulations():
    # line_muscles.md 6.8, with initial speeds in place of torques: a tip that reaches a point
    model = fm.make_scene("double_pendulum", muscle="II").model
    tip = model.body("second").at(0.0, -0.3, 0.0)
    target = np.array([0.35, -0.30, 0.0])
    aim = fm.Objective(lambda time, x: ((x[-1] - target) ** 2).sum(), {"x": tip})
    run = fm.Simulation(model, t_end=0.2, dt=0.01)
    problem = fm.GradientProblem(run, aim, ["q1/speed", "q2/speed"])
    found = minimize(problem, problem.start, jac=True, bounds=problem.bounds)
    assert found.fun < 1e-8 and problem.runs < 40


class Wild:
    """A method that leaves the forms."""

    name, order, error_order, most_growth, one_step = "wild", 1, 2, 5.0, True

    def start(self, system, state):
        return fm.BackwardEuler().start(system, state)

    def step(self, system, newton, memory, h):
        step = fm.BackwardEuler().step(system, newton, memory, h)
        new = step.memory.state
        return step._replace(memory=step.memory._replace(state=new._replace(v=np.asarray(new.v))))


@pytest.mark.parametrize(
    "change, message",
    [
        ({"reads": {"q": "elbow"}}, "quantity = 'elbow'; must be one of hinge"),
        ({"function": lambda time, q: abs(q[-1])}, "the function is real there, as with abs"),
        (
            {"function": lambda time, q: np.linalg.norm(q - 0.3) + q[-1]},
            "must be analytic, without",
        ),
        ({"function": lambda time, q: np.abs(q).sum() + 0.01 * q[-1]}, "must be analytic, without"),
        ({"function": lambda time, q: q[-1] / 0.0}, "value = .*; must be a finite number"),
        ({"function": lambda time, q: None}, "value = None; must be a finite number"),
        ({"function": lambda time, p: p[-1]}, "its functions must take the times and q"),
        (
            {"function": lambda time, q: np.sqrt(q[0] - 0.4) + q[-1]},
            "must be analytic, without",
        ),
        ({"reads": {"time": "hinge"}}, "name in reads = 'time'; must name an argument"),
        ({"paths": ["hinge/valu"]}, "no parameter 'hinge/valu'; did you mean"),
        ({"paths": []}, "parameters = .*must name one path or more"),
        ({"method": Wild()}, "'wild': a step of a run is differentiated through sums"),
        ({"method": fm.NDF()}, "method = .*must be an implicit method"),
        ({"control": fm.AdaptiveSteps(1e-2, landing=False)}, "passes . frames; must land on each"),
        (
            {"model": lambda: reflex()},
            "forces that depend on the past, of the reflex of line muscle 'line'; must be without",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_what_has_no_gradient_is_refused(change, message):
    own = {"function": lambda time, q: q[-1] ** 2, "reads": {"q": "hinge"}} | change
    with pytest.raises(fm.ModelError, match=message):
        model = own.get("model", muscles_with_states)()
        settings = {key: own[key] for key in ("method", "control") if key in own}
        run = fm.Simulation(model, 0.03, 0.005, **settings)
        fm.gradient(
            run, fm.Objective(own["function"], own["reads"]), own.get("paths", ["hinge/value"])
        )


def reflex():
    """The limb with a reflex with a delay."""
    model = muscles_with_states()
    delayed = fm.ActivationDynamics(
        fm.Reflex(gain=1.0, threshold=1.0, delay=0.02, base=0.1, coordinate="hinge"), start=0.1
    )
    return model.edit({model.muscle("line"): {"activation": delayed}})
