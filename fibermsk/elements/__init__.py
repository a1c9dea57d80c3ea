"""One-dimensional finite elements along the fiber coordinate theta."""

from fibermsk.elements.gauss import gauss_rule
from fibermsk.elements.hermite import hermite, hermite_d1, hermite_d2
from fibermsk.elements.mesh import FiberMesh, mesh_fiber

__all__ = ["FiberMesh", "gauss_rule", "hermite", "hermite_d1", "hermite_d2", "mesh_fiber"]
