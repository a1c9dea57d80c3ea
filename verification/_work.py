"""Work of a power that is known at the frames of a result."""

import numpy as np
from scipy.integrate import simpson


def work(result, power):
    """Integral of a power up to every second frame, by Simpson's rule; interpolated between [J]."""
    pairs = np.stack([power[:-2:2], power[1:-1:2], power[2::2]])
    parts = simpson(pairs, dx=result.time[1] - result.time[0], axis=0)
    return np.interp(result.time, result.time[::2], np.r_[0.0, np.cumsum(parts)])
