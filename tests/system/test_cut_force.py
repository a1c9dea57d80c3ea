"""Axial force along fibers against equilibrium: element by element, and exact solutions."""

import numpy as np
import pytest
from gpu import device_models
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.protocol import Frames
from fibermsk.system.reports.cut_force import CutForces

G = 9.81


def cut_forces(system, y, v, t=0.0):
    """The element-wise residuals at a state, and the system's own without accelerations."""
    at = system.configuration.kinematics(t, y, v)
    activation = system.loads.activations(t)[system.cables.fiber]
    system.contact.evaluate(at.nodes, at.motion.links)
    cuts = CutForces(system.model, system.configuration, system.contact)
    return cuts, at, activation


@pytest.mark.parametrize(
    "make",
    [
        lambda: two_link_arm(formulation="half_pass"),
        lambda: two_link_arm(formulation="variational", points=9),
        device_models.mixed_bundle,
        device_models.curved_fibers,
    ],
)
def test_elements_alone_add_up_to_the_balance_of_the_nodes(make, rng):
    system = fm.build(make())
    y, v = system.initial_state()
    y = system.retract(0.3, y, 1e-4 * rng.normal(size=system.n))
    v = system.enforce(y, np.where(v == 0.0, 0.02 * rng.normal(size=v.size), v))
    found = system.evaluate(0.3, y, v, 0.0 * v, tangent=False)
    cuts, at, activation = cut_forces(system, y, v, 0.3)
    first, second = cuts._residuals(at, activation)[:, :, :3].swapaxes(0, 1)
    total = np.zeros((system.cables.n_nodes, 3))
    np.add.at(total, system.cables.elements[:, 0], first)
    np.add.at(total, system.cables.elements[:, 1], second)
    free = np.ones(len(total), bool)
    free[system.cables.attached_nodes] = False
    expected = system.split(found.residual)[0][:, :3]
    scale = max(np.abs(first).max(), np.abs(second).max())
    np.testing.assert_allclose(total[free], expected[free], atol=1e-13 * scale)
    assert any(system.contact.n_closed()) or not system.model.contacts
    # without accelerations a reaction is the balance of the attached node
    np.testing.assert_allclose(
        cuts.at(at, activation, found.reactions)[system.cables.attached_nodes],
        np.where(system.cables.end_side == 0, -1.0, 1.0)[:, None] * found.reactions,
        rtol=1e-15,
    )


def hung(free=False, softer=1.0, bending=0.0, gravity=G, elements=7):
    """A fiber that hangs down 0.3 m, pulled to 0.33 m within 1 s unless its end is free.

    Its lower half is softer, its nodes are uneven.
    """
    model = fm.Model("hung", gravity=(0.0, 0.0, -gravity))
    tissue = fm.Tissue(
        1060.0, fm.KelvinVoigt(softer * 2e5, 10.0), fm.KelvinVoigt(2e5, 10.0), bending=bending
    )
    model.add(
        fm.Fiber(
            "f",
            [(0.0, 0.0, 0.0), (0.0, 0.0, -0.3)],
            (
                model.ground.at(0, 0, 0),
                None if free else fm.MovingPoint(lambda t: (0.0, 0.0, -0.3 - 0.03 * t)),
            ),
            radius=3e-3,
            n_elements=elements,
            nodes=np.linspace(0.0, 1.0, elements + 1) ** 1.3,
            muscle_fraction=lambda s: np.where(np.asarray(s) > 0.5, 1.0, 0.0),
            tissue=tissue,
        )
    )
    return model


def report(system, y, v=None, reactions=None):
    """The result of one state at t = 1 s; by default at rest, in equilibrium."""
    v = np.zeros_like(y) if v is None else v
    if reactions is None:
        reactions = system.evaluate(1.0, y, v, 0.0 * v, tangent=False).reactions
    one = np.ones(1)
    frames = Frames(one, y[None], v[None], reactions[None], np.zeros((1, 0)), one,
                    np.zeros(1, np.int64), one)  # fmt: skip
    return system.observe(frames).fibers["f"]


@pytest.mark.parametrize("bending", [0.0, 1.0])
def test_hanging_fiber_carries_the_weight_below(bending):
    system = fm.build(hung(free=True, bending=bending))
    y, _ = fm.equilibrium(system, t=1.0)
    fiber = report(system, y)
    weight = 1060.0 * G * np.pi * 3e-3**2 * 0.3
    below = weight * (1.0 - fiber.theta)
    np.testing.assert_allclose(fiber.axial_force[0], below, atol=1e-6 * weight)
    cut = np.zeros((8, 3))
    cut[:, 2] = -weight * (1.0 - fiber.node_theta)
    np.testing.assert_allclose(fiber.cut_force[0], cut, atol=1e-6 * weight)


def test_falling_fiber_carries_nothing():
    """Every part of it needs its whole weight, so that inertia is shared by elements like mass."""
    model = fm.Model("falling", gravity=(0.0, 0.0, -G))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(2e5, 10.0))
    nodes = np.linspace(0.0, 1.0, 6) ** 1.5
    model.add(
        fm.Fiber("f", [(0, 0, 0), (0, 0, -0.3)], radius=lambda s: 2e-3 + 1e-3 * s, n_elements=5,
                 nodes=nodes, tissue=tissue)
    )  # fmt: skip
    system = fm.build(model)
    y, v = system.initial_state()
    fiber = report(system, y, v, np.zeros((0, 3)))
    weight = 1060.0 * G * np.pi * 2.5e-3**2 * 0.3
    np.testing.assert_allclose(fiber.axial_force, 0.0, atol=1e-12 * weight)


def test_stiff_and_soft_tissue_carry_the_same_force():
    """Round-off along the fiber, where the force of the tissue swings by more than a tenth."""
    system = fm.build(hung(softer=0.05, gravity=0.0))
    y, _ = fm.equilibrium(system, t=1.0)
    fiber = report(system, y)
    pull = -fiber.force_origin[0, 2]
    assert pull > 0.01
    np.testing.assert_allclose(fiber.axial_force[0], pull, rtol=1e-5)
    np.testing.assert_array_equal(fiber.cut_force[0, 0], fiber.force_origin[0])
    np.testing.assert_array_equal(fiber.cut_force[0, -1], -fiber.force_insertion[0])
    assert np.ptp(fiber.tissue_force[0]) > 0.1 * pull


def test_swings_of_the_tissue_are_not_slack_and_compression_is():
    """A stiff tendon beside soft muscle: its points swing below zero while the fiber is taut."""
    system = fm.build(hung(softer=1e-2, gravity=0.0))
    y, rest = fm.equilibrium(system, t=1.0)
    fiber = report(system, y)
    pull = -fiber.force_origin[0, 2]
    assert pull > 0.0
    assert fiber.tissue_force.min() < -0.1 * pull < 0.0 < fiber.axial_force.min()
    assert system.least_tension(1.0, y, rest)[0] == pytest.approx(pull, rel=1e-5)
    assert not [text for text in system.suspects(1.0, y, rest) if "compressed" in text]
    # pushed together below the length of reference, the same fiber is slack
    nodes = system.split(y)[0]
    nodes[:, [2, 5]] *= 0.8 / 1.1
    force, _ = system.least_tension(1.0, y, rest)
    assert force < -0.1 * pull
    assert [text for text in system.suspects(1.0, y, rest) if "compressed" in text]
