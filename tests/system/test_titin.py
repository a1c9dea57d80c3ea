"""Titin: states at quadrature points, and what they do to a fiber."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from same_results import differences
from scenes_of_tests import independent
from scipy.integrate import solve_ivp
from tangents import along, moving_state
from titin_models import (
    F0,
    LENGTH,
    RADIUS,
    STRESS,
    HillStress,
    between,
    linked,
    on_descending_limb,
    tissue,
    uneven,
)

import fibermsk as fm
from fibermsk.elements import gauss_rule
from fibermsk.elements.hermite import hermite_d1
from fibermsk.laws.titin import titin_energy, titin_stress
from fibermsk.solvers.newton.condense import bordered, expanded
from fibermsk.solvers.newton.linear import factorize
from fibermsk.solvers.statics.linearize import dense, linearize
from fibermsk.view.plots.panels import panels_of

METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("enforce", ["eliminate", "multiplier"])
@pytest.mark.parametrize("slopes", [(0.0, 0.0), (30.0, 0.0), (30.0, 40.0)])
def test_tangent_is_exact(rng, enforce, slopes, driven):
    system = fm.build(linked(enforce, driven))
    y, v, v_dot = moving_state(system, rng)
    tangent = system.evaluate(0.1, y, v, v_dot, *slopes).tangent
    residual, free = along(system, y, v, v_dot, *slopes), independent(system)
    d = rng.normal(size=system.n) * system.scale * free
    h = 1e-6
    ahead, behind = (residual(system.retract(0.0, y, s * d)) for s in (h, -h))
    slope, found = (ahead - behind) / (2 * h) * free, (tangent @ d) * free
    n = system.n - system.configuration.states.n
    q = slice(n - system.skeleton.n, n)
    for rows in (slice(0, q.start), q, slice(n, system.n)):
        error = np.abs(found - slope)[rows].max() / np.abs(slope[rows]).max()
        assert error < 1e-7  # the differences' own error is some 1e-9


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("enforce", ["eliminate", "multiplier"])
def test_solution_and_expanded_matrix(rng, enforce, driven):
    system = fm.build(linked(enforce, driven))
    y, v, v_dot = moving_state(system, rng)
    tangent = system.evaluate(0.1, y, v, v_dot, 1e3, 1e3).tangent
    d = rng.normal(size=system.n) * independent(system)
    right = tangent @ d
    full = dense(expanded(bordered(tangent)))
    assert_allclose(full @ d, right, rtol=0.0, atol=1e-13 * np.abs(right).max())
    for solve in (factorize(tangent), lambda b: np.linalg.solve(full, b)):
        assert_allclose(tangent @ solve(right), right, rtol=0.0, atol=1e-9 * np.abs(right).max())
    # the border is no larger for the states
    assert tangent.D.shape[0] == system.skeleton.n + driven
    assert tangent.points.size == 25


def test_force_and_rows_are_slopes_of_the_plain_energy(rng):
    """The energy is written from its law and plain sums; passive, without viscosity."""
    system = fm.build(between(tissue=fm.Tissue(1e-3, fm.KelvinVoigt(1e-6, 0.0), titin=LAW)))
    y, v = system.initial_state()
    y = y + 2e-3 * rng.normal(size=y.size) * system.scale
    rest = np.zeros_like(y)
    found = system.evaluate(0.0, y, rest, rest, tangent=False)
    nodes, _ = system.split(y)
    n = nodes.size

    def plain(values):
        x, near = values[:n].reshape(-1, 2, 3), values[n:].reshape(-1, 5)
        xi, weights = gauss_rule(5)
        total, h = 0.0, 1.0 / 6.0
        for e in range(6):
            control = x[e : e + 2].reshape(4, 3)
            for k in range(5):
                a1 = np.array(hermite_d1(xi[k], h)) @ control
                stretch = np.sqrt((a1 * a1).sum()) / LENGTH
                density = titin_energy(stretch, near[e, k], LAW.stress, *LAW.constants)
                total += h * weights[k] * LENGTH * np.pi * RADIUS**2 * density
        return total

    assert_allclose(system.energy(y, v).elastic, plain(y), rtol=1e-6)  # of the solid: 1e-9 J
    gradient = np.empty(y.size)
    for j in range(y.size):
        moved = y.astype(complex)
        moved[j] += 1e-30j
        gradient[j] = plain(moved).imag / 1e-30
    forces = found.residual[6:-6][: n - 12]  # without the attached nodes
    assert_allclose(forces[6:-6], gradient[6 : n - 6][6:-6], atol=1e-6 * np.abs(gradient).max())
    _, weights = gauss_rule(5)
    per_row = 2.0 * LAW.stress * LAW.optimal_stretch * np.pi * RADIUS**2 * LENGTH / 6.0
    rows = found.residual[n:].reshape(-1, 5) * weights * per_row
    assert_allclose(rows.ravel(), gradient[n:], rtol=1e-9, atol=1e-12)


LAW = fm.Titin(STRESS, optimal_stretch=1.1, near_share=0.6, passive_damping=2.0)


def displaced(system, change=0.03):
    """Start with titin away from rest, the same everywhere: the fiber does not move."""
    y, v = system.initial_state()
    states = system.configuration.states
    y[states.n_free - states.n :] += change
    return y, v


def slide(t, z, activation=0.05):
    """Rate of z in a fiber that is held at a stretch of one."""
    beta = 2.0 + 242.0 * (1.0 - np.exp(-((activation / 0.1) ** 2)))
    back = titin_stress(1.0, float(z[0]), LAW.stress, *LAW.constants)[3]
    return [-back / beta]


SLOW = fm.ActivationDynamics(0.12, fm.PiecewiseActivation(8.0, 20.0), start=0.06)


def bind_and_slide(t, values):
    """Rates of z and of an activation that binds titin meanwhile."""
    z, a = values
    return [*slide(t, [z], a), (0.12 - a) / (8.0 * (0.5 + 1.5 * a))]


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.name)
def test_order_of_the_methods(method, driven):
    own = fm.Tissue(1060.0, fm.KelvinVoigt(1e4, 1e3), titin=LAW)
    system = fm.build(between(n=1, activation=SLOW if driven else 0.05, tissue=own))
    start = displaced(system, 0.1 if driven else 0.2)
    rates, at_start = (bind_and_slide, [0.06]) if driven else (slide, [])
    at_start = [start[0][-1], *at_start]
    exact = solve_ivp(rates, (0.0, 40.0), at_start, rtol=1e-11, atol=1e-13).y[0, -1]
    errors = []
    for n in (64, 128) if driven else (8, 16):
        options = {"method": method, "control": fm.FixedSteps(n), "newton": fm.Newton(1e-11)}
        run = fm.simulate(system, start, t_end=40.0, dt=40.0, **options)
        values = run.states["f"]["titin"][-1]
        assert_allclose(values, values[0, 0], rtol=0.0, atol=1e-9)
        errors.append(abs(values[0, 0] - exact))
    order = np.log2(errors[0] / errors[1])
    assert abs(order - method.order) < 0.25, errors


def test_energy_is_lost_by_the_sliding_alone():
    own = fm.Tissue(1060.0, fm.KelvinVoigt(1e4, 1e3), titin=LAW)
    system = fm.build(between(n=1, activation=0.05, tissue=own))
    start = displaced(system, 0.2)
    run = fm.simulate(system, start, t_end=40.0, dt=0.1, newton=fm.Newton(1e-10))
    z = run.states["f"]["titin"][:, 0, 0]
    energy = [system.energy(np.r_[start[0][:-5], np.full(5, one)], start[1]).elastic for one in z]
    rates = np.array([slide(0.0, [one])[0] for one in z])
    beta = 2.0 + 242.0 * (1.0 - np.exp(-0.25))
    volume = np.pi * RADIUS**2 * LENGTH
    power = 2.0 * STRESS * LAW.optimal_stretch * volume * beta * rates**2
    lost = np.trapezoid(power, run.time)
    assert energy[0] - energy[-1] > 1e-4
    assert_allclose(energy[0] - energy[-1], lost, rtol=5e-4)  # of the trapezoidal rule


def test_result_file_plots_and_tables(tmp_path):
    model = between(activation=fm.Ramp(0.0, 0.02, 0.5))
    run = fm.simulate(fm.build(model), t_end=0.05, dt=0.01)
    assert run.states["f"]["titin"].shape == (6, 6, 5)
    read = fm.load(fm.save(run, tmp_path / "run.h5"))
    assert not differences(run, read, tmp_path)
    assert read.states["f"].fields["titin"].shape == (6, 5)
    assert set(read.states["f"].components("titin")) == {"mean", "min", "max"}
    columns = read.to_dataframe().columns
    assert sum("titin" in name for name in columns) == 3
    assert read.to_xarray()["f.titin"].shape == (6, 6, 5)
    assert "f.titin" in panels_of(read)


def test_resumed_run_is_bitwise_the_same(tmp_path):
    model = between(activation=fm.Ramp(0.0, 0.02, 0.5))
    options = {"t_end": 0.05, "dt": 0.01}
    taken = []
    more = {"checkpoint": taken.append, "checkpoint_every": 0.0}
    whole = fm.simulate(fm.build(model), **options, **more)
    middle = taken[len(taken) // 2]
    again = fm.simulate(fm.build(model), **options, resume_from=middle)
    assert not differences(whole, again, tmp_path)
    other = fm.with_parameters(model, {"f/tissue/titin/near_share": 0.4})
    with pytest.raises(fm.ModelError, match="titin|states"):
        fm.simulate(fm.build(other), **options, resume_from=middle)


def test_parameters_by_path():
    system = fm.build(between())
    found = system.parameters["f/tissue/titin/active_damping"]
    assert (found.value, found.unit) == (242.0, "s")
    new = system.with_parameters({"f/tissue/titin/near_share": 0.5})
    fresh = fm.build(fm.with_parameters(between(), {"f/tissue/titin/near_share": 0.5}))
    y, v = fresh.initial_state()
    assert np.array_equal(new.initial_state()[0], y)
    residuals = [one.evaluate(0.0, y, v, v, tangent=False).residual for one in (new, fresh)]
    assert np.array_equal(*residuals)


def test_reports_include_titin():
    titin = fm.Titin(STRESS, optimal_stretch=0.7)
    model = between(tissue=fm.Tissue(1060.0, fm.KelvinVoigt(1e3, 1e2), titin=titin))
    system = fm.build(model)
    y, v = system.initial_state()
    # at rest and at a stretch of one the solid has no force
    expected = np.pi * RADIUS**2 * titin_stress(1.0, titin.relaxed(), STRESS, *titin.constants)[0]
    assert expected > 0.2 * F0
    least, _ = system.least_tension(0.0, y, v)
    assert_allclose(least, expected, rtol=1e-12)
    run = fm.simulate(system, t_end=0.01, dt=0.01)
    assert_allclose(run.fibers["f"].axial_force, expected, rtol=1e-9)
    assert_allclose(run.fibers["f"].force_origin[:, 0], expected, rtol=1e-9)
    assert_allclose(model.fibers[0].tissue.stress(1.0)[0] * np.pi * RADIUS**2, expected)
    y[-1] = -1e305
    assert "titin force of fiber 'f'" in system.evaluate(0.0, y, v, v, tangent=False).flaw


def test_static_equilibrium_has_titin_at_rest():
    system = fm.build(linked())
    y, _ = fm.equilibrium(system)
    run = system.moment(0.0, y, 0 * y, np.zeros((4, 3))).report
    for f in (0, 1):
        near = run.states[f"fiber_{f}"]["titin"][0]
        law = system.model.fibers[f].tissue.titin
        at_points = system.tension._sample(
            system.split(y)[0], 0 * system.split(y)[0], np.zeros(2), system.cables.rows.law
        )[0].reshape(-1, 5)[system.cables.fiber == f]
        assert_allclose(near, [[law.relaxed(s) for s in row] for row in at_points], atol=1e-9)


def test_stability_of_few_and_of_many_unknowns(monkeypatch):
    for length, stable in ((0.95, True), (1.2, False)):
        system = fm.build(on_descending_limb(length, n=3))
        y, _ = system.initial_state()
        found = fm.stability(system, y)
        assert found.stable == stable
        if not stable:  # titin slips within minutes
            assert 0.0 < found.growth_rate < 0.1
        monkeypatch.setattr("fibermsk.solvers.statics.stability._MOST_WITH_STATES", 10)
        assert fm.stability(system, y).stable == stable
        monkeypatch.undo()
        rest = np.zeros_like(y)
        small = linearize(system, 0.0, y, rest, rest, at_rest=True)
        assert small.n_states == 0


@pytest.mark.parametrize("length", [1.1, 1.2, 1.3, 1.4])
def test_bound_titin_stabilizes_the_descending_limb(length):
    forces = []
    for n in (6, 48):
        # a corner of the activation, where short elements have little mass for their forces
        signal = fm.Table((0.0, 0.5, 2.0), (0.9, 1.0, 1.0))
        system = fm.build(on_descending_limb(length, n=n, activation=signal))
        run = fm.simulate(system, uneven(system, 0.01), t_end=2.0, dt=0.5)
        spread = np.ptp(run.fibers["f"].stretch, axis=1)
        assert spread[-1] < 0.02 * spread[0] and not run.softening
        forces.append(run.fibers["f"].force_origin[-1, 0])
    assert_allclose(*forces, rtol=1e-4)
    # without binding the same fiber, with the same passive stress, runs apart
    system = fm.build(on_descending_limb(length, bound=False))
    run = fm.simulate(system, uneven(system, 0.01), t_end=2.0, dt=0.5)
    spread = np.ptp(run.fibers["f"].stretch, axis=1)
    assert spread[-1] > 10.0 * spread[0]
    assert [(one.start, one.end) for one in run.softening] == [(0.0, 2.0)]


def test_refused_on_the_gpu():
    from fibermsk.gpu.refusals import refuse_unsupported

    with pytest.raises(fm.ModelError, match="titin"):
        refuse_unsupported(between())


def stretched(first, last, *, active_damping=242.0):
    """Force at the end of a fiber of cat soleus [N]: passive to one length, active to another.

    Lengths over the optimum [mm]; active from 1 s, stretched from 2 s at 3 mm/s, as in Herzog and
    Leonard (2002), without tendon.
    """

    def end(t):
        way = min(2.0 * t, 1.0) * first + min(max(3.0 * (t - 2.0), 0.0), last - first)
        return np.array([0.0429 + 1e-3 * way, 0.0, 0.0])

    end.breakpoints = 0.5, 2.0, 2.0 + (last - first) / 3.0
    titin = fm.Titin(STRESS, strain=0.267, shape=3.3, active_damping=active_damping)
    model = fm.Model("soleus", gravity=(0, 0, 0))
    model.add(
        fm.Fiber(
            "f",
            attach=(model.ground.at(0, 0, 0), fm.MovingPoint(end)),
            radius=np.sqrt(21.0 / STRESS / np.pi),
            n_elements=4,
            tissue=tissue(HillStress(1.0), titin=titin),
            activation=fm.Table((0.0, 1.0, 1.3, 20.0), (0.0, 0.0, 1.0, 1.0)),
        )
    )
    run = fm.simulate(fm.build(model), t_end=10.0, dt=0.5)
    return -run.fibers["f"].force_insertion[:, 0]


def test_active_stretch_enhances_the_force():
    """Measured at 10 s: isometric 23.9 N; 25.8, 27.1, 27.9 N after 3, 6, 9 mm; 34.6 N at most."""
    isometric = stretched(9.0, 9.0)
    forces = [stretched(first, 9.0) for first in (6.0, 3.0, 0.0)]
    after = np.array([force[-1] for force in forces])
    assert (np.diff([isometric[-1], *after]) > 0.5).all()  # the more, the longer the stretch
    assert 3.0 < after[-1] - isometric[-1] < 6.0  # measured: 4.0 N
    during = forces[-1][4:11]
    assert (np.diff(during) > 0.0).all()  # rises on the descending limb
    unbound = [stretched(first, 9.0, active_damping=0.0)[-1] for first in (9.0, 0.0)]
    assert abs(np.diff(unbound)[0]) < 0.02
