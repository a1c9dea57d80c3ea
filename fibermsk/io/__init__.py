"""Files: results and checkpoints in HDF5, and exports for other programs."""

from fibermsk.files import check_writable
from fibermsk.io.checkpoint import is_checkpoint, load_checkpoint, save_checkpoint
from fibermsk.io.exporting import check_export, export
from fibermsk.io.hdf5 import describe, load, save

__all__ = [
    "check_export",
    "check_writable",
    "describe",
    "export",
    "is_checkpoint",
    "load",
    "load_checkpoint",
    "save",
    "save_checkpoint",
]
