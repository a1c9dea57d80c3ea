"""Options of IPOPT for optima that are as exact as their tolerance."""

from __future__ import annotations

from typing import Any


def exact_options(tolerance: float) -> dict[str, Any]:
    """Options of a silent search, without the bias of the barrier and of relaxed bounds."""
    return {
        "print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": tolerance,
        "ipopt.compl_inf_tol": 0.01 * tolerance, "ipopt.bound_relax_factor": 0.0,
        "ipopt.acceptable_iter": 0,
    }  # fmt: skip
