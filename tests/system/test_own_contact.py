"""Contact laws of a user's own, among fibers and on bones, in both formulations."""

from dataclasses import replace

import numpy as np
import own_laws as own
import pytest
from numpy.testing import assert_allclose
from scenes_of_tests import rubber
from tangents import tangent_error

import fibermsk as fm
from fibermsk.system.contact.sets import Border

FORMULATIONS = ["variational", "half_pass"]
RADIUS, LENGTH, GAP = 5e-3, 0.1, -0.1


def pressed(law, formulation, other=None):
    """A chain of three parallel fibers, the first on a cylinder: `other` is the law of the last."""
    model = fm.Model("pressed", gravity=(0, 0, 0))
    bone = model.add(fm.Body("bone", shapes=fm.InfiniteCylinder((0, 0, 0), (1, 0, 0), RADIUS)))
    model.add(fm.Weld(model.ground, bone))
    fibers = []
    for i in range(3):
        y = 2 * RADIUS * (1 + GAP) * (i + 1)
        ends = model.ground.at(0, y, 0), model.ground.at(LENGTH, y, 0)
        fiber = fm.Fiber(f"f{i}", attach=ends, radius=RADIUS, n_elements=3, tissue=rubber())
        fibers.append(model.add(fiber))
    model.add(fm.Contact(fibers[0], bone, law, formulation=formulation))
    model.add(fm.Contact(fibers[0], fibers[1], law, formulation=formulation))
    model.add(fm.Contact(fibers[1], fibers[2], other or law, formulation=formulation))
    return model


def at_start(model):
    """Force of the contacts along y on each fiber, with the sign of a residual; their energy."""
    system = fm.build(model)
    nodes, q = system.split(system.initial_state()[0])
    system.contact.evaluate(nodes, system.tree.evaluate(q, q, q))
    n, n_q = nodes.size, q.size
    out = Border(
        np.zeros_like(nodes), np.zeros(n_q), np.zeros((n // 6, 3, 6, 6)), np.zeros((n, n_q)),
        np.zeros((n_q, n)), np.zeros((n_q, n_q)),
    )  # fmt: skip
    system.contact.scatter_fibers(out, tangent=False)
    system.contact.scatter_bones(out, tangent=False)
    return out.residual.reshape(3, 4, 6)[:, :, 1].sum(axis=1), sum(system.contact.energies)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_pressed_fibers_push_with_the_line_force(formulation):
    """F(g) per length between parallel fibers and on the bone, from both sides of a fiber.

    Between the first two and on the bone by the law of one's own, between the last two by the
    built-in law.
    """
    mixed = pressed(own.Hertz(900.0), formulation, fm.PenaltyContact(300.0, 3.0))
    total, energy = at_start(mixed)
    hertz = 900.0 * (-GAP) ** 1.5 * LENGTH
    penalty = 300.0 * -GAP / (1.0 + 3.0 * GAP) * LENGTH
    expected = [-hertz + hertz, -hertz + penalty, -penalty]
    assert_allclose(total, expected, atol=1e-9 * hertz)
    if formulation == "variational":
        own_energy = 0.4 * 900.0 * (-GAP) ** 2.5
        built_in = 300.0 / 3.0 * (GAP - np.log1p(3.0 * GAP) / 3.0)
        assert_allclose(energy, 2 * RADIUS * LENGTH * (2 * own_energy + built_in), rtol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_twin_of_the_built_in_law_runs_alike(formulation):
    """The whole run to round-off, alone and beside the built-in law."""
    built_in, twin = fm.PenaltyContact(300.0, 3.0), own.PenaltyTwin(300.0, 3.0)
    laws = (built_in, None), (twin, None), (built_in, twin)
    results = [
        fm.simulate(fm.build(pressed(law, formulation, other)), t_end=2e-3, dt=1e-3)
        for law, other in laws
    ]
    for result in results[1:]:
        for name, fiber in result.fibers.items():
            expected = results[0].fibers[name]
            assert_allclose(fiber.position, expected.position, atol=1e-13)
            scale = np.abs(expected.contact_line_force).max()
            assert_allclose(
                fiber.contact_line_force, expected.contact_line_force, atol=1e-9 * scale
            )
            assert_allclose(
                fiber.axial_force, expected.axial_force, atol=1e-9 * expected.axial_force.max()
            )
        assert_allclose(result.min_admissibility, results[0].min_admissibility, rtol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_tangent(formulation, rng):
    """Against central differences, with two kinds of laws."""
    system = fm.build(pressed(own.Hertz(900.0), formulation, fm.PenaltyContact(300.0, 3.0)))
    assert tangent_error(system, rng, beta=50.0, alpha=70.0, bend=2e-4) < 1e-6


def test_checkpoint_knows_the_law():
    options, taken = dict(t_end=2e-3, dt=1e-3), []
    law = own.Hertz(900.0)
    fm.simulate(
        fm.build(pressed(law, "half_pass")), **options, checkpoint=taken.append,
        checkpoint_every=0.0,
    )  # fmt: skip
    for other in (replace(law, stiffness=901.0), own.PenaltyTwin(900.0, 1.25)):
        with pytest.raises(fm.ModelError, match="the contacts"):
            system = fm.build(pressed(other, "half_pass"))
            fm.simulate(system, **options, resume_from=taken[0])
