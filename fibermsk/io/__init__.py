"""Files: results in HDF5."""

from fibermsk.io.hdf5 import check_writable, describe, load, save

__all__ = ["check_writable", "describe", "load", "save"]
