"""Forces of single coordinates: derivatives, energy, smoothness, the published torque."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm

LAWS = [
    fm.Spring(3.0, 0.2),
    fm.Damper(0.7),
    fm.QuadraticLimit(-0.4, 0.9, 50.0),
    fm.SmoothLimit(-0.4, 0.9, 30.0, 20.0, 0.3, 0.15),
]
POINTS = [(q, p) for q in (-0.9, -0.45, -0.2, 0.3, 0.95, 1.4) for p in (-2.0, 0.0, 1.3)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize(("q", "p"), POINTS)
def test_derivatives_and_energy(law, q, p):
    h = 1e-6
    at = law(q, p)
    assert_allclose(at.dq, (law(q + h, p).force - law(q - h, p).force) / (2 * h), atol=1e-7)
    assert_allclose(at.dp, (law(q, p + h).force - law(q, p - h).force) / (2 * h), atol=1e-7)
    slope = (law(q + h, 0.0).energy - law(q - h, 0.0).energy) / (2 * h)
    assert_allclose(law(q, 0.0).force, -slope, atol=1e-7)


@pytest.mark.parametrize("law", LAWS[2:], ids=lambda law: type(law).__name__)
def test_limits_set_in_smoothly(law):
    for end in (law.lower, law.upper):
        inside, outside = (law(end + s, 0.4) for s in (-1e-9, 1e-9))
        assert_allclose(inside.force, outside.force, atol=1e-6)
        assert_allclose(inside.dq, outside.dq, atol=1e-5)
    assert law(0.3, 1.0).force == 0.0
    assert law(2.0, 0.0).force < 0.0 < law(-2.0, 0.0).force  # back into the range


def test_the_passive_torque_of_munoz_pepi():
    """-k1 q - b p, and -k2 (q - q_max)^2 above, +k2 (q_min - q)^2 below (table I, corrected)."""
    laws = fm.Spring(1.0), fm.Damper(1.0), fm.QuadraticLimit(0.0, 2.0, 1e4)
    torque = lambda q, p: sum(law(q, p).force for law in laws)  # noqa: E731
    assert_allclose(torque(1.0, 0.5), -1.5)
    assert_allclose(torque(2.1, 0.0), -2.1 - 1e4 * 0.01)
    assert_allclose(torque(-0.2, 0.0), 0.2 + 1e4 * 0.04)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.Spring(-1.0), "Spring: stiffness = -1.0"),
        (lambda: fm.Damper(np.nan), "Damper: damping = nan"),
        (lambda: fm.QuadraticLimit(1.0, 0.0), "QuadraticLimit: upper = 0.0 .*at least lower = 1.0"),
        (lambda: fm.SmoothLimit(0, 1, 1, 1, 0, 0.0), "SmoothLimit: transition = 0"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(fm.ModelError, match=message):
        make()
