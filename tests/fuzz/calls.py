"""A valid call of every public class and function, and a model that what it makes is part of."""

from collections.abc import Callable
from dataclasses import dataclass
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

    def with_joint(self, joint):
        """A model in which a body hangs on a joint of the ground."""
        self.model.add(self.bone, joint)
        return self.model

    def with_bone(self):
        return self.with_joint(fm.Hinge("elbow", self.ground, self.bone, O3, (0, 0, 1)))

    def with_bodies(self):
        self.with_bone()
        self.model.add(self.other, fm.Weld(self.ground, self.other))
        return self.model

    def with_fiber(self, **fields):
        self.model.add(self.fiber(**fields))
        return self.model

    def with_held_fiber(self):
        ends = self.ground.at(O3), self.ground.at(0.1, 0, 0)
        return self.with_fiber(path=None, attach=ends)

    def with_muscle(self, **fields):
        self.with_bodies().add(self.muscle(**fields))
        return self.model


def _body(p, body):
    p.model.add(body, fm.Hinge("elbow", p.ground, body, O3, (0, 0, 1)))
    fiber = p.fiber(path=((0.3, 0.3, 0.3), (0.4, 0.3, 0.3)))
    p.model.add(fiber)
    if body.shapes:
        p.model.add(fm.Contact(fiber, body, p.law))
    return p.model


def _shape(p, shape):
    return _body(p, fm.Body("bone", 1.5, O3, INERTIA, shapes=shape))


def _axis(p, axis):
    names = list(dict.fromkeys(name for name, _ in axis.pairs)) or ["q"]
    own = [fm.Coordinate(n) for n in names]
    return p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, own, axis))


def _function(p, function):
    axes = (
        fm.Axis("rotation", (0, 0, 1), (("q", fm.Linear()),)),
        fm.Axis("translation", (1, 0, 0), (("q", function),)),
    )
    return p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, fm.Coordinate("q"), axes))


def _coordinate(p, coordinate):
    if coordinate.kind == "quaternion":
        return p.with_bone()
    axis = fm.Axis(coordinate.kind, (0, 0, 1), coordinate.name)
    return p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, coordinate, axis))


def _force(p, law):
    return _coordinate(p, fm.Coordinate("q", forces=law))


def _tissue(p, tissue):
    return p.with_fiber(tissue=tissue)


def _activation(p, activation):
    return p.with_fiber(activation=activation)


def _joint(p, joint):
    return p.with_joint(joint)


def _wrap(p, surface):
    return p.with_muscle(wraps=(fm.PathWrap(surface),))


def _point(p, point):
    points = [point, fm.PathPoint("q", p.other.at(0.2, 0, 0))]
    return p.with_muscle(points=points)


def _coupling(p, coupling):
    own = [fm.Coordinate(name) for name in ("a", "b")]
    axes = [fm.Axis("rotation", d, c.name) for c, d in zip(own, np.eye(3)[:2], strict=True)]
    p.with_joint(fm.FunctionalJoint("j", p.ground, p.bone, own, axes)).add(coupling)
    return p.model


def _contact_fibers(p):
    if not hasattr(p, "pair"):
        p.pair = p.fiber("f"), p.fiber("g", z=7e-3)
    return p.pair


def _contact(p, contact):
    p.model.add(*_contact_fibers(p), contact)
    return p.model


def _line(p, function):
    return {"at": O3, "axis": (0, 0, 1), "child_at": O3, "rotation": IDENTITY} | function


def _hinge(p):
    return {
        "name": "j", "parent": p.ground, "child": p.bone, "at": O3, "axis": (0, 0, 1),
        "child_at": O3, "rotation": IDENTITY, "damping": 0.0, "value": 0.0, "speed": 0.0,
        "coordinate": None,
    }  # fmt: skip


def _placed(p, **own):
    return {
        "name": "j", "parent": p.ground, "child": p.bone, "at": O3, **own, "child_at": O3,
        "rotation": IDENTITY,
    }  # fmt: skip


def _surface(p, **own):
    return {
        "name": "wrap", "body": p.bone, "position": O3, "rotation": IDENTITY, "quadrant": "all",
        "active": True, **own,
    }  # fmt: skip


def _points(p):
    return {"x": (0.0, 1.0, 2.0), "y": (0.0, 1.0, 0.0)}


def _signals(_=None):
    time = np.linspace(0.0, 2.0, 2001)
    return fm.Signals("emg", time, {"a": np.sin(700.0 * time)})


def _motion(t):
    return np.array([0.1, 0.0, 0.1 * t])


def _moved(p, point):
    p.model.add(p.fiber(path=None, attach=(p.ground.at(O3), point)))
    return p.model


def _scene(steps: int = 2):
    return fm.Scene(Parts().with_bone(), 0.02, steps)


def _result(_=None):
    none = np.zeros(0)
    return fm.Result("s", {}, none, {}, {}, {}, {}, none, none.astype(int), none)


SOLVING = fm.ModelError, fm.ConvergenceError

CALLS = {
    "ActiveStress": Call(
        fm.ActiveStress,
        lambda p: {"max_stress": 3e5, "optimal_stretch": 1.3, "width": 0.3, "exponent": 4.0},
        lambda p, x: _tissue(p, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=x)),
    ),
    "Axis": Call(
        fm.Axis,
        lambda p: {"kind": "rotation", "direction": (0, 0, 1), "terms": "q", "offset": 0.0},
        _axis,
    ),
    "Body": Call(
        fm.Body,
        lambda p: {
            "name": "bone",
            "mass": 1.5,
            "com": O3,
            "inertia": INERTIA,
            "shapes": fm.Capsule(O3, (0, 0, 0.1), 0.02),
            "visuals": (),
            "strict": True,
        },
        _body,
    ),
    "Capsule": Call(
        fm.Capsule, lambda p: {"start": O3, "end": (0, 0, 0.1), "radius": 0.02}, _shape
    ),
    "ConditionalPathPoint": Call(
        fm.ConditionalPathPoint,
        lambda p: {
            "name": "c",
            "station": p.bone.at(O3),
            "coordinate": "elbow",
            "lower": 0.0,
            "upper": 1.0,
        },
        _point,
    ),
    "Constant": Call(fm.Constant, lambda p: {"value": 0.5}, _activation),
    "Contact": Call(
        fm.Contact,
        lambda p: {
            "first": _contact_fibers(p)[0],
            "second": _contact_fibers(p)[1],
            "law": p.law,
            "points_per_element": 5,
            "formulation": "variational",
        },
        _contact,
    ),
    "Coordinate": Call(
        fm.Coordinate,
        lambda p: {
            "name": "q",
            "kind": "rotation",
            "value": 0.0,
            "speed": 0.0,
            "lower": None,
            "upper": None,
            "forces": (),
            "locked": False,
            "prescribed": None,
        },
        _coordinate,
    ),
    "Coupling": Call(
        fm.Coupling,
        lambda p: {
            "dependent": "b",
            "function": fm.Linear(),
            "independent": "a",
            "enforce": "eliminate",
        },
        _coupling,
    ),
    "Cylindrical": Call(
        fm.Cylindrical,
        lambda p: _placed(p, axis=(0, 0, 1), coordinates=None, damping=0.1),
        _joint,
    ),
    "Damper": Call(fm.Damper, lambda p: {"damping": 0.1}, _force),
    "Fiber": Call(
        fm.Fiber,
        lambda p: {
            "name": "f",
            "path": (O3, (0.1, 0, 0)),
            "attach": (None, None),
            "radius": 3e-3,
            "n_elements": 2,
            "tissue": p.tissue,
            "muscle_fraction": 1.0,
            "activation": 0.0,
            "line_load": O3,
            "nodes": None,
        },
        lambda p, x: p.model.add(x) and p.model,
    ),
    "Free": Call(
        fm.Free,
        lambda p: _placed(
            p, position=O3, velocity=O3, quaternion=(1, 0, 0, 0), angular_velocity=O3
        ),
        _joint,
    ),
    "FunctionalJoint": Call(
        fm.FunctionalJoint,
        lambda p: _placed(
            p,
            coordinates=fm.Coordinate("q"),
            axes=fm.Axis("rotation", (0, 0, 1), "q"),
            quaternion=(),
        ),
        _joint,
    ),
    "Hinge": Call(fm.Hinge, _hinge, _joint),
    "InfiniteCylinder": Call(
        fm.InfiniteCylinder, lambda p: {"point": O3, "axis": (0, 0, 1), "radius": 0.02}, _shape
    ),
    "KelvinVoigt": Call(
        fm.KelvinVoigt,
        lambda p: {"shear_modulus": 2e4, "viscosity": 1e3},
        lambda p, x: _tissue(p, fm.Tissue(1060.0, x)),
    ),
    "LineMuscle": Call(
        fm.LineMuscle,
        lambda p: {
            "name": "m",
            "points": [fm.PathPoint("p", p.bone.at(O3)), fm.PathPoint("q", p.other.at(O3))],
            "wraps": (),
            "max_isometric_force": 100.0,
            "optimal_fiber_length": 0.1,
            "tendon_slack_length": 0.1,
            "pennation_angle": 0.1,
            "max_contraction_velocity": 10.0,
            "kind": "Thelen",
            "parameters": {"a": 1.0},
        },
        lambda p, x: p.with_bodies().add(x) and p.model,
    ),
    "Linear": Call(fm.Linear, lambda p: {"slope": 1.0, "intercept": 0.0}, _function),
    "Mesh": Call(
        fm.Mesh,
        lambda p: {
            "vertices": TETRAHEDRON[0],
            "faces": TETRAHEDRON[1],
            "name": "t",
            "radius": 0.02,
            "spacing": 0.02,
        },
        _shape,
    ),
    "Model": Call(
        fm.Model,
        lambda p: {"name": "m", "gravity": (0, 0, -9.81), "ground": None, "meant": ()},
        lambda p, x: x.add(p.fiber()) and x,
    ),
    "MovingPathPoint": Call(
        fm.MovingPathPoint,
        lambda p: {
            "name": "m",
            "body": p.bone,
            "functions": (fm.Linear(),) * 3,
            "coordinates": ("elbow", None, None),
            "at": O3,
            "rotation": IDENTITY,
            "ranges": (None, (0.0, 1.0), None),
        },
        _point,
    ),
    "MovingPoint": Call(fm.MovingPoint, lambda p: {"motion": _motion}, _moved),
    "NaturalSpline": Call(fm.NaturalSpline, _points, _function),
    "PathPoint": Call(fm.PathPoint, lambda p: {"name": "p", "station": p.bone.at(O3)}, _point),
    "PathWrap": Call(
        fm.PathWrap,
        lambda p: {
            "shape": fm.WrapSphere("s", p.bone, radius=0.02),
            "first": 1,
            "last": 2,
            "method": "hybrid",
        },
        lambda p, x: p.with_muscle(wraps=[x]),
    ),
    "PenaltyContact": Call(
        fm.PenaltyContact,
        lambda p: {"stiffness": 768.0, "limit": 3.0},
        lambda p, x: _contact(p, fm.Contact(*_contact_fibers(p), x)),
    ),
    "PiecewiseLinear": Call(fm.PiecewiseLinear, _points, _function),
    "Planar": Call(
        fm.Planar,
        lambda p: _placed(p, normal=(0, 0, 1), along=None, coordinates=None, damping=0.1),
        _joint,
    ),
    "Polynomial": Call(fm.Polynomial, lambda p: {"coefficients": (0.0, 1.0, 0.1)}, _function),
    "QuadraticLimit": Call(
        fm.QuadraticLimit, lambda p: {"lower": -1.0, "upper": 1.0, "stiffness": 10.0}, _force
    ),
    "Ramp": Call(fm.Ramp, lambda p: {"start": 0.0, "end": 1.0, "value": 0.5}, _activation),
    "Scaled": Call(fm.Scaled, lambda p: {"function": fm.Linear(), "factor": 2.0}, _function),
    "Scene": Call(
        fm.Scene,
        lambda p: {
            "model": p.with_fiber(),
            "duration": 1.0,
            "steps": 10,
            "start": "initial",
            "method": "bdf2",
            "tolerance": 0.0,
        },
        lambda p, x: x.model,
    ),
    "Signals": Call(
        fm.Signals,
        lambda p: {
            "name": "s",
            "time": (0.0, 1.0),
            "values": {"a": (0.0, 0.5)},
            "units": {"a": "mV"},
            "in_degrees": False,
        },
        None,
    ),
    "SimmSpline": Call(fm.SimmSpline, _points, _function),
    "Slider": Call(fm.Slider, _hinge, _joint),
    "SmoothLimit": Call(
        fm.SmoothLimit,
        lambda p: {
            "lower": -1.0,
            "upper": 1.0,
            "lower_stiffness": 10.0,
            "upper_stiffness": 10.0,
            "damping": 0.1,
            "transition": 0.1,
        },
        _force,
    ),
    "Spherical": Call(
        fm.Spherical,
        lambda p: _placed(p, quaternion=(1, 0, 0, 0), angular_velocity=O3),
        _joint,
    ),
    "Spring": Call(fm.Spring, lambda p: {"stiffness": 10.0, "rest": 0.0}, _force),
    "Station": Call(
        fm.Station,
        lambda p: {"body": p.ground, "position": O3},
        lambda p, x: (
            p.model.add(p.fiber(path=None, attach=(x, p.ground.at(0.1, 0.1, 0)))) and p.model
        ),
    ),
    "Stiffening": Call(
        fm.Stiffening,
        lambda p: {"stress": 1e3, "rate": 5.0},
        lambda p, x: _tissue(p, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), stiffening=x)),
    ),
    "Table": Call(fm.Table, lambda p: {"times": (0.0, 1.0), "values": (0.0, 1.0)}, _activation),
    "Tissue": Call(
        fm.Tissue,
        lambda p: {
            "density": 1060.0,
            "muscle": fm.KelvinVoigt(2e4, 1e3),
            "tendon": None,
            "active": None,
            "prestress": 0.0,
            "bending": 0.1,
            "stiffening": None,
        },
        _tissue,
    ),
    "Universal": Call(
        fm.Universal,
        lambda p: _placed(p, first=(1, 0, 0), second=(0, 1, 0), coordinates=None, damping=0.1),
        _joint,
    ),
    "Weld": Call(
        fm.Weld,
        lambda p: {
            "parent": p.ground,
            "child": p.bone,
            "at": O3,
            "child_at": O3,
            "rotation": IDENTITY,
        },
        lambda p, x: _joint(p, x).add(p.fiber()) and p.model,
    ),
    "WrapCylinder": Call(fm.WrapCylinder, lambda p: _surface(p, radius=0.02, length=0.1), _wrap),
    "WrapEllipsoid": Call(fm.WrapEllipsoid, lambda p: _surface(p, radii=(0.1, 0.1, 0.2)), _wrap),
    "WrapSphere": Call(fm.WrapSphere, lambda p: _surface(p, radius=0.02), _wrap),
    "WrapTorus": Call(
        fm.WrapTorus, lambda p: _surface(p, inner_radius=0.02, outer_radius=0.1), _wrap
    ),
    # options of solvers
    "AdaptiveSteps": Call(
        fm.AdaptiveSteps,
        lambda p: {
            "relative": 1e-4,
            "length": 0.0,
            "angle": 0.0,
            "speed": None,
            "angular_speed": None,
            "shortest": 1e-10,
            "longest": 1.0,
            "landing": True,
        },
    ),
    "BDF2": Call(fm.BDF2, lambda p: {}),
    "BackwardEuler": Call(fm.BackwardEuler, lambda p: {}),
    "FixedSteps": Call(fm.FixedSteps, lambda p: {"steps_per_frame": 1}),
    "GeneralizedAlpha": Call(fm.GeneralizedAlpha, lambda p: {"rho_inf": 0.8}),
    "Newton": Call(
        fm.Newton,
        lambda p: {
            "tolerance": 1e-7,
            "max_iterations": 25,
            "keep": 0.1,
            "min_fraction": 1e-6,
            "contraction": 0.0,
        },
    ),
    "SDIRK2": Call(fm.SDIRK2, lambda p: {}),
    # methods, and attributes that can be set later
    "Body.at": Call(
        lambda **position: fm.Body("b").at(position["position"]), lambda p: {"position": O3}
    ),
    "Mesh.placed": Call(
        fm.Mesh(*TETRAHEDRON).placed,
        lambda p: {"rotation": IDENTITY, "position": O3, "scale": (1.0, 1.0, 1.0)},
        _shape,
    ),
    "Model.add": Call(
        lambda p, item: p.with_bone().add(item) and p.model,
        lambda p: {"p": p, "item": p.fiber()},
        lambda p, x: x,
    ),
    "Model.gravity": Call(
        lambda p, gravity: setattr(p.with_fiber(), "gravity", gravity) or p.model,
        lambda p: {"p": p, "gravity": (0.0, 0.0, -9.81)},
        lambda p, x: x,
    ),
    "Model.name": Call(
        lambda p, name: setattr(p.with_fiber(), "name", name) or p.model,
        lambda p: {"p": p, "name": "other"},
        lambda p, x: x,
    ),
    "Signals.activation": Call(
        lambda name, scale: fm.Signals("s", (0.0, 1.0), {"a": (0.0, 0.5)}).activation(
            name, scale=scale
        ),
        lambda p: {"name": "a", "scale": 1.0},
        _activation,
    ),
    "Signals.signal": Call(
        fm.Signals("s", (0.0, 1.0), {"a": (0.0, 0.5)}).signal, lambda p: {"name": "a"}
    ),
    # functions
    "build": Call(
        fm.build, lambda p: {"model": p.with_fiber(), "backend": "cpu"}, lambda p, x: x.model
    ),
    "emg_activation": Call(
        fm.emg_activation,
        lambda p: {
            "signals": _signals(),
            "name": "a",
            "max_voluntary": 2.0,
            "high_pass": 20.0,
            "low_pass": 6.0,
            "delay": 0.05,
            "shape": -1.0,
            "scale": 1.0,
        },
        _activation,
    ),
    "emg_envelope": Call(
        fm.emg_envelope,
        lambda p: {"signals": _signals(), "name": "a", "high_pass": 20.0, "low_pass": 6.0},
    ),
    "fibers_from_muscle": Call(
        lambda p, **given: fm.fibers_from_muscle(model=p.model, **given).fibers,
        lambda p: {
            "p": p,
            "muscle": p.with_muscle().muscles[0],
            "n_fibers": 1,
            "n_elements": 5,
            "activation": 0.0,
            "specific_tension": 3e5,
            "tendon_radius": 0.5,
            "proximal": 0.5,
            "transition": 0.2,
            "clearance": 0.05,
            "smoothing": 0.1,
            "spread": 0.5,
            "working_range": (0.6, 1.4),
            "damping": 0.35,
            "density": 1060.0,
            "bending": 0.0,
            "prestress": 0.03,
            "length": None,
            "bones": (),
            "beside": (),
        },
        lambda p, x: p.model.add(*x) and p.model,
    ),
    "pack_section": Call(fm.pack_section, lambda p: {"n": 7}),
    "shapes_from_wraps": Call(
        fm.shapes_from_wraps,
        lambda p: {
            "muscles": p.muscle(wraps=[fm.PathWrap(fm.WrapSphere("s", p.bone, radius=0.02))]),
            "names": ["s"],
        },
    ),
    "simulate": Call(
        fm.simulate,
        lambda p: {
            "system": fm.build(p.with_bone()),
            "start": None,
            "t_end": 0.02,
            "dt": 0.01,
            "method": fm.BDF2(),
            "newton": fm.Newton(),
            "control": fm.FixedSteps(),
            "progress": None,
            "throw": True,
            "checkpoint": None,
            "checkpoint_every": 60.0,
            "resume_from": None,
        },
        errors=SOLVING,
    ),
    "simulate_scene": Call(
        fm.simulate_scene,
        lambda p: {
            "scene": fm.Scene(p.with_bone(), 0.02, 2),
            "name": "s",
            "parameters": {},
            "method": "bdf2",
            "progress": None,
            "check": False,
            "checkpoint": None,
            "checkpoint_every": 60.0,
            "resume_from": None,
            "job": None,
        },
        errors=SOLVING,
    ),
    "run_scene": Call(
        fm.run_scene,
        lambda p: {"scene": _scene, "arguments": ["--quiet"]},
        errors=(fm.ModelError, SystemExit),
    ),
    "check": Call(fm.check, lambda p: {"system": fm.build(p.with_bone()), "result": _result()}),
    "equilibrium": Call(
        fm.equilibrium,
        lambda p: {
            "system": fm.build(p.with_held_fiber()),
            "start": None,
            "t": 0.0,
            "newton": fm.Newton(),
            "progress": None,
        },
        errors=SOLVING,
    ),
    "stability": Call(
        fm.stability,
        lambda p: {
            "system": fm.build(p.with_held_fiber()),
            "y": fm.build(Parts().with_held_fiber()).initial_state()[0],
            "t": 0.0,
        },
        errors=SOLVING,
    ),
    "Skeleton.q_of": Call(
        lambda p, values: fm.skeleton(p.with_bone()).q_of(values),
        lambda p: {"p": p, "values": {"elbow": 0.1}},
    ),
    "Skeleton.forward_dynamics": Call(
        lambda p, **given: fm.skeleton(p.with_bone()).forward_dynamics(*given.values()),
        lambda p: {"p": p, "q": [0.1], "rates": [0.0], "force": [0.0], "t": 0.0},
    ),
    "Skeleton.inverse_dynamics": Call(
        lambda p, **given: fm.skeleton(p.with_bone()).inverse_dynamics(*given.values()),
        lambda p: {"p": p, "q": [0.1], "rates": [0.0], "accelerations": [0.0]},
    ),
    "Skeleton.poses": Call(
        lambda p, q: fm.skeleton(p.with_bone()).poses(q), lambda p: {"p": p, "q": [0.1]}
    ),
    "skeleton": Call(fm.skeleton, lambda p: {"model": p.with_bone()}),
    "Skeleton": Call(fm.Skeleton, lambda p: {"model": p.with_bone()}),
    "still": Call(fm.still, lambda p: {"model": p.with_bone(), "coordinates": {"elbow": 0.1}}),
    "with_activations": Call(
        fm.with_activations,
        lambda p: {"model": p.with_fiber(), "activations": {"biceps": 0.5}},
        lambda p, x: x,
    ),
    # files
    "export": Call(
        fm.export,
        lambda p: {"result": _result(), "path": "a.csv", "to": "csv", "report": None},
    ),
    "load": Call(fm.load, lambda p: {"path": "/nowhere/a.h5"}),
    "load_checkpoint": Call(fm.load_checkpoint, lambda p: {"path": "/nowhere/a.h5"}),
    "make_scene": Call(fm.make_scene, lambda p: {"scene": "hanging_fiber", "steps": 4}),
    "read_mesh": Call(
        fm.read_mesh,
        lambda p: {
            "path": "/nowhere/a.stl",
            "scale": 1.0,
            "name": "n",
            "radius": 0.1,
            "spacing": 0.1,
        },
    ),
    "read_osim": Call(
        fm.read_osim,
        lambda p: {"path": "/nowhere/a.osim", "geometry": None, "contact": (), "unsupported": None},
    ),
    "read_signals": Call(fm.read_signals, lambda p: {"path": "/nowhere/a.sto"}),
    "save": Call(fm.save, lambda p: {"result": _result(), "path": "a.h5"}),
    "save_checkpoint": Call(
        fm.save_checkpoint,
        lambda p: {"snapshot": fm.Snapshot(0.0, 1.0, {}, {}, {}), "path": "a.h5"},
    ),
}
