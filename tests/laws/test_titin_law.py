"""The law of titin: derivatives by complex steps, energy, and what the page asks of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.laws.hill import passive_force_length
from fibermsk.laws.titin import stress_at_rest, titin_damping, titin_energy, titin_stress

STEP = 1e-30


def plain(stretch, near, titin):
    """Stress over S, and f_1 - f_2, written from the page."""
    optimal, p, q, fixed = (
        titin.optimal_stretch, titin.share, titin.near_share, titin.fixed_length,
    )  # fmt: skip

    def passive(x):
        k, e = titin.shape, titin.strain
        lowest = np.exp(k * (0.2 - 1.0) / e)
        if x.real > 1.0 + e:
            slope = k / e * np.exp(k) / (np.exp(k) - lowest)
            return 1.0 + slope * (x - 1.0 - e)
        return (np.exp(k * (x - 1.0) / e) - lowest) / (np.exp(k) - lowest)

    def g(free):
        return passive(2.0 * (free + fixed))

    free = 0.5 * stretch / optimal - fixed
    f1, f2 = p * g(near / q), p * g((free - near) / (1.0 - q))
    return f2 + (1.0 - p) * passive(stretch / optimal), f1 - f2


@pytest.fixture
def titins(rng):
    return [
        fm.Titin(
            2.5e5,
            optimal_stretch=rng.uniform(0.7, 1.3),
            share=rng.uniform(0.3, 1.0),
            near_share=rng.uniform(0.2, 0.85),
            fixed_length=rng.uniform(0.0, 0.2),
            strain=rng.uniform(0.25, 0.7),
            shape=rng.uniform(2.0, 5.0),
        )
        for _ in range(20)
    ]


def test_values_and_derivatives(rng, titins):
    for titin in titins:
        law = titin.stress, *titin.constants
        stretch = titin.optimal_stretch * rng.uniform(0.6, 1.9)
        near = titin.relaxed(stretch) + 0.1 * rng.normal()
        P, P_stretch, P_near, back, back_stretch, back_near = titin_stress(stretch, near, *law)
        assert_allclose((P / titin.stress, back), plain(stretch, near, titin), rtol=1e-12)
        by_stretch = plain(stretch + 1j * STEP, near, titin)
        by_near = plain(stretch, near + 1j * STEP, titin)
        slopes = np.imag([by_stretch, by_near]) / STEP
        assert_allclose((P_stretch, P_near), titin.stress * slopes[:, 0], rtol=1e-12)
        assert_allclose((back_stretch, back_near), slopes[:, 1], rtol=1e-12)
        # the energy gives stress and sliding force: no work is lost or made but by the damping
        by_stretch = titin_energy(stretch + 1j * STEP, near, *law).imag / STEP
        by_near = titin_energy(stretch, near + 1j * STEP, *law).imag / STEP
        assert_allclose(by_stretch, P, rtol=1e-12)
        assert_allclose(by_near, 2.0 * titin.stress * titin.optimal_stretch * back, rtol=1e-10)


def test_at_rest_it_is_the_passive_curve_counted_once(titins):
    for titin in (fm.Titin(1.0), fm.Titin(1.0, share=0.4, near_share=0.7, fixed_length=0.2)):
        for stretch in (0.7, 1.0, 1.3, 1.6):
            found = titin_stress(stretch, titin.relaxed(stretch), 1.0, *titin.constants)
            assert_allclose(found[0], passive_force_length(stretch)[0], rtol=1e-12)
            assert_allclose(found[3], 0.0, atol=1e-14)
            both = stress_at_rest(titin, stretch)
            assert_allclose(both, passive_force_length(stretch), rtol=1e-12)
    for titin in titins:
        begin = titin_energy(1.0, titin.relaxed(), titin.stress, *titin.constants)
        assert abs(begin) < 1e-9 * titin.stress


def test_bound_titin_is_stiffer_than_passive():
    titin = fm.Titin(1.0, near_share=0.5, share=0.8)
    found = titin_stress(1.2, titin.relaxed(1.2), 1.0, *titin.constants)
    passive = passive_force_length(1.2)[1]
    # z held: the far half alone is stretched, twice as stiff
    assert_allclose(found[1], (0.8 / 0.5 + 0.2) * passive, rtol=1e-12)


def test_damping():
    assert titin_damping(0.0, 0.1, 242.0) == (0.1, 0.0)
    assert_allclose(titin_damping(0.1, 0.1, 242.0)[0], 0.1 + 242.0 * (1.0 - np.exp(-1.0)))
    assert_allclose(titin_damping(1.0, 0.1, 242.0)[0], 242.1)
    stepped, _ = titin_damping(0.07 + 1e-30j, 0.1, 242.0)
    assert_allclose(titin_damping(0.07, 0.1, 242.0)[1], stepped.imag / 1e-30, rtol=1e-14)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("stress", 0.0),
        ("optimal_stretch", -1.0),
        ("share", 0.0),
        ("share", 1.1),
        ("near_share", 1.0),
        ("fixed_length", 0.5),
        ("passive_damping", 0.0),
        ("active_damping", -1.0),
        ("strain", 0.0),
        ("shape", np.nan),
    ],
)
def test_refusals_name_the_field(field, value):
    with pytest.raises(fm.ModelError, match=field):
        fm.Titin(**{"stress": 3e5, field: value})


def test_tissue_counts_passive_stress_once():
    solid = fm.KelvinVoigt(1e4, 1e2)
    with pytest.raises(fm.ModelError, match="twice"):
        fm.Tissue(1060.0, solid, stiffening=fm.Stiffening(5e3, 6.7), titin=fm.Titin(3e5))
    with pytest.raises(fm.ModelError, match="titin"):
        fm.Tissue(1060.0, solid, titin=3e5)
    with pytest.raises(fm.ModelError, match="gradient"):
        fm.Tissue(1060.0, solid, gradient=0.01)
