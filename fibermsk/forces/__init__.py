"""Forces beside fibers, contact and joints: values that a model takes, a file each."""

from fibermsk.forces.controller import CoordinateController
from fibermsk.forces.external import ExternalForce
from fibermsk.forces.point_spring import PointSpring

__all__ = ["CoordinateController", "ExternalForce", "PointSpring"]
