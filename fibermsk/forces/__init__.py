"""Force elements of a model, in addition to fibers, contacts and joints."""

from fibermsk.forces.controller import CoordinateController
from fibermsk.forces.external import ExternalForce
from fibermsk.forces.point_constraint import PointConstraint
from fibermsk.forces.point_spring import PointSpring

__all__ = [
    "CoordinateController",
    "ExternalForce",
    "PointConstraint",
    "PointSpring",
]
