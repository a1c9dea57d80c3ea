"""What an import does with an object of each class of OpenSim: the smallest file that holds one."""

import warnings

import numpy as np
from force_texts import RUBBING, STIFF, functions, hunt_crossley, line, sphere
from osim_text import axis, body, frame, joint, model
from test_osim_constraints import COUPLED, HELD, coupled, two_chains
from test_osim_forces import SPACE
from test_osim_joints import FUNCTIONS, KINDS, spatial
from triangle_meshes import icosphere, write_obj

import fibermsk as fm

ACTS, IDLE, LOST, REFUSED = "acts", "no effect", "does not act", "refused"
"""Acts in the model; has none there, and the report says so or it is display; the report says that
it does not act; the file is refused."""

_FUNCTIONS = {text.split("<")[1].split(">")[0]: text for text in FUNCTIONS.values()}

_PINS = joint("PinJoint", "j", "ground", "b", ("q",))

_SETS = {
    "Controller": "ControllerSet", "Probe": "ProbeSet", "ContactGeometry": "ContactGeometrySet",
}  # fmt: skip

_MUSCLES = ("Muscle",)

_ON_Q = "<coordinate>q</coordinate>"
_PATH = "".join(
    f'<PathPoint name="{name}"><socket_parent_frame>{place}</socket_parent_frame>'
    "<location>0.3 0.3 0.1</location></PathPoint>"
    for name, place in (("o", "/ground"), ("i", "/bodyset/b"))
)
_PATH = f'<GeometryPath name="path"><PathPointSet><objects>{_PATH}</objects></PathPointSet>'
_PATH += "</GeometryPath>"
_FRAMES = "<socket_frame1>f</socket_frame1><socket_frame2>g</socket_frame2>"
_FRAMES += f"<frames>{frame('f', '/ground')}{frame('g', '/bodyset/b')}</frames>"
_TWO = "<{0}1>{1}ground</{0}1><{0}2>{2}b</{0}2><point2>0.1 0.2 0.3</point2>"
_ON_B = "<socket_frame>/bodyset/b</socket_frame>"
_THREE = "".join(line(0.0, k) for k in (1.0, 2.0, 3.0))
_FORCES = {
    "CoordinateLimitForce": f"{_ON_Q}<lower_limit>0</lower_limit><upper_limit>1</upper_limit>",
    "SpringGeneralizedForce": f"{_ON_Q}<stiffness>1</stiffness>",
    "PathSpring": f"{_PATH}<resting_length>0.1</resting_length><stiffness>9</stiffness>"
    "<dissipation>0.1</dissipation>",
    "Ligament": f"{_PATH}<resting_length>0.1</resting_length><pcsa_force>9</pcsa_force>",
    "Blankevoort1991Ligament": f"{_PATH}<linear_stiffness>90</linear_stiffness>"
    "<slack_length>0.1</slack_length>",
    "BushingForce": _FRAMES + STIFF,
    "FunctionBasedBushingForce": f"{_FRAMES}<m_y_theta_y_function>{line(1.0, 0.0)}"
    "</m_y_theta_y_function>",
    "ExpressionBasedBushingForce": f"{_FRAMES}<Mx_expression>4*theta_x</Mx_expression>",
    "ExpressionBasedCoordinateForce": f"{_ON_Q}<expression>-q</expression>",
    "ExpressionBasedPointToPointForce": _TWO.format("body", "", "") + "<expression>d</expression>",
    "PointToPointSpring": _TWO.format("socket_body", "/", "/bodyset/")
    + "<stiffness>9</stiffness><rest_length>0.1</rest_length>",
    "PrescribedForce": _ON_B + functions("torqueFunctions", _THREE),
    "CoordinateActuator": f"{_ON_Q}<optimal_force>8</optimal_force>",
    "PointActuator": "<body>b</body><direction>0 1 0</direction><optimal_force>8</optimal_force>",
    "TorqueActuator": "<bodyA>b</bodyA><bodyB>ground</bodyB><axis>0 0 1</axis>"
    "<optimal_force>8</optimal_force>",
    "ActivationCoordinateActuator": f"{_ON_Q}<optimal_force>8</optimal_force>",
    "BodyActuator": "<socket_body>/bodyset/b</socket_body>",
    "PathActuator": f"{_PATH}<optimal_force>8</optimal_force>",
    "McKibbenActuator": f"{_PATH}<thread_length>0.3</thread_length>",
    "ClutchedPathSpring": f"{_PATH}<stiffness>9</stiffness><dissipation>0.1</dissipation>",
    "ExpressionBasedPathForce": f"{_PATH}<expression>9*s</expression>",
    "PointToPointActuator": "<bodyA>ground</bodyA><bodyB>b</bodyB><pointA>1 0 0</pointA>"
    "<optimal_force>8</optimal_force>",
}
_GEOMETRY = "<ContactGeometrySet><objects>"
_GEOMETRY += SPACE + sphere("ball", "/bodyset/b", "0 0 0", 0.1) + "</objects></ContactGeometrySet>"
_GEOMETRY += "<MarkerSet><objects><Marker name='x'><socket_parent_frame>/bodyset/b"
_GEOMETRY += "</socket_parent_frame><location>0 0 0</location></Marker></objects></MarkerSet>"
_BALL = "<ContactMesh name='stone'><socket_frame>/bodyset/b</socket_frame>"
_BALL += "<filename>stone.obj</filename></ContactMesh></objects></ContactGeometrySet>"
_GEOMETRY = _GEOMETRY.replace("</objects></ContactGeometrySet>", _BALL)
_CONTACTS = {
    "ElasticFoundationForce": hunt_crossley("x", "stone", "floor").replace(
        "HuntCrossleyForce", "ElasticFoundationForce"
    ),
    "HuntCrossleyForce": hunt_crossley("x", "ball", "floor"),
    "MeyerFregly2016Force": "<MeyerFregly2016Force name='x'>"
    "<socket_station>/markerset/x</socket_station></MeyerFregly2016Force>",
    "SmoothSphereHalfSpaceForce": "<SmoothSphereHalfSpaceForce name='x'>"
    "<socket_sphere>/contactgeometryset/ball</socket_sphere>"
    "<socket_half_space>/contactgeometryset/floor</socket_half_space>"
    f"{RUBBING.format(3e5, 0.2)}<transition_velocity>0.3</transition_velocity>"
    "</SmoothSphereHalfSpaceForce>",
}

_X = "<LinearFunction><coefficients>0.1 0</coefficients></LinearFunction>"
_POINTS = {
    "PathPoint": "",
    "ConditionalPathPoint": "<socket_coordinate>/jointset/j/q</socket_coordinate>"
    "<range>-1 1</range>",
    "MovingPathPoint": "".join(
        f"<socket_{a}_coordinate>/jointset/j/q</socket_{a}_coordinate>"
        f"<{a}_location>{_X}</{a}_location>"
        for a in "xyz"
    ),
}

_WRAPS = {
    "WrapCylinder": "<radius>0.01</radius><length>0.1</length>",
    "WrapSphere": "<radius>0.01</radius>",
    "WrapEllipsoid": "<dimensions>0.01 0.02 0.015</dimensions>",
    "WrapTorus": "<inner_radius>0.01</inner_radius><outer_radius>0.05</outer_radius>",
}


def muscle(kind="Thelen2003Muscle", point="PathPoint", wrap=""):
    """A muscle from ground to the body; its second point is of a kind."""
    first = (
        '<PathPoint name="p"><socket_parent_frame>/ground</socket_parent_frame>'
        "<location>0.3 0.3 0</location></PathPoint>"
    )
    second = (
        f'<{point} name="r"><socket_parent_frame>/bodyset/b</socket_parent_frame>'
        f"<location>0.1 0.2 0</location>{_POINTS[point]}</{point}>"
    )
    third = first.replace('"p"', '"s"').replace("/ground", "/bodyset/b")
    return (
        f'<{kind} name="x"><GeometryPath name="path"><PathPointSet><objects>{first}{second}{third}'
        f"</objects></PathPointSet>{wrap}</GeometryPath>"
        "<max_isometric_force>100</max_isometric_force>"
        "<optimal_fiber_length>0.1</optimal_fiber_length>"
        f"<tendon_slack_length>0.2</tendon_slack_length></{kind}>"
    )


def smallest(name, kinds, default):
    """Text of a file with an object of a class, and of one without; `default` is its XML."""
    kind = kinds[0]
    plain = model(body("b"), _PINS)
    if kind == "Joint":
        coordinates, inside = KINDS.get(name, (("u", "v", "w"), ""))
        if name == "CustomJoint":
            coordinates = ("u",)
            inside = spatial([axis("rotation1", "u", "1 0 0", FUNCTIONS["linear"])])
        more = joint(name, "x", "b", "c", coordinates, inside)
        return model(body("b") + body("c"), _PINS + more), None
    if name in HELD or name == "RollingOnSurfaceConstraint":
        text = two_chains(name, HELD.get(name, ""))
        return text, two_chains(name, "<isEnforced>false</isEnforced>" + HELD.get(name, ""))
    if kind == "Constraint":
        text = coupled(COUPLED["sum"])
        off = "<isEnforced>false</isEnforced></CoordinateCouplerConstraint>"
        return text, text.replace("</CoordinateCouplerConstraint>", off)
    if kind == "Function":
        given = _FUNCTIONS.get(name, default)
        coordinates, inside = ("u",), spatial([axis("rotation1", "u", "1 0 0", given)])
        if name == "Constant":
            line = axis("rotation2", "u", "0 1 0", FUNCTIONS["linear"])
            inside = spatial([axis("rotation1", "u", "1 0 0", given), line])
        more = joint("CustomJoint", "x", "b", "c", coordinates, inside)
        return model(body("b") + body("c"), _PINS + more), None
    if kind == "Force" and is_muscle(name):
        return model(body("b"), _PINS, forces=muscle(name)), plain
    if name in _FORCES:
        return model(body("b"), _PINS, forces=f'<{name} name="x">{_FORCES[name]}</{name}>'), plain
    if name in _CONTACTS:
        text = model(body("b"), _PINS, forces=_CONTACTS[name], more=_GEOMETRY)
        return text, model(body("b"), _PINS, more=_GEOMETRY)
    if kind == "Force":
        return model(body("b"), _PINS, forces=default), plain
    if kind in _SETS:
        held = f"<{_SETS[kind]}><objects>{default}</objects></{_SETS[kind]}>"
        return model(body("b"), _PINS, more=held), plain
    if kind == "Geometry":
        inside = f"<attached_geometry>{default}</attached_geometry>"
        return model(body("b", inside), _PINS), plain
    if kind == "WrapObject" or name in ("PathWrap", "WrapObjectSet"):
        own = name if kind == "WrapObject" else "WrapCylinder"
        surface = f'<{own} name="w">{_WRAPS[own]}</{own}>'
        inside = f"<WrapObjectSet><objects>{surface}</objects></WrapObjectSet>"
        wrap = (
            '<PathWrapSet><objects><PathWrap name="y"><wrap_object>w</wrap_object>'
            "<method>hybrid</method><range>-1 -1</range></PathWrap></objects></PathWrapSet>"
        )
        text = model(body("b", inside), _PINS, forces=muscle(wrap=wrap))
        return text, model(body("b"), _PINS, forces=muscle())
    if name in _POINTS or name == "GeometryPath":
        point = name if name in _POINTS else "PathPoint"
        less = muscle() if point != "PathPoint" else ""
        return model(body("b"), _PINS, forces=muscle(point=point)), model(
            body("b"), _PINS, forces=less
        )
    if name in ("Body", "BodySet", "Coordinate", "JointSet"):
        more = joint("SliderJoint", "k", "b", "c", ("s",))
        return model(body("b") + body("c"), _PINS + more), plain
    if name == "ForceSet":
        return smallest("SpringGeneralizedForce", ["Force"], "")
    if name == "ConstraintSet":
        return smallest("CoordinateCouplerConstraint", ["Constraint"], "")
    if name == "PhysicalOffsetFrame":
        inner = frame("inner", "..", "0.1 0 0", "0 0.2 0")
        outer = _PINS.replace("/bodyset/b<", "/bodyset/b/inner<")
        return model(body("b", f"<components>{inner}</components>"), outer), plain
    if name == "Ground":
        return model(body("b"), _PINS, more='<Ground name="ground"/>'), plain
    if name == "Model":
        return plain, None
    if name in ("MarkerSet", "Marker"):
        held = '<MarkerSet><objects><Marker name="x"><socket_parent_frame>/bodyset/b'
        held += "</socket_parent_frame><location>0 0 0</location></Marker></objects></MarkerSet>"
        return model(body("b"), _PINS, more=held), plain
    if name in _SETS.values():
        inside = {"ControllerSet": "<PrescribedController/>", "ProbeSet": "<SystemEnergyProbe/>"}
        held = inside.get(name, "<ContactSphere/>")
        held = f"<{name}><objects>{held}</objects></{name}>"
        return model(body("b"), _PINS, more=held), plain
    return model(body("b"), _PINS, more=f"<components>{default}</components>"), plain


def is_muscle(name):
    return name.removesuffix("_Deprecated").endswith("Muscle")


def signature(read):
    """What moves, and by what."""
    return (
        [one.name for one in read.bodies],
        [np.round(read.joint_of(one).child_at, 9).tolist() for one in read.bodies[1:]],
        [[len(axis.pairs) for axis in one.axes] for one in read.joints],
        [(one.name, len(one.laws), one.prescribed is not None) for one in read.coordinates],
        [one.name for one in read.couplings],
        [type(one).__name__ for one in read.elements],
        [
            (one.name, len(one.wraps), [type(point).__name__ for point in one.points])
            for one in read.muscles
        ],
    )


def fate(folder, name, kinds, default):
    """What an import does with an object of a class."""
    file = folder / "one.osim"
    write_obj(folder / "stone.obj", *icosphere(0, 0.1))
    with_it, without = smallest(name, kinds, default)
    file.write_text(with_it)
    try:
        read = fm.read_osim(file)
    except fm.ModelError as error:
        return REFUSED, str(error)
    told = [(one.kind, one.text) for one in read.import_report.entries]
    if kinds[0] == "Force" and is_muscle(name):
        if not read.muscles:
            return LOST, str(told)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            acts = fm.with_muscle_forces(read, 0.5).muscles[0].law is not None
        return (ACTS if acts else LOST), str(told)
    acts = without is None
    if without is not None:
        file.write_text(without)
        acts = signature(fm.read_osim(file)) != signature(read)
    if acts:
        return ACTS, str(told)
    plain = {(one.kind, one.text) for one in fm.read_osim(file).import_report.entries}
    new = [one for one in told if one not in plain]
    if any(kind == "not understood" for kind, _ in new):
        return LOST, str(new)
    return IDLE, str(new)
