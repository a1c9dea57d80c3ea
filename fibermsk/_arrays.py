"""Types of arrays."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Short = NDArray[np.int32]
"""Indices of which there are many, such as those of candidate pairs."""
