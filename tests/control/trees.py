"""Trees of bodies with joints of every kind, at random places."""

import numpy as np
from scipy.spatial.transform import Rotation

import fibermsk as fm

KINDS = ("weld", "hinge", "slider", "universal", "spherical", "free", "gimbal")


def a_body(rng, name):
    """A body whose inertia is that of a random distribution of mass."""
    A = rng.normal(size=(3, 3))
    spread = 1e-3 * A @ A.T
    inertia = np.trace(spread) * np.eye(3) - spread
    return fm.Body(name, rng.uniform(0.5, 2.0), 0.05 * rng.normal(size=3), inertia)


def random_tree(rng, kinds, gravity=(0.3, -0.2, -9.81)):
    """Bodies in a chain, with a branch from the first one."""
    model = fm.Model("tree", gravity=gravity)
    first = None
    parent = model.ground
    for k, kind in enumerate(kinds):
        body = model.add(a_body(rng, f"body {k}"))
        on = first if k == len(kinds) - 1 and first is not None else parent
        model.add(joint(rng, kind, f"joint {k}", on, body))
        first, parent = first or body, body
    return model


def joint(rng, kind, name, parent, child):
    """A joint of a kind at random places."""
    at, child_at, a, b, c = (0.1 * rng.normal(size=3) for _ in range(5))
    placed = {"child_at": child_at, "rotation": Rotation.random(random_state=7).as_matrix()}
    if kind == "weld":
        return fm.Weld(parent, child, at, **placed)
    if kind == "hinge":
        return fm.Hinge(name, parent, child, at, a, **placed)
    if kind == "slider":
        return fm.Slider(name, parent, child, at, a, **placed)
    if kind == "universal":
        return fm.Universal(name, parent, child, at, a, b, **placed)
    if kind == "spherical":
        return fm.Spherical(name, parent, child, at, **placed)
    if kind == "free":
        return fm.Free(name, parent, child, at=at, **placed)
    own = [fm.Coordinate(f"{name} {k}") for k in range(3)]
    functions = [fm.Linear(1.0, 0.0), fm.Linear(-2.0, 0.3), fm.Linear(0.5, 0.0)]
    axes = [
        fm.Axis("rotation", way, ((one.name, function),))
        for way, one, function in zip((a, b, c), own, functions, strict=True)
    ]
    return fm.FunctionalJoint(name, parent, child, own, axes, at, **placed)


def random_node(rng, directors):
    """Chart coordinates and references."""
    turns = [Rotation.random(random_state=k).as_matrix() for k in range(len(directors.balls))]
    references = np.hstack(turns) if turns else np.zeros((3, 0))
    return rng.normal(size=directors.degrees), references


def sled():
    """A mass on a slider, without gravity."""
    model = fm.Model("sled", gravity=(0.0, 0.0, 0.0))
    mass = model.add(fm.Body("mass", 2.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    model.add(fm.Slider("x", model.ground, mass, (0, 0, 0), (1, 0, 0)))
    return model, mass


def orders(values):
    """Orders of errors that fall with the halves of the steps."""
    values = np.array(values)
    return np.log2(values[:-1] / values[1:])
