"""A valid call of each class that describes a model, and a model that it becomes part of."""

from parts import (
    IDENTITY,
    INERTIA,
    O3,
    TETRAHEDRON,
    Call,
    contact_fibers,
    hinge,
    motion,
    moved,
    path_across,
    placed,
    points,
    surface,
    with_activation,
    with_axis,
    with_body,
    with_contact,
    with_coordinate,
    with_coupling,
    with_element,
    with_force,
    with_function,
    with_network,
    with_own_joint,
    with_point,
    with_shape,
    with_tissue,
    with_wrap,
)

import fibermsk as fm


def ball(size, x, g, H):
    for r in range(3):
        g[r] = 2.0 * x[r]
        for c in range(3):
            H[r, c] = 2.0 if r == c else 0.0
    return x[0] ** 2 + x[1] ** 2 + x[2] ** 2 - size[0] ** 2


def with_active(parts, **curves):
    active = fm.HillStress(3e5, **curves)
    return with_tissue(parts, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=active))


def with_law(p, law):
    points = [fm.PathPoint("p", p.bone.at(O3)), fm.PathPoint("q", p.other.at(0.0, 0.0, 0.2))]
    numbers = {
        "max_isometric_force": 100.0,
        "optimal_fiber_length": 0.1,
        "tendon_slack_length": 0.1,
    }
    p.with_bodies().add(fm.LineMuscle("m", points, law=law, activation=0.5, **numbers))
    return p.model


def of(curves, **more):
    """A call of a class of curves with its default values, and some others."""
    return Call(
        curves,
        lambda p: {name: getattr(curves(), name) for name in curves.__dataclass_fields__} | more,
        lambda p, x: with_law(p, fm.HillLaw(x)),
    )


DESCRIBED = {
    "ActivationDynamics": Call(
        fm.ActivationDynamics,
        lambda p: {
            "excitation": 0.5,
            "law": fm.SmoothActivation(),
            "start": 0.1,
            "name": "calf",
        },
        with_activation,
    ),
    "ActiveStress": Call(
        fm.ActiveStress,
        lambda p: {"max_stress": 3e5, "optimal_stretch": 1.3, "width": 0.3, "exponent": 4.0},
        lambda p, x: with_tissue(p, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=x)),
    ),
    "Axis": Call(
        fm.Axis,
        lambda p: {"kind": "rotation", "direction": (0, 0, 1), "terms": "q", "offset": 0.0},
        with_axis,
    ),
    "BellForceLength": Call(
        fm.BellForceLength,
        lambda p: {"width": 0.4, "exponent": 3.0},
        lambda p, x: with_active(p, force_length=x),
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
        with_body,
    ),
    "Bushing": Call(
        fm.Bushing,
        lambda p: {
            "name": "b",
            "first": p.ground.at((0.0, 0.0, 0.05)),
            "second": p.bone.at((0.01, 0.0, 0.0)),
            "first_axes": IDENTITY,
            "second_axes": IDENTITY,
            "rotational_stiffness": (1.0, 2.0, 3.0),
            "translational_stiffness": (10.0, 20.0, 30.0),
            "rotational_damping": (0.1, 0.2, 0.3),
            "translational_damping": (1.0, 2.0, 3.0),
            "moments": (None, "2*theta_x*delta_z", fm.Linear(3.0)),
            "forces": (None, None, "delta_x^3"),
        },
        with_element,
    ),
    "Capsule": Call(
        fm.Capsule, lambda p: {"start": O3, "end": (0, 0, 0.1), "radius": 0.02}, with_shape
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
        with_point,
    ),
    "Constant": Call(fm.Constant, lambda p: {"value": 0.5}, with_activation),
    "Contact": Call(
        fm.Contact,
        lambda p: {
            "first": contact_fibers(p)[0],
            "second": contact_fibers(p)[1],
            "law": p.law,
            "points_per_element": 5,
            "formulation": "variational",
            "refine": True,
            "guard": True,
            "name": "touch",
            "friction": fm.Friction(0.3, 1e-3),
        },
        with_contact,
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
        with_coordinate,
    ),
    "CoordinateActuator": Call(
        fm.CoordinateActuator,
        lambda p: {"name": "a", "coordinate": "q", "force": fm.Linear()},
        with_element,
    ),
    "CoordinateController": Call(
        fm.CoordinateController,
        lambda p: {"name": "c", "coordinate": "q", "target": fm.Linear(), "kp": 3.0, "kd": 0.1},
        with_element,
    ),
    "CoordinateFormula": Call(
        fm.CoordinateFormula,
        lambda p: {"name": "f", "coordinate": "q", "force": "-3*q^3 - 0.1*qdot"},
        with_element,
    ),
    "Coupling": Call(
        fm.Coupling,
        lambda p: {
            "dependent": "b",
            "function": fm.Linear(),
            "independent": "a",
            "enforce": "eliminate",
        },
        with_coupling,
    ),
    "Cylindrical": Call(
        fm.Cylindrical,
        lambda p: placed(p, axis=(0, 0, 1), coordinates=None, damping=0.1),
        with_own_joint,
    ),
    "Damper": Call(fm.Damper, lambda p: {"damping": 0.1}, with_force),
    "ExternalForce": Call(
        fm.ExternalForce,
        lambda p: {
            "name": "load",
            "body": p.bone,
            "force": (0.0, 0.0, -5.0),
            "at": (0.1, 0.0, 0.0),
            "torque": lambda t: (0.0, 0.0, t),
            "frame": "ground",
            "at_frame": "body",
        },
        with_element,
    ),
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
    "ForcePair": Call(
        fm.ForcePair,
        lambda p: {
            "name": "f",
            "first": p.ground.at((0.0, 0.0, 0.5)),
            "second": p.bone.at((0.1, 0.0, 0.0)),
            "force": fm.Linear(),
        },
        with_element,
    ),
    "Free": Call(
        fm.Free,
        lambda p: placed(p, position=O3, velocity=O3, quaternion=(1, 0, 0, 0), angular_velocity=O3),
        with_own_joint,
    ),
    "FunctionalJoint": Call(
        fm.FunctionalJoint,
        lambda p: placed(
            p,
            coordinates=fm.Coordinate("q"),
            axes=fm.Axis("rotation", (0, 0, 1), "q"),
            quaternion=(),
        ),
        with_own_joint,
    ),
    "Hinge": Call(fm.Hinge, hinge, with_own_joint),
    "InfiniteCylinder": Call(
        fm.InfiniteCylinder, lambda p: {"point": O3, "axis": (0, 0, 1), "radius": 0.02}, with_shape
    ),
    "DeGrooteForceLength": Call(
        fm.DeGrooteForceLength,
        lambda p: {"pennation_angle": 0.2},
        lambda p, x: with_active(p, force_length=x),
    ),
    "DeGrooteForceVelocity": Call(
        fm.DeGrooteForceVelocity,
        lambda p: {"toe": 0.05},
        lambda p, x: with_active(p, force_velocity=x),
    ),
    "GaussianForceLength": Call(
        fm.GaussianForceLength,
        lambda p: {"below": 0.5, "above": 0.4},
        lambda p, x: with_active(p, force_length=x),
    ),
    "HillForceVelocity": Call(
        fm.HillForceVelocity,
        lambda p: {
            "curvature": 0.2,
            "eccentric": 1.4,
            "steepness": 3.0,
            "smoothing": 0.5,
            "toe": 0.05,
        },
        lambda p, x: with_active(p, force_velocity=x),
    ),
    "HillLaw": Call(
        fm.HillLaw,
        lambda p: {
            "curves": fm.ThelenCurves(),
            "tendon": "rigid",
            "damping": 0.1,
            "min_activation": 0.01,
            "max_pennation_angle": 1.4,
            "pull_only": True,
        },
        with_law,
    ),
    "DeGrooteCurves": of(fm.DeGrooteCurves, slack_width=0.01),
    "FittedMillardCurves": of(fm.FittedMillardCurves),
    "MillardCurves": of(fm.MillardCurves),
    "ThelenCurves": of(fm.ThelenCurves),
    "HillStress": Call(
        fm.HillStress,
        lambda p: {
            "max_stress": 3e5,
            "optimal_stretch": 1.1,
            "max_velocity": 8.0,
            "force_length": fm.DeGrooteForceLength(),
            "force_velocity": fm.HillForceVelocity(),
            "stress": "nominal",
        },
        lambda p, x: with_tissue(p, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), active=x)),
    ),
    "JointTorque": Call(
        fm.JointTorque,
        lambda p: {"name": "t", "joint": p.ball, "torque": (0.1, 0, 0), "damping": 0.1},
        lambda p, x: p.with_joint(x.joint).add(x) and p.model,
    ),
    "KelvinVoigt": Call(
        fm.KelvinVoigt,
        lambda p: {"shear_modulus": 2e4, "viscosity": 1e3},
        lambda p, x: with_tissue(p, fm.Tissue(1060.0, x)),
    ),
    "Ligament": Call(
        fm.Ligament,
        lambda p: {
            "name": "l",
            "points": path_across(p),
            "wraps": (),
            "rest_length": 0.1,
            "force": 50.0,
            "curve": fm.SimmSpline((0.0, 1.0, 1.5, 2.0, 4.0), (0.0, 0.0, 0.2, 0.8, 3.0)),
        },
        with_element,
    ),
    "LineMuscle": Call(
        fm.LineMuscle,
        lambda p: {
            "name": "m",
            "points": [fm.PathPoint("p", p.bone.at(O3)), fm.PathPoint("q", p.other.at(0.2, 0, 0))],
            "wraps": (),
            "max_isometric_force": 100.0,
            "optimal_fiber_length": 0.1,
            "tendon_slack_length": 0.1,
            "pennation_angle": 0.1,
            "max_contraction_velocity": 10.0,
            "law": fm.HillLaw(),
            "activation": 0.5,
            "mass": 0.2,
            "kind": "Thelen",
            "parameters": {"a": 1.0},
        },
        lambda p, x: p.with_bodies().add(x) and p.model,
    ),
    "Linear": Call(fm.Linear, lambda p: {"slope": 1.0, "intercept": 0.0}, with_function),
    "MuscleMass": Call(
        fm.MuscleMass,
        lambda p: {
            "mass": 0.2,
            "along": (0.1, 0.9),
            "profile": (1.0, 2.0),
            "points": None,
            "wrapping": "blend",
            "blend": 0.1,
        },
        lambda p, x: p.with_bodies().add(p.muscle(mass=x)) and p.model,
    ),
    "Mesh": Call(
        fm.Mesh,
        lambda p: {
            "vertices": TETRAHEDRON[0],
            "faces": TETRAHEDRON[1],
            "name": "t",
            "radius": 0.02,
            "spacing": 0.02,
        },
        with_shape,
    ),
    "Marker": Call(
        fm.Marker,
        lambda p: {"name": "m", "station": p.bone.at(O3)},
        lambda p, x: p.with_bone().add(x) and p.model,
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
        with_point,
    ),
    "MovingPoint": Call(
        fm.MovingPoint, lambda p: {"motion": motion, "velocity": None, "acceleration": None}, moved
    ),
    "NaturalSpline": Call(fm.NaturalSpline, lambda p: {**points(p), "degree": 3}, with_function),
    "PathPoint": Call(fm.PathPoint, lambda p: {"name": "p", "station": p.bone.at(O3)}, with_point),
    "PathSpring": Call(
        fm.PathSpring,
        lambda p: {
            "name": "s",
            "points": path_across(p),
            "wraps": (),
            "stiffness": 100.0,
            "rest_length": 0.1,
            "dissipation": 0.5,
        },
        with_element,
    ),
    "PathWrap": Call(
        fm.PathWrap,
        lambda p: {
            "shape": fm.WrapCylinder("s", p.bone, radius=0.02),
            "first": 1,
            "last": 2,
            "method": "hybrid",
            "side": -1,
            "inside": "refuse",
        },
        lambda p, x: p.with_muscle(wraps=[x]),
    ),
    "PenaltyContact": Call(
        fm.PenaltyContact,
        lambda p: {"stiffness": 768.0, "limit": 3.0},
        lambda p, x: with_contact(p, fm.Contact(*contact_fibers(p), x)),
    ),
    "PiecewiseActivation": Call(
        fm.PiecewiseActivation,
        lambda p: {
            "activation_time": 0.015,
            "deactivation_time": 0.06,
            "variation": 1.0,
            "min_activation": 0.01,
        },
        lambda p, x: with_activation(p, fm.ActivationDynamics(0.5, x)),
    ),
    "PiecewiseConstant": Call(
        fm.PiecewiseConstant,
        lambda p: {"x": [0.0, 0.1, 0.2], "y": [0.5, 1.0]},
        lambda p, x: with_element(p, fm.CoordinateActuator("a", "q", x)),
    ),
    "PiecewiseLinear": Call(fm.PiecewiseLinear, points, with_function),
    "Planar": Call(
        fm.Planar,
        lambda p: placed(p, normal=(0, 0, 1), along=None, coordinates=None, damping=0.1),
        with_own_joint,
    ),
    "PointConstraint": Call(
        fm.PointConstraint,
        lambda p: {
            "name": "s",
            "first": p.ground.at((0.0, 0.0, 0.5)),
            "second": p.bone.at((0.1, 0.0, 0.0)),
            "distance": 0.5,
            "directions": ((1.0, 0.0, 0.0),),
        },
        with_element,
    ),
    "PointOnLineConstraint": Call(
        fm.PointOnLineConstraint,
        lambda p: {
            "name": "s",
            "line": p.ground.at((0.0, 0.0, 0.5)),
            "point": p.bone.at((0.1, 0.0, 0.0)),
            "direction": (1.0, 0.0, 0.2),
        },
        with_element,
    ),
    "WeldConstraint": Call(
        fm.WeldConstraint,
        lambda p: {
            "name": "s",
            "first": p.ground.at((0.0, 0.0, 0.5)),
            "second": p.bone.at((0.1, 0.0, 0.0)),
            "rotation": IDENTITY,
        },
        with_element,
    ),
    "Friction": Call(
        fm.Friction,
        lambda p: {"coefficient": 0.3, "speed": 1e-3},
        lambda p, x: with_contact(p, fm.Contact(*contact_fibers(p), p.law, friction=x)),
    ),
    "Junction": Call(
        fm.Junction,
        lambda p: {
            "name": "knot",
            "parent": p.ground,
            "position": (0.0, 0.0, -0.1),
            "velocity": (0.0, 0.0, 0.0),
            "mass": 0.01,
        },
        lambda p, x: p.model.add(x) and p.model,
    ),
    "PointFormula": Call(
        fm.PointFormula,
        lambda p: {
            "name": "f",
            "first": p.ground.at((0.0, 0.0, 0.5)),
            "second": p.bone.at((0.1, 0.0, 0.0)),
            "force": "100*(d - 0.4) + ddot",
        },
        with_element,
    ),
    "ActivationActuator": Call(
        fm.ActivationActuator,
        lambda p: {
            "name": "a",
            "coordinate": "q",
            "excitation": fm.Linear(),
            "force": 3.0,
            "time_constant": 0.02,
            "start": 0.1,
        },
        with_element,
    ),
    "PathActuator": Call(
        fm.PathActuator,
        lambda p: {"name": "a", "points": path_across(p), "wraps": (), "force": fm.Linear()},
        with_element,
    ),
    "PneumaticActuator": Call(
        fm.PneumaticActuator,
        lambda p: {
            "name": "a",
            "points": path_across(p),
            "wraps": (),
            "pressure": fm.Linear(),
            "thread_length": 0.3,
            "turns": 2.0,
            "cord_length": 0.01,
        },
        with_element,
    ),
    "PathFormula": Call(
        fm.PathFormula,
        lambda p: {
            "name": "f",
            "points": path_across(p),
            "wraps": (),
            "force": "90*s + ldot",
            "rest_length": 0.1,
            "slack": True,
        },
        with_element,
    ),
    "ClutchedSpring": Call(
        fm.ClutchedSpring,
        lambda p: {
            "name": "c",
            "points": path_across(p),
            "wraps": (),
            "control": fm.Linear(),
            "stiffness": 90.0,
            "dissipation": 0.1,
            "time_constant": 0.01,
            "start": 0.01,
        },
        with_element,
    ),
    "PointContact": Call(
        fm.PointContact,
        lambda p: {
            "name": "c",
            "point": p.bone.at((0.1, 0.0, 0.0)),
            "stiffness": 1e4,
            "dissipation": 0.1,
            "height": -0.1,
            "dynamic_friction": 0.5,
            "viscous_friction": 0.1,
            "latch_velocity": 0.05,
            "up": (0.0, 0.0, 1.0),
        },
        with_element,
    ),
    "EllipsoidContact": Call(
        fm.EllipsoidContact,
        lambda p: {
            "name": "c",
            "ellipsoid": p.bone.at((0.1, 0.0, 0.0)),
            "other": p.ground.at((0.15, 0.0, 0.0)),
            "radii": (0.1, 0.2, 0.15),
            "own_axes": IDENTITY,
            "axes": IDENTITY,
            "stiffness": 1e5,
            "share": 0.5,
            "dissipation": 0.5,
            "static_friction": 0.8,
            "dynamic_friction": 0.6,
            "viscous_friction": 0.1,
            "transition_velocity": 0.05,
        },
        with_element,
    ),
    "MeshContact": Call(
        fm.MeshContact,
        lambda p: {
            "name": "c",
            "body": p.bone,
            "other": p.ground.at((0.05, 0.0, 0.0)),
            "mesh": fm.Mesh(*TETRAHEDRON),
            "radius": 0.0,
            "surface": fm.Mesh(*TETRAHEDRON),
            "axes": IDENTITY,
            "stiffness": 1e5,
            "dissipation": 0.5,
            "static_friction": 0.8,
            "dynamic_friction": 0.6,
            "viscous_friction": 0.1,
            "transition_velocity": 0.05,
        },
        with_element,
    ),
    "SphereContact": Call(
        fm.SphereContact,
        lambda p: {
            "name": "c",
            "sphere": p.bone.at((0.1, 0.0, 0.0)),
            "other": p.ground.at((0.15, 0.0, 0.0)),
            "radius": 0.1,
            "other_radius": 0.0,
            "axes": IDENTITY,
            "stiffness": 1e5,
            "share": 0.5,
            "dissipation": 0.5,
            "static_friction": 0.8,
            "dynamic_friction": 0.6,
            "viscous_friction": 0.1,
            "transition_velocity": 0.05,
            "smooth": (1e-5, 300.0, 50.0),
        },
        with_element,
    ),
    "ToeLigament": Call(
        fm.ToeLigament,
        lambda p: {
            "name": "l",
            "points": path_across(p),
            "wraps": (),
            "slack_length": 0.1,
            "stiffness": 500.0,
            "transition_strain": 0.06,
            "damping": 0.01,
        },
        with_element,
    ),
    "TorquePair": Call(
        fm.TorquePair,
        lambda p: {
            "name": "t",
            "first": p.bone,
            "second": p.ground,
            "torque": fm.Linear(),
            "axis": (0.0, 0.0, 1.0),
            "frame": "first",
        },
        with_element,
    ),
    "ViaRing": Call(
        fm.ViaRing,
        lambda p: {
            "name": "ring",
            "center": p.ground.at(0.05, 0.0, 0.0),
            "fibers": ["biceps"],
            "radius": 1e-3,
            "stiffness": 1e4,
            "band": 5e-4,
            "active": fm.CoordinateRange("elbow", -0.1, 0.4),
        },
        lambda p, x: p.with_fiber() and p.with_bone() and p.model.add(x) and p.model,
    ),
    "CoordinateRange": Call(
        fm.CoordinateRange,
        lambda p: {"coordinate": "q", "lower": -0.1, "upper": 0.4, "transition": 0.1},
    ),
    "WholeMuscle": Call(
        fm.WholeMuscle,
        lambda p: {
            "optimal_fiber_length": 0.04,
            "max_isometric_force": 20.0,
            "tissue": fm.Tissue(
                1060.0, fm.KelvinVoigt(1e2, 1e3), active=fm.HillStress(3e5, max_velocity=5.0)
            ),
            "activation": fm.PiecewiseActivation(),
            "tendon_slack_length": 0.03,
            "tendon_strain": 0.03,
            "pennation_angle": 0.1,
        },
        lambda p, x: x.model(lambda t: x.optimal_length, 0.5),
    ),
    "PointSpring": Call(
        fm.PointSpring,
        lambda p: {
            "name": "s",
            "first": p.ground.at((0.0, 0.0, 0.5)),
            "second": p.bone.at((0.1, 0.0, 0.0)),
            "stiffness": 100.0,
            "rest_length": 0.4,
            "damping": 1.0,
            "slack": False,
        },
        with_element,
    ),
    "Polynomial": Call(fm.Polynomial, lambda p: {"coefficients": (0.0, 1.0, 0.1)}, with_function),
    "QuadraticLimit": Call(
        fm.QuadraticLimit, lambda p: {"lower": -1.0, "upper": 1.0, "stiffness": 10.0}, with_force
    ),
    "Ramp": Call(fm.Ramp, lambda p: {"start": 0.0, "end": 1.0, "value": 0.5}, with_activation),
    "Reflex": Call(
        fm.Reflex,
        lambda p: {
            "gain": 2.0,
            "threshold": 1.0,
            "delay": 0.03,
            "fiber": "biceps",
            "coordinate": None,
            "measure": None,
            "rate_gain": 0.1,
            "base": 0.1,
        },
        lambda p, x: with_activation(p, fm.ActivationDynamics(x)),
    ),
    "Sine": Call(
        fm.Sine,
        lambda p: {"amplitude": 0.5, "rate": 2.0, "phase": 0.1, "offset": 0.2},
        with_function,
    ),
    "SmoothStep": Call(
        fm.SmoothStep,
        lambda p: {"start": 0.0, "end": 0.5, "before": 0.1, "after": 0.3},
        with_function,
    ),
    "MultivariatePolynomial": Call(
        fm.MultivariatePolynomial,
        lambda p: {"powers": [[1], [2]], "coefficients": [0.5, 0.2]},
        lambda p, x: with_coupling(p, fm.Coupling("b", x, "a")),
    ),
    "Scaled": Call(fm.Scaled, lambda p: {"function": fm.Linear(), "factor": 2.0}, with_function),
    "Scene": Call(
        fm.Scene,
        lambda p: {
            "model": p.with_fiber(),
            "duration": 1.0,
            "steps": 10,
            "start": "initial",
            "method": "bdf2",
            "tolerance": 1e-3,
            "rate_tolerance": 1e-3,
            "observers": (),
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
            "degrees_said": True,
            "treatment": (),
        },
        None,
    ),
    "SimmSpline": Call(fm.SimmSpline, points, with_function),
    "Slider": Call(fm.Slider, hinge, with_own_joint),
    "SmoothActivation": Call(
        fm.SmoothActivation,
        lambda p: {"activation_time": 0.015, "deactivation_time": 0.06, "sharpness": 10.0},
        lambda p, x: with_activation(p, fm.ActivationDynamics(0.5, x)),
    ),
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
        with_force,
    ),
    "Spherical": Call(
        fm.Spherical,
        lambda p: placed(p, quaternion=(1, 0, 0, 0), angular_velocity=O3),
        with_own_joint,
    ),
    "Spring": Call(fm.Spring, lambda p: {"stiffness": 10.0, "rest": 0.0}, with_force),
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
        lambda p, x: with_tissue(p, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), stiffening=x)),
    ),
    "Table": Call(fm.Table, lambda p: {"times": (0.0, 1.0), "values": (0.0, 1.0)}, with_activation),
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
            "titin": None,
            "gradient": None,
        },
        with_tissue,
    ),
    "Titin": Call(
        fm.Titin,
        lambda p: {
            "stress": 3e5,
            "optimal_stretch": 1.1,
            "share": 0.9,
            "near_share": 0.6,
            "fixed_length": 0.1,
            "passive_damping": 0.1,
            "active_damping": 200.0,
            "strain": 0.6,
            "shape": 4.0,
        },
        lambda p, x: with_tissue(p, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), titin=x)),
    ),
    "StretchGradient": Call(
        fm.StretchGradient,
        lambda p: {"stress": 3e5, "length": 0.01, "power": 1.0},
        lambda p, x: with_tissue(p, fm.Tissue(1060.0, fm.KelvinVoigt(2e4, 1e3), gradient=x)),
    ),
    "Universal": Call(
        fm.Universal,
        lambda p: placed(p, first=(1, 0, 0), second=(0, 1, 0), coordinates=None, damping=0.1),
        with_own_joint,
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
        lambda p, x: with_own_joint(p, x).add(p.fiber()) and p.model,
    ),
    "WrapCappedCylinder": Call(
        fm.WrapCappedCylinder,
        lambda p: surface(p, position=(0.1, -0.06, 0.0), radius=0.05),
        with_network,
    ),
    "WrapCylinder": Call(fm.WrapCylinder, lambda p: surface(p, radius=0.02, length=0.1), with_wrap),
    "WrapEllipsoid": Call(fm.WrapEllipsoid, lambda p: surface(p, radii=(0.1, 0.1, 0.2)), with_wrap),
    "WrapLevelSet": Call(
        fm.WrapLevelSet,
        lambda p: surface(p, level=ball, size=(0.1, 0.1, 0.2), center=O3, reach=0.3),
        with_wrap,
    ),
    "WrapSphere": Call(fm.WrapSphere, lambda p: surface(p, radius=0.02), with_wrap),
    "WrapTorus": Call(
        fm.WrapTorus, lambda p: surface(p, inner_radius=0.02, outer_radius=0.1), with_wrap
    ),
}
