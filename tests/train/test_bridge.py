"""Runs as functions of JAX."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="the bridge needs JAX: pip install fibermsk[train]")

import jax
import jax.numpy as jnp

import fibermsk as fm
from fibermsk.solvers.adjoint import sweeps
from fibermsk.train.bridge import simulated


def swing(t_end=0.2):
    """A pendulum pulled by two muscles, its angle read."""
    model = fm.Model("swing", gravity=(0.0, -9.81, 0.0))
    bone = model.add(fm.Body("bone", 1.0, (0, -0.15, 0), (0.01, 0.001, 0.01)))
    model.add(fm.Hinge("hinge", model.ground, bone, (0, 0, 0), (0, 0, 1), damping=0.1))
    times = np.linspace(0.0, t_end, 3)
    for name, x in (("front", 0.04), ("back", -0.04)):
        path = [
            fm.PathPoint("o", model.ground.at(x, 0.1, 0)), fm.PathPoint("i", bone.at(x, -0.1, 0))
        ]  # fmt: skip
        model.add(
            fm.LineMuscle(
                name, path, max_isometric_force=100.0, optimal_fiber_length=0.1,
                tendon_slack_length=0.1, law=fm.HillLaw(tendon="rigid"),
                activation=fm.Table(times, np.full(3, 0.1)),
            )
        )  # fmt: skip
    run = fm.Simulation(model, t_end=t_end, dt=0.02)
    read = fm.Objective(lambda time, q: q[-1], {"q": "hinge"})
    return fm.GradientProblem(run, read, "*/activation/knots", scales=np.ones(6))


@pytest.fixture(params=[False, True], ids=["float32", "float64"])
def precision(request):
    before = jax.config.read("jax_enable_x64")
    jax.config.update("jax_enable_x64", request.param)
    yield 1e-10 if request.param else 1e-5
    jax.config.update("jax_enable_x64", before)


def test_values_and_derivatives_are_those_of_the_run(precision):
    problem = swing()
    run, start = simulated(problem), jnp.asarray(problem.start)
    value, slope = jax.jit(jax.value_and_grad(lambda x: run(x)["q"][-1]))(start)
    expected, slopes = problem(problem.start)
    assert float(value) == pytest.approx(expected, rel=precision)
    np.testing.assert_allclose(slope, slopes, rtol=precision, atol=precision)
    both = jax.vmap(lambda x: run(x)["q"])(jnp.stack([start, 1.5 * start]))
    assert both.shape == (2, 11) and float(both[0, -1]) == pytest.approx(expected, rel=precision)


def test_a_controller_learns_through_the_simulator():
    import optax

    problem = swing()
    run, key = simulated(problem), jax.random.key(0)
    weights = {"in": 0.1 * jax.random.normal(key, (8, 1)), "out": jnp.zeros((6, 8))}

    def loss(weights, target):
        knots = jax.nn.sigmoid(weights["out"] @ jnp.tanh(weights["in"] @ target[None]) - 2.0)
        return (run(knots)["q"][-1] - target) ** 2

    targets = jnp.array([-0.1, 0.1])
    method = optax.adam(0.3)
    state = method.init(weights)
    learn = jax.value_and_grad(lambda w: sum(loss(w, one) for one in targets))
    first, _ = learn(weights)
    for _ in range(12):
        value, slopes = learn(weights)
        change, state = method.update(slopes, state)
        weights = optax.apply_updates(weights, change)
    assert float(value) < 0.05 * float(first)


def test_whole_numbers_are_those_of_floats():
    problem = swing()
    run, n = simulated(problem), problem.start.size
    found = run(jnp.ones(n, int))["q"]
    assert jnp.issubdtype(found.dtype, jnp.floating)
    assert float(found[-1]) == float(run(jnp.ones(n))["q"][-1])


def test_other_arguments_are_refused():
    with pytest.raises(fm.ModelError, match="problem = .*must be a GradientProblem"):
        simulated(lambda x: x)
    with pytest.raises(fm.ModelError, match="keep = 0; must be an integer, 1 or more"):
        simulated(swing(), keep=0)


@pytest.fixture
def sweeps_back(monkeypatch):
    """Number of sweeps, in a list."""
    count, pull = [0], sweeps.pull

    def counted(*arguments, **options):
        count[0] += 1
        return pull(*arguments, **options)

    monkeypatch.setattr(sweeps, "pull", counted)
    return count


def test_a_call_costs_a_run_and_its_derivative_a_sweep(sweeps_back):
    problem = swing()
    run, start = simulated(problem), jnp.asarray(problem.start)
    before = problem.runs
    run(2.0 * start)["q"].block_until_ready()
    assert (problem.runs - before, sweeps_back[0]) == (1, 0)
    jax.grad(lambda x: sum(run(k * x)["q"][-1] for k in (1.1, 1.2, 1.3)))(start)
    assert (problem.runs - before, sweeps_back[0]) == (4, 3)


def test_fewer_runs_may_be_kept(sweeps_back):
    problem = swing()
    run, start = simulated(problem, keep=1), jnp.asarray(problem.start)
    before = problem.runs
    slopes = jax.grad(lambda x: sum(run(k * x)["q"][-1] for k in (1.1, 1.2)))(start)
    assert (problem.runs - before, sweeps_back[0]) == (3, 2)
    other = simulated(problem)
    expected = jax.grad(lambda x: sum(other(k * x)["q"][-1] for k in (1.1, 1.2)))(start)
    np.testing.assert_array_equal(slopes, expected)


def test_the_function_of_the_objective_has_no_part():
    def unused(time, q):
        raise AssertionError("called")

    problem, start = swing(), swing().start
    own = fm.GradientProblem(
        problem._simulation, fm.Objective(unused, {"q": "hinge"}), "*/activation/knots",
        scales=problem.scales,
    )  # fmt: skip
    runs = [simulated(one) for one in (own, problem)]
    both = [jax.grad(lambda x, run=run: run(x)["q"][-1])(jnp.asarray(start)) for run in runs]
    np.testing.assert_array_equal(*both)


@pytest.mark.parametrize("call", [lambda f: f, jax.jit], ids=["plain", "jit"])
@pytest.mark.parametrize(
    "unknowns, words",
    [
        (np.ones(6) + 1j, "type of the unknowns = 'complex.*must be real; take their real part"),
        (np.ones(5), r"shape of the unknowns = \(5,\); must be \(6,\)"),
        (np.ones((2, 6)), r"\(2, 6\); must be \(6,\); for several runs use jax.vmap"),
    ],
)
def test_wrong_unknowns_are_refused_before_the_run(call, unknowns, words):
    run = call(simulated(swing()))
    with pytest.raises(fm.ModelError, match=words):
        run(unknowns)


def test_texts_are_refused():
    with pytest.raises(fm.ModelError, match=r"unknowns = 'six'; must be real numbers of shape"):
        simulated(swing())("six")
