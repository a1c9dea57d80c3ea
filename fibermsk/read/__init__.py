"""Readers for meshes, signals, motions and XML of other programs."""

from fibermsk.read.emg import emg_activation as emg_activation, emg_envelope as emg_envelope
from fibermsk.read.mesh import read_mesh as read_mesh
from fibermsk.read.motion import drive as drive
from fibermsk.read.osim import (
    ImportReport as ImportReport,
    read_osim as read_osim,
    with_actuators as with_actuators,
    with_muscle_forces as with_muscle_forces,
    with_smooth_muscles as with_smooth_muscles,
)
from fibermsk.read.recordings.markers import Markers as Markers
from fibermsk.read.recordings.orientations import Orientations as Orientations
from fibermsk.read.recordings.read_motion import read_motion as read_motion
from fibermsk.read.signals import Signals as Signals, read_signals as read_signals
