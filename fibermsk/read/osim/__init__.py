"""OpenSim's model files, versions 2 to 4."""

from fibermsk.read.osim.reader import read_osim
from fibermsk.read.osim.report import ImportEntry, ImportReport

__all__ = [
    "ImportEntry",
    "ImportReport",
    "read_osim",
]
