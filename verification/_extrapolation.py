"""Vanishing steps or elements from two runs, and the order between them."""

import numpy as np


def richardson(coarse, fine, order: int):
    """Value for vanishing h from those of h and h / 2, for an error of this order in h."""
    return fine + (fine - coarse) / (2.0**order - 1.0)


def order_of(coarse_error, fine_error) -> float:
    """Order by which an error, a number or an array, falls from h to h / 2."""
    return float(np.log2(np.linalg.norm(coarse_error) / np.linalg.norm(fine_error)))
