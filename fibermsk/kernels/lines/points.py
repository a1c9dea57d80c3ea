"""Points of a taut chain at fractions of its length.

Symbols as in `fibermsk.kernels.lines.taut.chain`; with derivatives in
`fibermsk.kernels.lines.material.chain_along`.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.lines.section import to_ground
from fibermsk.kernels.lines.taut.chain import fill_frames, fill_lines
from fibermsk.kernels.lines.taut.geodesic import ACCURACY, geodesic


@kernel
def fill_points(kind, size, R, p, o, i, foot, fraction, x):
    """Fill x (k, 3): points at increasing fractions (k,) of the length, ground frame."""
    m, y = kind.size, np.empty(10)
    frame, bend, field = np.empty((m, 2, 4, 3)), np.empty((m, 2, 3)), np.empty((m, 4))
    line = np.empty((m + 1, 4))
    fill_frames(kind, size, R, p, foot, ACCURACY, frame, bend, field)
    fill_lines(o, i, frame, line)
    total = line[m, 3]
    for k in range(m):
        total += line[k, 3] + foot[k, 6]
    at, done = 0, 0.0
    for k in range(m + 1):
        start = o if k == 0 else frame[k - 1, 1, 0]
        while at < fraction.size and (k == m or fraction[at] * total <= done + line[k, 3]):
            for r in range(3):
                x[at, r] = start[r] + (fraction[at] * total - done) * line[k, r]
            at += 1
        done += line[k, 3]
        if k == m:
            return
        while at < fraction.size and fraction[at] * total <= done + foot[k, 6]:
            sigma = fraction[at] * total - done
            geodesic(kind[k], size[k], foot[k, :3], foot[k, 3:6], sigma, ACCURACY, y)
            to_ground(R[k], p[k], y, x[at])
            at += 1
        done += foot[k, 6]
