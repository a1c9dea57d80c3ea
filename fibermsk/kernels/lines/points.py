"""Points of a taut chain at fractions of its length, with derivatives.

Symbols as in `fibermsk.kernels.lines.chain`. A point at the fraction alpha of the length L lies on
a free line or, at the arc length sigma = alpha L - (length before), on an arc. It moves by

    dx = dA + lambda (dB - dA) + d(lambda) (B - A)      on the line from A to B,
    dx = xi(x) + (dP.t + d(sigma)) t + y(sigma) b       on an arc, y = beta c + theta d.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import kernel
from fibermsk.kernels.lines.chain import _fill_frame, fill_frames, fill_lines
from fibermsk.kernels.lines.geodesic import ACCURACY, geodesic
from fibermsk.kernels.skeleton.rigid import cross


@kernel
def _move_end(k, m, frame, field, shift, d_end, end):
    """Fill d_end (3, n): derivatives in z of the tangent point P (end 0) or Q (1) of surface k."""
    n, axis, turned = d_end.shape[1], np.zeros(3), np.empty(3)
    point, t, b = frame[k, end, 0], frame[k, end, 1], frame[k, end, 3]
    for column in range(n):
        along, aside = shift[4 * k, column], shift[4 * k + 1, column]
        if end == 1:
            along = shift[4 * k + 3, column]
            aside = field[k, 0] * aside + field[k, 2] * shift[4 * k + 2, column]
        for r in range(3):
            d_end[r, column] = along * t[r] + aside * b[r]
    first = 6 + 6 * k
    for column in range(3):
        for r in range(3):
            axis[r] = 1.0 if r == column else 0.0
        cross(axis, point, turned)
        d_end[column, first + column] += 1.0
        for r in range(3):
            d_end[r, first + 3 + column] += turned[r]


@kernel
def fill_points(kind, size, R, p, o, i, foot, fraction, x):
    """Fill x (k, 3): points at increasing fractions (k,) of the length, ground frame."""
    none = np.empty((0, 0))
    _fill(kind, size, R, p, o, i, foot, fraction, none, none[0:0], x, np.empty((0, 3, 0)))


@kernel
def fill_point_derivatives(kind, size, R, p, o, i, foot, fraction, shift, gradient, x, dx):
    """Fill x (k, 3) and dx (k, 3, n), its derivatives in z at constant fractions.

    shift (4 m, n) and gradient (n,) are those of `fibermsk.kernels.lines.newton.fill_derivatives`.
    """
    _fill(kind, size, R, p, o, i, foot, fraction, shift, gradient.reshape(1, -1), x, dx)


@kernel
def _fill(kind, size, R, p, o, i, foot, fraction, shift, gradient, x, dx):
    """Fill x, and dx unless it is empty."""
    m, n = kind.size, dx.shape[2]
    frame, bend, field = np.empty((m, 2, 4, 3)), np.empty((m, 2, 3)), np.empty((m, 4))
    line, y, here, unused = np.empty((m + 1, 4)), np.empty(10), np.empty((4, 3)), np.empty(3)
    dA, dB, before = np.zeros((3, n)), np.zeros((3, n)), np.zeros(n)
    axis, turned = np.zeros(3), np.empty(3)
    fill_frames(kind, size, R, p, foot, ACCURACY, frame, bend, field)
    fill_lines(o, i, frame, line)
    total = line[m, 3]
    for k in range(m):
        total += line[k, 3] + foot[k, 6]
    at, done = 0, 0.0
    for k in range(m + 1):
        start = o if k == 0 else frame[k - 1, 1, 0]
        length = line[k, 3]
        if n:
            dA[:] = 0.0
            dB[:] = 0.0
            if k == 0:
                for r in range(3):
                    dA[r, r] = 1.0
            else:
                _move_end(k - 1, m, frame, field, shift, dA, 1)
            if k == m:
                for r in range(3):
                    dB[r, 3 + r] = 1.0
            else:
                _move_end(k, m, frame, field, shift, dB, 0)
        while at < fraction.size and (k == m or fraction[at] * total <= done + length):
            part = (fraction[at] * total - done) / length
            for r in range(3):
                x[at, r] = start[r] + part * length * line[k, r]
            for column in range(n):
                change = 0.0
                for r in range(3):
                    change += line[k, r] * (dB[r, column] - dA[r, column])
                slip = fraction[at] * gradient[0, column] - before[column] - part * change
                for r in range(3):
                    dx[at, r, column] = (
                        dA[r, column] + part * (dB[r, column] - dA[r, column]) + slip * line[k, r]
                    )
            at += 1
        done += length
        for column in range(n):
            for r in range(3):
                before[column] += line[k, r] * (dB[r, column] - dA[r, column])
        if k == m:
            return
        while at < fraction.size and fraction[at] * total <= done + foot[k, 6]:
            sigma = fraction[at] * total - done
            geodesic(kind[k], size[k], foot[k, :3], foot[k, 3:6], sigma, ACCURACY, y)
            _fill_frame(kind[k], size[k], R[k], p[k], y[:3], y[3:6], here, unused)
            for r in range(3):
                x[at, r] = here[0, r]
            for column in range(n):
                along = shift[4 * k, column] + fraction[at] * gradient[0, column] - before[column]
                aside = shift[4 * k + 1, column] * y[6] + shift[4 * k + 2, column] * y[8]
                for r in range(3):
                    dx[at, r, column] = along * here[1, r] + aside * here[3, r]
            for column in range(3 if n else 0):
                for r in range(3):
                    axis[r] = 1.0 if r == column else 0.0
                cross(axis, here[0], turned)
                dx[at, column, 6 + 6 * k + column] += 1.0
                for r in range(3):
                    dx[at, r, 6 + 6 * k + 3 + column] += turned[r]
            at += 1
        done += foot[k, 6]
        for column in range(n):
            before[column] += shift[4 * k + 3, column] - shift[4 * k, column]
