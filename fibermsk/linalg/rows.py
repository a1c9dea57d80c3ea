"""Products of a few long vectors, the rows of an array, with another vector.

Four rows at a time, with sixteen partial sums each, for vector units. BLAS would wake its threads
for every product.
"""

from __future__ import annotations

import numpy as np

from fibermsk._compile import kernel


@kernel
def multiply_rows(rows, n, x, products):
    """Fill products with those of the first n rows (n_rows, size) and x (size,)."""
    sums = np.empty((4, 16))
    whole = x.size - x.size % 16
    for k in range(0, n, 4):
        # beyond the end, repeat the last row
        row0, row1 = rows[k], rows[min(k + 1, n - 1)]
        row2, row3 = rows[min(k + 2, n - 1)], rows[min(k + 3, n - 1)]
        sums[:] = 0.0
        for i in range(0, whole, 16):
            for j in range(16):
                v = x[i + j]
                sums[0, j] += row0[i + j] * v
                sums[1, j] += row1[i + j] * v
                sums[2, j] += row2[i + j] * v
                sums[3, j] += row3[i + j] * v
        for i in range(whole, x.size):
            v = x[i]
            sums[0, i - whole] += row0[i] * v
            sums[1, i - whole] += row1[i] * v
            sums[2, i - whole] += row2[i] * v
            sums[3, i - whole] += row3[i] * v
        for r in range(min(4, n - k)):
            for width in (8, 4, 2, 1):
                for j in range(width):
                    sums[r, j] += sums[r, j + width]
            products[k + r] = sums[r, 0]


@kernel
def subtract_rows(rows, n, weights, x):
    """Subtract the first n rows (n_rows, size) times a weight each from x (size,)."""
    for k in range(0, n, 4):
        row0, row1 = rows[k], rows[min(k + 1, n - 1)]
        row2, row3 = rows[min(k + 2, n - 1)], rows[min(k + 3, n - 1)]
        weight0 = weights[k]
        weight1 = weights[k + 1] if k + 1 < n else 0.0
        weight2 = weights[k + 2] if k + 2 < n else 0.0
        weight3 = weights[k + 3] if k + 3 < n else 0.0
        for i in range(x.size):
            x[i] -= (weight0 * row0[i] + weight1 * row1[i]) + (
                weight2 * row2[i] + weight3 * row3[i]
            )
