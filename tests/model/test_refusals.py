"""Every wrong input is a ModelError that names the object, the value and the range."""

import numpy as np
import pytest
from model_parts import INF, LAW, NAN, PASSIVE, body, fiber

import fibermsk as fm
from fibermsk import BDF2
from fibermsk.errors import ModelError
from fibermsk.laws.penalty import PenaltyContact
from fibermsk.laws.stress import ActiveStress, KelvinVoigt
from fibermsk.model import (
    Body,
    Capsule,
    Constant,
    Contact,
    Coordinate,
    Hinge,
    InfiniteCylinder,
    Model,
    Ramp,
    Scene,
    Station,
    Table,
    Tissue,
    Weld,
)

A, B = Body("a"), Body("b")
SPIKE = np.array([0.0, 0.5, 1.2, 0.5, 0.0])
SKEW = ((2.0, 0.1, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.0))
MIRROR = np.diag([1.0, 1.0, -1.0])
O3 = (0.0, 0.0, 0.0)


def hinge(**fields):
    return Hinge("elbow", **{"parent": A, "child": B, "at": O3, "axis": (0.0, 1.0, 0.0), **fields})


def coordinate(**fields):
    return Coordinate(**{"name": "elbow", **fields})


def weld(**fields):
    return Weld(**{"parent": A, "child": B, **fields})


def tissue(**fields):
    return Tissue(**{"density": 1060.0, "muscle": PASSIVE, **fields})


def contact(**fields):
    return Contact(**{"first": fiber("f"), "second": fiber("g"), "law": LAW, **fields})


def scene(**fields):
    return Scene(**{"model": Model("m"), "duration": 1.0, "steps": 10, **fields})


def stands_still(theta):
    return np.column_stack((np.maximum(theta, 0.5), 0.0 * theta, 0.0 * theta))


def raises(*_):
    raise KeyError("biceps")


CASES = [
    # laws
    (lambda: KelvinVoigt(0.0, 1.0), "KelvinVoigt: shear_modulus = 0.0 N/m^2; must be positive"),
    (lambda: KelvinVoigt("stiff", 1.0), "shear_modulus = 'stiff'; must be a number"),
    (lambda: KelvinVoigt(1.0, -1.0), "viscosity = -1.0 N s/m^2; must be zero or positive"),
    (lambda: ActiveStress(-1.0), "ActiveStress: max_stress = -1.0 N/m^2; must be zero or pos"),
    (lambda: ActiveStress(1.0, optimal_stretch=0.0), "optimal_stretch = 0.0; must be positive"),
    (lambda: ActiveStress(1.0, width=NAN), "width = nan; must be positive and finite"),
    (lambda: ActiveStress(1.0, exponent=1.0), "exponent = 1.0; must be greater than 1"),
    (lambda: PenaltyContact(-768.0, 3.0), "stiffness = -768.0 N/m; must be positive"),
    (lambda: PenaltyContact(768.0, 1.0), "PenaltyContact: limit = 1.0; must be greater than 1"),
    (lambda: PenaltyContact(768.0, 0.5), "limit = 0.5; must be greater than 1"),
    # bodies
    (lambda: Body(""), "body: name = ''; must be a text that is not blank"),
    (lambda: Body(3), "body: name = 3; must be a text"),
    (lambda: body(mass=0.0), "body 'ulna': mass = 0.0 kg; must be positive"),
    (lambda: body(mass=True), "body 'ulna': mass = True; must be a number"),
    (lambda: body(mass=None), "body 'ulna': mass = None; must be positive for a body with"),
    (lambda: body(com=(0, NAN, 0)), "body 'ulna': com[1] = nan m; must be finite"),
    (lambda: body(com=(0, 0)), "com = (0, 0); must be finite numbers of shape (3,), not (2,)"),
    (lambda: body(com="middle"), "com = 'middle'; must be finite numbers of shape (3,)"),
    (lambda: body(inertia=SKEW), "must be symmetric"),
    (lambda: body(inertia=(1.0, 1.0, 0.0)), "kg m^2; must be positive definite"),
    (lambda: body(inertia=(1.0, 1.0, -1.0)), "must be positive definite"),
    (lambda: body(inertia=(1.0, 1.0, 2.1)), "must satisfy the triangle inequality"),
    (lambda: body(inertia=0.02), "inertia = 0.02; must be finite numbers of shape (3,) or"),
    (lambda: body(inertia=np.ones((2, 2))), "shape (3,) or (3, 3)"),
    (lambda: body(inertia=[[1, 2], [3]]), "shape (3,) or (3, 3)"),
    (lambda: body(inertia=[np.ones((2, 2)), np.ones((2, 3))]), "shape (3,) or (3, 3)"),
    (lambda: body(inertia=(1.0, INF, 1.0)), "inertia[1] = inf kg m^2; must be finite"),
    (lambda: body(inertia=(1.0, "x", 1.0)), "inertia[1] = 'x'; must be a number"),
    (lambda: body(shapes=[0.035]), "body 'ulna': shapes[0] = 0.035; must be a Capsule, an Inf"),
    (lambda: body(shapes=0.035), "must be a Capsule, an InfiniteCylinder, a Mesh or a sequence"),
    (lambda: A.at(1.0, 2.0), "station on body 'a': position = (1.0, 2.0); must be"),
    (lambda: A.at(), "station on body 'a': position = (); must be"),
    (lambda: A.at(0.0, 0.0, NAN), "position[2] = nan m; must be finite"),
    (lambda: Station("a", O3), "station: body = 'a'; must be a Body"),
    (lambda: Capsule(O3, (0, 0, 1), 0.0), "capsule: radius = 0.0 m; must be positive"),
    (lambda: Capsule(O3, (0, 0, INF), 1.0), "capsule: end[2] = inf m; must be finite"),
    (lambda: Capsule((0, True, 0), O3, 1.0), "capsule: start[1] = True; must be a number"),
    (
        lambda: InfiniteCylinder(O3, O3, 1.0),
        "infinite cylinder: axis = [0., 0., 0.]; must be nonzero",
    ),
    (lambda: InfiniteCylinder(O3, (1, 0, 0), -1.0), "radius = -1.0 m; must be positive"),
    (lambda: InfiniteCylinder((0, 0, NAN), (1, 0, 0), 1.0), "point[2] = nan m"),
    # joints
    (lambda: hinge(parent="a"), "hinge 'elbow': parent = 'a'; must be a Body"),
    (lambda: hinge(child=None), "hinge 'elbow': child = None; must be a Body"),
    (lambda: hinge(child=A), "hinge 'elbow': child = body 'a'; must differ from the parent"),
    (lambda: hinge(axis=O3), "hinge 'elbow': axis = [0., 0., 0.]; must be nonzero"),
    (lambda: hinge(axis=(0, 0, NAN)), "axis[2] = nan; must be finite"),
    (lambda: hinge(at=(0, 0, INF)), "hinge 'elbow': at[2] = inf m; must be finite"),
    (lambda: hinge(child_at=1.0), "hinge 'elbow': child_at = 1.0"),
    (lambda: hinge(damping=-0.1), "damping = -0.1 N m s/rad; must be zero or positive"),
    (lambda: hinge(value=NAN), "value = nan rad; must be finite"),
    (lambda: hinge(speed=INF), "speed = inf rad/s; must be finite"),
    (lambda: hinge(rotation=MIRROR), "must be a rotation matrix (orthonormal, determinant +1)"),
    (lambda: hinge(rotation=2.0 * np.eye(3)), "must be a rotation matrix"),
    (lambda: hinge(rotation=np.eye(2)), "must be finite numbers of shape (3, 3), not (2, 2)"),
    (lambda: Hinge("", A, B, O3, (0, 1, 0)), "hinge: name = ''"),
    (lambda: weld(child="b"), "weld: child = 'b'; must be a Body"),
    (lambda: weld(child=A), "weld 'a on a': child = body 'a'; must differ from the parent"),
    (lambda: weld(rotation=SKEW), "weld 'b on a': rotation"),
    (
        lambda: coordinate(kind="ball"),
        "coordinate 'elbow': kind = 'ball'; must be one of 'rotation'",
    ),
    (lambda: coordinate(kind=["rotation"]), "must be one of 'rotation', 'translation'"),
    # tissue and activation
    (lambda: tissue(density=0.0), "tissue: density = 0.0 kg/m^3; must be positive"),
    (lambda: tissue(muscle=2.0e5), "tissue: muscle = 200000.0; must be a KelvinVoigt"),
    (lambda: tissue(tendon="stiff"), "tissue: tendon = 'stiff'; must be a KelvinVoigt or a user"),
    (lambda: tissue(active=3.0e5), "tissue: active = 300000.0; must be an ActiveStress, a HillStr"),
    (lambda: tissue(prestress=-1.0), "tissue: prestress = -1.0 N/m^2; must be zero or positive"),
    (lambda: Constant(1.2), "Constant: value = 1.2; must lie in [0, 1]"),
    (lambda: Ramp(0.4, 0.4, 0.5), "Ramp: end = 0.4 s; must be later than start = 0.4 s"),
    (lambda: Ramp(0.1, 0.4, NAN), "Ramp: value = nan; must lie in [0, 1]"),
    (lambda: Ramp(0.1, INF, 0.5), "Ramp: end = inf s; must be finite"),
    (lambda: Table([0.0], [0.1]), "Table: times = [0.] s; must be two or more"),
    (lambda: Table([0.0, 0.0], [0.1, 0.2]), "times[1] = 0.0 s; must be later than times[0]"),
    (lambda: Table([0.0, 1.0], [0.1]), "values = [0.1]; must be finite numbers of shape (2,)"),
    (lambda: Table([0.0, 1.0], [0.1, 1.1]), "Table: values[1] = 1.1; must lie in [0, 1]"),
    # fibers: path and ends
    (lambda: fiber("  "), "fiber: name = '  '"),
    (lambda: fiber(path=None), "fiber 'biceps': path = None; must be given for a fiber with a fre"),
    (lambda: fiber(path=None, attach=(A.at(O3), None)), "attach both ends, or give a path"),
    (
        lambda: fiber(path=None, attach=(A.at(1, 0, 0), A.at(1, 0, 0))),
        "length = 0.0 m; must be positive; both ends are at one point of body 'a'",
    ),
    (lambda: fiber(path=[O3, O3]), "fiber 'biceps': length of path = 0.0 m; must be positive"),
    (lambda: fiber(path=[O3, (1, 0, 0), (1, 0, 0)]), "must differ from path[1]; remove the rep"),
    (lambda: fiber(path=[O3]), "must have two points or more"),
    (lambda: fiber(path=np.zeros((4, 2))), "must be finite numbers of shape (m, 3), not (4, 2)"),
    (lambda: fiber(path=[O3, (0, 0, NAN)]), "fiber 'biceps': path[1, 2] = nan m; must be finite"),
    (lambda: fiber(path="straight"), "path = 'straight'; must be finite numbers of shape (m, 3)"),
    (lambda: fiber(path=lambda theta: theta), "path(theta)"),
    (lambda: fiber(path=lambda theta: np.zeros((theta.size, 3))), "length of path(theta) = 0.0"),
    (lambda: fiber(path=stands_still), "the function is constant at theta 0"),
    (lambda: fiber(path=raises), "path is a function that raised KeyError: 'biceps'; it must acc"),
    (lambda: fiber(attach=A.at(O3)), "attach = Station("),
    (lambda: fiber(attach=(A, None)), "fiber 'biceps': attach[0] = body 'a'; must be a Station"),
    (lambda: fiber(attach=(None, None, None)), "must be a pair (origin, insertion)"),
    # fibers: profiles and loads
    (
        lambda: fiber(radius=-0.002),
        "fiber 'biceps': radius = -0.002 m; must be positive",
    ),
    (lambda: fiber(radius=0.0), "radius = 0.0 m; must be positive"),
    (lambda: fiber(radius=NAN), "fiber 'biceps': radius = nan m; must be positive and finite"),
    (lambda: fiber(radius="2 mm"), "fiber 'biceps': radius = '2 mm'; must be a number"),
    (lambda: fiber(radius=None), "radius = None; must be a number"),
    (lambda: fiber(radius=True), "radius = True; must be a number"),
    (lambda: fiber(radius=[0.01]), "must have 2 samples or more; for a constant use a number"),
    (lambda: fiber(radius=[0.01, -0.01, 0.01]), "radius at theta 0.5 = -0.01 m; must be positive"),
    (lambda: fiber(radius=np.ones((2, 2))), "must be finite numbers of shape (m,), not (2, 2)"),
    (lambda: fiber(radius=[0.01, INF]), "radius[1] = inf m; must be finite"),
    (lambda: fiber(radius=lambda theta: 0.5 - theta), "radius at theta 0.5 = 0.0 m"),
    (lambda: fiber(radius=lambda theta: 0.01), "radius(theta) = 0.01"),
    (lambda: fiber(radius=lambda theta: "wide"), "radius(theta) = 'wide'"),
    (lambda: fiber(radius=lambda: 0.01), "radius is a function that raised TypeError"),
    (lambda: fiber(muscle_fraction=1.2), "muscle_fraction = 1.2; must lie in [0, 1]"),
    (lambda: fiber(muscle_fraction=SPIKE), "muscle_fraction at theta 0.5 = 1.2; must lie in"),
    (lambda: fiber(muscle_fraction=lambda th: 1.1 * th), "muscle_fraction at theta 0.91 = 1.001"),
    (lambda: fiber(muscle_fraction=lambda th: th + NAN), "muscle_fraction(theta)[0] = nan"),
    (lambda: fiber(activation=-0.1), "fiber 'biceps': activation = -0.1; must lie in [0, 1]"),
    (lambda: fiber(activation=NAN), "fiber 'biceps': activation = nan; must lie in [0, 1]"),
    (lambda: fiber(activation="full"), "activation = 'full'; must be a number and lie in [0, 1]"),
    (lambda: fiber(activation=True), "activation = True; must be a number"),
    (lambda: fiber(activation=lambda t: NAN), "activation at t = 0 s = nan; must lie in [0, 1]"),
    (lambda: fiber(activation=lambda t: 1.5), "activation at t = 0 s = 1.5; must lie in [0, 1]"),
    (lambda: fiber(activation=lambda t: np.ones(3)), "activation at t = 0 s = [1., 1., 1.]; must"),
    (lambda: fiber(activation=Ramp), "activation is a function that raised TypeError"),
    (lambda: fiber(activation=raises), "raised KeyError: 'biceps'; it must accept a time t [s]"),
    (lambda: fiber(line_load=(0.0, 1.0)), "line_load = (0.0, 1.0); must be finite numbers of"),
    (lambda: fiber(line_load=(0, 0, INF)), "line_load[2] = inf N/m; must be finite"),
    (lambda: fiber(line_load=lambda th, t: th), "line_load(theta)"),
    (lambda: fiber(line_load=lambda th: th), "it must accept theta of shape (n,) and a time t"),
    # fibers: mesh and tissue
    *(
        (lambda n=n: fiber(n_elements=n), f"n_elements = {n!r}; must be an integer, 1 or more")
        for n in (0, -1, 2.5, 4.0, True, "4", None, NAN)
    ),
    (lambda: fiber(nodes=[0, 0.5, 1]), "nodes = [0, 0.5, 1]; must be finite numbers of shape (5,)"),
    (lambda: fiber(nodes=[0, 0.5, 0.5, 0.7, 1]), "must increase strictly from 0 to 1"),
    (lambda: fiber(nodes=[0.1, 0.2, 0.5, 0.7, 1]), "must increase strictly from 0 to 1"),
    (lambda: fiber(nodes=[0, 0.2, 0.5, 0.7, 0.9]), "must increase strictly from 0 to 1"),
    (lambda: fiber(nodes=[0, 0.2, NAN, 0.7, 1]), "nodes[2] = nan; must be finite"),
    (lambda: fiber(tissue=PASSIVE), "fiber 'biceps': tissue = KelvinVoigt(shear_modulus"),
    # contact
    (lambda: contact(first="f"), "contact: first = 'f'; must be a Fiber or a sequence"),
    (lambda: contact(first=A), "contact: first = body 'a'; must be a Fiber"),
    (lambda: contact(first=[]), "contact: first = []; must hold one item or more"),
    (lambda: contact(second=[fiber("g"), "h"]), "contact: second[1] = 'h'; must be a Fiber or a"),
    (lambda: contact(second=[A]), "second = body 'a'; must have contact shapes; give Body('a', s"),
    (lambda: contact(law=768.0), "contact: law = 768.0; must be a PenaltyContact"),
    (lambda: contact(points_per_element=0), "contact: points_per_element = 0; must be an integer"),
    (lambda: contact(points_per_element=5.0), "points_per_element = 5.0; must be an integer"),
    # model and scene
    (lambda: Model(""), "model: name = ''"),
    (lambda: Model("m", gravity=9.81), "model 'm': gravity = 9.81; must be finite numbers"),
    (lambda: Model("m", gravity=(0, 0, NAN)), "model 'm': gravity[2] = nan m/s^2; must be finite"),
    (lambda: scene(model="m"), "scene: model = 'm'; must be a Model"),
    (lambda: scene(duration=0.0), "scene of model 'm': duration = 0.0 s; must be positive"),
    (lambda: scene(duration="8 s"), "duration = '8 s'; must be a number"),
    (lambda: scene(steps=0), "scene of model 'm': steps = 0; must be an integer, 1 or more"),
    (lambda: scene(steps=2.5), "steps = 2.5; must be an integer, 1 or more"),
    (lambda: scene(start="rest"), "start = 'rest'; must be 'initial' or 'equilibrium'"),
    (lambda: scene(method=None), "method = None; must be a method such as BDF2()"),
    (lambda: scene(method=BDF2), "must be a method such as BDF2(); write method=fm.BDF2()"),
    (
        lambda: fm.simulate(fm.Model("none"), t_end=1.0, dt=0.1, method="bdf2"),
        "simulate: method = 'bdf2'; must be a method such as BDF2(); write method=fm.BDF2()",
    ),
    (
        lambda: fm.simulate(fm.Model("none"), t_end=1.0, dt=0.1, method="generalised-alpha"),
        "write method=fm.GeneralizedAlpha()",
    ),
    (lambda: scene(method="euler"), "method = 'euler'; must be one of 'backward_euler'"),
]


@pytest.mark.parametrize(("make", "message"), CASES, ids=[message for _, message in CASES])
def test_refused_with_message(make, message):
    with pytest.raises(ModelError) as caught:
        make()
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


class Broken:
    def __repr__(self):
        raise RuntimeError("no text")


WRONG = {
    "broken repr": Broken(),
    "huge integer": 10**5000,
    "complex": 1j,
    "object": object(),
    "dict": {},
    "set": {1.0},
    "bytes": b"1",
    "nested": [[]],
    "class": type,
}


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize(
    "make",
    [
        lambda v: KelvinVoigt(v, 1.0),
        lambda v: ActiveStress(v),
        lambda v: PenaltyContact(v, 2.0),
        lambda v: Body(v),
        lambda v: body(mass=v),
        lambda v: body(com=v),
        lambda v: body(inertia=v),
        lambda v: body(shapes=v),
        lambda v: Capsule(v, O3, 1.0),
        lambda v: Capsule(O3, O3, v),
        lambda v: InfiniteCylinder(O3, v, 1.0),
        lambda v: A.at(v),
        lambda v: Station(v, O3),
        lambda v: Hinge(v, A, B, O3, (0, 1, 0)),
        lambda v: hinge(parent=v),
        lambda v: hinge(axis=v),
        lambda v: hinge(rotation=v),
        lambda v: hinge(value=v),
        lambda v: coordinate(kind=v),
        lambda v: tissue(muscle=v),
        lambda v: tissue(prestress=v),
        lambda v: Ramp(0.0, v, 1.0),
        lambda v: Table(v, [0.0, 1.0]),
        lambda v: Table([0.0, 1.0], v),
        lambda v: fiber(v),
        lambda v: fiber(path=v),
        lambda v: fiber(attach=v),
        lambda v: fiber(attach=(v, v)),
        lambda v: fiber(radius=v),
        lambda v: fiber(radius=lambda theta: v),
        lambda v: fiber(tissue=v),
        lambda v: fiber(muscle_fraction=v),
        lambda v: fiber(activation=v),
        lambda v: fiber(activation=lambda t: v),
        lambda v: fiber(line_load=v),
        lambda v: fiber(line_load=lambda theta, t: v),
        lambda v: fiber(nodes=v),
        lambda v: contact(first=v),
        lambda v: contact(second=v),
        lambda v: contact(law=v),
        lambda v: Model(v),
        lambda v: Model("m", gravity=v),
        lambda v: Model("m").add(v),
        lambda v: scene(model=v),
        lambda v: scene(duration=v),
        lambda v: scene(start=v),
    ],
)
def test_nothing_else_escapes(make, value):
    with pytest.raises(ModelError):
        make(value)


def test_activation_and_loads_are_checked_at_later_times():
    late = fiber(
        activation=lambda t: t, line_load=lambda th, t: np.full((th.size, 3), 1.0 / (1 - t))
    )
    assert late.activation_at(0.5) == 0.5
    with pytest.raises(ModelError, match=r"activation at t = 1.5 s = 1.5; must lie in \[0, 1\]"):
        late.activation_at(1.5)
    with pytest.raises(ModelError, match="line_load is a function that raised ZeroDivisionError"):
        late.line_load_at(np.linspace(0.0, 1.0, 3), 1.0)
