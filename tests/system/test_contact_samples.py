"""What fibers carry along where contacts press them, against the work of their forces."""

import numpy as np
import pytest

import fibermsk as fm
from fibermsk.laws.penalty import line_energy, line_force
from fibermsk.system.contact.samples import ContactSamples

LENGTH, RADIUS, BONE, MU, STRETCH = 0.1, 3e-3, 0.01, 1e5, 1.2
KAPPA, GAMMA = 3e3, 3.0


def squeezed(between, formulation):
    """A straight fiber, stretched and pressed from two sides; the others are as long."""
    model = fm.Model("squeezed", gravity=(0.0, 0.0, 0.0))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(MU, 10.0))

    def straight(name, z, stretch):
        ends = [model.ground.at(x, 0.0, z) for x in (0.0, stretch * LENGTH)]
        path = [(0.0, 0.0, z), (stretch * LENGTH, 0.0, z)]
        return fm.Fiber(name, path, ends, radius=RADIUS, n_elements=4, tissue=tissue)

    fiber = model.add(straight("fiber", 0.0, 1.0))
    law = fm.PenaltyContact(KAPPA, GAMMA)
    apart = 0.9 * (RADIUS / np.sqrt(STRETCH) + (BONE if between == "bones" else RADIUS))
    others = []
    for side in (-1.0, 1.0):
        z = side * apart
        if between == "bones":
            shape = fm.InfiniteCylinder((0.0, 0.0, z), (1.0, 0.0, 0.0), BONE)
            other = model.add(fm.Body(f"bone {side:g}", shapes=shape))
            model.add(fm.Weld(model.ground, other))
        else:
            other = model.add(straight(f"fiber {side:g}", z, STRETCH))
        others.append(other)
    model.add(fm.Contact(fiber, others, law, formulation=formulation))
    system = fm.build(model)
    y, v = system.initial_state()
    nodes = system.split(y)[0][:5]
    nodes[:, [0, 3]] *= STRETCH
    return system, y, v


@pytest.mark.parametrize("between", ["bones", "fibers"])
@pytest.mark.parametrize("formulation", ["variational", "half_pass"])
def test_a_stretch_works_against_tissue_pressure_and_energy_of_contact(between, formulation):
    system, y, v = squeezed(between, formulation)
    found = system.evaluate(0.0, y, v, 0.0 * v, tangent=False)
    # work of an even further stretch, on the end that is held and on all other nodes
    change = system.split(0.0 * y)[0]
    change[:5, [0, 3]] = system.split(y)[0][:5, [0, 3]] / (STRETCH * LENGTH)
    work = (system.split(found.residual)[0] * change).sum() + found.reactions[1, 0]
    tissue = np.pi * RADIUS**2 * MU * (STRETCH - STRETCH**-2)
    samples = ContactSamples(system.cables, system.partners, system.tree, np.array([0.1, 0.6]))
    nodes, q = system.split(y)
    samples.evaluate(nodes, system.skeleton.at(q).links)
    pressure = samples.axial_forces()[0][:4]
    other = BONE if between == "bones" else RADIUS
    gap, share = -0.1, RADIUS + other
    along, energy = 0.0, 0.0
    if formulation == "variational":
        F, _ = line_force(gap, KAPPA, GAMMA)
        radius = RADIUS / np.sqrt(STRETCH)
        line = share * F / (radius + other)  # of each contact
        along = -2.0 * 0.5 * line * radius * (1.0 + gap)
        # between fibers, each has the energy of its own radius on its own length
        own = share if between == "bones" else RADIUS
        energy = 2.0 * own * line_energy(gap, KAPPA, GAMMA)
    np.testing.assert_allclose(pressure, along, rtol=1e-12, atol=1e-15)
    assert work == pytest.approx(tissue + along + energy, rel=1e-9)
    assert abs(along) > 0.1 * tissue or formulation == "half_pass"
