"""Plots of a result."""

from fibermsk.view.plots.figure import plot, plot_names

__all__ = ["plot", "plot_names"]
