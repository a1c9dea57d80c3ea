"""OpenSim's model files, version 4."""

from fibermsk.write.osim.writer import write_osim as write_osim
