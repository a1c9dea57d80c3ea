"""Partner points against dense sampling, and the certificate that there is only one."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from reference import roots
from reference.least_gap import Partner

from fibermsk.kernels.closest.chain import CLOSED, OPEN, UNSETTLED, chain_start, find_partner
from fibermsk.kernels.closest.closest_point import distance_quintic
from fibermsk.kernels.closest.least_gap import least_gap
from fibermsk.kernels.closest.rows import BALL, CENTER, N_COLUMNS, fill_rows
from fibermsk.kernels.fibers.shape import power_coefficients

RADIUS = 6e-3
SLACK = 1.0001e-4  # by which distances of open points may fall short

PATHS = {
    "straight": lambda s: (0.3 * s, 0.0 * s, 0.0 * s),
    "sagging": lambda s: (0.3 * s, 0.0 * s, -0.04 * s * (1.0 - s)),
    "S": lambda s: (0.3 * s, 0.03 * np.sin(2.0 * np.pi * s), 0.0 * s),
    "tight S": lambda s: (0.15 * s, 0.04 * np.sin(4.0 * np.pi * s), 0.01 * s),
    "helix": lambda s: (0.05 * s, 0.02 * np.cos(9.0 * s), 0.02 * np.sin(9.0 * s)),
    "hairpin": lambda s: (
        0.1 * np.tanh(40.0 * (s - 0.5)) * (s - 0.5),
        0.012 * np.tanh(12.0 * (s - 0.5)),
        0.0 * s,
    ),
    "back and forth": lambda s: (0.1 * np.cos(2.0 * np.pi * s), 0.002 * s, 0.0 * s),
}


class Chain:
    """A fiber as kernel arrays, and as the plain reference."""

    def __init__(self, rng, kind, n=8, spread=0.15, corners=False):
        steps = rng.uniform(0.6, 1.4, n)
        self.theta = np.r_[0.0, np.cumsum(steps)] / steps.sum()
        self.theta[-1] = 1.0
        self.h = np.diff(self.theta)

        def nodes(kind):
            at = np.array(PATHS[kind](self.theta)).T
            ahead, behind = (np.array(PATHS[kind](self.theta + s * 1e-6)).T for s in (1, -1))
            return np.concatenate([at, (ahead - behind) / 2e-6], axis=1)

        self.nodes = nodes(kind)
        self.reference = nodes("straight")
        self.nodes[:, 3:] *= 1.0 + spread * rng.uniform(-1.0, 1.0, (n + 1, 1))
        self.nodes[:, 3:] += spread * 0.05 * rng.normal(size=(n + 1, 3))
        # a smooth quartic belly, or straight pieces that meet in corners
        self.poly = np.zeros((n, 5))
        if corners:
            thickness = RADIUS * rng.uniform(0.8, 1.5, n + 1)
            self.poly[:, 0], self.poly[:, 1] = thickness[:-1], np.diff(thickness)
        else:
            belly = np.polynomial.Polynomial([RADIUS, 0.0, RADIUS * 8, -RADIUS * 16, RADIUS * 8])
            for e in range(n):
                own = belly(np.polynomial.Polynomial([self.theta[e], self.h[e]])).coef
                self.poly[e, : own.size] = own
        self.plain = Partner(self.theta, self.nodes, self.reference, self._radius)
        self.end_flag = np.zeros(n, np.int64)
        self.end_flag[0] += 1
        self.end_flag[-1] += 2

    def _radius(self, e, xi):
        return np.sum(self.poly[e] * np.asarray(xi)[..., None] ** np.arange(5), axis=-1)

    @property
    def widest(self):
        """Bound of the blended radius."""
        return float(self.plain.at(np.linspace(0.0, 1.0, 2001))[1].max()) * 1.001

    def arrays(self, x, size):
        """Power coefficients and rows; the last element is a short one around x."""
        n = self.h.size
        elements = np.c_[np.arange(n), np.arange(1, n + 1)]
        powers = []
        for nodes in (self.nodes, self.reference):
            power = np.zeros((n + 1, 4, 3))
            power_coefficients(nodes, elements, self.h, power[:n])
            power[n, 0] = x - [0.5 * size, 0.0, 0.0]
            power[n, 1] = [size, 0.0, 0.0]
            powers.append(power)
        rows = np.full((n + 1, N_COLUMNS), np.nan)
        poly, h = np.r_[self.poly, self.poly[-1:]], np.r_[self.h, 1.0]
        fill_rows(powers[0], np.arange(n + 1), powers[1], poly, h, rows)
        return powers[0], rows

    def search(self, x, r_x, blended, candidates=None, widest=None, size=1e-3):
        """`find_partner` and, where it leaves that to do, `least_gap`.

        Returns kind, theta, distance, and whether uniqueness was certified.
        """
        n = self.h.size
        candidates = np.arange(n) if candidates is None else np.asarray(candidates)
        widest = self.widest if widest is None else widest
        power, rows = self.arrays(x, size)
        start = chain_start(n, 0, candidates.size, candidates, rows)
        kind, e, xi, d = find_partner(
            *x, r_x, widest, blended, start, 0, candidates.size, candidates, power, rows
        )
        if kind == UNSETTLED:
            e, xi, _ = least_gap(*x, r_x, power, rows, self.end_flag, e, xi)
            kind = CLOSED
        if kind == CLOSED:
            d = np.linalg.norm(np.vander([xi], 4, increasing=True)[0] @ power[e] - x)
        return kind, self.theta[e] + self.h[e] * xi, d, start >= 0


def queries(rng, chain, n=12):
    """Points beside the fiber, on it, beyond its ends, far away, and on its axis of curvature."""
    at, _ = chain.plain.at(rng.uniform(size=n))
    away = rng.normal(size=(n, 3))
    away *= (rng.uniform(0.0, 3.0 * RADIUS, n) / np.linalg.norm(away, axis=1))[:, None]
    ends = np.repeat(chain.nodes[[0, -1]], 2, axis=0)
    beyond = ends[:, :3] + np.array([-0.02, -0.02, 0.02, 0.02])[:, None] * ends[:, 3:]
    beyond += 0.5 * RADIUS * rng.normal(size=(4, 3))
    theta = rng.uniform(0.1, 0.9, 3)
    p = [chain.plain.at(theta + s)[0] for s in (-1e-4, 0.0, 1e-4)]
    a, b = (p[2] - p[0]) / 2e-4, (p[2] - 2.0 * p[1] + p[0]) / 1e-8
    b -= a * (np.sum(a * b, axis=1) / np.sum(a * a, axis=1))[:, None]
    center = p[1] + b * (np.sum(a * a, axis=1) / np.maximum(np.sum(b * b, axis=1), 1e-9))[:, None]
    return np.concatenate([at + away, at[:2], beyond, center, at[:2] + 0.1])


@pytest.mark.parametrize("kind", PATHS)
def test_closest_points_against_dense_sampling(rng, kind):
    for _ in range(4):
        chain = Chain(rng, kind)
        for x in queries(rng, chain):
            found, theta, d, _ = chain.search(x, RADIUS, False)
            _, expected = chain.plain.closest(x, range(chain.h.size))
            if found == OPEN:
                assert expected * (1.0 - SLACK) <= d <= expected * (1.0 + 1e-12)
                continue
            # two minima may be equally near; the distance, squared, is known to rounding
            atol = 1e-15 / max(expected, 1e-8)
            assert_allclose(d, expected, rtol=1e-12, atol=atol)
            assert_allclose(chain.plain.distance(x, theta), d, rtol=1e-12, atol=atol)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("kind", PATHS)
def test_least_gaps_against_dense_sampling(rng, kind, corners):
    """Downhill from the closest point; where two are equally near, from either."""
    closed, compared = 0, 0
    for _ in range(3):
        chain = Chain(rng, kind, corners=corners)
        for x in queries(rng, chain):
            r_x = RADIUS * rng.uniform(0.5, 1.5)
            found, theta, d, _ = chain.search(x, r_x, True)
            start, nearest = chain.plain.closest(x, range(chain.h.size))
            if found == OPEN:
                assert nearest * (1.0 - SLACK) <= d <= nearest * (1.0 + 1e-12)
                assert d >= r_x + chain.widest
                continue
            closed += 1
            gap = chain.plain.gap(x, r_x, theta)
            # never above where it started, and a minimum
            assert gap <= chain.plain.gap(x, r_x, start) + 1e-12
            near = np.clip(theta + np.linspace(-1e-4, 1e-4, 21), 0.0, 1.0)
            assert gap <= chain.plain.gap(x, r_x, near).min() + 1e-12
            _, expected = chain.plain.descend(x, r_x, start)
            compared += abs(gap - expected) < 1e-9
    assert closed > 10
    # the others went down another side of a hill beside a closest point that is hardly one
    assert compared >= 0.9 * closed


@pytest.mark.parametrize("missing", [[3], [0, 1], [7], [2, 5]])
def test_chains_with_gaps(rng, missing):
    """Elements that are no candidates are not looked at; the ends beside them count."""
    candidates = np.setdiff1d(np.arange(8), missing)
    for kind in ("sagging", "tight S", "hairpin"):
        chain = Chain(rng, kind)
        for x in queries(rng, chain):
            found, _, d, certified = chain.search(x, RADIUS, False, candidates)
            assert not certified or candidates[-1] - candidates[0] == candidates.size - 1
            _, expected = chain.plain.closest(x, candidates)
            if found == OPEN:
                assert expected * (1.0 - SLACK) <= d <= expected * (1.0 + 1e-12)
            else:
                assert_allclose(d, expected, rtol=1e-12, atol=1e-15 / max(expected, 1e-8))


def test_beyond_the_ends(rng):
    """The end is the closest point, and what is held."""
    chain = Chain(rng, "sagging", spread=0.01)
    for end, sign in ((0, -1.0), (-1, 1.0)):
        tangent = chain.nodes[end, 3:]
        x = chain.nodes[end, :3] + sign * 0.01 * tangent + [0.0, 0.5 * RADIUS, 0.0]
        for blended in (False, True):
            own = np.arange(2) if end == 0 else np.arange(6, 8)
            _, theta, d, certified = chain.search(x, RADIUS, blended, own)
            assert certified
            assert theta == chain.theta[end]
            assert_allclose(d, np.linalg.norm(x - chain.nodes[end, :3]), rtol=1e-14)


def certified_roots(chain, x, size, rng):
    """Checks the certificate around x; returns whether it was given.

    For the candidates that a broad phase would find, and exactly: roots of their quintics, counted
    by Sturm's theorem, for points all over the ball that stands for the run's element.
    """
    n = chain.h.size
    power, rows = chain.arrays(x, size)
    middle, ball = rows[:n, CENTER : CENTER + 3], rows[:n, BALL]
    near = np.linalg.norm(middle - x, axis=1) - ball <= 4.0 * RADIUS + size
    candidates = np.flatnonzero(near)
    if candidates.size == 0 or chain_start(n, 0, candidates.size, candidates, rows) < 0:
        return False
    for shift in (-0.5, 0.5, rng.uniform(-0.5, 0.5)):
        y = x + [shift * size, 0.0, 0.0]
        total, below = 0, True
        for e in candidates:
            a, _ = distance_quintic(e, *y, power, rows)
            ends = a[0], sum(a)
            if 0.0 in ends:
                continue
            total += roots.count(a)
            # negative up to the only root, positive from there on
            assert below or ends[0] > 0.0
            below = ends[1] < 0.0
        assert total <= 1
    return True


@pytest.mark.parametrize("kind", PATHS)
def test_certificate_is_never_wrong(rng, kind):
    certified = 0
    for _ in range(6):
        chain = Chain(rng, kind, n=int(rng.integers(1, 30)), spread=rng.uniform(0.0, 0.4))
        for x in queries(rng, chain, 8):
            certified += certified_roots(chain, x, 10.0 ** rng.uniform(-3.5, -1.5), rng)
    assert certified > 5 or kind in ("tight S", "helix", "hairpin", "back and forth")


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(sorted(PATHS)), st.floats(0.0, 1.5), st.booleans())
def test_property_partner_points(seed, kind, spread, corners):
    """Whatever the tangents: the nearest of all, and a gap that is locally least."""
    rng = np.random.default_rng(seed)
    chain = Chain(rng, kind, n=int(rng.integers(1, 10)), spread=spread, corners=corners)
    for x in queries(rng, chain, 3):
        certified_roots(chain, x, 1e-3, rng)
        found, _, d, _ = chain.search(x, RADIUS, False)
        _, expected = chain.plain.closest(x, range(chain.h.size))
        slack = SLACK if found == OPEN else 1e-12
        atol = 1e-15 / max(expected, 1e-8)
        assert expected * (1.0 - slack) - atol <= d <= expected * (1.0 + 1e-12) + atol
        found, theta, d, _ = chain.search(x, RADIUS, True)
        if found == OPEN:
            assert expected * (1.0 - SLACK) <= d <= expected * (1.0 + 1e-12)
        else:
            near = np.clip(theta + np.linspace(-1e-5, 1e-5, 21), 0.0, 1.0)
            gaps = chain.plain.gap(x, RADIUS, near)
            assert chain.plain.gap(x, RADIUS, theta) <= gaps.min() + 1e-12


def test_points_of_equal_distance(rng):
    """On the axis of a half circle every point is a closest one, nearly: no certificate."""
    theta = np.linspace(0.0, 1.0, 5)
    chain = Chain(rng, "straight", n=4, spread=0.0)
    chain.theta, chain.h = theta, np.diff(theta)
    turn = np.pi * theta
    chain.nodes[:, :3] = 0.02 * np.array([np.cos(turn), np.sin(turn), 0.0 * turn]).T
    chain.nodes[:, 3:] = 0.02 * np.pi * np.array([-np.sin(turn), np.cos(turn), 0.0 * turn]).T
    chain.plain = Partner(theta, chain.nodes, chain.reference, chain._radius)
    _, _, d, certified = chain.search(np.zeros(3), RADIUS, False)
    assert not certified
    assert_allclose(d, chain.plain.closest(np.zeros(3), range(4))[1], rtol=1e-12)


def test_what_is_no_number_comes_to_an_end(rng):
    chain, x = Chain(rng, "sagging"), np.array([0.1, 0.0, 0.0])
    with np.errstate(invalid="ignore"):
        for blended in (False, True):
            for at in ((0, 0), (3, 4), (8, 2)):
                broken = Chain(rng, "sagging")
                broken.nodes[at] = np.nan
                broken.search(x, RADIUS, blended, widest=RADIUS)
            for bad in (np.nan, np.inf):
                chain.search(x + [0.0, bad, 0.0], RADIUS, blended)
