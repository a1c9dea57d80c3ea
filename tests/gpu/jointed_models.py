"""Models for the GPU backend with functional joints, constraints and states."""

from functools import cache

import doc_pages
import numpy as np
from device_models import tissue
from joint_cases import functional_arm
from scenes_of_tests import two_link_arm

import fibermsk as fm


@cache
def maxwell():
    """The Maxwell element of the guide."""
    block = next(b for b in doc_pages.read("docs/howto/own_states.md") if "file" in b.marks)
    names = {"__name__": "maxwell_element"}
    exec(block.code, names)
    return names["Maxwell"]


def spherical_arm(formulation="half_pass"):
    """A quaternion, and a functional joint with splines and a coupling; both bones are touched."""
    model = functional_arm()
    (contact,) = model.contacts
    model._contacts = [
        fm.Contact(contact.first, contact.second, contact.law, formulation=formulation)
    ]
    return model


def multiplied_arm():
    """The same coupling by a multiplier, and another coordinate that is prescribed."""
    return functional_arm("multiplier", prescribed=True)


def bones(model):
    """Two bodies of the chain, without joints."""
    whole = two_link_arm()
    _, upper, lower = whole.bodies
    model.add(upper, lower)
    return upper, lower


def with_fibers(model, bodies, formulation):
    """Fibers across both joints, in contact with each other and with both bones."""
    upper, lower = bodies
    fibers = [
        fm.Fiber(
            f"fiber_{i}",
            attach=(model.ground.at(0.027, y, 0.12), lower.at(0.024, y, -0.08)),
            radius=lambda s: 0.005 + 0.004 * s * (1 - s),
            n_elements=4,
            tissue=tissue(),
            activation=0.3,
        )
        for i, y in enumerate((-0.0098, 0.0, 0.0095))
    ]
    law = fm.PenaltyContact(stiffness=400.0, limit=3.0)
    model.add(*fibers, fm.Contact(fibers, fibers, law, formulation="variational"))
    model.add(fm.Contact(fibers, [upper, lower], law, formulation=formulation))
    return model


def bent_chain(formulation="variational"):
    """Axes that are polynomials of a coordinate, one that is locked, and a coupled coordinate."""
    model = fm.Model("bent", gravity=(0.3, -0.2, -9.81))
    upper, lower = bodies = bones(model)
    turn, lift = fm.Polynomial([0.1, 0.8, 0.3]), fm.Polynomial([0.0, 0.0, 0.02])
    model.add(
        fm.FunctionalJoint(
            "shoulder",
            model.ground,
            upper,
            [fm.Coordinate("bent", value=-0.12, speed=1.0), fm.Coordinate("held", locked=True)],
            [
                fm.Axis("translation", (0, 0, 1), (("bent", lift),)),
                fm.Axis("rotation", (0.1, 1, 0.2), (("bent", turn),)),
                fm.Axis("rotation", (1, 0, 0), "held"),
            ],
            at=(0, 0, 0.1),
        ),
        fm.Hinge("follows", upper, lower, at=(0, 0, -0.25), axis=(1, 0.3, 0)),
        fm.Coupling("follows", fm.Polynomial([0.2, 0.5, 0.2]), "bent"),
    )
    return with_fibers(model, bodies, formulation)


def prescribed_chain():
    """Two hinges; one follows a function of time."""
    model = fm.Model("prescribed", gravity=(0.3, -0.2, -9.81))
    upper, lower = bodies = bones(model)
    motion = fm.Coordinate("driven", prescribed=fm.Polynomial([0.2, 0.4, 2.0]))
    model.add(
        fm.Hinge("shoulder", model.ground, upper, at=(0, 0, 0.1), axis=(0.1, 1, 0.2), damping=0.1),
        fm.Hinge(
            "elbow", upper, lower, at=(0, 0, -0.25), axis=(1, 0.3, 0), coordinate=motion
        ),
    )  # fmt: skip
    return with_fibers(model, bodies, "half_pass")


def closed_chain():
    """Two hinges whose tip is held at a distance by a rod, and fibers across both."""
    model = two_link_arm(viscosity=30.0)
    *_, bone = model.bodies
    at_start = fm.build(model).skeleton
    R, x = at_start.poses(at_start.start)[bone.name]
    tip = x + R @ (0.0, 0.0, -0.1)
    model.add(
        fm.PointConstraint(
            "rod", model.ground.at(tip + (0.05, 0.02, 0.1)), bone.at(0.0, 0.0, -0.1),
            distance=float(np.linalg.norm((0.05, 0.02, 0.1))),
        )
    )  # fmt: skip
    return model


def activated(model, activations):
    """A model with other activations of its fibers."""
    for fiber, activation in zip(model.fibers, activations, strict=True):
        model = model.edit({model.fiber(fiber.name): {"activation": activation}})
    return model


def activated_chain():
    """Activations that are states, one shared by two fibers; an elastic tendon; a Maxwell element.

    The axes are the coordinates.
    """
    shared = fm.ActivationDynamics(fm.Ramp(0.0, 0.1, 0.8), start=0.3)
    alone = fm.ActivationDynamics(0.5, fm.PiecewiseActivation(), start=0.1)
    model = activated(two_link_arm(), (shared, shared, alone))
    return with_elements(model, model.bodies[-1], shared)


def with_elements(model, bone, activation):
    """A model with a line muscle on an elastic tendon, and a Maxwell element."""
    ends = model.ground.at(0.05, 0.02, 0.15), bone.at(0.03, 0.01, -0.05)
    at_start = fm.build(model).skeleton
    R, x = at_start.poses(at_start.start)[bone.name]
    length = float(np.linalg.norm(x + R @ (0.03, 0.01, -0.05) - (0.05, 0.02, 0.15)))
    model.add(
        fm.LineMuscle(
            "line", [fm.PathPoint(f"line {k}", end) for k, end in enumerate(ends)],
            max_isometric_force=50.0, optimal_fiber_length=0.5 * length,
            tendon_slack_length=0.45 * length, activation=activation,
            law=fm.HillLaw(),
        ),
        maxwell()("maxwell", *ends, rest_length=0.9 * length, stiffness=50.0, damping=5.0),
    )  # fmt: skip
    return model


def activated_arm():
    """The arm with quaternion and coupling, its fibers activated by states, and a line muscle."""
    reflex = fm.Reflex(gain=2.0, threshold=1.0, delay=0.006, fiber="x", rate_gain=0.1, base=0.2)
    driven = fm.ActivationDynamics(fm.Ramp(0.0, 0.1, 0.8), start=0.3)
    model = activated(spherical_arm(), (fm.ActivationDynamics(reflex, start=0.2), driven))
    return with_elements(model, model.bodies[-1], driven)


def plain_bundle_with_states():
    """Fibers between fixed points whose activations are states: no coordinates."""
    model = fm.Model("states", gravity=(0.0, 0.0, -9.81))
    for i in range(3):
        ends = model.ground.at(0.0, 0.01 * i, 0.0), model.ground.at(0.06, 0.01 * i, 0.0)
        driven = fm.ActivationDynamics(fm.Ramp(0.0, 0.05, 0.2 + 0.2 * i), start=0.1)
        model.add(
            fm.Fiber(
                f"fiber_{i}", attach=ends, radius=1e-3, n_elements=3, tissue=tissue(),
                activation=driven,
            )
        )  # fmt: skip
    return model
