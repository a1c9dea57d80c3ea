"""OpenSim's model files, versions 2 to 4."""

from fibermsk.read.osim.acting import with_muscle_forces as with_muscle_forces
from fibermsk.read.osim.driven import with_actuators as with_actuators
from fibermsk.read.osim.reader import read_osim as read_osim
from fibermsk.read.osim.report import ImportEntry as ImportEntry, ImportReport as ImportReport
from fibermsk.read.osim.smooth import with_smooth_muscles as with_smooth_muscles
