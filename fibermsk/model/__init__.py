"""What the user describes: bodies, joints, fibers, tissue, contacts, activations, scenes."""

from fibermsk.model.activation import Constant, Ramp, Table
from fibermsk.model.body import Body, Capsule, InfiniteCylinder, Station
from fibermsk.model.contact import Contact
from fibermsk.model.fiber import Fiber
from fibermsk.model.joint import Dof, Hinge, Weld
from fibermsk.model.mesh import Mesh, MeshReport
from fibermsk.model.model import Model
from fibermsk.model.moving_point import MovingPoint
from fibermsk.model.profile import sample_profile
from fibermsk.model.scene import Scene
from fibermsk.model.tissue import Tissue

__all__ = [
    "Body",
    "Capsule",
    "Constant",
    "Contact",
    "Dof",
    "Fiber",
    "Hinge",
    "InfiniteCylinder",
    "Mesh",
    "MeshReport",
    "Model",
    "MovingPoint",
    "Ramp",
    "Scene",
    "Station",
    "Table",
    "Tissue",
    "Weld",
    "sample_profile",
]
