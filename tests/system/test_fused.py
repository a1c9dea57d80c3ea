"""Runs in few compiled calls are bitwise those of the assembly."""

import numpy as np
import pytest
from scenes_of_tests import load_scene, two_link_arm
from tangents import moving_state

import fibermsk as fm
from fibermsk.bench.bundles.ours import bundle_model
from fibermsk.linalg import Couplings
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.fused import FusedEvaluation
from fibermsk.system.system import FiberSystem


def limb():
    """Five fibers that touch each other and two bones, and a passive torque."""
    return load_scene("upper_limb").scene(elements=8, steps=16, duration=0.5).model


def two_links():
    """Two hinges, with potentials."""
    return two_link_arm(formulation="variational")


MODELS = {
    "limb": (limb, 0.5), "two hinges": (two_link_arm, 0.1),
    "two hinges, potentials": (two_links, 0.1),
}  # fmt: skip


@pytest.fixture
def used(monkeypatch):
    """Number of evaluations, and of those that were left to the assembly."""
    counts, evaluate = [0, 0], FusedEvaluation.__call__

    def counted(self, *arguments):
        found = evaluate(self, *arguments)
        counts[0] += 1
        counts[1] += found is None
        return found

    monkeypatch.setattr(FusedEvaluation, "__call__", counted)
    return counts


def run(model: fm.Model, t_end: float) -> fm.Result:
    """Result of 16 steps, with the estimate of the time error."""
    return fm.simulate(
        fm.build(model), t_end=t_end, dt=t_end / 16, method=fm.SDIRK2(), control=fm.FixedSteps()
    )


@pytest.mark.parametrize("name", MODELS)
def test_runs_are_the_same(name, used, monkeypatch):
    make, t_end = MODELS[name]
    fused = run(make(), t_end)
    assert used[0] > 100
    assert used[1] < 0.1 * used[0]
    monkeypatch.setattr(FiberSystem, "_fused", None)
    before = used[0]
    other = run(make(), t_end)
    assert used[0] == before
    # products with derivatives of attached ends are summed in another order
    for one, two in zip(fused.coordinates.values(), other.coordinates.values(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-13, atol=1e-15)
    for one, two in zip(fused.fibers.values(), other.fibers.values(), strict=True):
        np.testing.assert_allclose(one.position, two.position, rtol=0, atol=1e-14)
        np.testing.assert_allclose(one.cut_force, two.cut_force, rtol=1e-9, atol=1e-9)
    assert fused.stats["newton_iterations"] == other.stats["newton_iterations"]
    assert np.min(fused.min_admissibility) < 1.0  # there is contact


def parts(matrix):
    """Arrays of a tangent."""
    couplings: Couplings = matrix.A.couplings
    n = couplings.n_blocks
    blocks = couplings.upper[:n], couplings.lower[:n]
    kept = [one.copy() for one in (couplings.column, couplings.block_start)]
    return [matrix.A.lines, *blocks, *kept, matrix.B, matrix.R, matrix.D]


@pytest.mark.parametrize("make", [two_link_arm, two_links])
@pytest.mark.parametrize("rates", [False, True])
def test_tangents_are_the_same_where_bodies_turn(make, rates, used, rng):
    system = fm.build(make())
    y, v, v_dot = moving_state(system, rng)
    options = {"dv_dy": 30.0, "dvdot_dv": 20.0, "rates": rates}
    with system.rounded():
        system.evaluate(0.1, y, v, v_dot, **options)  # finds the candidates
        found = system.evaluate(0.1, y, v, v_dot, **options)
        ours = parts(found.tangent)
        assert used == [2, 1] or used == [2, 0]
        system.__dict__["_fused"] = None
        system.configuration.forget()
        other = system.evaluate(0.1, y, v, v_dot, **options)
    assert ours[1].size  # couplings between fibers
    for one, two in zip(ours, parts(other.tangent), strict=True):
        np.testing.assert_array_equal(one, two)
    for name in ("residual", "reactions", "imbalance", "admissibility"):
        np.testing.assert_array_equal(getattr(found, name), getattr(other, name))


def test_what_is_not_finite_is_named(used):
    system = fm.build(limb())
    y, v = system.initial_state()
    system.evaluate(0.0, y, v, v)
    system.evaluate(0.0, y, v, v, tangent=False)
    assert used[1] < used[0]
    v[3] = np.nan
    assert "velocity" in system.evaluate(0.0, y, v, v, tangent=False).flaw


def test_the_safeguard_is_that_of_the_present_positions(used, monkeypatch):
    """Also where the assembly has found the contact points, and new candidates."""
    system = fm.build(limb())
    y, v = system.initial_state()
    with system.rounded():
        system.evaluate(0.0, y, v, v)
        system.evaluate(0.0, y, v, v)
    assert used[1] < used[0]
    turned = y.copy()
    turned[-1] += 1.0
    turned = system.retract(0.0, turned, 0.0 * y)
    system.configuration.contact.search_here()
    system.evaluate(0.0, turned, v, v)  # in double precision
    system.configuration.contact.search_here()
    system.evaluate(0.0, turned, v, v)
    asked = []
    monkeypatch.setattr(ContactSearch, "shorten_beyond", lambda *given: asked.append(given) or 1.0)
    system.step_fraction(turned, np.full(y.size, 1e-9), 0.1)
    assert not asked


def test_other_models_are_left_to_the_assembly():
    """Also contact of fibers alone: the kernels of bones would be compiled for nothing."""
    assert fm.build(bundle_model(3))._fused is None
    model = two_link_arm(contact=False)
    law = fm.PenaltyContact(stiffness=400.0, limit=3.0)
    fibers, bones = list(model.fibers), [body for body in model.bodies if body.shapes]
    model.add(fm.Contact(fibers, fibers, law, formulation="half_pass"))
    model.add(fm.Contact(fibers, bones, law, formulation="variational"))
    assert fm.build(model)._fused is None
