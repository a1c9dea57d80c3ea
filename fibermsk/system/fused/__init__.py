"""Evaluation of small models in a few compiled calls."""

from fibermsk.system.fused.evaluation import FusedEvaluation, covers

__all__ = ["FusedEvaluation", "covers"]
