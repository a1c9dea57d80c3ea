"""Frequency and decay of a sampled oscillation, and its decay by backward Euler."""

import numpy as np


def rates(u: np.ndarray, h: float) -> tuple[float, float]:
    """Angular frequency and decay rate of a damped oscillation sampled at steps of h."""
    (a, b), *_ = np.linalg.lstsq(np.stack([u[1:-1], u[:-2]], axis=1), u[2:], rcond=None)
    z = 0.5 * a + np.sqrt(complex(0.25 * a * a + b))
    return abs(np.angle(z)) / h, -np.log(abs(z)) / h


def exact_decay(phase: float, h: float) -> float:
    """Rate [1/s] at which backward Euler damps an undamped wave with w h = phase."""
    return float(np.log1p(phase**2) / (2.0 * h))
