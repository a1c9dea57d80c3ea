"""Parts of models for the calls that are tried, and models that what they make becomes part of."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import fibermsk as fm

TETRAHEDRON = ((0.0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)), (
    (0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3),
)  # fmt: skip
IDENTITY = ((1.0, 0, 0), (0, 1, 0), (0, 0, 1))
O3 = (0.0, 0.0, 0.0)
INERTIA = (0.02, 0.002, 0.021)


@dataclass(frozen=True)
class Call:
    """A function, its arguments from the parts of a model, a model of what it gives, its errors."""

    function: Callable[..., Any]
    arguments: Callable[[Any], dict[str, Any]]
    place: Callable[[Any, Any], fm.Model] | None = None
    errors: tuple[type[BaseException], ...] = (fm.ModelError,)


class Parts:
    """Parts of models, new for each case."""

    def __init__(self):
        self.model = fm.Model("arm")
        self.ground = self.model.ground
        self.bone = fm.Body("bone", 1.5, O3, INERTIA)
        self.other = fm.Body("other", 1.0, O3, INERTIA)
        self.tissue = fm.Tissue(
            1060.0, fm.KelvinVoigt(2e4, 1e3), active=fm.ActiveStress(3e5), prestress=1e3
        )
        self.law = fm.PenaltyContact(768.0, 3.0)

    def fiber(self, name="biceps", z=0.0, **fields):
        given = {
            "path": ((0.0, 0.0, z), (0.1, 0.0, z)),
            "radius": 3e-3,
            "n_elements": 2,
            "tissue": self.tissue,
        }
        return fm.Fiber(name, **{**given, **fields})

    def muscle(self, **fields):
        points = [fm.PathPoint("p", self.bone.at(O3)), fm.PathPoint("q", self.other.at(0.2, 0, 0))]
        given = {
            "max_isometric_force": 100.0,
            "optimal_fiber_length": 0.1,
            "tendon_slack_length": 0.08,
        }
        return fm.LineMuscle("line", **{"points": points, **given, **fields})

    @cached_property
    def ball(self):
        return fm.Spherical("ball", self.ground, self.bone, O3)

    def with_joint(self, joint):
        """A model in which a body hangs on a joint of the ground."""
        self.model.add(self.bone, joint)
        return self.model

    def with_bone(self):
        return self.with_joint(fm.Hinge("elbow", self.ground, self.bone, O3, (0, 0, 1)))

    def with_bone_muscle(self):
        """A model with a body on a joint of the ground, and a line muscle from the ground."""
        model = self.with_bone()
        ends = self.ground.at(0.05, 0.2, 0.0), self.bone.at(0.03, -0.1, 0.0)
        points = [fm.PathPoint(*one) for one in zip("pq", ends, strict=True)]
        model.add(self.muscle(points=points))
        return model

    def with_marker(self):
        model = self.with_bone()
        model.add(fm.Marker("m", self.bone.at(0.0, -0.1, 0.0)))
        return model

    def with_bodies(self):
        self.with_bone()
        self.model.add(self.other, fm.Weld(self.ground, self.other))
        return self.model

    def with_fiber(self, **fields):
        self.model.add(self.fiber(**fields))
        return self.model

    def with_spring(self):
        model = self.with_bodies()
        ends = model.ground.at((0, 0, 1.0)), model.bodies[1].at((0, 0, 0))
        model.add(fm.PointSpring("spring", *ends, stiffness=10.0, rest_length=0.1))
        return model

    def with_held_fiber(self):
        ends = self.ground.at(O3), self.ground.at(0.1, 0, 0)
        return self.with_fiber(path=None, attach=ends)

    def with_muscle(self, **fields):
        self.with_bodies().add(self.muscle(**fields))
        return self.model


def with_body(p, body):
    p.model.add(body, fm.Hinge("elbow", p.ground, body, O3, (0, 0, 1)))
    fiber = p.fiber(path=((0.3, 0.3, 0.3), (0.4, 0.3, 0.3)))
    p.model.add(fiber)
    if body.shapes:
        p.model.add(fm.Contact(fiber, body, p.law))
    return p.model


def with_shape(p, shape):
    return with_body(p, fm.Body("bone", 1.5, O3, INERTIA, shapes=shape))


def with_axis(p, axis):
    names = list(dict.fromkeys(name for name, _ in axis.pairs)) or ["q"]
    own = [fm.Coordinate(n) for n in names]
    return p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, own, axis))


def with_function(p, function):
    axes = (
        fm.Axis("rotation", (0, 0, 1), (("q", fm.Linear()),)),
        fm.Axis("translation", (1, 0, 0), (("q", function),)),
    )
    return p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, fm.Coordinate("q"), axes))


def with_coordinate(p, coordinate):
    if coordinate.kind == "quaternion":
        return p.with_bone()
    axis = fm.Axis(coordinate.kind, (0, 0, 1), coordinate.name)
    return p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, coordinate, axis))


def with_force(p, law):
    return with_coordinate(p, fm.Coordinate("q", forces=law))


def with_tissue(p, tissue):
    return p.with_fiber(tissue=tissue)


def with_activation(p, activation):
    return p.with_fiber(activation=activation)


def with_own_joint(p, joint):
    return p.with_joint(joint)


def with_network(p, surface):
    by_network = fm.MuscleMass(0.1, wrapping="network")
    return p.with_muscle(wraps=(fm.PathWrap(surface),), mass=by_network)


def with_wrap(p, surface):
    return p.with_muscle(wraps=(fm.PathWrap(surface),))


def with_point(p, point):
    points = [point, fm.PathPoint("q", p.other.at(0.2, 0, 0))]
    return p.with_muscle(points=points)


def with_coupling(p, coupling):
    own = [fm.Coordinate(name) for name in ("a", "b")]
    axes = [fm.Axis("rotation", d, c.name) for c, d in zip(own, np.eye(3)[:2], strict=True)]
    p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, own, axes)).add(coupling)
    return p.model


def with_element(p, element):
    """On a body that hangs on a hinge with the coordinate q."""
    axis = fm.Axis("rotation", (0, 0, 1), "q")
    p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, fm.Coordinate("q"), axis)).add(element)
    return p.model


def path_across(p):
    """A path from the ground to the bone."""
    return [fm.PathPoint("o", p.ground.at(0.0, 0.1, 0.2)), fm.PathPoint("i", p.bone.at(0.1, 0, 0))]


def contact_fibers(p):
    if not hasattr(p, "pair"):
        p.pair = p.fiber("f"), p.fiber("g", z=7e-3)
    return p.pair


def with_contact(p, contact):
    p.model.add(*contact_fibers(p), contact)
    return p.model


def hinge(p):
    return {
        "name": "j", "parent": p.ground, "child": p.bone, "at": O3, "axis": (0, 0, 1),
        "child_at": O3, "rotation": IDENTITY, "damping": 0.0, "value": 0.0, "speed": 0.0,
        "coordinate": None,
    }  # fmt: skip


def placed(p, **own):
    return {
        "name": "j", "parent": p.ground, "child": p.bone, "at": O3, **own, "child_at": O3,
        "rotation": IDENTITY,
    }  # fmt: skip


def surface(p, **own):
    return {
        "name": "wrap", "body": p.bone, "position": O3, "rotation": IDENTITY, "quadrant": "all",
        "active": True, **own,
    }  # fmt: skip


def points(p):
    return {"x": (0.0, 1.0, 2.0), "y": (0.0, 1.0, 0.0)}


def signals(_=None):
    time = np.linspace(0.0, 2.0, 2001)
    return fm.Signals("emg", time, {"a": np.sin(700.0 * time)})


def motion(t):
    return np.array([0.1, 0.0, 0.1 * t])


def moved(p, point):
    p.model.add(p.fiber(path=None, attach=(p.ground.at(O3), point)))
    return p.model


def scene(steps: int = 2):
    return fm.Scene(Parts().with_bone(), 0.02, steps)


def result(_=None):
    none = np.zeros(0)
    return fm.Result("s", {}, none, {}, {}, {}, {}, none, none.astype(int), none)
