"""Gradient of the stretch against a plain energy, whose complex step gives exact forces."""

import numpy as np
import pytest
from kernel_parts import TISSUE, bow, deform, fiber, rotation, system_of
from line_matrices import line_matrix
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.elements.hermite import hermite_d1, hermite_d2
from fibermsk.kernels.fibers import gradient

STRESS, WIDTH = 2e5, 0.03
BOW = bow((0.1, 0.0, 0.3), (0.0, 0.05, 0.0), sag=(0.03, 0.02, 0.0), twist=(0.0, 0.01, 0.02))


class Twin:
    """One fiber by the kernels, and its energy written from the page."""

    def __init__(self, rng, n_elements=4):
        law = fm.StretchGradient(STRESS, WIDTH)
        own = fm.Tissue(TISSUE.density, TISSUE.muscle, gradient=law)
        self.fiber = fiber("f", BOW, rng, n_elements=n_elements, tissue=own)
        self.system = system_of([self.fiber])
        self.cables = self.system.cables
        names = [type(one).__name__ for one in self.system.contributions]
        self.own = self.system.contributions[names.index("StretchGradientForce")]

    def assemble(self, x):
        residual, lines = np.zeros_like(x), np.zeros((len(x), 3, 6, 6))
        start, data = self.cables.element_start, self.own._data
        gradient.assemble_gradient(start, x, *data, residual, lines)
        alone = np.zeros_like(x)
        gradient.gradient_residual(start, x, *data, alone)
        assert np.array_equal(alone, residual)
        return residual, line_matrix(self.cables, lines)

    def energy(self, x):
        """Sum of 1/2 S l_g^2 (d stretch / ds)^2 over the reference volume."""
        c, total = self.cables, 0.0
        for e, h in enumerate(c.h):
            for k, xi in enumerate(c.xi):
                d1, d2 = (np.array(of(xi, h)) for of in (hermite_d1, hermite_d2))
                X, now = c.reference[e : e + 2].reshape(4, 3), x[e : e + 2].reshape(4, 3)
                (X1, X2), (a1, a2) = ((d1 @ one, d2 @ one) for one in (X, now))
                G0, length = np.sqrt(X1 @ X1), np.sqrt(a1 @ a1)
                by_theta = a1 @ a2 / length / G0 - length * (X1 @ X2) / G0**3
                theta = np.array([c.theta[e] + h * xi])
                muscle = self.fiber.muscle_fraction_at(theta)[0]
                volume = c.weight[e, k] * c.area[e, k] * G0
                total += 0.5 * muscle * STRESS * WIDTH**2 * (by_theta / G0) ** 2 * volume
        return total


@pytest.mark.parametrize("n_elements", [1, 4])
def test_energy_force_and_tangent(rng, n_elements):
    twin = Twin(rng, n_elements)
    x = deform(rng, twin.cables.reference, 0.1)
    energy = gradient.gradient_energy(x, *twin.own._data)
    assert_allclose(energy, twin.energy(x), rtol=1e-11)
    force, tangent = twin.assemble(x)
    slopes = np.empty(x.size)
    for j in range(x.size):
        moved = x.astype(complex).ravel()
        moved[j] += 1e-30j
        slopes[j] = twin.energy(moved.reshape(x.shape)).imag / 1e-30
    assert_allclose(force.ravel(), slopes, rtol=0.0, atol=1e-11 * np.abs(slopes).max())
    assert_allclose(tangent, tangent.T, rtol=0.0, atol=1e-13 * np.abs(tangent).max())
    d = rng.normal(size=x.shape) * 1e-2
    h = 1e-4
    found = (twin.assemble(x + h * d)[0] - twin.assemble(x - h * d)[0]).ravel() / (2 * h)
    exact = tangent @ d.ravel()
    assert_allclose(exact, found, rtol=0.0, atol=1e-6 * np.abs(exact).max())


def test_rigid_motion_and_even_stretch_cost_nothing(rng):
    twin = Twin(rng)
    x = twin.cables.reference
    turned = 1.3 * (x.reshape(-1, 2, 3) @ rotation(rng).T).reshape(x.shape)
    scale = twin.energy(deform(rng, x, 0.1))
    assert gradient.gradient_energy(turned, *twin.own._data) < 1e-20 * scale
