"""Stress laws of a user's own: the run, its reports, energies, pickles and checkpoints follow."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import own_laws as own
import pytest
import values_of_laws
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from tangents import tangent_error

import fibermsk as fm
from fibermsk.solvers.newton.stage import State

RADIUS, LENGTH, MASS, G = 5e-3, 0.1, 0.3, 9.81
AREA = np.pi * RADIUS**2
TENDON = fm.KelvinVoigt(1e5, 1e3)


def hanging(*tissues, fraction=1.0, mass=MASS, **more):
    """A weight on parallel fibers of some tissues."""
    model = fm.Model("hanging", gravity=(0, 0, -G))
    weight = model.add(fm.Body("weight", mass=mass, inertia=(1e-5, 1e-5, 1e-5)))
    model.add(fm.Slider("height", model.ground, weight, at=(0, 0, -LENGTH), axis=(0, 0, 1)))
    for i, tissue in enumerate(tissues):
        x = 0.02 * i
        ends = model.ground.at(x, 0, 0), weight.at(x, 0, 0)
        model.add(
            fm.Fiber(
                f"fiber_{i}", attach=ends, radius=RADIUS, n_elements=4, tissue=tissue,
                muscle_fraction=fraction, **more,
            )
        )  # fmt: skip
    return model


def tissue(law, density=1060, **more):
    return fm.Tissue(density=density, muscle=law, **more)


BUILT_IN = tissue(fm.KelvinVoigt(2e4, 1e3), active=fm.ActiveStress(1e5), prestress=1e3)
OWN = tissue(own.Twin(2e4, 1e3, 1e5), prestress=1e3)


@pytest.mark.parametrize(
    "built_in, twin",
    [
        (BUILT_IN, OWN),
        (replace(BUILT_IN, tendon=TENDON), replace(OWN, tendon=TENDON)),
        (replace(BUILT_IN, tendon=TENDON), replace(OWN, tendon=own.Twin(1e5, 1e3, 1e5))),
        (replace(BUILT_IN, bending=1.0), replace(OWN, bending=1.0)),
    ],
    ids=["one law", "own muscle", "own muscle and tendon", "bending"],
)
def test_twin_of_the_built_in_law_runs_alike(built_in, twin):
    """To round-off, with reports and energies; a tendon of one's own feels no activation."""
    options = dict(fraction=lambda s: 1.0 - s**2, activation=0.3)
    systems = [fm.build(hanging(one, **options)) for one in (built_in, twin)]
    results = [fm.simulate(system, t_end=0.05, dt=0.01) for system in systems]
    expected, found = (result.fibers["fiber_0"] for result in results)
    assert_allclose(found.position, expected.position, atol=1e-14)
    scale = np.abs(expected.axial_force).max()
    assert_allclose(found.axial_force, expected.axial_force, atol=1e-11 * scale)
    y, v = systems[0].initial_state()
    tension = [system.least_tension(0.0, y, v)[0] for system in systems]
    assert_allclose(*tension, rtol=1e-12)
    assert_allclose(*(system.energy(y, v).total for system in systems), rtol=1e-12)


def test_linear_law_under_an_end_load():
    """A0 E (stretch - 1) = m g, and the reports agree; there is no energy to report."""
    system = fm.build(hanging(tissue(own.Linear(3e5), density=1e-3)))
    y, v = fm.equilibrium(system)
    stretch = 1.0 + MASS * G / (AREA * 3e5)
    assert_allclose(1.0 - y[-1] / LENGTH, stretch, rtol=1e-7)
    assert_allclose(system.least_tension(0.0, y, v)[0], MASS * G, rtol=1e-7)
    result = fm.simulate(system, (y, v), t_end=1e-3, dt=1e-3)
    fiber = result.fibers["fiber_0"]
    assert_allclose(fiber.axial_force, MASS * G, rtol=1e-6)
    with pytest.raises(fm.ModelError, match="fiber 'fiber_0': its stress law 'Linear' has no ener"):
        system.energy(y, v)


def test_two_laws_in_one_model():
    """Side by side at one stretch, each fiber carries what its law says."""
    laws = own.Fung(2e4, 1.5), fm.KelvinVoigt(2e4, 1e2), own.Linear(5e4)
    tissues = [tissue(law, density=1e-3) for law in laws]
    system = fm.build(hanging(*tissues, mass=0.6))
    y, v = fm.equilibrium(system)

    def excess(stretch):
        return AREA * sum(one.stress(stretch)[0] for one in tissues) - 0.6 * G

    stretch = brentq(excess, 1.0, 1.9)
    assert_allclose(1.0 - y[-1] / LENGTH, stretch, rtol=1e-7)
    least, _ = system.least_tension(0.0, y, v)
    assert_allclose(least, [AREA * one.stress(stretch)[0] for one in tissues], rtol=1e-6)
    found = fm.simulate(system, (y, v), t_end=1e-3, dt=1e-3).fibers
    forces = [found[f"fiber_{i}"].axial_force[-1, 0] for i in range(3)]
    assert_allclose(forces, least, rtol=1e-5)


def test_tangent_of_mixed_laws(rng):
    """Against central differences, with moving ends and viscosity."""
    laws = own.Fung(2e4, 1.5), fm.KelvinVoigt(2e4, 1e2), own.Linear(5e4, 1e2)
    system = fm.build(hanging(*map(tissue, laws)))
    assert tangent_error(system, rng, beta=50.0, alpha=70.0) < 1e-6


def test_elastic_law_conserves_energy():
    """Without viscosity the sum of all energies stays, the better the smaller the steps."""
    system, method = fm.build(hanging(tissue(own.Fung(2e4, 1.5)))), fm.GeneralizedAlpha(1.0)
    drifts = []
    for n in (25, 50):
        memory = method.start(system, State(0.0, *system.initial_state()))
        totals, stored = [], []
        for _ in range(n):
            memory = method.step(system, fm.Newton(), memory, 0.1 / n).memory
            now = system.energy(memory.state.y, memory.state.v)
            totals.append(now.total)
            stored.append(now.elastic)
        drifts.append(np.ptp(totals) / np.ptp(stored))
    assert drifts[1] < 2e-3 and drifts[1] < 0.35 * drifts[0]  # of second order: a quarter


def test_pickled_system_is_the_same():
    system = fm.build(hanging(OWN, activation=0.2))
    again = pickle.loads(pickle.dumps(system))
    y, v = system.initial_state()
    one, other = (s.evaluate(0.0, y, v, 0.0 * v).residual for s in (system, again))
    assert np.array_equal(one, other)

    @dataclass(frozen=True)
    class Local(own.Linear):
        pass

    with pytest.raises(fm.ModelError, match="tissue.muscle = .*must be a law that can be pickled"):
        pickle.dumps(fm.build(hanging(tissue(Local(1e4)))))


def test_checkpoint_knows_the_law(monkeypatch):
    """A run goes on bitwise; with another constant it is refused, and another formula is another
    run.
    """
    options, taken = dict(t_end=0.02, dt=0.005), []
    law = own.Fung(2e4, 1.5)
    system = fm.build(hanging(tissue(law)))
    whole = fm.simulate(system, **options, checkpoint=taken.append, checkpoint_every=0.0)
    middle = taken[len(taken) // 2]
    rest = fm.simulate(fm.build(hanging(tissue(law))), **options, resume_from=middle)
    assert np.array_equal(rest.fibers["fiber_0"].position, whole.fibers["fiber_0"].position)
    with pytest.raises(fm.ModelError, match="the fibers"):
        other = fm.build(hanging(tissue(replace(law, rate=1.6))))
        fm.simulate(other, **options, resume_from=middle)
    before = system.identity(whole.time)
    monkeypatch.setattr(own, "squared", lambda x: x * x * 1.0)
    changed = system.identity(whole.time)
    assert [part for part in before if before[part] != changed[part]] == ["the fibers"]


def test_kernels_follow_the_values_that_a_law_takes(monkeypatch):
    """In one session, of a law whose functions call each other."""
    for factor in (3.0, 5.0):
        monkeypatch.setattr(values_of_laws, "FACTOR", factor)
        one = tissue(own.Scripted(2e4))
        system = fm.build(hanging(one))
        y, v = system.initial_state()
        y *= 1.2
        expected = 2e4 * 1.5 * 0.5 * factor * 0.2
        assert_allclose(system.least_tension(0.0, y, v)[0], AREA * expected, rtol=1e-9)
        assert_allclose(one.stress(1.2)[0], expected)


def test_what_cannot_be_compiled_is_refused():
    with pytest.raises(fm.ModelError, match="law 'Uncompilable': stress cannot be compiled"):
        fm.build(hanging(tissue(own.Uncompilable(1e4))))


def test_stress_that_is_not_finite_is_named():
    system = fm.build(hanging(OWN))
    system.cables.rows.law[0, 2, system.cables.layouts[0].columns["muscle/viscosity"]] = np.nan
    y, v = system.initial_state()
    found = system.evaluate(0.0, y, v, 0.0 * v)
    assert found.flaw.startswith("the Twin (muscle) stress of fiber 'fiber_0'")


def test_gpu_refuses_them():
    from fibermsk.gpu.refusals import refuse_unsupported

    with pytest.raises(
        fm.ModelError, match="tissue.muscle = 'Twin'; must be a law of the package for"
    ):
        refuse_unsupported(hanging(OWN))
