"""A bone with a muscle along it, in any pose, for the tests of bundles."""

import numpy as np

import fibermsk as fm

PATH = ((0.02, 0.01, 0.0), (0.016, -0.15, 0.005), (0.008, -0.26, 0.02), (-0.02, -0.3, 0.02))
NUMBERS = {
    "max_isometric_force": 300.0,
    "optimal_fiber_length": 0.1,
    "tendon_slack_length": 0.2,
}


def arm(path=PATH, radius=0.012, pose=None, **numbers):
    """Model of a bone that turns about an axis across it, and its line muscle."""
    rotation, position = (np.eye(3), np.zeros(3)) if pose is None else pose
    model = fm.Model("arm", gravity=(0.0, 0.0, 0.0))
    base = model.add(fm.Body("base"))
    bone = model.add(
        fm.Body(
            "bone",
            mass=1.0,
            inertia=(0.01, 0.01, 0.01),
            shapes=fm.Capsule((0.0, 0.0, 0.0), (0.0, -0.3, 0.0), radius),
        )
    )
    model.add(fm.Weld(model.ground, base, at=position, rotation=rotation))
    model.add(fm.Hinge("turn", base, bone, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    points = [fm.PathPoint(f"p{i}", bone.at(*point)) for i, point in enumerate(path)]
    muscle = model.add(fm.LineMuscle("muscle", points, **(NUMBERS | numbers)))
    return model, muscle
