"""What data tell of unknowns: deviations, correlations, and directions that they do not see."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fibermsk._arrays import Array
from fibermsk.identification.unknowns import Unknowns

VERDICTS = ("data", "prior", "not identifiable")
_BY_DATA, _BY_BOTH = 0.3, 0.9
"""Deviation over that of the guess below which the data tell a number, or help to."""

QUANTILE = 1.959963984540054
"""Of a normal distribution, for 95 %."""

_SLOPPY = 5
"""Directions that are told, and the entries of each."""


class Certainty(NamedTuple):
    """What is known of unknowns from data and guess.

    Attributes
    ----------
    deviation : (u,) float array
        Standard deviations.
    interval : (u, 2) float array
        Intervals of 95 %.
    correlation : (u, u) float array
        Their correlations.
    share : (u,) float array
        Deviations over those of the guess.
    verdict : tuple of str
        "data", "prior" or "not identifiable", by the share.
    sigma : float
        Deviation of the residuals that was used.
    singular : (u,) float array
        Singular values of the residuals over sigma, in deviations of the guess: above 1 the data
        know more than the guess in that direction.
    directions : (u, u) float array
        Those directions, in rows, in deviations of the guess.
    """

    deviation: Array
    interval: Array
    correlation: Array
    share: Array
    verdict: tuple[str, ...]
    sigma: float
    singular: Array
    directions: Array

    @property
    def known(self) -> int:
        """Number of directions of which the data know more than the guess."""
        return int((self.singular > 1.0).sum())

    def sloppy(self, names: tuple[str, ...]) -> list[str]:
        """Directions that the data see least, in words."""
        found = []
        for s, way in list(zip(self.singular, self.directions, strict=True))[::-1][:_SLOPPY]:
            order = np.argsort(-np.abs(way))[:_SLOPPY]
            way = way * np.sign(way[order[0]])
            parts = [f"{way[k]:+.2f} {names[k]}" for k in order if abs(way[k]) > 0.05]
            found.append(f"seen {s:.2g} times as well as guessed: {' '.join(parts)}")
        return found


def certainty_of(J: Array, z: Array, unknowns: Unknowns, sigma: float) -> Certainty:
    """Certainty at unknowns z with a Jacobian J (r, u): (J^T J / sigma^2 + P)^-1."""
    scale = unknowns.scale
    S = J * scale / sigma
    P = unknowns.prior * np.outer(scale, scale)
    covariance = np.linalg.inv(S.T @ S + P)
    deviation = scale * np.sqrt(np.diag(covariance))
    size = np.sqrt(np.diag(covariance))
    share = deviation / scale
    # whitened by the guess, whose entries may be correlated
    root = np.linalg.cholesky(P)
    _, singular, V = np.linalg.svd(np.linalg.solve(root, S.T).T, full_matrices=False)
    ways = np.linalg.solve(root.T, V.T).T
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    verdict = tuple(
        VERDICTS[0] if one < _BY_DATA else VERDICTS[1] if one < _BY_BOTH else VERDICTS[2]
        for one in share
    )
    half = QUANTILE * deviation
    return Certainty(
        deviation, np.stack([z - half, z + half], axis=1), covariance / np.outer(size, size),
        share, verdict, sigma, np.asarray(singular, float), ways,
    )  # fmt: skip


def independent_samples(residuals: Array) -> tuple[float, Array]:
    """Number of independent samples in rows (k, c) in time, and their autocorrelation.

    Their mean should be zero: a bias is correlation.
    The autocorrelation is summed up to where it first falls below zero.
    """
    x, k = residuals, residuals.shape[0]
    n = 1 << (2 * k - 1).bit_length()
    power = np.abs(np.fft.rfft(x, n, axis=0)) ** 2
    own = np.fft.irfft(power, n, axis=0)[:k].sum(axis=1)
    if own[0] <= 0.0:
        return float(residuals.size), np.r_[1.0, np.zeros(k - 1)]
    rho = own / own[0]
    below = np.flatnonzero(rho < 0.0)
    last = int(below[0]) if below.size else k
    total = 1.0 + 2.0 * float((rho[1:last] * (1.0 - np.arange(1, last) / k)).sum())
    return residuals.size / max(total, 1.0), rho
