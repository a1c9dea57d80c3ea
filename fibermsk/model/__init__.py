"""What the user describes: bodies, joints, fibers, tissue, contacts, activations, scenes."""

from fibermsk.model.activation import Constant, Ramp, Table
from fibermsk.model.axis import Axis
from fibermsk.model.body import Body, Capsule, InfiniteCylinder, Station
from fibermsk.model.contact import Contact
from fibermsk.model.coordinate import Coordinate
from fibermsk.model.coupling import Coupling
from fibermsk.model.fiber import Fiber
from fibermsk.model.function import (
    Linear,
    NaturalSpline,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
)
from fibermsk.model.joint import FunctionalJoint, Hinge, Slider, Weld
from fibermsk.model.joints import Cylindrical, Free, Planar, Spherical, Universal
from fibermsk.model.line_muscle import (
    ConditionalPathPoint,
    LineMuscle,
    MovingPathPoint,
    PathPoint,
)
from fibermsk.model.mesh import Mesh, MeshReport
from fibermsk.model.model import Model
from fibermsk.model.moving_point import MovingPoint
from fibermsk.model.profile import sample_profile
from fibermsk.model.scene import Scene
from fibermsk.model.tissue import Tissue
from fibermsk.model.wrap import (
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapTorus,
)

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
