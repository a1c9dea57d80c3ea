"""From line muscles to bundles of deforming fibers."""

from fibermsk.anatomy.bundle import MuscleBundle, fibers_from_muscle
from fibermsk.anatomy.report import BundleReport

__all__ = ["BundleReport", "MuscleBundle", "fibers_from_muscle"]
