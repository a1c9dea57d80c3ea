"""Files of other programs as models and meshes."""

from fibermsk.read.mesh import read_mesh
from fibermsk.read.osim import ImportReport, read_osim

__all__ = ["ImportReport", "read_mesh", "read_osim"]
