"""One-dimensional finite elements along the fiber coordinate theta."""

from fibermsk.elements.gauss import gauss_rule as gauss_rule
from fibermsk.elements.hermite import (
    hermite as hermite,
    hermite_d1 as hermite_d1,
    hermite_d2 as hermite_d2,
)
from fibermsk.elements.mesh import FiberMesh as FiberMesh, mesh_fiber as mesh_fiber
