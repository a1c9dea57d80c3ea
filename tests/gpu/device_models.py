"""Models for the GPU backend: a bundle in contact, and curved fibers that bend and are led."""

from dataclasses import replace

import _meshes
import numpy as np
from scenes_of_tests import load_scene, two_link_arm

import fibermsk as fm

ACTIVE = fm.ActiveStress(max_stress=1e5, optimal_stretch=1.1, width=0.6, exponent=2.0)


def tissue(bending=1.0):
    """Muscle with all parts of the stress."""
    law = fm.KelvinVoigt(6e4, 2e3)
    return fm.Tissue(1000.0, law, active=ACTIVE, prestress=2e4, bending=bending)


def hex_bundle(elements=4, radius=1e-3, length=0.06, squeeze=40.0, formulation="variational"):
    """Seven parallel fibers, six of them pressed against the one in the middle."""
    model = fm.Model("hex", gravity=(0.0, 0.0, -9.81))
    angles = np.pi / 3.0 * np.arange(6)
    ring = 1.94 * radius * np.column_stack([np.cos(angles), np.sin(angles)])
    fibers = [
        fm.Fiber(
            f"fiber_{i}",
            attach=(model.ground.at(0.0, y, z), model.ground.at(length, y, z)),
            radius=radius,
            n_elements=elements,
            tissue=tissue(),
            line_load=(0.0, -squeeze * y, -squeeze * z),
            activation=0.2,
        )
        for i, (y, z) in enumerate([*ring, (0.0, 0.0)])
    ]
    law = fm.PenaltyContact(400.0, 3.0)
    options = {"points_per_element": 3, "formulation": formulation}
    contact = fm.Contact(fibers, fibers, law, **options)
    model.add(*fibers, contact)
    return model


def mixed_bundle():
    """The bundle with half passes on three sides of the ring, and potentials elsewhere."""
    model = hex_bundle(squeeze=20.0)
    *ring, middle = model.fibers
    (contact,) = model.contacts
    model._contacts = [
        replace(contact, first=ring[:3], second=middle, formulation="half_pass"),
        replace(contact, first=ring[3:], second=[*ring, middle]),
    ]
    return model


def curved_fibers():
    """Fibers of several lengths and numbers of elements, one of them pulled by its end."""
    model = fm.Model("curved", gravity=(0.1, 0.0, -9.81))
    pulled = fm.MovingPoint(
        lambda t: (0.1 + 0.05 * t, 0.02, 0.004 * np.sin(10.0 * t)),
        velocity=lambda t: (0.05, 0.0, 0.04 * np.cos(10.0 * t)),
    )
    ends = [(0.1, 0.0, 0.0), pulled, (0.07, 0.04, 0.01)]
    for i, end in enumerate(ends):
        start = (0.0, 0.02 * i, 0.0)
        last = np.array(pulled.position_at(0.0) if end is pulled else end)
        middle = 0.5 * (last + start) + (0.0, 0.01, 0.02)
        model.add(
            fm.Fiber(
                f"fiber_{i}",
                attach=(model.ground.at(start), end if end is pulled else model.ground.at(end)),
                path=np.array([start, middle, last]),
                radius=lambda s: 0.002 + 0.001 * s,
                n_elements=(3, 5, 1)[i],
                tissue=tissue(bending=(1.0, 0.0, 2.0)[i]),
                line_load=(lambda s, t: np.outer(s, (0.0, 0.1 * t, 0.2))) if i == 0 else (0, 0, 0),
                activation=fm.Ramp(0.0, 0.1, 0.4) if i == 1 else 0.3,
            )
        )
    return model


def upper_limb(fibers="half_pass", bones="half_pass"):
    """The arm of scenes/: a hinge, and fibers that touch each other and three bones."""
    return reformulated(load_scene("upper_limb").scene(elements=4).model, fibers, bones)


def chain(fibers="variational", bones="variational"):
    """Two hinges about different axes, and fibers across both that touch bones on both links."""
    return reformulated(two_link_arm(), fibers, bones)


def driven():
    """The chain with a spring to the ground, a load that turns with its body, and a controller."""
    model = chain()
    *_, bone = model.bodies
    model.add(
        fm.PointSpring(
            "spring",
            model.ground.at(0.3, 0.1, 0.2),
            bone.at(0.05, 0.01, 0.0),
            stiffness=40.0,
            rest_length=0.1,
            damping=2.0,
        ),
        fm.ExternalForce(
            "load", bone, lambda t: (1.0, 2.0 * t, 0.5), (0.1, 0.0, 0.0), (0.0, 0.02, 0.01), "body"
        ),
        fm.CoordinateController("servo", model.coordinates[-1].name, 0.3, kp=2.0, kd=0.1),
    )
    return model


def pushed(formulation="variational", mesh=False):
    """A bone that turns pushes fibers of one and two elements, one of them led by its end.

    mesh: it is a capsule's mesh of triangles.

    Another link, on no chain with it, carries the end of a fiber that touches no one.
    """
    model = fm.Model("pushed", gravity=(0.1, -0.2, -9.81))
    shape = fm.Capsule((0.03, -0.05, 0.0), (0.03, 0.05, 0.0), 0.01)
    if mesh:
        lying = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # z becomes y
        shape = _meshes.capsule(0.01, 0.1, 24).placed(lying, (0.03, -0.05, 0.0))
    bar = fm.Body(
        "bar", mass=0.02, com=(0.01, 0.0, 0.0), inertia=1e-6 * np.eye(3), shapes=shape
    )  # fmt: skip
    lever = fm.Body("lever", mass=0.05, com=(0.05, 0.0, 0.0), inertia=1e-5 * np.eye(3))
    model.add(bar, lever)
    model.add(
        fm.Hinge("push", model.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.1, -1.0, 0.0), speed=3.0)
    )
    model.add(
        fm.Hinge("turn", model.ground, lever, at=(0.0, 0.2, 0.0), axis=(0.0, 1.0, 0.0), speed=0.5)
    )
    led = fm.MovingPoint(lambda t: (0.07 + 0.1 * t, 0.02, 0.0125))
    ends = [
        (model.ground.at(0.0, 0.0, 0.0125), model.ground.at(0.07, 0.0, 0.0125)),
        (bar.at(0.0, 0.02, 0.0125), led),
        (model.ground.at(0.0, 0.2, 0.1), lever.at(0.05, 0.0, 0.0)),
    ]
    fibers = [
        fm.Fiber(f"fiber_{i}", attach=end, radius=0.003, n_elements=(2, 1, 3)[i], tissue=tissue())
        for i, end in enumerate(ends)
    ]
    law = fm.PenaltyContact(400.0, 3.0)
    model.add(*fibers, fm.Contact(fibers, bar, law, formulation=formulation))
    return model


def reformulated(model, fibers, bones):
    """A model with other formulations of its contact of fibers with fibers, and with bones."""
    of_fibers, of_bones = model.contacts
    of_fibers, of_bones = (
        replace(of_fibers, formulation=fibers),
        replace(of_bones, formulation=bones),
    )
    model._contacts = [of_fibers, of_bones]
    return model
