"""Bundles of deforming fibers from line muscles."""

from fibermsk.anatomy.bundle import MuscleBundle, fibers_from_muscle
from fibermsk.anatomy.packing import pack_section
from fibermsk.anatomy.report import BundleReport
from fibermsk.anatomy.wraps import shapes_from_wraps

__all__ = [
    "BundleReport",
    "MuscleBundle",
    "fibers_from_muscle",
    "pack_section",
    "shapes_from_wraps",
]
