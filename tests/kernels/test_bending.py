"""Bending against the plain reference, whose complex step gives exact tangents."""

from dataclasses import replace

import numpy as np
import pytest
from kernel_parts import (
    STEP,
    TISSUE,
    bow,
    deform,
    fiber,
    plain_cable,
    rotation,
    system_of,
    turn,
)
from line_matrices import line_matrix
from numpy.testing import assert_allclose
from reference import cable as reference

import fibermsk as fm
from fibermsk.kernels.fibers import bending

BENT = replace(TISSUE, bending=0.7)
BOW = bow((0.1, 0.0, 0.3), (0.0, 0.05, 0.0), sag=(0.03, 0.02, 0.0), twist=(0.0, 0.01, 0.02))


class Twin:
    """One bent fiber by the kernels and by the reference."""

    def __init__(self, rng, n_elements=4):
        self.system = system_of([fiber("f", BOW, rng, n_elements=n_elements, tissue=BENT)])
        self.arrays = self.system.cables
        self.plain = plain_cable(self.system, 0)

    def assemble(self, x):
        """Force (n_nodes, 6) on the nodes, and minus its derivative, dense."""
        residual, lines = np.zeros_like(x), np.zeros((len(x), 3, 6, 6))
        bending.assemble_bending(*self.arguments(x), residual, lines)
        return -residual, line_matrix(self.arrays, lines)

    def arguments(self, x):
        """What the assembly takes before its results."""
        c = self.arrays
        return c.element_start, x, c.elements, c.h, c.xi, c.row_of, c.rows.weight, c.rows.bending

    def energy(self, x):
        c = self.arrays
        return bending.bending_energy(
            x, c.bent, c.elements, c.h, c.xi, c.row_of, c.rows.weight, c.rows.bending
        )

    def state(self, rng):
        return deform(rng, self.arrays.reference, 0.1)


@pytest.mark.parametrize("n_elements", [1, 4])
def test_energy_and_force_against_reference(rng, n_elements):
    twin = Twin(rng, n_elements)
    for _ in range(5):
        x = twin.state(rng)
        assert_allclose(twin.energy(x), reference.bending_energy(twin.plain, x), rtol=1e-11)
        expected = reference.bending_force(twin.plain, x)
        assert_allclose(twin.assemble(x)[0], expected, rtol=0.0, atol=1e-11 * abs(expected).max())


def test_reference_force_is_the_gradient_of_its_energy(rng):
    twin = Twin(rng)
    x = twin.state(rng)
    gradient = np.empty(x.size)
    for j in range(x.size):
        moved = x.astype(complex).ravel()
        moved[j] += 1j * STEP
        gradient[j] = reference.bending_energy(twin.plain, moved.reshape(x.shape)).imag / STEP
    force = reference.bending_force(twin.plain, x)
    assert_allclose(force.ravel(), -gradient, rtol=0.0, atol=1e-12 * np.abs(force).max())


def test_tangent_is_exact_and_symmetric(rng):
    twin = Twin(rng)
    x = twin.state(rng)
    _, K = twin.assemble(x)
    columns = []
    for j in range(x.size):
        moved = x.astype(complex).ravel()
        moved[j] += 1j * STEP
        columns.append(reference.bending_force(twin.plain, moved.reshape(x.shape)).imag.ravel())
    expected = -np.column_stack(columns) / STEP
    assert_allclose(K, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
    assert_allclose(K, K.T, rtol=0.0, atol=1e-13 * np.abs(K).max())


def test_rigid_motion_and_resultants(rng):
    """Rotation turns the force, translation does nothing, and the force balances itself."""
    twin = Twin(rng)
    x, R, shift = twin.state(rng), rotation(rng), rng.normal(size=3)
    force, _ = twin.assemble(x)
    # curvatures of coordinates of size 1 over elements of 0.05 m: eps * 400
    atol = 1e-11 * np.abs(force).max()
    assert_allclose(twin.assemble(turn(x, R, shift))[0], turn(force, R), rtol=0.0, atol=atol)
    assert_allclose(twin.energy(turn(x, R, shift)), twin.energy(x), rtol=1e-11)
    moment = np.cross(x[:, :3], force[:, :3]) + np.cross(x[:, 3:], force[:, 3:])
    assert_allclose(force[:, :3].sum(axis=0), 0.0, rtol=0.0, atol=atol)
    assert_allclose(moment.sum(axis=0), 0.0, rtol=0.0, atol=atol)


def test_arc_in_closed_form():
    """An arc of radius R, bent from its own length: B L / (2 R^2); stretching it changes nothing.

    By the definition with the reference length: the turning of the tangent per reference length.
    """
    L, R, radius, mu = 0.3, 0.2, 0.01, 2e4
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(mu, 0.0), bending=0.5)
    ends = [(0, 0, 0), (L, 0, 0)]
    system = system_of([fiber("f", ends, n_elements=16, radius=radius, tissue=tissue)])
    c = system.cables
    B = 0.5 * 3.0 * mu * np.pi * radius**4 / 4.0
    phi = c.theta * L / R
    for stretch in (1.0, 1.4):
        across = np.zeros_like(phi)
        x = R * stretch * np.column_stack([np.sin(phi), across, 1.0 - np.cos(phi)])
        t = L * stretch * np.column_stack([np.cos(phi), across, np.sin(phi)])
        energy = bending.bending_energy(
            np.hstack([x, t]),
            c.bent,
            c.elements,
            c.h,
            c.xi,
            c.row_of,
            c.rows.weight,
            c.rows.bending,
        )
        # cubic interpolation of an arc of 0.094 rad an element: (0.094)^4 / 720
        assert energy == pytest.approx(0.5 * B * L / R**2, rel=1e-6)


def test_straight_cable_has_none(rng):
    """Only the fibers whose tissue bends take part."""
    straight = fm.Fiber("s", [(0, 1, 0), (1, 1, 0)], radius=0.01, n_elements=3, tissue=TISSUE)
    system = system_of([straight, fiber("f", BOW, rng, tissue=BENT)])
    np.testing.assert_array_equal(system.cables.bent, [3, 4, 5, 6])
