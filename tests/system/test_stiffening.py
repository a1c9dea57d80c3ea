"""Tissue that stiffens exponentially, in the assembled system."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm

C, B, MU, LENGTH, RADIUS = 5e3, 6.7, 2e4, 0.1, 5e-3


def stretched(fraction, stretch):
    """A straight fiber pulled evenly to a stretch: system and its state."""
    model = fm.Model("fiber", gravity=(0.0, 0.0, 0.0))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(MU, 1e3), stiffening=fm.Stiffening(C, B))
    model.add(
        fm.Fiber(
            "fiber",
            path=np.array([[0.0, 0.0, 0.0], [LENGTH, 0.0, 0.0]]),
            attach=(model.ground.at(0.0, 0.0, 0.0), None),
            radius=RADIUS,
            n_elements=3,
            muscle_fraction=fraction,
            tissue=tissue,
        )
    )
    system = fm.build(model)
    y, v = system.initial_state()
    return system, stretch * y, v


@pytest.mark.parametrize("fraction", [1.0, 0.4])
@pytest.mark.parametrize("stretch", [0.7, 1.0, 1.5])
def test_force_and_energy_of_an_evenly_stretched_fiber(fraction, stretch):
    system, y, v = stretched(fraction, stretch)
    area = np.pi * RADIUS**2
    growth = np.exp(B * (stretch - 1.0))
    force = area * (MU * (stretch - stretch**-2) + fraction * C * growth)
    found = system.evaluate(0.0, y, v, 0.0 * v, tangent=False)
    assert_allclose(-found.reactions[0, 0], force, rtol=1e-10, atol=1e-12)
    elastic = 0.5 * MU * (stretch**2 + 2.0 / stretch - 3.0) + fraction * C / B * (growth - 1.0)
    assert_allclose(system.energy(y, v).elastic, area * LENGTH * elastic, rtol=1e-10, atol=1e-15)


def test_tangent_is_the_derivative(rng):
    system, y, v = stretched(0.4, 1.3)
    y = y + 1e-3 * rng.normal(size=y.size) * system.scale
    step = rng.normal(size=y.size) * system.scale
    way = system.enforce(y, step)
    K = system.evaluate(0.0, y, v, 0.0 * v, 0.0, 0.0).tangent
    h = 1e-6
    ahead, behind = (
        system.evaluate(0.0, y + s * way, v, 0.0 * v, tangent=False).residual for s in (h, -h)
    )
    product = K @ way
    assert_allclose(product, (ahead - behind) / (2.0 * h), rtol=0, atol=1e-6 * abs(product).max())


def test_refusals():
    with pytest.raises(fm.ModelError, match="Stiffening: stress = 0"):
        fm.Stiffening(0.0, 5.0)
    with pytest.raises(fm.ModelError, match="Stiffening: rate"):
        fm.Stiffening(1.0, -5.0)
    with pytest.raises(fm.ModelError, match="stiffening = 3.0; must be a Stiffening or None"):
        fm.Tissue(1000.0, fm.KelvinVoigt(1e4, 0.0), stiffening=3.0)
