"""Readers for meshes, signals and XML of other programs."""

from fibermsk.read.emg import emg_activation, emg_envelope
from fibermsk.read.mesh import read_mesh
from fibermsk.read.osim import ImportReport, read_osim
from fibermsk.read.signals import Signals, read_signals

__all__ = [
    "ImportReport",
    "Signals",
    "emg_activation",
    "emg_envelope",
    "read_mesh",
    "read_osim",
    "read_signals",
]
