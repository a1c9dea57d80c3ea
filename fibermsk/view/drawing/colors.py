"""Colors of fibers: of their tissue, or of a field along them."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import LinearSegmentedColormap, to_hex
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.view.fields import OF_MUSCLE, TISSUE

MUSCLE_COLORS = ("#d79a8c", "#c9695f", "#b43c3a", "#961d25", "#740a18")
"""Muscle from rest to the greatest activation, in even steps of lightness."""
TENDON_COLOR = "#efe6cf"
"""Ivory."""
UNKNOWN_COLOR = "#808080"
"""Line muscles, where they have no value of a field."""
SEQUENTIAL, DIVERGING = "viridis", "coolwarm"
"""Maps with even steps of lightness; the second is that of Moreland (2009) for shaded surfaces."""

N_COLORS = 256
_SIGNED = 0.01
"""Smaller over larger magnitude of two limits of opposite sign, from which a field is signed."""


def is_signed(limits: tuple[float, float]) -> bool:
    """Whether values between the limits are of both signs, beyond round-off."""
    low, high = limits
    return low < 0.0 < high and min(-low, high) > _SIGNED * max(-low, high)


def color_table(color_by: str, limits: tuple[float, float]) -> NDArray[np.uint8]:
    """Colors of tendon and muscle between the limits of a field (2, `N_COLORS`, 3).

    They differ where the activation is shown, which tendon lacks. Of a signed field zero has the
    neutral color, and equal magnitudes are equally far from it.
    """
    rows = np.round(255.0 * _rows(color_by, limits, N_COLORS)).astype(np.uint8)
    rows.flags.writeable = False
    return rows


def color_stops(color_by: str, limits: tuple[float, float], n: int) -> dict[str, list[str]]:
    """The same as `n` colors such as ``"#d79a8c"`` each, for linear interpolation."""
    tendon, muscle = _rows(color_by, limits, n)
    return {"tendon": [to_hex(c) for c in tendon], "muscle": [to_hex(c) for c in muscle]}


def _rows(color_by: str, limits: tuple[float, float], n: int) -> Array:
    part = np.linspace(0.0, 1.0, n)
    if is_signed(limits):
        low, high = limits
        part = 0.5 + 0.5 * (low + part * (high - low)) / max(-low, high)
        muscle = colormaps[DIVERGING](part)
    elif color_by == TISSUE:
        muscle = LinearSegmentedColormap.from_list("muscle", MUSCLE_COLORS)(part)
    else:
        muscle = colormaps[SEQUENTIAL](part)
    tendon = muscle
    if color_by in OF_MUSCLE:
        tendon = LinearSegmentedColormap.from_list("tendon", [TENDON_COLOR] * 2)(part)
    return np.stack([tendon, muscle])[..., :3]
