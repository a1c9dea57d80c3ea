"""Exact number of roots of a polynomial in an interval (Sturm's theorem, with fractions)."""

from fractions import Fraction

import numpy as np


def _trim(p):
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def _remainder(p, q):
    p = list(p)
    while len(p) >= len(q):
        factor, shift = p[-1] / q[-1], len(p) - len(q)
        p = [c - (factor * q[n - shift] if n >= shift else 0) for n, c in enumerate(p)][:-1]
        p = _trim(p)
    return p


def count(a):
    """Number of different roots in (0, 1] of a[0] + a[1] x + ..., not zero at either end."""
    chain = [_trim([Fraction(float(c)) for c in a])]
    chain.append(_trim([n * c for n, c in enumerate(chain[0])][1:]))
    while chain[-1]:
        chain.append([-c for c in _remainder(chain[-2], chain[-1])])

    def changes(x):
        signs = [np.sign(sum(c * x**n for n, c in enumerate(p))) for p in chain[:-1]]
        signs = [s for s in signs if s != 0]
        return sum(s != t for s, t in zip(signs, signs[1:], strict=False))

    return changes(0) - changes(1)
