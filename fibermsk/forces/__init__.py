"""Force elements of a model, in addition to fibers, contacts and joints."""

from fibermsk.forces.actuator import (
    ActivationActuator as ActivationActuator,
    CoordinateActuator as CoordinateActuator,
)
from fibermsk.forces.bushing import Bushing as Bushing
from fibermsk.forces.contact.ellipsoid_contact import EllipsoidContact as EllipsoidContact
from fibermsk.forces.contact.mesh_contact import MeshContact as MeshContact
from fibermsk.forces.contact.point_contact import PointContact as PointContact
from fibermsk.forces.contact.sphere_contact import SphereContact as SphereContact
from fibermsk.forces.controller import CoordinateController as CoordinateController
from fibermsk.forces.external import ExternalForce as ExternalForce
from fibermsk.forces.formula import (
    CoordinateFormula as CoordinateFormula,
    PointFormula as PointFormula,
)
from fibermsk.forces.joint_torque import JointTorque as JointTorque
from fibermsk.forces.line_constraint import PointOnLineConstraint as PointOnLineConstraint
from fibermsk.forces.pairs import ForcePair as ForcePair, TorquePair as TorquePair
from fibermsk.forces.paths.clutch import ClutchedSpring as ClutchedSpring
from fibermsk.forces.paths.driven import (
    PathActuator as PathActuator,
    PneumaticActuator as PneumaticActuator,
)
from fibermsk.forces.paths.ligament import Ligament as Ligament, ToeLigament as ToeLigament
from fibermsk.forces.paths.path_formula import PathFormula as PathFormula
from fibermsk.forces.paths.path_spring import PathSpring as PathSpring
from fibermsk.forces.point_constraint import PointConstraint as PointConstraint
from fibermsk.forces.point_spring import PointSpring as PointSpring
from fibermsk.forces.via_ring import ViaRing as ViaRing
from fibermsk.forces.weld_constraint import WeldConstraint as WeldConstraint
