"""OpenSim's model files, versions 2 to 4."""

from fibermsk.read.osim.reader import read_osim as read_osim
from fibermsk.read.osim.report import ImportEntry as ImportEntry, ImportReport as ImportReport
