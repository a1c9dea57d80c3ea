"""Curves of active stress, and the stress of muscle, against the formulas of their sources."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.laws import hill
from fibermsk.laws.curves import curve_at
from fibermsk.laws.titin import titin_damping, titin_stress

DATA = Path(__file__).parents[2] / "verification/data"
LENGTHS = [
    fm.DeGrooteForceLength(),
    fm.DeGrooteForceLength(pennation_angle=0.5),
    fm.BellForceLength(0.3, 4.0),
    fm.BellForceLength(0.5, 1.3),
    fm.GaussianForceLength(0.9, 0.41),
]
VELOCITIES = [
    fm.DeGrooteForceVelocity(),
    fm.HillForceVelocity(),
    fm.HillForceVelocity(0.19, 1.38, 6.7),
    fm.HillForceVelocity(0.19, 1.38, 6.7, smoothing=2.0, toe=0.2),
    fm.HillForceVelocity(10.0, 5.0, 1.01, 0.01, 0.01),
    fm.HillForceVelocity(0.02, 1.01, 50.0, 2.0, 0.5),
]


def joins_of(curve):
    """Arguments at which the second derivative may jump, and the shortest length of the curve."""
    if not hasattr(curve, "toe"):
        return [1.0], 0.1
    joins = [curve.toe - 1.0]
    factor, slope = curve_at(curve, joins[0])
    joins.append(joins[0] - 2.0 * factor / slope)
    if isinstance(curve, fm.DeGrooteForceVelocity):
        return joins, curve.toe
    c = (curve.eccentric - 1.0) / (curve.steepness * (1.0 + 1.0 / curve.curvature))
    return [*joins, 0.0, curve.smoothing * c], min(curve.toe, c * min(curve.smoothing, 1.0))


@pytest.mark.parametrize("curve", [*LENGTHS, *VELOCITIES], ids=repr)
def test_derivatives_of_curves(curve):
    """Central differences of fourth order."""
    least, most = (0.3, 2.2) if curve in LENGTHS else (-1.4, 1.4)
    joins, scale = joins_of(curve)
    near = [x + side * k * scale for x in joins for side in (-1, 1) for k in (0.01, 0.3)]
    for x in [*np.linspace(least, most, 301), *near]:
        h = 1e-3 * min(scale, *(abs(x - join) for join in joins))
        if h < 1e-9:
            continue
        ahead2, ahead, behind, behind2 = (
            curve_at(curve, x + k * h)[0] for k in (2.0, 1.0, -1.0, -2.0)
        )
        slope = (8.0 * (ahead - behind) - (ahead2 - behind2)) / (12.0 * h)
        # h^4 of the fifth derivative over the scale, and rounding of values of order one
        assert_allclose(curve_at(curve, x)[1], slope, rtol=1e-8, atol=1e-15 / h)


@pytest.mark.parametrize("curve", VELOCITIES, ids=repr)
def test_force_velocity_rises_smoothly_from_zero(curve):
    assert_allclose(curve_at(curve, 0.0)[0], 1.0, rtol=2e-5)  # De Groote's constants have digits
    v = np.linspace(-2.0, 2.0, 4001)
    factor, slope = np.array([curve_at(curve, float(x)) for x in v]).T
    assert (factor >= 0.0).all() and (slope >= 0.0).all() and (np.diff(factor) >= 0.0).all()
    assert factor[0] == slope[0] == 0.0
    assert factor[np.searchsorted(v, -1.0)] < 0.26 * curve.toe
    # continuously differentiable: across each join the one-sided slopes agree
    joins, scale = joins_of(curve)
    for x in joins:
        near = 1e-7 * scale
        (a, slope_a), (b, slope_b) = curve_at(curve, x - near), curve_at(curve, x + near)
        assert_allclose(a, b, atol=1e-6)
        assert_allclose(slope_a, slope_b, rtol=1e-5, atol=1e-6)  # near times the second derivative


def test_two_branches_in_numbers():
    """The hyperbolas away from the joins, by hand; without a kink they meet with one slope."""
    curve = fm.HillForceVelocity(curvature=0.25, eccentric=1.4)
    assert_allclose(curve_at(curve, -0.5), (0.5 / 3.0, 5.0 / 9.0))
    c = 0.4 / 5.0
    assert_allclose(curve_at(curve, 0.08), (1.2, 0.4 * c / (2.0 * c) ** 2))
    assert_allclose(curve_at(curve, -1e-12)[1], 5.0)
    assert_allclose(curve_at(curve, 1e-12)[1], 5.0)
    steep = fm.HillForceVelocity(0.19, 1.38, 6.7)
    c = 0.38 / (6.7 * (1.0 + 1.0 / 0.19))
    for v in (c, 0.1, 1.0):
        assert_allclose(curve_at(steep, v)[0], 1.0 + 0.38 * v / (v + c))
    assert curve_at(steep, 0.0)[0] == 1.0


def test_curves_of_de_groote():
    for x in (0.4, 0.9, 1.0, 1.35, 1.8):
        assert_allclose(curve_at(LENGTHS[0], x), hill.active_force_length(x), rtol=1e-14)
        # along the path, over the force along the path at the optimum
        along, height = x * np.cos(0.5), np.sin(0.5)
        fiber = np.hypot(along, height)
        projected = along / fiber * hill.active_force_length(fiber)[0] / np.cos(0.5)
        assert_allclose(curve_at(LENGTHS[1], x)[0], projected, rtol=1e-14)
    for v in (-0.94, -0.3, 0.0, 0.7):
        assert_allclose(curve_at(VELOCITIES[0], v), hill.force_velocity(v), rtol=1e-14)


@pytest.mark.parametrize("measure", ["nominal", "cauchy"])
@pytest.mark.parametrize("k", range(5))
def test_stress_and_its_derivatives(rng, measure, k):
    """Against the formula with the curves themselves, and central differences."""
    length, velocity = LENGTHS[k], VELOCITIES[k]
    active = fm.HillStress(3e5, 1.2, 6.0, length, velocity, measure)
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(1e-9, 0.0), active=active)
    for _ in range(20):
        s, r, a = rng.uniform(0.6, 1.9), rng.uniform(-9.0, 9.0), rng.uniform(0.1, 1.0)
        fraction = rng.uniform(0.1, 1.0)
        expected = a * fraction * 3e5 * length.factor(s / 1.2)[0]
        expected *= velocity.factor(r / 7.2)[0] / (s if measure == "cauchy" else 1.0)
        found = tissue.stress(s, r, a, fraction)
        assert_allclose(found[0], expected, rtol=1e-12, atol=1e-7)
        assert_allclose(tissue.activation_slope(s, r, a, fraction), expected / a, atol=1e-6)
        for i, h in ((0, 1e-6), (1, 1e-5)):
            step = np.eye(2)[i] * h
            up, down = (tissue.stress(s + x, r + y, a, fraction)[0] for x, y in (step, -step))
            # h^2 of the third derivative, rounding, and kinks of the second derivative
            assert_allclose(found[1 + i], (up - down) / (2.0 * h), rtol=1e-4, atol=20.0)


def test_nominal_and_cauchy_peak():
    """Page section 1: De Groote's curve as Cauchy stress has its force peak at 0.796."""
    s = np.linspace(0.6, 1.4, 8001)
    tissue = fm.Tissue(
        1060.0, fm.KelvinVoigt(1e-9, 0.0), active=fm.HillStress(1.0, stress="cauchy")
    )
    force = np.array([tissue.stress(float(x), 0.0, 1.0)[0] for x in s])
    assert_allclose(s[np.argmax(force)], 0.796, atol=5e-4)
    assert_allclose(force.max() / tissue.stress(1.0, 0.0, 1.0)[0], 1.046, atol=5e-4)


def test_work_in_shortening_is_at_most_the_isometric_one(rng):
    """At any speed, an active fiber does at most the integral of its isometric stress."""
    for curve in VELOCITIES:
        active = fm.HillStress(3e5, 1.0, 8.0, force_velocity=curve)
        tissue = fm.Tissue(1060.0, fm.KelvinVoigt(1e-9, 0.0), active=active)
        stretch = np.linspace(1.3, 0.7, 41)
        middle = 0.5 * (stretch[1:] + stretch[:-1])
        rates = -rng.uniform(0.0, 12.0, middle.size)
        did = sum(tissue.stress(s, r, 1.0)[0] for s, r in zip(middle, rates, strict=True))
        most = sum(tissue.stress(s, 0.0, 1.0)[0] for s in middle)
        assert 0.0 <= did < most


def test_passive_curve_by_the_numbers_of_physiology():
    law = fm.Stiffening.of_muscle(3e5, strain=0.267, shape=3.3, optimal_stretch=1.2)
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(1e-9, 0.0), stiffening=law)
    assert_allclose(tissue.stress(1.2 * 1.267)[0], 3e5, rtol=1e-12)
    assert_allclose(tissue.stress(1.2)[0], 3e5 * np.exp(-3.3), rtol=1e-12)
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(1e-9, 0.0), stiffening=fm.Stiffening.of_muscle(3e5))
    for x in (0.7, 1.0, 1.3, 1.6):
        assert_allclose(tissue.stress(x)[0] / 3e5, hill.passive_force_length(x)[0], atol=1e-4)
    with pytest.raises(fm.ModelError, match="Stiffening: strain = 0.0; must be positive"):
        fm.Stiffening.of_muscle(3e5, strain=0.0)


@dataclass(frozen=True)
class Parabola:
    width: float = fm.law_constant(above=0.0)

    def factor(self, length):
        return np.exp(-(((length - 1.0) / self.width) ** 2))


@dataclass(frozen=True)
class WrongSlope:
    width: float = fm.law_constant(above=0.0)

    def factor(self, length):
        return length / self.width, 2.0


@dataclass(frozen=True)
class Negative:
    def factor(self, velocity):
        return 1.0 + velocity


@dataclass(frozen=True)
class Weak:
    def factor(self, velocity):
        return 0.5 + 0.0 * velocity


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fm.HillStress(-1.0), "HillStress: max_stress = -1.0 N/m"),
        (lambda: fm.HillStress(1.0, 0.0), "optimal_stretch = 0.0; must be at least 0.01"),
        (
            lambda: fm.HillStress(1.0, max_velocity=0.0),
            "max_velocity = 0.0 1/s; must be at least 0.0",
        ),
        (lambda: fm.HillStress(1.0, stress="true"), "stress = 'true'; must be 'nominal' or 'ca"),
        (lambda: fm.HillStress(1.0, force_length=0.3), "force_length = 0.3; must be a frozen data"),
        (
            lambda: fm.HillStress(1.0, force_length=fm.HillForceVelocity()),
            "must be a curve of force-length, and is one of force-velocity",
        ),
        (lambda: fm.HillStress(1.0, force_length=WrongSlope(0.3)), "derivative = 2; must be 3.33"),
        (lambda: fm.HillStress(1.0, force_length=Parabola(-1.0)), "width = -1.0; must be greater"),
        (
            lambda: fm.HillStress(1.0, force_velocity=Negative()),
            "factor at velocity = -1.*must be zero or positive",
        ),
        (lambda: fm.HillStress(1.0, force_velocity=Weak()), "at a velocity of 0 = 0.5; must be 1"),
        (lambda: fm.HillForceVelocity(0.0), "curvature = 0.0; must be at least 0.02"),
        (lambda: fm.HillForceVelocity(eccentric=1.0), "eccentric = 1.0; must be at least 1.01"),
        (lambda: fm.HillForceVelocity(steepness=0.5), "steepness = 0.5; must be at least 1"),
        (lambda: fm.HillForceVelocity(smoothing=3.0), "smoothing = 3.0; must be at most 2"),
        (lambda: fm.DeGrooteForceVelocity(toe=0.0), "toe = 0.0; must be at least 0.01"),
        (lambda: fm.GaussianForceLength(below=0.0), "below = 0.0; must be at least 0.001"),
        (lambda: fm.Tissue(1.0, fm.HillStress(1.0)), "tissue: muscle = HillStress"),
    ],
)
def test_refusals(make, match):
    with pytest.raises(fm.ModelError, match=match):
        make()


def test_cat_soleus():
    """The constants that docs/howto/force_velocity.md gives for Scott et al. (1996), fig. 4 A."""
    measured = np.loadtxt(DATA / "scott1996_fig4_force_velocity.csv", delimiter=",", skiprows=1)
    assert measured.shape == (86, 2)

    def rms(curve, fastest):
        found = [curve_at(curve, v)[0] for v in measured[:, 0] / fastest]
        return np.sqrt(np.mean((found - measured[:, 1]) ** 2))

    assert_allclose(rms(fm.HillForceVelocity(0.19, 1.38, 6.7), 4.67), 0.078, atol=5e-4)
    least = min(rms(fm.DeGrooteForceVelocity(), fastest) for fastest in np.linspace(2, 10, 161))
    assert_allclose(least, 0.154, atol=1e-3)


def test_random_tissues_are_finite_or_refused(rng):
    """10,000 of them, with numbers of any size: refused with a reason, or finite everywhere."""
    refused = finite = 0

    def size(usual):
        kind = rng.integers(0, 12)
        if kind == 0:
            return float(rng.choice([0.0, -1.0, np.inf, np.nan, 1e-300, 1e60]))
        return usual * 10.0 ** rng.normal(0.0, 0.1 if kind < 8 else 1.0)

    for _ in range(10_000):
        try:
            if rng.random() < 0.7:
                active = fm.HillStress(
                    size(3e5), size(1.0), size(8.0),
                    [
                        fm.DeGrooteForceLength(), fm.BellForceLength(size(0.45), size(2.0)),
                        fm.GaussianForceLength(size(0.5), size(0.5)),
                    ][rng.integers(0, 3)],
                    [
                        fm.DeGrooteForceVelocity(size(0.1)),
                        fm.HillForceVelocity(size(0.2), size(1.5), size(2.0), size(0.5), size(0.1)),
                    ][rng.integers(0, 2)],
                    str(rng.choice(["nominal", "cauchy"])),
                )  # fmt: skip
            else:
                active = fm.ActiveStress(size(3e5), size(1.2), size(0.4), size(3.0))
            passive = {"stiffening": fm.Stiffening.of_muscle(size(3e5), size(0.6))}
            if rng.random() < 0.4:
                passive = {
                    "titin": fm.Titin(
                        size(3e5), size(1.0), size(0.7), size(0.4), size(0.1), size(0.1),
                        size(200.0), size(0.6), size(4.0),
                    ),
                    "gradient": fm.StretchGradient(size(3e5), size(5e-3)),
                }  # fmt: skip
            tissue = fm.Tissue(
                size(1060.0), fm.KelvinVoigt(size(2e4), size(1e3)), active=active,
                prestress=size(1e3), **passive,
            )  # fmt: skip
        except fm.ModelError as error:
            assert "must" in str(error)
            refused += 1
            continue
        s, r, a = rng.uniform(0.4, 1.8), 10.0 * rng.normal(), rng.uniform()
        found = [*tissue.stress(s, r, a), tissue.activation_slope(s, r, a)]
        if (titin := tissue.titin) is not None:
            near = titin.relaxed(s) + 0.02 * rng.normal()
            found += titin_stress(s, near, titin.stress, *titin.constants)
            found += titin_damping(a, titin.passive_damping, titin.active_damping)
        assert np.isfinite(found).all(), tissue
        finite += 1
    assert refused > 1000 and finite > 1000
