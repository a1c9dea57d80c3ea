"""Closest points of two chords (line segments).

Closest point on the first for the line of the second, then on the second, then on the first again.
Source: Ericson, Real-Time Collision Detection (2005), sec. 5.1.9.
"""

from __future__ import annotations

from fibermsk._compile import inlined_body, kernel


@inlined_body
def closest_on_chords(a, b, c, d):
    """Parameters of the closest points of the segments a to b and c to d (3,)."""
    uu, uv, vv, uw, vw = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        u, v, w = b[i] - a[i], d[i] - c[i], a[i] - c[i]
        uu += u * u
        uv += u * v
        vv += v * v
        uw += u * w
        vw += v * w
    det = uu * vv - uv * uv
    s = min(max((uv * vw - vv * uw) / det, 0.0), 1.0) if det > 0.0 else 0.0
    t = min(max((uv * s + vw) / vv, 0.0), 1.0) if vv > 0.0 else 0.0
    s = min(max((uv * t - uw) / uu, 0.0), 1.0) if uu > 0.0 else 0.0
    return s, t


@kernel
def fill_closest(a, b, c, d, s, t):
    """Fill the parameters s and t (n,) of segments between points (n, 3)."""
    for n in range(s.size):
        s[n], t[n] = closest_on_chords(a[n], b[n], c[n], d[n])
