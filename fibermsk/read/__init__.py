"""Files of other programs as models."""

from fibermsk.read.mesh import read_mesh

__all__ = ["read_mesh"]
