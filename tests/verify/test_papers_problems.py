"""The problems of the paper's sections 5.1 to 5.4, at coarse settings."""

import _limb_reference
import _numpy_limb
import numpy as np
import pytest
from scipy.optimize import minimize, root
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.verify import run_problem


def outcome_of(name, **settings):
    problem = load_problem(name)
    defaults = {key: parameter.default for key, parameter in problem.parameters.items()}
    return run_problem(problem, {**defaults, **settings})


@pytest.mark.parametrize("name", ["manufactured_solution", "contact_integration", "fiber_contact"])
def test_default_setting_passes(name):
    outcome = outcome_of(name)
    assert outcome.passed, outcome.as_dict()


@pytest.mark.slow
def test_fibers_that_collide_as_compiled():
    """Contact forces of a pair add up to nothing; half passes miss it by parts of a percent."""
    collision = load_module("fiber_collision")
    assert max(collision.imbalance("variational", 4)) < 1e-12
    assert 1e-3 < max(collision.imbalance("half_pass", 4)) < 0.1
    assert outcome_of("fiber_collision").passed


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, settings",
    [
        ("manufactured_solution", {"elements": 8, "steps": 16}),
        ("manufactured_solution", {"elements": 24, "steps": 64, "grading": 4.0}),
        ("manufactured_solution", {"elements": 24, "steps": 64, "grading": 0.5}),
        ("manufactured_solution", {"elements": 12, "steps": 5}),
        ("contact_integration", {"elements": 8, "quadrature": 2}),
        ("contact_integration", {"elements": 7, "quadrature": 12}),
        ("contact_integration", {"elements": 64, "quadrature": 8}),
        ("fiber_contact", {"elements": 3, "quadrature": 2}),
        ("fiber_contact", {"elements": 10, "quadrature": 1}),
        pytest.param("upper_limb", {"steps": 32, "duration": 1.0}, marks=pytest.mark.slow),
        pytest.param(
            "upper_limb", {"elements": 10, "steps": 16, "duration": 0.2}, marks=pytest.mark.slow
        ),
    ],
)
def test_other_settings_pass(name, settings):
    outcome = outcome_of(name, **settings)
    assert outcome.passed, outcome.as_dict()


@pytest.mark.parametrize(
    "name, settings",
    [
        ("manufactured_solution", {"elements": 1, "steps": 1}),
        ("contact_integration", {"elements": 4, "quadrature": 1}),
    ],
)
def test_settings_that_are_far_off_do_not_pass(name, settings):
    """However coarse the setting, there is a largest tolerance."""
    assert not outcome_of(name, **settings).passed


@pytest.mark.parametrize(
    "name, settings",
    [
        ("manufactured_solution", {"elements": 0}),
        ("manufactured_solution", {"steps": 0}),
        ("manufactured_solution", {"grading": 0.0}),
        ("contact_integration", {"quadrature": 0}),
        ("fiber_contact", {"elements": -1}),
        ("upper_limb", {"duration": -1.0}),
        ("upper_limb", {"steps": 0}),
    ],
)
def test_bad_settings_are_refused(name, settings):
    with pytest.raises(fm.ModelError):
        outcome_of(name, **settings)


def test_body_force_is_what_sympy_derives():
    sympy = pytest.importorskip("sympy")
    module = load_module("manufactured_solution")
    theta, t = sympy.symbols("theta t", positive=True)
    s = 1 - sympy.cos(t)
    x = sympy.Matrix([theta, s * sympy.cos(theta), s * sympy.sin(8 * theta)])
    share = 16 * (1 - theta) ** 2 * theta**2
    slope = x.diff(theta)
    stretch = sympy.sqrt(slope.dot(slope))
    mu = share * module.MU_MUSCLE + (1 - share) * module.MU_TENDON
    off = (stretch / module.OPTIMAL_STRETCH - 1) / module.WIDTH
    stress = (
        mu * (stretch - stretch**-2)
        + 3 * module.ETA * stretch.diff(t) / stretch**2
        + share * module.ACTIVATION * module.MAX_STRESS / stretch * sympy.exp(-(off**4))
        + module.PRESTRESS / stretch
    )
    force = module.DENSITY * x.diff(t, 2) - (stress * slope / stretch).diff(theta)
    exact = sympy.lambdify((theta, t), force, "numpy")
    at = np.linspace(0.0, 1.0, 23)
    for time in (0.0, 0.13, 0.7, 1.0):
        ours = module.body_force(at, time)
        derived = np.array([exact(float(a), time).ravel() for a in at], float)
        np.testing.assert_allclose(ours, derived, rtol=1e-10, atol=1e-7)


def test_body_force_balances_momentum_in_finite_differences():
    module = load_module("manufactured_solution")
    tissue = module.model(4).fibers[0].tissue

    def force(theta, t, h=1e-5):
        """Nominal section force over the area; slope and rate by differences of the motion."""

        def slope(time):
            ahead, back = module.motion(theta + h, time), module.motion(theta - h, time)
            return (ahead - back) / (2 * h)

        a = slope(t)
        lam = np.linalg.norm(a, axis=1)
        ahead, back = (np.linalg.norm(slope(t + d), axis=1) for d in (h, -h))
        rate = (ahead - back) / (2 * h)
        g = module.muscle_fraction(theta)
        mu = g * tissue.muscle.shear_modulus + (1 - g) * tissue.tendon.shear_modulus
        active = tissue.active
        peak = g * module.ACTIVATION * active.max_stress / lam
        f = np.exp(-(np.abs((lam / active.optimal_stretch - 1) / active.width) ** active.exponent))
        stress = mu * (lam - lam**-2) + 3 * tissue.muscle.viscosity * rate / lam**2
        stress = stress + peak * f + tissue.prestress / lam
        return (stress / lam)[:, None] * a

    theta, h = np.linspace(0.05, 0.95, 19), 1e-4
    for t in (0.2, 0.9):
        acceleration = module.motion(theta, t + h) + module.motion(theta, t - h)
        acceleration = (acceleration - 2 * module.motion(theta, t)) / h**2
        spread = (force(theta + h, t) - force(theta - h, t)) / (2 * h)
        expected = module.DENSITY * acceleration - spread
        ours = module.body_force(theta, t)
        # second differences of sin 8 theta over 1e-4, and their round-off
        np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4 * np.abs(ours).max())


def test_manufactured_solution_converges_in_time():
    errors = [
        outcome_of("manufactured_solution", steps=steps).values["l2_error"] for steps in (64, 256)
    ]
    # on its way to 1: 0.87 here, 0.93 from 1024 to 2048 steps
    assert 0.8 < np.log2(errors[0] / errors[1]) / 2 < 1.05


@pytest.mark.slow
@pytest.mark.parametrize(
    "constant, factor",
    [
        pytest.param("ETA", 1.02, marks=pytest.mark.slow),
        ("DENSITY", 1.01),
        ("MU_MUSCLE", 1.01),
        pytest.param("ACTIVATION", 1.02, marks=pytest.mark.slow),
    ],
)
def test_a_wrong_stress_or_inertia_falls_short(constant, factor, monkeypatch):
    module = load_module("manufactured_solution")
    right = {elements: module.model(elements) for elements in (32, 64)}
    monkeypatch.setattr(module, "model", lambda elements, grading: right[elements])
    monkeypatch.setattr(module, constant, factor * getattr(module, constant))
    outcome = outcome_of("manufactured_solution")
    assert not outcome.expected["centerline_error"].holds(outcome.values["centerline_error"])


@pytest.mark.parametrize("grading", [1.0, 4.0])
def test_manufactured_solution_converges_in_space(grading):
    module = load_module("manufactured_solution")
    theta = np.linspace(0.0, 1.0, 101)
    shapes = [
        module.simulate(n, 128, grading).fibers["fiber"].centerline(theta, -1) for n in (12, 24, 48)
    ]
    errors = [np.abs(shape - shapes[-1]).max() for shape in shapes[:-1]]
    # fourth order in the end; the waves of sin 8 theta are just being resolved here
    assert np.log2(errors[0] / errors[1]) > 3.0


def test_claims_of_the_paper_on_contact_integration():
    run = load_module("contact_integration").run
    for elements in (4, 16, 32):
        finest = run(elements, 12)["min_displacement"]
        for quadrature in (4, 6):
            assert abs(run(elements, quadrature)["min_displacement"] / finest - 1.0) < 0.01
    finest = run(128, 12)["min_displacement"]
    for quadrature in (1, 2):
        assert abs(run(32, quadrature)["min_displacement"] / finest - 1.0) < 0.01
    # said in the statement: the error itself stays above 1 % with 4 elements, and the first claim
    # does not hold with 5
    assert abs(run(4, 12)["min_displacement"] / finest - 1.0) > 0.01
    assert abs(run(5, 4)["min_displacement"] / run(5, 12)["min_displacement"] - 1.0) > 0.01


def test_contact_integration_against_a_chain_of_points():
    """The equations once more, as a chain of points whose forces are summed in a plain loop."""
    module = load_module("contact_integration")
    n = 80
    rest = 2.0 * module.HALF_LENGTH / n
    area = np.pi * module.RADIUS**2
    axis = np.asarray(module.AXIS) / np.linalg.norm(module.AXIS)
    project = np.eye(3) - np.outer(axis, axis)
    x0 = np.linspace((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), n + 1)
    # from a shape outside of the cylinder; the reaction of a link is A_0 P along it
    x0[:, 2] = 0.02 - 0.06 * np.sin(np.pi * np.linspace(-1, 1, n + 1)) ** 2
    x0[[0, -1], 2] = 0.0

    def forces(inner):
        x = np.vstack([x0[0], inner.reshape(-1, 3), x0[-1]])
        links = np.diff(x, axis=0)
        length = np.linalg.norm(links, axis=1)
        lam = length / rest
        stress = module.MU * (lam - lam**-2) + module.PRESTRESS / lam
        pull = (area * stress / length)[:, None] * links
        force = np.zeros_like(x)
        force[:-1] += pull
        force[1:] -= pull
        force[:, 2] += module.LOAD * rest
        near = 0.5 * (lam[1:] + lam[:-1])
        arm = (x[1:-1] - module.POINT) @ project
        distance = np.linalg.norm(arm, axis=1)
        gap = distance / (module.CYLINDER_RADIUS + module.RADIUS / np.sqrt(near)) - 1.0
        closed = np.minimum(gap, 0.0)
        push = -module.STIFFNESS * closed / (1.0 + module.LIMIT * np.maximum(closed, -0.2499))
        force[1:-1] += (push * near * rest / distance)[:, None] * arm
        return force[1:-1].ravel()

    found = root(forces, x0[1:-1].ravel(), method="lm", options={"maxiter": 20000})
    # each of the points carries 25 N
    assert np.abs(found.fun).max() < 0.01
    z = found.x.reshape(-1, 3)[:, 2]
    i = int(np.argmin(z))
    a, b, c = z[i - 1 : i + 2]
    lowest = b - (a - c) ** 2 / (8.0 * (a - 2.0 * b + c))
    answer = module.expected()["min_displacement"].value
    # second order in the links
    assert lowest == pytest.approx(answer, rel=0.01)


def test_exact_crossing_fibers_do_not_depend_on_the_guess():
    module = load_module("fiber_contact")
    answer, turns = module.exact()
    assert turns < 12
    assert answer == pytest.approx(0.1007450804, abs=2e-9)


@pytest.mark.slow
def test_limb_at_vanishing_steps_is_what_radau_computes():
    found = _limb_reference.solve(2.0 * _limb_reference.EVERY)
    np.testing.assert_allclose(found, _limb_reference.ANGLE[:3], rtol=0.0, atol=1e-7)


@pytest.mark.slow
def test_limb_of_level_1_is_what_numpy_computes():
    _, angles, _ = _numpy_limb.simulate(8, 256, 8, 1e-10)
    np.testing.assert_allclose(angles[[3, 8]], _limb_reference.STEPS_256, rtol=0.0, atol=1e-10)


@pytest.mark.slow
def test_adaptive_steps_on_the_limb_are_accurate_and_the_papers_are_not():
    """The paper's largest angle is 0.07 rad from the limb's own; both are compared with theirs."""
    outcome = outcome_of("upper_limb")
    assert outcome.passed, outcome.as_dict()
    close = outcome.expected["angle_max_adaptive"]
    assert close.tolerance <= 1e-3 and not close.holds(outcome.values["angle_max"])


@pytest.mark.parametrize("name", ["contact_integration", "fiber_contact"])
def test_sides_of_contact(name):
    """The fiber stays on its own side."""
    module = load_module(name)
    theta = np.linspace(0.0, 1.0, 201)
    if name == "contact_integration":
        assert module.shape(16, 5)(theta)[:, 2].min() > -0.2
    else:
        shapes = module.fibers(16, 5)
        nearest = minimize(
            lambda at: ((shapes["upper"](at[:1]) - shapes["lower"](at[1:])) ** 2).sum(),
            (0.65, 0.44),
            bounds=((0, 1), (0, 1)),
        )
        upper = shapes["upper"](nearest.x[:1])[0]
        lower = shapes["lower"](nearest.x[1:])[0]
        assert upper[2] < lower[2] and np.linalg.norm(upper - lower) < 2 * module.RADIUS


@pytest.mark.parametrize("name", ["manufactured_solution", "contact_integration", "fiber_contact"])
def test_study_and_figure_of_coarse_numbers(name, monkeypatch):
    """Study and plot fit each other; the numbers are made up where computing them takes long."""
    module = load_module(name)
    monkeypatch.setattr(
        module, "run", lambda *args: {key: 1e-3 / args[0] for key in module.expected()}
    )
    if name == "manufactured_solution":
        simulate = module.simulate
        monkeypatch.setattr(module, "simulate", lambda n, steps, grading: simulate(n, 4, grading))
    numbers = module.study()
    check_tables(numbers)
    assert len(module.plot(numbers).axes) >= 2


def test_study_and_figure_of_the_upper_limb(monkeypatch):
    module = load_module("upper_limb")
    monkeypatch.setattr(module, "LEVELS", ((8, 16), (9, 32)))
    numbers = module.study()
    check_tables(numbers)
    assert len(module.plot(numbers).axes) >= 5


def check_tables(numbers):
    assert numbers["tables"]
    for table in numbers["tables"].values():
        assert table["rows"]
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}
