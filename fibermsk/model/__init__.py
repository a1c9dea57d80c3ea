"""What the user describes: bodies, joints, fibers, tissue, contacts, activations, scenes."""

from fibermsk.model.contact import Contact as Contact
from fibermsk.model.function import (
    Linear as Linear,
    NaturalSpline as NaturalSpline,
    PiecewiseConstant as PiecewiseConstant,
    PiecewiseLinear as PiecewiseLinear,
    Polynomial as Polynomial,
    Scaled as Scaled,
    SimmSpline as SimmSpline,
    Sine as Sine,
    SmoothStep as SmoothStep,
)
from fibermsk.model.model import Model as Model
from fibermsk.model.multivariate import MultivariatePolynomial as MultivariatePolynomial
from fibermsk.model.muscles.activation import Constant as Constant, Ramp as Ramp, Table as Table
from fibermsk.model.muscles.dynamics import ActivationDynamics as ActivationDynamics
from fibermsk.model.muscles.fiber import Fiber as Fiber
from fibermsk.model.muscles.level_set import WrapLevelSet as WrapLevelSet
from fibermsk.model.muscles.line_muscle import (
    ConditionalPathPoint as ConditionalPathPoint,
    LineMuscle as LineMuscle,
    MovingPathPoint as MovingPathPoint,
    PathPoint as PathPoint,
)
from fibermsk.model.muscles.mass import MuscleMass as MuscleMass
from fibermsk.model.muscles.reflex import Reflex as Reflex
from fibermsk.model.muscles.tissue import Tissue as Tissue
from fibermsk.model.muscles.wrap import (
    PathWrap as PathWrap,
    WrapCappedCylinder as WrapCappedCylinder,
    WrapCylinder as WrapCylinder,
    WrapEllipsoid as WrapEllipsoid,
    WrapSphere as WrapSphere,
    WrapTorus as WrapTorus,
)
from fibermsk.model.scene import Scene as Scene
from fibermsk.model.skeleton.axis import Axis as Axis
from fibermsk.model.skeleton.body import (
    Body as Body,
    Capsule as Capsule,
    InfiniteCylinder as InfiniteCylinder,
    Station as Station,
)
from fibermsk.model.skeleton.coordinate import Coordinate as Coordinate
from fibermsk.model.skeleton.coordinate_range import CoordinateRange as CoordinateRange
from fibermsk.model.skeleton.coupling import Coupling as Coupling
from fibermsk.model.skeleton.joint import (
    FunctionalJoint as FunctionalJoint,
    Hinge as Hinge,
    Slider as Slider,
    Weld as Weld,
)
from fibermsk.model.skeleton.joints import (
    Cylindrical as Cylindrical,
    Free as Free,
    Planar as Planar,
    Spherical as Spherical,
    Universal as Universal,
)
from fibermsk.model.skeleton.junction import Junction as Junction
from fibermsk.model.skeleton.marker import Marker as Marker
from fibermsk.model.skeleton.mesh import Mesh as Mesh, MeshReport as MeshReport
from fibermsk.model.skeleton.moving_point import MovingPoint as MovingPoint
