"""Richardson extrapolation from two runs, and the order between them."""

import numpy as np


def richardson(coarse, fine, order: int):
    """Extrapolate values at h and h / 2 to h = 0, for an error of this order in h."""
    return fine + (fine - coarse) / (2.0**order - 1.0)


def order_of(coarse_error, fine_error) -> float:
    """Order of convergence of an error, a number or an array, from h to h / 2."""
    return float(np.log2(np.linalg.norm(coarse_error) / np.linalg.norm(fine_error)))
