"""Units and names of the arrays of a result, for files, plots and pictures."""

from __future__ import annotations

__all__ = ["DERIVED_FIBER_UNITS", "FIBER_LABELS", "FIBER_UNITS", "SOLVER_UNITS"]

FIBER_UNITS = {
    "node_theta": "1",
    "position": "m",
    "tangent": "m",
    "theta": "1",
    "muscle_fraction": "1",
    "stretch": "1",
    "radius": "m",
    "axial_force": "N",
    "contact_line_force": "N/m",
    "activation": "1",
    "force_origin": "N",
    "force_insertion": "N",
}
"""SI unit of every array of a fiber; "1" is dimensionless."""

DERIVED_FIBER_UNITS = {"contact_force_density": "N/m"}
"""SI unit of what follows from the arrays of a fiber, and stands in files beside them."""

FIBER_LABELS = {
    "muscle_fraction": "muscle fraction [-]",
    "stretch": "stretch [-]",
    "radius": "radius [m]",
    "axial_force": "axial force [N]",
    "stress": "axial stress [Pa]",
    "contact_force_density": "net contact force [N/m]",
    "activation": "activation [-]",
}
"""Axis and scalar-bar labels of the fields along a fiber."""

SOLVER_UNITS = {"step_size": "s", "newton_iterations": "1", "min_admissibility": "1"}
"""SI unit of every array about the solver."""
