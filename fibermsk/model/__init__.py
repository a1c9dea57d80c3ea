"""What the user describes: bodies, joints, fibers, tissue, contacts, activations, scenes."""

from fibermsk.model.contact import Contact
from fibermsk.model.function import (
    Linear,
    NaturalSpline,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
)
from fibermsk.model.model import Model
from fibermsk.model.muscles.activation import Constant, Ramp, Table
from fibermsk.model.muscles.fiber import Fiber
from fibermsk.model.muscles.line_muscle import (
    ConditionalPathPoint,
    LineMuscle,
    MovingPathPoint,
    PathPoint,
)
from fibermsk.model.muscles.profile import sample_profile
from fibermsk.model.muscles.tissue import Tissue
from fibermsk.model.muscles.wrap import (
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)
from fibermsk.model.scene import Scene
from fibermsk.model.skeleton.axis import Axis
from fibermsk.model.skeleton.body import Body, Capsule, InfiniteCylinder, Station
from fibermsk.model.skeleton.coordinate import Coordinate
from fibermsk.model.skeleton.coupling import Coupling
from fibermsk.model.skeleton.joint import FunctionalJoint, Hinge, Slider, Weld
from fibermsk.model.skeleton.joints import Cylindrical, Free, Planar, Spherical, Universal
from fibermsk.model.skeleton.mesh import Mesh, MeshReport
from fibermsk.model.skeleton.moving_point import MovingPoint

__all__ = [
    "Axis",
    "Body",
    "Capsule",
    "ConditionalPathPoint",
    "Constant",
    "Contact",
    "Coordinate",
    "Coupling",
    "Cylindrical",
    "Fiber",
    "Free",
    "FunctionalJoint",
    "Hinge",
    "InfiniteCylinder",
    "LineMuscle",
    "Linear",
    "Mesh",
    "MeshReport",
    "Model",
    "MovingPathPoint",
    "MovingPoint",
    "NaturalSpline",
    "PathPoint",
    "PathWrap",
    "PiecewiseLinear",
    "Planar",
    "Polynomial",
    "Ramp",
    "Scaled",
    "Scene",
    "SimmSpline",
    "Slider",
    "Spherical",
    "Station",
    "Table",
    "Tissue",
    "Universal",
    "Weld",
    "WrapCylinder",
    "WrapEllipsoid",
    "WrapSphere",
    "WrapTorus",
    "sample_profile",
]
