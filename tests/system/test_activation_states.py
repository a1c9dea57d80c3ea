"""Activation as a state of first order, which follows an excitation."""

from dataclasses import dataclass, replace

import numpy as np
import own_laws
import pytest
from activation_answers import step_response
from same_results import differences
from scenes_of_tests import apply, independent, two_link_arm
from scipy.integrate import solve_ivp
from tangents import along, moving_state

import fibermsk as fm
from fibermsk.kernels.fibers.activation import activation_kernel
from fibermsk.solvers.statics.linearize import dense, linearize

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]
TISSUE = fm.Tissue(
    1060,
    fm.KelvinVoigt(2e4, 5e2),
    active=fm.ActiveStress(2e5, optimal_stretch=1.1),
    prestress=1e4,
    bending=1.0,
)


def swell(t):
    """Smooth excitation: 0.1 to 0.7 and back within 0.2 s."""
    return 0.4 - 0.3 * np.cos(np.pi * t / 0.1)


def weight(activation, tissue=TISSUE, elements=2):
    """A weight on a spring and a fiber."""
    model = fm.Model("weight", gravity=(0, 0, 0))
    bob = model.add(fm.Body("bob", 0.05, (0, 0, 0), (1e-4,) * 3))
    model.add(fm.Slider("z", model.ground, bob, (0, 0, 0), axis=(0, 0, 1), damping=1.0))
    ends = model.ground.at(0, 0, 0.1), bob.at(0, 0, 0)
    spring = bob.at(0, 0, 0), model.ground.at(0, 0, -0.1)
    model.add(
        fm.Fiber(
            "fiber", attach=ends, radius=2e-3, n_elements=elements, tissue=tissue,
            activation=activation,
        ),
        fm.PointSpring("spring", *spring, stiffness=50.0, rest_length=0.08),
    )  # fmt: skip
    return fm.build(model)


def held(activation, names=("fiber",), tissue=TISSUE):
    """Fibers between points of the ground."""
    model = fm.Model("held", gravity=(0, 0, 0))
    given = activation if isinstance(activation, list) else [activation] * len(names)
    for k, (name, one) in enumerate(zip(names, given, strict=True)):
        ends = model.ground.at(0, 0.01 * k, 0), model.ground.at(0.1, 0.01 * k, 0)
        fiber = fm.Fiber(name, attach=ends, radius=2e-3, n_elements=2, tissue=tissue)
        model.add(replace(fiber, activation=one))
    return fm.build(model)


@dataclass(frozen=True)
class Complex:
    """Muscle whose stress is not linear in the activation."""

    strength: float = fm.law_constant("N/m^2", above=0.0)

    def stress(self, stretch, stretch_rate, activation):
        active = activation * activation * np.exp(-stretch * stretch)
        return self.strength * (0.3 * (stretch - 1.0) + active + 0.01 * activation * stretch_rate)

    def energy(self, stretch):
        return self.strength * 0.15 * (stretch - 1.0) ** 2


TISSUES = {
    "built-in": None,
    "own": fm.Tissue(1060, Complex(2e5), tendon=fm.KelvinVoigt(3e4, 100.0), prestress=1e3),
    "with derivatives": fm.Tissue(1060, own_laws.Twin(2e4, 300.0, 2e5), active=TISSUE.active),
}


def arm(tissue, contact=True):
    """Fibers across two joints: two share a state, one has its own."""
    model = two_link_arm(contact=contact)
    shared = fm.ActivationDynamics(0.6, start=0.3)
    own = fm.ActivationDynamics(fm.Ramp(0.0, 0.3, 0.9), fm.PiecewiseActivation(), start=0.2)
    activations = dict(zip(("fiber_0", "fiber_1", "fiber_2"), (shared, own, shared), strict=True))
    if tissue is not None:
        fibers = {id(one): replace(one, tissue=tissue) for one in model.fibers}
        model = model.copy(lambda item: fibers.get(id(item), item)) if not contact else model
    return fm.build(fm.with_activations(model, activations))


@pytest.mark.parametrize("kind", TISSUES)
@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 70.0)])
def test_tangents_agree_with_central_differences(rng, kind, beta, alpha):
    system = arm(TISSUES[kind], contact=kind == "built-in")
    assert [one.owner for one in system.states] == ["fiber_0", "fiber_1"]
    y, v, a = moving_state(system, rng)
    free = independent(system)
    n_x, n = 6 * system.cables.n_nodes, system.n
    tangent = system.evaluate(0.1, y, v, a, beta, alpha).tangent
    residual = along(system, y, v, a, beta, alpha)
    directions = [(d, 1e-4) for d in np.eye(n)[-2:]]
    directions += [(rng.normal(size=n) * system.scale * free, 2e-7) for _ in range(3)]
    for d, h in directions:
        ahead, back = (residual(system.retract(0.0, y, s * h * d)) for s in (1.0, -1.0))
        slope, exact = (ahead - back) / (2.0 * h), apply(tangent, d) * free
        for part in (slice(0, n_x), slice(n_x, n - 2), slice(n - 2, n)):
            size = np.abs(slope[part]).max()
            np.testing.assert_allclose(exact[part], slope[part], atol=2e-6 * size, rtol=0)
    # the columns of the states reach nodes and joints
    column = apply(tangent, directions[0][0])
    assert np.abs(column[:n_x]).max() > 1e-3 and np.abs(column[n_x : n - 2]).max() > 1e-5


@pytest.mark.parametrize("kind", TISSUES)
def test_the_kernel_agrees_with_a_complex_step_of_the_stress(rng, kind):
    """Sum over Gauss points of A0 dP/da t . shape slopes, element by element in plain NumPy."""
    system = arm(TISSUES[kind], contact=kind == "built-in")
    cables, (y, v, _) = system.cables, moving_state(system, rng)
    (nodes, _), (speed, _) = system.split(y), system.split(v)
    active = rng.uniform(0.1, 0.9, cables.h.size)
    found, expected = np.zeros((2, cables.n_nodes, 6))
    for of in system.tension.groups:
        activation_kernel(of.layout)(
            of.element_start, nodes, speed, of.cable, active[of.inside], found
        )
    for e, (i, j) in enumerate(cables.elements):
        tissue = system.model.fibers[cables.fiber[e]].tissue
        h, ends = cables.h[e], [nodes[i, :3], nodes[i, 3:], nodes[j, :3], nodes[j, 3:]]
        rates = [speed[i, :3], speed[i, 3:], speed[j, :3], speed[j, 3:]]
        for k, xi in enumerate(cables.xi):
            slopes = np.array(
                [
                    (6 * xi**2 - 6 * xi) / h, 3 * xi**2 - 4 * xi + 1,
                    (6 * xi - 6 * xi**2) / h, 3 * xi**2 - 2 * xi,
                ]
            )  # fmt: skip
            a1, a1_dot = slopes @ np.array(ends), slopes @ np.array(rates)
            size = np.linalg.norm(a1)
            stretch, rate = size / cables.G0[e, k], a1 @ a1_dot / size / cables.G0[e, k]
            by_a = slope_of(tissue, cables.rows.law[cables.row_of[e], k], stretch, rate, active[e])
            force = cables.weight[e, k] * cables.area[e, k] * by_a * a1 / size
            for node, first in ((i, 0), (j, 2)):
                expected[node, :3] += slopes[first] * force
                expected[node, 3:] += slopes[first + 1] * force
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


def slope_of(tissue, law, stretch, rate, activation, step=1e-40):
    """Derivative of the stress in the activation, from its constants (columns of the layout)."""
    columns = tissue.layout.columns
    names = "active_max", "optimal_stretch", "width", "exponent"
    strength, optimum, width, exponent = (law[columns[name]] for name in names)
    bell = np.exp(-(abs((stretch / optimum - 1.0) / width) ** exponent))
    slope = strength * bell / stretch
    if tissue.layout.muscle is not None:
        stress = tissue.muscle.stress(stretch, rate, activation + 1j * step)
        stress = stress[0] if isinstance(stress, tuple) else stress
        slope += law[columns["muscle/share"]] * stress.imag / step
    return slope


def test_fibers_with_equal_dynamics_share_one_state():
    one = fm.ActivationDynamics(swell)
    same = fm.ActivationDynamics(swell)
    other = fm.ActivationDynamics(swell, start=0.1)
    named = fm.ActivationDynamics(swell, name="calf")
    names = "a", "b", "c", "d", "e"
    system = held([one, same, other, 0.25, named], names)
    assert [block.owner for block in system.states] == ["a", "c", "calf"]
    assert system.n == 6 * system.cables.n_nodes + 3
    result = fm.simulate(system, t_end=0.1, dt=0.01)
    fibers = result.fibers
    np.testing.assert_array_equal(fibers["a"].activation, fibers["b"].activation)
    np.testing.assert_array_equal(fibers["a"].activation, result.states["a"]["active_state"])
    np.testing.assert_array_equal(fibers["e"].activation, result.states["calf"]["active_state"])
    assert (fibers["d"].activation == 0.25).all()
    assert fibers["c"].activation[0] == 0.1 and fibers["a"].activation[0] == 0.0
    force = fibers["a"].force_origin[:, 0] / fibers["b"].force_origin[:, 0]
    np.testing.assert_allclose(force, 1.0, rtol=1e-12)


def test_names_of_states_are_unique():
    first = fm.ActivationDynamics(0.5, name="calf")
    with pytest.raises(fm.ModelError, match="'calf': the name 'active_state' is taken"):
        held([first, replace(first, start=0.5)], ("a", "b"))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_step_of_excitation_gives_the_exact_activation(method):
    """Constant excitation and constant time constants: an exponential, in rise and in fall."""
    law = fm.PiecewiseActivation(0.02, 0.05, variation=0.0)
    for start, e, tau in ((0.0, 0.8, 0.02), (0.9, 0.2, 0.05)):
        errors = []
        for n in (40, 80):
            system = held(fm.ActivationDynamics(e, law, start=start))
            result = fm.simulate(
                system, t_end=0.1, dt=0.1 / n, method=method, control=fm.FixedSteps()
            )
            exact = e + (start - e) * np.exp(-result.time / tau)
            errors.append(np.abs(result.fibers["fiber"].activation - exact).max())
        assert np.log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.2)


def test_a_twitch_follows_the_exact_activation():
    """A pulse of excitation with Thelen's law: the force is the stress at the exact activation."""
    law = fm.PiecewiseActivation(0.015, 0.060)
    pulse = fm.Table([0.0, 0.02, 0.02 + 1e-9, 1.0], [1.0, 1.0, 0.0, 0.0])
    system = held(fm.ActivationDynamics(pulse, law), tissue=replace(TISSUE, bending=0.0))
    result = fm.simulate(system, t_end=0.2, dt=0.005, control=fm.AdaptiveSteps(1e-6))
    top = step_response(law, 0.0, 1.0, 0.02)
    exact = [
        step_response(law, 0.0, 1.0, t) if t <= 0.02 else step_response(law, top, 0.0, t - 0.02)
        for t in result.time
    ]
    fiber = result.fibers["fiber"]
    np.testing.assert_allclose(fiber.activation, exact, atol=3e-5)
    stress = [TISSUE.stress(1.0, 0.0, a)[0] for a in exact]
    force = np.pi * 2e-3**2 * np.array(stress)
    # held and uniform: no point moves, and the force is that of the stress law
    np.testing.assert_allclose(-fiber.force_insertion[:, 0], force, rtol=2e-4)


def ended(method, n):
    """Weight, a node and the activation at the end of a run of n steps."""
    system = weight(fm.ActivationDynamics(swell, fm.SmoothActivation(0.03, 0.05), start=0.1))
    result = fm.simulate(
        system, t_end=0.07, dt=0.07, method=method, control=fm.FixedSteps(n),
        newton=fm.Newton(tolerance=1e-11), time_error=False,
    )  # fmt: skip
    fiber = result.fibers["fiber"]
    return np.array([result.coordinate("z")[-1], fiber.position[-1, 1, 2], fiber.activation[-1]])


@pytest.fixture(scope="module")
def reference():
    """The same with steps eight times shorter than the shortest below."""
    return ended(fm.SDIRK2(), 640)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_method_keeps_its_order(method, reference):
    """Weight, nodes and activation together."""
    coarse, fine = (np.abs(ended(method, n) - reference) for n in (40, 80))
    np.testing.assert_allclose(np.log2(coarse / fine), method.order, atol=0.3)


def test_adaptive_steps_control_the_activation():
    law = fm.SmoothActivation(0.004, 0.012)
    exact = solve_ivp(
        lambda t, a: [law.rate(swell(t), a[0])[0]], (0.0, 0.3), [0.0], rtol=1e-10, atol=1e-12,
        dense_output=True,
    )  # fmt: skip
    errors = []
    for tolerance in (1e-3, 1e-5):
        system = held(fm.ActivationDynamics(swell, law))
        result = fm.simulate(system, t_end=0.3, dt=0.02, control=fm.AdaptiveSteps(tolerance))
        found = result.fibers["fiber"].activation
        errors.append(np.abs(found - exact.sol(result.time)[0]).max())
    assert errors[0] < 5e-3 and errors[1] < 1e-4


@pytest.mark.parametrize("method", METHODS[1:], ids=repr)
def test_a_run_that_is_left_and_continued_is_bitwise_the_same(method, tmp_path):
    options = {"t_end": 0.03, "dt": 0.01, "method": method, "control": fm.AdaptiveSteps(1e-3)}
    taken = []
    whole = fm.simulate(
        weight(fm.ActivationDynamics(swell)), **options, checkpoint=taken.append,
        checkpoint_every=0.0,
    )  # fmt: skip
    system = weight(fm.ActivationDynamics(swell))
    resumed = fm.simulate(system, **options, resume_from=taken[len(taken) // 2])
    assert differences(whole, resumed, tmp_path) == []
    for other in (
        fm.ActivationDynamics(swell, fm.SmoothActivation(0.016)),
        fm.ActivationDynamics(swell, fm.PiecewiseActivation()),
        fm.ActivationDynamics(lambda t: swell(0.99 * t)),
    ):
        with pytest.raises(fm.ModelError, match="differs in the activation dynamics"):
            fm.simulate(weight(other), **options, resume_from=taken[0])


def test_equilibrium_has_the_excitation_as_activation():
    system = weight(fm.ActivationDynamics(0.45, fm.PiecewiseActivation(), start=0.9))
    y, v = fm.equilibrium(system)
    assert y[-1] == pytest.approx(0.45, abs=1e-9) and not v.any()
    plain = weight(0.45)
    np.testing.assert_allclose(y[:-1], fm.equilibrium(plain)[0], atol=1e-9)
    found, rest = fm.stability(system, y), np.zeros(plain.n)
    assert found.stable
    # the state moves the fiber and is not moved by it: vibrations are those without it
    here = linearize(plain, 0.0, y[:-1], rest, rest)
    K, C, M = (dense(part) for part in (here.stiffness, here.damping, here.mass))
    zero, one = np.zeros_like(K), np.eye(len(K))
    rates = np.linalg.eigvals(
        np.block([[zero, one], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    )
    off = np.abs(np.abs(rates.imag) / (2.0 * np.pi) - found.frequency)
    assert off.min() < 1e-6 * found.frequency


def test_linearization_has_the_rate_of_the_activation():
    law = fm.PiecewiseActivation(0.02, 0.05, variation=0.0)
    system = weight(fm.ActivationDynamics(0.4, law))
    y, rest = fm.equilibrium(system)
    found = linearize(system, 0.0, y, rest, rest)
    assert found.n_states == 1
    np.testing.assert_allclose(found.damping.D[-1, -1], 1.0, rtol=1e-9)
    # where both are equal the slope jumps; that of rise counts, also for gradients
    assert found.stiffness.D[-1, -1] == pytest.approx(1.0 / 0.02, rel=1e-9)


def test_initial_rates_follow_from_the_law():
    from fibermsk.solvers import State

    law = fm.SmoothActivation()
    system = weight(fm.ActivationDynamics(0.7, law, start=0.2))
    memory = fm.SDIRK2().start(system, State(0.0, *system.initial_state()))
    assert memory.state.v[-1] == pytest.approx(law.rate(0.7, 0.2)[0], rel=1e-12)


def test_reports_have_the_activation_of_the_state():
    system = weight(fm.ActivationDynamics(swell))
    seen = []
    watch = fm.StopWhen(
        lambda now: seen.append((now.t, now.report.fibers["fiber"].activation[0])) or 1.0, "never"
    )
    result = fm.simulate(system, t_end=0.02, dt=0.01, control=fm.FixedSteps(), observers=[watch])
    own = dict(zip(result.time, result.fibers["fiber"].activation, strict=True))
    assert len(seen) >= 3 and all(own[t] == a for t, a in seen)
    y, v = system.initial_state()
    y[-1] = 0.8
    direct = weight(0.8)
    np.testing.assert_array_equal(
        system.least_tension(0.0, y, v), direct.least_tension(0.0, y[:-1], v[:-1])
    )


def test_forces_make_the_reported_motion():
    mismatch = []
    for dt in (0.004, 0.002):
        system = weight(fm.ActivationDynamics(swell, start=0.1))
        start = fm.equilibrium(system)
        result = fm.simulate(system, start, t_end=0.1, dt=dt, control=fm.FixedSteps(4))
        found = fm.check(system, result).coordinates["z"]
        mismatch.append(found.rms / found.applied)
    assert mismatch[1] < 0.35 * mismatch[0] and mismatch[1] < 2e-3


def test_numbers_of_dynamics_have_paths():
    table = fm.Table([0.0, 0.1, 0.2], [0.0, 0.5, 1.0])
    shared = fm.ActivationDynamics(table, fm.PiecewiseActivation())
    system = held(shared, ("a_1", "a_2"))
    parameters = system.parameters
    time = parameters["a_1/activation/activation_time"]
    assert (time.value, time.unit) == (0.015, "s")
    assert "a_2/activation/excitation/knots/1" in parameters
    assert parameters["a_1/activation/start"].range == "[0, 1]"
    other = system.with_parameters(
        {"a_*/activation/deactivation_time": 0.05, "a_*/activation/excitation/knots/2": 0.8}
    )
    assert len(other.states) == 1  # still shared
    changed = fm.ActivationDynamics(
        fm.Table([0.0, 0.1, 0.2], [0.0, 0.5, 0.8]), fm.PiecewiseActivation(0.015, 0.05)
    )
    options = {"t_end": 0.1, "dt": 0.02}
    one = fm.simulate(other, **options).fibers["a_2"].activation
    two = fm.simulate(held(changed, ("a_1", "a_2")), **options).fibers["a_2"].activation
    np.testing.assert_array_equal(one, two)
    apart = system.with_parameters({"a_2/activation/activation_time": 0.03})
    assert len(apart.states) == 2
    anew = system.with_parameters({"a_*/activation": fm.ActivationDynamics(0.5)})
    assert anew.model.fibers[1].activation.excitation == fm.Constant(0.5)


def test_replaced_activations():
    model = fm.with_activations(two_link_arm(), {"fiber_1": fm.ActivationDynamics(0.4)})
    assert [one.owner for one in fm.build(model).states] == ["fiber_1"]
    with pytest.raises(fm.ModelError, match="activation = .*; must be a function of time"):
        model.fibers[1].activation_at(0.0)


def test_plots_and_files_have_the_state(tmp_path):
    from fibermsk.view.plots.panels import PANELS

    system = held(fm.ActivationDynamics(swell, name="calf"), ("a", "b"))
    result = fm.simulate(system, t_end=0.05, dt=0.01)
    again = fm.load(fm.save(result, tmp_path / "run.h5"))
    np.testing.assert_array_equal(
        again.states["calf"]["active_state"], result.fibers["a"].activation
    )
    assert "states" in PANELS
    files = fm.export(result, tmp_path / "table.csv")
    text = "".join(p.read_text() for p in tmp_path.glob("*.csv"))
    assert files and "calf.active_state" in text


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: fm.ActivationDynamics(1.2), r"excitation = 1.2; must lie in \[0, 1\]"),
        (lambda: fm.ActivationDynamics(lambda t: 3.0), "excitation at t = 0 s = 3.0; must lie in"),
        (lambda: fm.ActivationDynamics(0.5, start=-0.1), "start = -0.1; must lie in"),
        (lambda: fm.ActivationDynamics(0.5, name="a/b"), 'name = .*must have no "/"'),
        (lambda: held(fm.ActivationDynamics(lambda t: 0.5 if t < 0.05 else 2.0)), None),
    ],
)
def test_bad_input_is_refused(make, message):
    if message is None:
        with pytest.raises(fm.ModelError, match="excitation at t = .* = 2.0; must lie in"):
            fm.simulate(make(), t_end=0.1, dt=0.02)
        return
    with pytest.raises(fm.ModelError, match=message):
        make()


def test_a_law_without_a_derivative_in_the_activation_is_refused():
    @dataclass(frozen=True)
    class Rounded:
        strength: float = 1e5

        def stress(self, stretch, stretch_rate, activation):
            return self.strength * (stretch - 1.0 + np.real(activation) * stretch)

    tissue = fm.Tissue(1060, Rounded(), prestress=1e3)
    assert not held(0.5, tissue=tissue).states  # direct activation needs none
    with pytest.raises(fm.ModelError, match="fiber 'fiber': law 'Rounded'.*must accept complex"):
        held(fm.ActivationDynamics(0.5), tissue=tissue)


def test_direct_activation_is_bitwise_what_it_was():
    """A state that no fiber uses changes no bit of the others: the same run with and without."""
    names, given = ("a", "b"), [fm.Ramp(0.0, 0.1, 0.5), fm.Constant(0.3)]
    options = {"t_end": 0.05, "dt": 0.01, "control": fm.FixedSteps()}
    alone = fm.simulate(held(given, names), **options)
    beside = fm.simulate(held([*given, fm.ActivationDynamics(swell)], (*names, "c")), **options)
    for name in names:
        np.testing.assert_allclose(
            beside.fibers[name].force_origin, alone.fibers[name].force_origin, rtol=1e-12
        )
