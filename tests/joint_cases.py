"""Models with every kind of joint, alone and with fibers."""

import numpy as np
from scipy.spatial.transform import Rotation

import fibermsk as fm

GRAVITY = (0.3, -9.81, 0.5)


def a_body(rng, name, shapes=()):
    """Body with random mass properties."""
    size, mass = rng.uniform(0.05, 0.3, 3) ** 2, rng.uniform(0.5, 2.0)
    axes = Rotation.random(random_state=rng).as_matrix()
    inertia = axes @ np.diag(mass * (size.sum() - size)) @ axes.T
    return fm.Body(name, mass=mass, com=0.1 * rng.normal(size=3), inertia=inertia, shapes=shapes)


def placed(rng):
    """Random places of a joint in its two bodies."""
    return {
        "at": 0.3 * rng.normal(size=3),
        "child_at": 0.1 * rng.normal(size=3),
        "rotation": Rotation.random(random_state=rng).as_matrix(),
    }


def every_joint(rng, kinds):
    """Chain of bodies on joints of given kinds, at rest in random positions."""
    model = fm.Model("joints", gravity=GRAVITY)
    parent = model.ground
    for i, kind in enumerate(kinds):
        body = model.add(a_body(rng, f"b{i}"))
        place, name = placed(rng), f"j{i}"
        axes = rng.normal(size=(2, 3))
        if kind == "hinge":
            joint = fm.Hinge(name, parent, body, axis=axes[0], **place)
        elif kind == "slider":
            joint = fm.Slider(name, parent, body, axis=axes[0], **place)
        elif kind == "weld":
            joint = fm.Weld(parent, body, **place)
        elif kind == "universal":
            joint = fm.Universal(name, parent, body, first=axes[0], second=axes[1], **place)
        elif kind == "cylindrical":
            joint = fm.Cylindrical(name, parent, body, axis=axes[0], **place)
        elif kind == "planar":
            joint = fm.Planar(name, parent, body, normal=axes[0], **place)
        elif kind == "spherical":
            quaternion = rng.normal(size=4)
            joint = fm.Spherical(name, parent, body, quaternion=quaternion, **place)
        else:
            quaternion = rng.normal(size=4)
            joint = fm.Free(name, parent, body, quaternion=quaternion, **place)
        model.add(joint)
        parent = body
    return model


def functional_arm(enforce="eliminate", prescribed=False, fibers=True):
    """A spherical joint, then a functional one with splines, a coupling and forces."""
    model = fm.Model("arm", gravity=GRAVITY)
    inertia = (0.02, 0.03, 0.04)
    ends = (0.1, 0.2, -0.1), (0.1, -0.2, -0.1)
    upper = model.add(fm.Body("upper", 1.0, ends[0], inertia, fm.Capsule((0, 0, 0), ends[0], 0.05)))
    lower = model.add(fm.Body("lower", 0.7, ends[1], inertia, fm.Capsule((0, 0, 0), ends[1], 0.05)))
    turned = {"quaternion": (0.5, 0.3, -0.7, 0.4), "angular_velocity": (1.0, 2.0, -0.5)}
    model.add(fm.Spherical("shoulder", model.ground, upper, at=(0, 0.1, 0), **turned))
    x = [-2.0, -1.0, 0.0, 1.5]
    slide, turn = fm.NaturalSpline(x, [0.1, 0.3, 0.2, 0.5]), fm.SimmSpline(x, [0.1, 0.3, 0.2, 0.5])
    axes = [
        fm.Axis("translation", (1, 0, 0), (("k", slide),)),
        fm.Axis("rotation", (0, 0, 1), "k"),
        fm.Axis(
            "rotation", (0, 1, 0), (("k", turn), ("j", fm.Polynomial([0.1, 0.2, 0.3, 0.4]))), 0.2
        ),
        fm.Axis("rotation", (1, 0, 0), "l"),
    ]
    motion = fm.Polynomial([-0.2, 0.5, 0.3, 0.1]) if prescribed else None
    model.add(
        fm.FunctionalJoint(
            "elbow",
            upper,
            lower,
            [
                fm.Coordinate(
                    "k",
                    value=0.3,
                    speed=0.7,
                    forces=(fm.Spring(3.0), fm.QuadraticLimit(-0.1, 0.1, 20.0)),
                ),
                fm.Coordinate("j", prescribed=motion)
                if prescribed
                else fm.Coordinate("j", value=-0.2, speed=0.5),
                fm.Coordinate("l", value=0.1, forces=(fm.Damper(0.4), fm.Spring(2.0, 0.3))),
            ],
            axes,
            at=(0.2, 0.0, 0.1),
        )
    )
    followed = "k" if prescribed else "j"
    model.add(fm.Coupling("l", fm.Polynomial([0.1, 0.5, -0.7]), followed, enforce=enforce))
    if fibers:
        tissue = fm.Tissue(
            900.0,
            fm.KelvinVoigt(2e4, 1e3),
            active=fm.ActiveStress(4e5, optimal_stretch=1.2),
            prestress=1e4,
        )
        common = {"radius": 0.01, "tissue": tissue, "activation": 0.3}
        own = [
            fm.Fiber(
                "x",
                attach=(upper.at(0.05, 0, 0.02), lower.at(0.1, -0.1, 0)),
                n_elements=4,
                **common,
            ),
            fm.Fiber(
                "y",
                attach=(model.ground.at(0.05, 0.1, 0.02), lower.at(0.1, -0.1, -0.02)),
                n_elements=3,
                **common,
            ),
        ]
        model.add(*own)
        model.add(fm.Contact(own, [upper, lower], fm.PenaltyContact(500.0, 1.01)))
    return model
