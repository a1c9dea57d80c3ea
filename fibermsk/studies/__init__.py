"""Studies: one scene at many values of its parameters, and what its results depend on."""

from fibermsk.studies.indices import sobol_indices
from fibermsk.studies.sweep import StudyProgress, sweep

__all__ = ["StudyProgress", "sobol_indices", "sweep"]
