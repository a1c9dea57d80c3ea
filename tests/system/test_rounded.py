"""Couplings in single precision, for Newton's method."""

from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fibermsk as fm
from fibermsk.bench.bundles.ours import squeezed_model
from fibermsk.solvers.newton.newton import Newton
from fibermsk.system import FiberSystem


def pressed(formulation, friction=0.0):
    """Three fibers pressed onto each other."""
    model = fm.Model("pressed", gravity=(0.0, 0.0, -9.81))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(2e4, 400.0))
    fibers = [
        fm.Fiber(
            f"f{k}",
            attach=(model.ground.at(0, y, z), model.ground.at(0.3, y, z)),
            radius=0.006,
            n_elements=4,
            tissue=tissue,
        )
        for k, (y, z) in enumerate([(-0.006, 0.0), (0.006, 0.0), (0.0, 0.0103)])
    ]
    for fiber in fibers:
        model.add(fiber)
    law = fm.PenaltyContact(stiffness=40.0, limit=3.0)
    model.add(
        fm.Contact(
            fibers,
            fibers,
            law,
            points_per_element=2,
            formulation=formulation,
            friction=fm.Friction(friction, speed=0.01) if friction else None,
        )  # fmt: skip
    )
    return fm.build(model)


CASES = pytest.mark.parametrize(
    "formulation, friction", [("variational", 0.0), ("half_pass", 0.0), ("variational", 0.3)]
)


def tangent_at(system, y, v):
    found = system.evaluate(0.0, y, v, np.zeros_like(v), 100.0, 100.0)
    assert found.tangent.A.couplings.n_blocks
    return found, found.tangent.A.couplings.upper.dtype, found.tangent.A.tocsc().toarray()


@CASES
def test_only_couplings_are_rounded(formulation, friction):
    system = pressed(formulation, friction)
    run = fm.simulate(system, t_end=0.05, dt=0.05)
    assert run.status == "success"
    y, v = system.initial_state()
    nodes, _ = system.split(y)
    inner = np.setdiff1d(np.arange(len(nodes)), system.cables.attached_nodes)
    nodes[inner, 1] *= 0.98
    v[:] = 0.01 * np.sin(np.arange(v.size))
    v = system.enforce(y, v)
    plain, kind, exact = tangent_at(system, y, v)
    residual = plain.residual.copy()
    assert kind == np.float64
    with system.rounded():
        with system.rounded():
            pass
        other, kind, near = tangent_at(system, y, v)
    assert kind == np.float32
    assert_array_equal(other.residual, residual)
    differs = near != exact
    assert differs.any()
    assert_allclose(near, exact, rtol=0, atol=1e-6 * np.abs(exact).max())
    fibers = system.cables.fiber_of_node.repeat(6)
    assert (fibers[:, None] != fibers)[differs].all()
    assert tangent_at(system, y, v)[1] == np.float64


def test_newton_finds_the_same_solution(monkeypatch):
    """Differences measured: 3e-16 of the positions, 4e-15 of the tangents, at 1e-7."""

    def final(rounds):
        if not rounds:
            monkeypatch.setattr(FiberSystem, "rounded", no_rounding)
        system = fm.build(squeezed_model(8))
        run = fm.simulate(
            system, t_end=0.1, dt=0.1, method=fm.SDIRK2(), control=fm.FixedSteps(8),
            newton=Newton(tolerance=1e-7),
        )  # fmt: skip
        fibers = run.fibers.values()
        ends = [np.array([getattr(one, name)[-1] for one in fibers]) for name in KEPT]
        return ends, run.stats["newton_iterations"]

    KEPT = "position", "tangent"
    (x, t), iterations = final(True)
    (X, T), others = final(False)
    assert iterations == others
    assert np.abs(x - X).max() > 0.0  # rounded at all
    assert_allclose(x, X, rtol=0, atol=1e-13)
    assert_allclose(t, T, rtol=0, atol=1e-12)


def no_rounding(system):
    """Context without effect."""
    return nullcontext()
