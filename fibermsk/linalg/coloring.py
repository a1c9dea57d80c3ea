"""Coloring of lines: coupled lines differ, and those of one color can be solved in parallel."""

from __future__ import annotations

import numpy as np

from fibermsk._arrays import Index
from fibermsk._compile import kernel


@kernel
def _color(start, neighbors, last_user, color):
    """Give each line the first color that none of its neighbors has; return their number."""
    n_colors = 0
    for line in range(color.size):
        for i in range(start[line], start[line + 1]):
            other = color[neighbors[i]]
            if other >= 0:
                last_user[other] = line
        own = 0
        while own < n_colors and last_user[own] == line:
            own += 1
        color[line] = own
        n_colors = max(n_colors, own + 1)
    return n_colors


def color_lines(n_lines: int, first: Index, second: Index) -> Index:
    """Color of every line (n_lines,) from 0 on; `first` and `second` are pairs of coupled lines."""
    keys = np.unique(np.concatenate([first * n_lines + second, second * n_lines + first]))
    rows, neighbors = np.divmod(keys, max(n_lines, 1))
    start = np.searchsorted(rows, np.arange(n_lines + 1))
    color, last_user = np.full((2, n_lines), -1, np.int64)
    _color(start, neighbors, last_user, color)
    return color
