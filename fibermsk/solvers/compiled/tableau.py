"""Method of Dormand and Prince."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fibermsk._arrays import Array


@lru_cache
def tableau() -> tuple[Array, Array, Array, Array, float]:
    """Stages, times, weights of the error and of states within a step, and the error's order."""
    A = np.zeros((7, 7))
    A[1, :1] = 1 / 5
    A[2, :2] = 3 / 40, 9 / 40
    A[3, :3] = 44 / 45, -56 / 15, 32 / 9
    A[4, :4] = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
    A[5, :5] = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
    A[6, :6] = 35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
    fourth = 5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40
    # Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), II.6
    d = np.array([
        -12715105075 / 11282082432, 0, 87487479700 / 32700410799, -10690763975 / 1880347072,
        701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
    ])  # fmt: skip
    b, first, last = A[6], np.eye(7)[0], np.eye(7)[6]
    # x b + x (1 - x) (k_1 - b) + x^2 (1 - x) (2 b - k_1 - k_7) + x^2 (1 - x)^2 d
    bend = 2.0 * b - first - last
    dense = np.stack([first, b - first + bend + d, -bend - 2.0 * d, d], axis=1)
    return A, A.sum(axis=1), b - np.array(fourth), dense, 5.0
