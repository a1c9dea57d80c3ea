"""Products of the derivatives of a run, ahead and back."""

import numpy as np
import pytest
from gradients.test_run_gradients import TIGHT, muscles_with_states

import fibermsk as fm
from fibermsk.solvers.adjoint import sweeps
from fibermsk.solvers.adjoint.trajectory import Trajectory
from fibermsk.solvers.adjoint.variation import ForcesOnly

PATHS = ["line/max_isometric_force", "bone/mass", "fiber/attach/insertion/x", "bone/com"]


@pytest.fixture(scope="module", params=["initial", "equilibrium"])
def found(request):
    model = muscles_with_states()
    run = fm.Simulation(model, 4e-3, 1e-3, newton=TIGHT, start=request.param)
    reads = {
        "x": model.bodies[-1].at(0.0, -0.1, 0.02), "w": "hinge/speed", "a": "line/active_state",
        "f": model.fibers[0],
    }  # fmt: skip
    aim = fm.Objective(lambda time, x, w, a, f: x[-1, 0] + 0.0 * (w[0] + a[0] + f[0, 0, 0]), reads)
    return run, aim, fm.gradient(run, aim, PATHS)


def test_products_are_transposes(found, rng):
    *_, own = found
    bars = {name: rng.normal(size=one.shape) for name, one in own.run.samples.items()}
    direction = rng.normal(size=own.gradient.size) * [abs(one.value) for one in own.parameters]
    ahead = own.jvp(direction)
    total = sum((bars[name] * one).sum() for name, one in ahead.items())
    assert own.vjp(bars) @ direction == pytest.approx(total, rel=1e-7)


def test_products_are_those_of_differences(found):
    run, aim, own = found
    problem = fm.GradientProblem(run, aim, PATHS)
    h, k = 1e-4, 1
    ends = [
        problem.at(problem.start + step * np.eye(problem.start.size)[k]).run.samples
        for step in (h, -h)
    ]
    ahead = own.jvp(problem.scales[k] * np.eye(problem.start.size)[k])
    for name, one in ahead.items():
        slope = (ends[0][name] - ends[1][name]) / (2.0 * h)
        np.testing.assert_allclose(one, slope, rtol=1e-5, atol=1e-6 * np.abs(slope).max() + 1e-11)


def test_jacobian_has_the_products(found, rng):
    *_, own = found
    ways = rng.normal(size=(2, own.gradient.size))
    for name, one in own.jacobian(ways).items():
        assert one.shape == (2, *own.run.samples[name].shape)
        np.testing.assert_array_equal(one[1], own.jvp(ways[1])[name])


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_derivative_that_is_not_finite_names_unknown_and_step(found):
    run, *_ = found
    system, kept = run.system(), Trajectory()
    run.run(system, kept)
    wrong = np.zeros(system.n)
    wrong[-1] = np.nan
    with pytest.raises(fm.ConvergenceError, match="derivative in .* not finite in the step to t ="):
        sweeps.pull(system, kept, {4: (wrong, 0.0 * wrong)}, [], 0)


def test_wrong_products_are_refused(found):
    *_, own = found
    with pytest.raises(fm.ModelError, match=r"cotangents of = \['y'\]; must be of \['a', 'f'"):
        own.vjp({"y": np.zeros(5)})
    with pytest.raises(fm.ModelError, match="direction"):
        own.jvp(np.zeros(2))


@pytest.fixture(scope="module")
def unstable():
    """A pendulum that stands upside down, where small changes grow by a power of ten in 0.23 s."""
    model = fm.Model("inverted", gravity=(0.0, -9.81, 0.0))
    bob = model.add(fm.Body("bob", 1.0, (0, 0.1, 0), (1e-3, 1e-3, 1e-3)))
    model.add(fm.Hinge("swing", model.ground, bob, (0, 0, 0), (0, 0, 1)))
    reads = {"q": "swing", "E": "energy"}
    aim = fm.Objective(
        lambda time, q, E: q[0],
        reads,
        slopes=lambda time, q, E: {"q": np.eye(q.size)[0], "E": 0 * E},
    )
    run = fm.Simulation(model, t_end=150.0, dt=0.375)
    return fm.gradient(run, aim, ["bob/mass", "bob/com"])


@pytest.mark.parametrize("product", ["jvp", "jacobian"])
def test_tangents_that_overflow_name_step_unknown_and_path(unstable, product):
    way = np.eye(4)[1]
    text = (
        r"derivative of swing in 'bob/com\[0\]' is not finite in the step to t = 3\S+ s, \d+ of 400"
    )
    with pytest.raises(fm.ConvergenceError, match=text) as told:
        unstable.jvp(way) if product == "jvp" else unstable.jacobian(way[None])
    assert 0.0 < told.value.time < 150.0


def test_cotangents_that_overflow_name_step_and_unknown(unstable):
    bars = {"q": np.eye(401)[-1]}
    with pytest.raises(fm.ConvergenceError, match=r"in swing is not finite in .* \d+ of 400"):
        unstable.vjp(bars)


@pytest.mark.parametrize("product", ["jvp", "vjp"])
def test_readings_that_overflow_name_quantity_and_path(unstable, product, monkeypatch):
    real = unstable.run._reading

    def reading(name):
        return real(name)._replace(of=lambda own: np.full(401, np.inf))

    monkeypatch.setattr(unstable.run, "_reading", reading)
    text = r"'bob/mass' is not finite in (frame 0 of 400|the readings of 'E')"
    with pytest.raises(fm.ConvergenceError, match=text):
        unstable.jvp(np.eye(4)[0]) if product == "jvp" else unstable.vjp({"E": np.ones(401)})


def test_parameters_in_a_backward_sweep_have_their_path(found):
    run, *_ = found
    system, kept = run.system(), Trajectory()
    run.run(system, kept)
    none = np.zeros(system.n), np.ones(system.n)

    class Wrong(ForcesOnly):
        def pull_forces(self, at, x, gradient):
            gradient[0] = np.nan

    with pytest.raises(
        fm.ConvergenceError, match="in 'bone/mass' is not finite in the step to t ="
    ):
        sweeps.pull(system, kept, {4: none}, [Wrong()], 1, names=["bone/mass"])
