"""All real roots of a quintic in the unit interval, without allocation.

A polynomial is monotone between consecutive roots of its derivative, so the roots of the k-th
derivative isolate those of the (k-1)-th: starting from the linear fourth derivative, every root of
the quintic is bracketed and then found by Newton's method safeguarded with bisection. Nothing
depends on a starting guess. Where the polynomial vanishes to round-off (4e-16 of its largest
coefficient) at a root of its derivative, that point is reported, once, for the one or two roots
beside it, which round-off does not tell from a double one.
"""

from __future__ import annotations

from fibermsk.kernels._compile import kernel

__all__ = ["WORK_SIZE", "quintic_roots"]

# Scratch numbers that `quintic_roots` needs: coefficients of one derivative, its bounds and its
# roots.
WORK_SIZE = 21

_MAX_ITERATIONS = 100


@kernel
def _value_and_slope(a, degree, x):
    value, slope = a[degree], 0.0
    for n in range(degree - 1, -1, -1):
        slope = slope * x + value
        value = value * x + a[n]
    return value, slope


@kernel
def _bracketed_root(a, degree, low, high, f_low):
    """Root between low and high, where the polynomial changes sign and is monotone."""
    x = 0.5 * (low + high)
    for _ in range(_MAX_ITERATIONS):
        f, slope = _value_and_slope(a, degree, x)
        if f == 0.0:
            return x
        if (f > 0.0) == (f_low > 0.0):
            low = x
        else:
            high = x
        new = x - f / slope if slope != 0.0 else low
        if not (low < new < high):
            new = 0.5 * (low + high)
        if abs(new - x) <= 1e-15 or high - low <= 1e-15:
            return new
        x = new
    return x


@kernel
def quintic_roots(a, work, roots):
    """Real roots in [0, 1] of a[0] + a[1] x + ... + a[5] x**5, increasing.

    work (WORK_SIZE,) scratch; roots (>= 5,) receives them. Returns their number. The zero
    polynomial has none.
    """
    scale = 0.0
    for n in range(6):
        scale = max(scale, abs(a[n]))
    if scale == 0.0:
        return 0
    touch = 4e-16 * scale
    b = work[:6]
    bounds = work[6:14]
    found = work[14:21]
    n_found = 0
    for degree in range(1, 6):
        # b: coefficients of the (5 - degree)-th derivative
        drop = 5 - degree
        for n in range(degree + 1):
            factor = 1.0
            for m in range(drop):
                factor *= n + drop - m
            b[n] = a[n + drop] * factor
        bounds[0] = 0.0
        for m in range(n_found):
            bounds[m + 1] = found[m]
        bounds[n_found + 1] = 1.0
        n_bounds = n_found + 2
        n_found = 0
        f_low, _ = _value_and_slope(b, degree, 0.0)
        last = degree == 5
        for m in range(n_bounds - 1):
            low, high = bounds[m], bounds[m + 1]
            f_high, _ = _value_and_slope(b, degree, high)
            touches = last and abs(f_low) <= touch
            if f_low == 0.0 or touches:
                if n_found == 0 or found[n_found - 1] < low:
                    found[n_found] = low
                    n_found += 1
            elif (f_low > 0.0) != (f_high > 0.0) and f_high != 0.0 and high > low:
                found[n_found] = _bracketed_root(b, degree, low, high, f_low)
                n_found += 1
            f_low = f_high
            if n_found >= 6:
                break
        if (f_low == 0.0 or (last and abs(f_low) <= touch)) and n_found < 6:
            if n_found == 0 or found[n_found - 1] < 1.0:
                found[n_found] = 1.0
                n_found += 1
    n_roots = min(n_found, 5)
    for m in range(n_roots):
        roots[m] = found[m]
    return n_roots
