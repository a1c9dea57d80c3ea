"""Stiffness, damping and mass from tangents, and counts of negative eigenvalues."""

import numpy as np
import pytest
from scenes_of_tests import independent, two_link_arm
from scipy.linalg import eigvalsh
from scipy.sparse import csc_array

import fibermsk as fm
from fibermsk.protocol import BorderedMatrix
from fibermsk.solvers.initial import accelerations
from fibermsk.solvers.newton import condense
from fibermsk.solvers.statics.linearize import asymmetry, combine, dense, inertia, linearize


def bordered(full, border):
    """Dense matrix cut into a sparse part and a border."""
    n = full.shape[0] - border
    return BorderedMatrix(csc_array(full[:n, :n]), full[:n, n:], full[n:, :n], full[n:, n:])


@pytest.mark.parametrize("border", [0, 1, 5])
@pytest.mark.parametrize("seed", range(8))
def test_inertia_of_random_matrices(seed, border):
    rng = np.random.default_rng(seed)
    n = 40 + border
    full = np.where(rng.random((n, n)) < 0.15, rng.normal(size=(n, n)), 0.0)
    # from mostly negative to definite
    full += np.diag(rng.normal(size=n) + seed)
    expected = int((np.linalg.eigvalsh(0.5 * (full + full.T)) < 0.0).sum())
    # rows of very different units, which change no sign
    size = 10.0 ** rng.uniform(-4, 4, n)
    full *= size[:, None] * size
    assert inertia(bordered(full, border)) == expected
    assert inertia(condense.bordered(full)) == expected


def test_inertia_without_pivots_on_the_diagonal():
    """Zero diagonals defeat an elimination in symmetric order, but for the shift."""
    swap = np.kron(np.eye(6), [[0.0, 1.0], [1.0, 0.0]])
    assert inertia(condense.bordered(swap)) == 6
    with pytest.raises(np.linalg.LinAlgError, match="a pivot vanishes"):
        inertia(bordered(swap, 0))
    assert inertia(bordered(np.zeros((4, 4)), 1)) == 0
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        inertia(bordered(np.full((4, 4), np.nan), 1))


def arm_at_rest(formulation="variational"):
    system = fm.build(two_link_arm(elements=3, formulation=formulation))
    y, v = system.initial_state()
    return system, y, 0 * v


def test_parts_of_the_tangent_of_the_arm():
    """K, C and M against one tangent with other slopes, and M against the energy."""
    system, y, rest = arm_at_rest()
    here = linearize(system, 0.0, y, rest, rest)
    np.testing.assert_array_equal(here.free, np.flatnonzero(independent(system)))
    b, a = 30.0, 200.0
    whole = dense(system.evaluate(0.0, y, rest, rest, b, a).tangent)[np.ix_(here.free, here.free)]
    parts = dense(combine([here.stiffness, here.damping, here.mass], [1.0, b, a * b]))
    np.testing.assert_allclose(parts, whole, atol=1e-12 * np.abs(whole).max())
    M = dense(here.mass)
    np.testing.assert_allclose(M, M.T, atol=1e-14 * M.max())
    v = np.zeros(system.n)
    v[here.free] = np.random.default_rng(3).normal(size=here.free.size)
    kinetic = system.energy(y, system.enforce(y, v)).kinetic
    assert 0.5 * v[here.free] @ M @ v[here.free] == pytest.approx(kinetic, rel=1e-12)
    np.testing.assert_allclose(here.mass @ v[here.free], M @ v[here.free], rtol=1e-10)


@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_inertia_of_the_arm(formulation):
    """The start has negative stiffness; counts below several shifts of the pencil (K, M)."""
    system, y, rest = arm_at_rest(formulation)
    K, _, M = linearize(system, 0.0, y, rest, rest)[:3]
    S = 0.5 * (dense(K) + dense(K).T)
    values = eigvalsh(S, dense(M))
    for i in (0, 1, 5, 20, values.size - 2):
        between = 0.5 * (values[i] + values[i + 1])
        assert inertia(combine([K, M], [1.0, -between])) == i + 1
    assert inertia(combine([K, M], [1.0, 2.0 * abs(values[0]) + 1.0])) == 0
    assert (asymmetry(K) > 1e-6) == (formulation == "half_pass")


def test_accelerations_satisfy_the_equations():
    system, y, _ = arm_at_rest()
    v = np.zeros(system.n)
    system.split(v)[1][:] = 1.0, -2.0
    v = system.enforce(y, v)
    v_dot = accelerations(system, 0.0, y, v)
    residual = system.evaluate(0.0, y, v, v_dot, tangent=False).residual
    forces = system.evaluate(0.0, y, v, 0 * v, tangent=False).residual
    assert np.abs(residual).max() < 1e-12 * np.abs(forces).max()
