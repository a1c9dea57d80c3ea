"""What a section carries along while it is pressed: a solid ring against the theory of fibers."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "verification"))

import _solid_ring as solid
import wrap_cylinder


def of_stretch(ring):
    """Axial force of a free fiber at the ring's stretch, over that of the ring."""
    return (ring.stretch - ring.stretch**-2) / ring.force


@pytest.mark.parametrize("slenderness", [0.1, 0.05, 0.025])
def test_a_solid_ring_is_stretched_more_by_half_the_pressure(slenderness):
    """N = T + f r / 2 with the line force f = T / d, up to the square of r / d."""
    ring = solid.stretched(slenderness, 1.2)
    assert ring.slenderness == pytest.approx(slenderness / 1.2**1.5, rel=0.01)
    error = of_stretch(ring) - (1.0 + 0.5 * ring.slenderness)
    assert abs(error) < 0.5 * ring.slenderness**2
    # the section does not stay a circle, and the mesh is fine enough to see that it does not matter
    assert of_stretch(solid.stretched(slenderness, 1.2, 5)) == pytest.approx(
        of_stretch(ring), abs=0.1 * ring.slenderness**2
    )


def test_the_ring_does_the_work_of_its_force():
    """The energy grows with the stretch as the force in it says: it is a solid at rest."""
    rings = [solid.stretched(0.1, s) for s in (1.199, 1.2, 1.201)]
    # without contact's work: a cylinder that grows pushes the ring outwards by T / d per length
    energy = [ring.energy for ring in rings]
    grown = (energy[2] - energy[0]) / (rings[2].drum - rings[0].drum)
    assert grown == pytest.approx(rings[1].force, rel=1e-5)


def test_a_fiber_on_a_pulley_is_stretched_as_a_solid_is():
    """The default formulation, and not the half passes, which leave the pressure out."""
    slenderness = 0.1124  # before, so that the section is as thick on its cylinder as the fiber
    expected = of_stretch(solid.stretched(slenderness, 1.2))
    found = {}
    for formulation in ("variational", "half_pass"):
        fiber = wrap_cylinder.solve(32, 120.0, formulation)[2].fibers["fiber"]
        middle = fiber.theta.size // 2
        distance = np.linalg.norm(fiber.centerline(np.array([0.5]), -1))
        assert fiber.radius[-1, middle] / distance == pytest.approx(0.0855, rel=0.01)
        pull = np.linalg.norm(fiber.force_insertion[-1])
        found[formulation] = wrap_cylinder.axial_force(fiber.stretch[-1, middle]) / pull
        if formulation == "variational":
            np.testing.assert_allclose(fiber.axial_force[-1], pull, rtol=5e-3)
    assert found["variational"] == pytest.approx(expected, abs=5e-3)
    assert found["half_pass"] < expected - 0.02
