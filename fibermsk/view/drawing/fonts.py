"""Font of texts that are drawn as pixels."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import matplotlib
from PIL import ImageFont


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Font of matplotlib's figures, of a size in pixels."""
    path = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    return ImageFont.truetype(str(path), size)
