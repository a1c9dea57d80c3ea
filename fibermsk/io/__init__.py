"""Files: results and checkpoints in HDF5."""

from fibermsk.io.checkpoint import is_checkpoint, load_checkpoint, save_checkpoint
from fibermsk.io.hdf5 import describe, load, save
from fibermsk.io.replacing import check_writable

__all__ = [
    "check_writable",
    "describe",
    "is_checkpoint",
    "load",
    "load_checkpoint",
    "save",
    "save_checkpoint",
]
