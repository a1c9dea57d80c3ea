# ruff: noqa: E731
"""Orders of cable elements with fewer stress points and with kinks of the tangent length.

A plane model in plain NumPy, not of the package: cubic Hermite elements, statics, Newton's method
with complex steps. Variants of the element:

- `points` stress points per element: 5, or 2 with 3 in the middle element (2 n + 1 in all, the
  fewest without hourglass modes of n elements);
- `kinks`: nodes whose tangents on both sides have one direction and two lengths (G1).

`python verification/_junctions.py` prints the tables of docs/method.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from elastica import AREA, LENGTH, MU, SPAN, B, exact, shoot

from fibermsk.elements import gauss_rule
from fibermsk.elements.hermite import hermite, hermite_d1, hermite_d2


class Problem(NamedTuple):
    """Stiffness A0 mu |A1| = 1 m scaled: functions of theta, and of the place."""

    stiffness: Callable  # A0 mu [N] at theta
    speed: float  # |A1| [m]
    start: Callable  # x (n, 2) at theta, which both ends keep
    slope: Callable  # its derivative
    load: Callable | None = None  # force (n, 2) per theta [N] at theta
    bending: float = 0.0  # B [N m^2]
    push: Callable | None = None  # force (n, 2) per length at x (n, 2), complex


def solve(problem, theta, points=5, kinks=()):
    """Centerline at 401 places, force at the end and N at points; None where Newton fails."""
    n = theta.size - 1
    h = np.diff(theta)
    x0, t0 = problem.start(theta), problem.slope(theta)
    kinks = np.asarray(kinks, int)
    size = 4 * (n + 1)
    z = np.concatenate([np.hstack([x0, t0]).ravel(), np.ones(kinks.size)])
    free = np.setdiff1d(np.arange(z.size), [0, 1, size - 4, size - 3])
    counts = np.full(n, points)
    if points == 2:
        counts[n // 2] = 3

    def places(counts):
        e = np.repeat(np.arange(n), counts)
        xi, w = (np.concatenate(part) for part in zip(*map(gauss_rule, counts), strict=True))
        return e, xi, w * h[e]

    stress_at, load_at = places(counts), places(np.full(n, 5))

    def local(z):
        nodes = z[:size].reshape(-1, 4)
        first, second = nodes[:-1].copy(), nodes[1:]
        ratio = np.ones(n + 1, z.dtype)
        ratio[kinks] = z[size:]
        first[:, 2:] *= ratio[:-1, None]
        return np.stack([first[:, :2], first[:, 2:], second[:, :2], second[:, 2:]], 1), ratio

    def gradient(z):
        control, ratio = local(z)
        g = np.zeros((n, 4, 2), z.dtype)
        e, xi, w = stress_at
        d1 = np.stack(hermite_d1(xi, h[e]), 1)
        a1 = np.einsum("ka,kai->ki", d1, control[e])
        length = np.sqrt((a1 * a1).sum(1))
        lam = length / problem.speed
        N = problem.stiffness(theta[e] + xi * h[e]) * (lam - lam**-2)
        np.add.at(g, e, (w * N / length)[:, None, None] * d1[:, :, None] * a1[:, None])
        e, xi, w = load_at
        at = theta[e] + xi * h[e]
        n0, d1 = np.stack(hermite(xi, h[e]), 1), np.stack(hermite_d1(xi, h[e]), 1)
        if problem.load is not None:
            np.add.at(g, e, -w[:, None, None] * n0[:, :, None] * problem.load(at)[:, None])
        a1 = np.einsum("ka,kai->ki", d1, control[e])
        if problem.push is not None:
            x = np.einsum("ka,kai->ki", n0, control[e])
            force = problem.push(x) * np.sqrt((a1 * a1).sum(1))[:, None]
            np.add.at(g, e, -w[:, None, None] * n0[:, :, None] * force[:, None])
        if problem.bending:
            d2 = np.stack(hermite_d2(xi, h[e]), 1)
            a2 = np.einsum("ka,kai->ki", d2, control[e])
            s, p, q = (a1 * a1).sum(1), (a1 * a2).sum(1), (a2 * a2).sum(1)
            c = w * problem.bending / problem.speed
            f_s, f_p, f_q = c * (p * p / s - 0.5 * q) / s**2, -c * p / s**2, 0.5 * c / s
            f1 = 2.0 * f_s[:, None] * a1 + f_p[:, None] * a2
            f2 = f_p[:, None] * a1 + 2.0 * f_q[:, None] * a2
            part = d1[:, :, None] * f1[:, None] + d2[:, :, None] * f2[:, None]
            np.add.at(g, e, part)
        out = np.zeros(z.size, z.dtype)
        nodes = out[:size].reshape(-1, 4)
        nodes[:-1, :2] += g[:, 0]
        nodes[1:, :2] += g[:, 2]
        nodes[1:, 2:] += g[:, 3]
        nodes[:-1, 2:] += ratio[:-1, None] * g[:, 1]
        tangent = z[:size].reshape(-1, 4)[:-1, 2:]
        by_ratio = np.zeros(n + 1, z.dtype)
        by_ratio[:-1] = (tangent * g[:, 1]).sum(1)
        out[size:] = by_ratio[kinks]
        return out

    for _ in range(30):
        r = gradient(z)
        K = np.empty((z.size, free.size))
        step = np.zeros(z.size, complex)
        for k, j in enumerate(free):
            step[:] = z
            step[j] += 1e-30j
            K[:, k] = gradient(step).imag * 1e30
        try:
            dz = np.linalg.solve(K[free], -r[free])
        except np.linalg.LinAlgError:
            return None
        most = np.abs(dz).max()
        z[free] += dz * min(1.0, 0.05 / most)
        if most < 1e-9:
            break
    else:
        return None
    r = gradient(z)
    control, _ = local(z)
    at = np.linspace(0.0, 1.0, 401)
    e = np.clip(np.searchsorted(theta, at, side="right") - 1, 0, n - 1)
    shape = np.stack(hermite((at - theta[e]) / h[e], h[e]), 1)
    curve = np.einsum("ka,kai->ki", shape, control[e])
    e, xi, _ = load_at
    a1 = np.einsum("ka,kai->ki", np.stack(hermite_d1(xi, h[e]), 1), control[e])
    lam = np.linalg.norm(a1, axis=1) / problem.speed
    N = problem.stiffness(theta[e] + xi * h[e]) * (lam - lam**-2)
    return curve, np.linalg.norm(r[:2]), N


def bar():
    """A straight bar, 25 times as stiff in its second half, stretched by a fifth."""
    line = lambda s: np.stack([1.2 * s, 0.0 * s], 1)
    flat = lambda s: np.stack([1.2 + 0.0 * s, 0.0 * s], 1)
    stiff = lambda s: np.where(s < 0.5, 1.0, 25.0)
    return Problem(stiff, 1.0, line, flat)


def blended():
    """The same with the stiffness rising over a tenth of the length, as from tendon to muscle."""
    x = lambda s: np.clip((s - 0.5) / 0.1 + 0.5, 0.0, 1.0)
    return bar()._replace(stiffness=lambda s: 1.0 + 24.0 * x(s) ** 2 * (3.0 - 2.0 * x(s)))


def pulley(stiff_half=True):
    """Half around a round pulley of radius 0.25, soft on the left and stiff on the right."""
    R, free = 0.25, 0.3
    total = 2.0 * free + np.pi * R

    def start(s):
        arc = np.clip((s * total - free) / R, 0.0, np.pi)
        below = np.minimum(s * total - free, 0.0) - np.maximum(s * total - free - np.pi * R, 0.0)
        return np.stack([-R * np.cos(arc), R * np.sin(arc) + below], 1)

    def slope(s):
        arc = np.clip((s * total - free) / R, 0.0, np.pi)
        return total * np.stack([np.sin(arc), np.cos(arc)], 1)

    def push(x):
        d = np.sqrt((x * x).sum(1))
        over = np.where((d.real < R) & (x[:, 1].real > -0.1), R - d, 0.0)
        return (4e3 * over * over / d)[:, None] * x

    jump = (lambda s: np.where(s < 0.5, 1.0, 25.0)) if stiff_half else (lambda s: 1.0 + 0.0 * s)
    return Problem(jump, total / 1.1, start, slope, push=push)


def manufactured():
    """The plane waves of verification/manufactured_solution.py at t = 1 s, in statics."""
    s = 1.0 - np.cos(1.0)
    mu = lambda q: 1.0 - 0.9 * 16.0 * (1.0 - q) ** 2 * q**2
    mu_d = lambda q: -0.9 * 32.0 * q * (1.0 - q) * (1.0 - 2.0 * q)
    start = lambda q: np.stack([q, s * np.sin(8.0 * q)], 1)
    slope = lambda q: np.stack([1.0 + 0.0 * q, 8.0 * s * np.cos(8.0 * q)], 1)

    def load(q):
        a, b = slope(q), np.stack([0.0 * q, -64.0 * s * np.sin(8.0 * q)], 1)
        lam = np.linalg.norm(a, axis=1)
        lam_d = (a * b).sum(1) / lam
        N = mu(q) * (lam - lam**-2)
        N_d = mu_d(q) * (lam - lam**-2) + mu(q) * (1.0 + 2.0 * lam**-3) * lam_d
        return -((N_d / lam - N * lam_d / lam**2)[:, None] * a + (N / lam)[:, None] * b)

    return Problem(mu, 1.0, start, slope, load=load)


def arch():
    """The high arch of verification/elastica.py."""
    thrust, angle, _ = exact(SPAN)
    half = np.linspace(0.0, 0.5 * LENGTH, 2001)
    phi, _, x, z = shoot(thrust, angle, half).y
    whole = np.linspace(0.0, 1.0, 4001)
    curve = np.r_[np.stack([x, z], 1), np.stack([SPAN - x, z], 1)[-2::-1]]
    start = lambda s: np.stack([np.interp(s, whole, c) for c in curve.T], 1)
    phi = np.r_[phi, -phi[-2::-1]]
    size = np.gradient(curve, whole, axis=0)
    slope = lambda s: np.stack([np.interp(s, whole, c) for c in size.T], 1)
    return Problem(lambda s: AREA * MU + 0.0 * s, LENGTH, start, slope, bending=B), thrust, start


def main(only=""):
    """Print the errors and their orders, of all problems or of those whose names begin so."""
    cases = {
        "manufactured waves": (manufactured(), (8, 16, 32), False),
        "elastica": (arch()[0], (4, 8, 16, 32), False),
        "stiff-soft bar": (bar(), (4, 8, 16, 32), True),
        "bar with a smooth rise": (blended(), (8, 16, 32), True),
        "stiff-soft around a pulley": (pulley(), (12, 24, 48), True),
        "even fiber around a pulley": (pulley(False), (12, 24, 48), False),
    }
    variants = {
        "C1, 5 points": (5, False),
        "C1, 2n + 1 points": (2, False),
        "G1, 5 points": (5, True),
        "G1, 2n + 1 points": (2, True),
    }
    for name, (problem, meshes, jump) in cases.items():
        if not name.startswith(only):
            continue
        last = 2 * meshes[-1]
        if name == "manufactured waves":
            answer, force = problem.start(np.linspace(0.0, 1.0, 401)), None
        elif name == "elastica":
            answer, force = problem.start(np.linspace(0.0, 1.0, 401)), arch()[1]
        else:
            kinks = [last // 2] if jump else ()
            answer, force, _ = solve(problem, np.linspace(0.0, 1.0, last + 1), 5, kinks)
        for variant, (points, kinked) in variants.items():
            if kinked and not jump:
                continue
            before, text = None, ""
            for n in meshes:
                kinks = [n // 2] if kinked else ()
                found = solve(problem, np.linspace(0.0, 1.0, n + 1), points, kinks)
                if found is None:
                    text += f" {n}: no convergence;"
                    before = None
                    continue
                curve, pull, N = found
                off = np.sqrt(np.mean(((curve - answer) ** 2).sum(1)))
                errors = [off] + ([] if force is None else [abs(pull / force - 1.0)])
                orders = "" if before is None else np.round(np.log2(np.divide(before, errors)), 1)
                swing = "" if force is None else f" swing {np.ptp(N) / pull:.2g}"
                text += f" {n}: {' '.join(f'{x:.2g}' for x in errors)} {orders}{swing};"
                before = errors
            print(f"{name} | {variant} |{text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
