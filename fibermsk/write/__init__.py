"""Writing of models for other programs."""

from fibermsk.write.osim import write_osim as write_osim
