"""Stability of static states with known frequencies and growth rates."""

import numpy as np
import pytest
from scenes_of_tests import rubber
from scipy.linalg import eig, eigh
from scipy.special import jn_zeros
from test_linearize import arm_at_rest

import fibermsk as fm
from fibermsk.solvers.statics.linearize import dense, linearize

G, LENGTH, MASS = 9.81, 0.5, 1.3


def chain_of_rods(*angles):
    """Point masses on massless rods that hinge in each other; the angles are relative."""
    model = fm.Model("rods", gravity=(0, 0, -G))
    last, at = model.ground, (0, 0, 0)
    for i, angle in enumerate(angles, start=1):
        tiny = 3 * (1e-12,)
        rod = model.add(fm.Body(f"rod_{i}", mass=MASS, com=(0, 0, -LENGTH), inertia=tiny))
        model.add(fm.Hinge(f"q{i}", last, rod, at=at, axis=(0, 1, 0), value=angle))
        last, at = rod, (0, 0, -LENGTH)
    return fm.build(model)


@pytest.mark.parametrize("angle, sign", [(0.0, 1.0), (np.pi, -1.0)])
def test_pendulum(angle, sign):
    system = chain_of_rods(angle)
    found = fm.stability(system, system.initial_state()[0])
    rate = np.sqrt(G / LENGTH)
    assert found.stable == (sign > 0)
    assert found.growth_rate == pytest.approx(rate if sign < 0 else 0.0, rel=1e-10)
    assert found.frequency == pytest.approx(rate / (2 * np.pi) if sign > 0 else 0.0, rel=1e-10)
    assert found.where == "q1"
    np.testing.assert_array_equal(found.mode, [1.0])


@pytest.mark.parametrize("up", [(False, False), (True, True), (False, True), (True, False)])
def test_double_pendulum(up):
    """In absolute angles M = m l^2 [[2, c], [c, 1]] and K = m g l diag(2 s1, s2), c = s1 s2."""
    s1, s2 = (-1.0 if one else 1.0 for one in up)
    M = np.array([[2.0, s1 * s2], [s1 * s2, 1.0]]) * LENGTH
    value = eigh(G * np.diag([2.0 * s1, s2]), M, eigvals_only=True)[0]
    first = np.pi if up[0] else 0.0
    system = chain_of_rods(first, (np.pi if up[1] else 0.0) - first)
    found = fm.stability(system, system.initial_state()[0])
    assert found.stable == (value > 0)
    got = -(found.growth_rate**2) if value < 0 else (2 * np.pi * found.frequency) ** 2
    assert got == pytest.approx(value, rel=1e-9)
    assert ("grows at" in str(found)) == (value < 0)


def test_nothing_pulls_a_rod_without_weight():
    """Neutral: no disturbance grows exponentially."""
    model = fm.Model("rod", gravity=(0, 0, 0))
    rod = model.add(fm.Body("rod", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1)))
    model.add(fm.Hinge("q", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    found = fm.stability(fm.build(model), np.zeros(1))
    assert (found.stable, found.growth_rate, found.frequency) == (True, 0.0, 0.0)


def test_taut_string():
    """Lowest frequency sqrt(N / (rho A)) / (2 L), N = A prestress in the reference."""
    model = fm.Model("string", gravity=(0, 0, 0))
    ends = model.ground.at(0, 0, 0), model.ground.at(0.3, 0, 0)
    tissue = rubber(prestress=1e4)
    model.add(fm.Fiber("string", attach=ends, radius=3e-3, n_elements=16, tissue=tissue))
    system = fm.build(model)
    found = fm.stability(system, system.initial_state()[0])
    assert found.stable
    assert found.frequency == pytest.approx(np.sqrt(1e4 / 1000.0) / 0.6, rel=1e-7)
    assert found.where.startswith("string node 8") or "tangent" in found.where
    # half a sine across the string
    shape = system.split(found.mode)[0][:, 1:3]
    sine = np.sin(np.pi * system.cables.theta)
    along = shape.T @ sine / (sine @ sine)
    np.testing.assert_allclose(shape, np.outer(sine, along), atol=1e-5 * np.linalg.norm(along))


def test_hanging_chain():
    """Free end below: j0 / 2 sqrt(g / L) with the first zero of the Bessel function."""
    model = fm.Model("chain", gravity=(0, 0, -G))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e8, 0.0))
    model.add(
        fm.Fiber("chain", [[0, 0, 0], [0, 0, -0.4]], attach=(model.ground.at(0, 0, 0), None),
                 radius=2e-3, n_elements=12, tissue=tissue)
    )  # fmt: skip
    system = fm.build(model)
    y, _ = fm.equilibrium(system)
    found = fm.stability(system, y)
    exact = 0.5 * jn_zeros(0, 1)[0] * np.sqrt(G / 0.4) / (2 * np.pi)
    # the chain is 1e-5 longer
    assert found.stable and found.frequency == pytest.approx(exact, rel=1e-4)


def compressed(elements):
    """A straight fiber between ends that have come 5 % nearer at t = 1 s."""
    model = fm.Model("compressed", gravity=(0, 0, 0))
    end = fm.MovingPoint(lambda t: np.array([0.1 - 0.005 * t, 0.0, 0.0]))
    ends, tissue = (model.ground.at(0, 0, 0), end), rubber()
    model.add(fm.Fiber("f", attach=ends, radius=2e-3, n_elements=elements, tissue=tissue))
    system = fm.build(model)
    return system, 0.95 * system.initial_state()[0]


def test_compressed_fiber_folds_faster_the_finer_it_is():
    rates = []
    for n in (4, 8, 16, 32):
        system, y = compressed(n)
        found = fm.stability(system, y, t=1.0)
        assert not found.stable and "f node" in found.where
        rates.append(found.growth_rate)
    ratios = np.array(rates[1:]) / np.array(rates[:-1])
    # growth with the wave number, of which a mesh has as many as elements
    np.testing.assert_allclose(ratios, 2.0, rtol=0.1)


@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_shifted_iteration_finds_the_lowest_mode(formulation):
    """Against all eigenvalues of the full matrices, symmetric and not."""
    system, y, rest = arm_at_rest(formulation)
    here = linearize(system, 0.0, y, rest, rest)
    assert here.free.size > 48
    K, M = dense(here.stiffness), dense(here.mass)
    values, vectors = eigh(K, M) if formulation == "variational" else eig(K, M)
    lowest = int(np.argmin(values.real))
    found = fm.stability(system, y)
    assert found.growth_rate == pytest.approx(np.sqrt(-values[lowest].real), rel=1e-9)
    vector = vectors[:, lowest].real
    mode = found.mode[here.free]
    cosine = mode @ vector / np.linalg.norm(mode) / np.linalg.norm(vector)
    assert abs(cosine) == pytest.approx(1.0, abs=1e-9)
    # attached ends move with the bodies
    np.testing.assert_allclose(found.mode, system.enforce(y, found.mode), atol=1e-15)
    assert np.abs(found.mode / system.scale)[here.free].max() == pytest.approx(1.0)
