"""Plots of a result."""

from fibermsk.view.plots.figure import plot as plot, plot_names as plot_names
