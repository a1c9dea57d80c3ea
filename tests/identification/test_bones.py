"""Bodies that have given base parameters, or are nearest to them."""

import numpy as np
import pytest
from identification.planar_arm import arm
from identification.test_inertial_parameters import chain, regressor, states
from scipy.optimize import minimize

import fibermsk as fm
from fibermsk.identification.equations.bones import bones_of, second_moments
from fibermsk.identification.equations.inertia import Base, base_of, body_of, parameters_of


def spatial():
    """Three bodies on two axes, a hinge and a hinge."""
    model = fm.Model("arm", gravity=(0.0, -9.81, 0.0))
    upper = model.add(fm.Body("upper", 1.9, (0.01, -0.13, 0.0), (0.012, 2.5e-3, 0.0125)))
    ulna = model.add(fm.Body("ulna", 1.1, (0.01, -0.09, 0.0), (5e-3, 9e-4, 5.2e-3)))
    radius = model.add(fm.Body("radius", 0.25, (0.0, -0.1, 0.01), (4e-4, 8e-5, 4.2e-4)))
    model.add(
        fm.Universal("shoulder", model.ground, upper, (0, 0, 0), (0, 0, 1), (1, 0, 0)),
        fm.Hinge("elbow", upper, ulna, (0, -0.3, 0), (0, 0.1, 1)),
        fm.Hinge("turn", ulna, radius, (0, -0.02, 0.01), (0.1, 1, 0)),
    )
    return model


def based(model, names, rng):
    skeleton, found = regressor(model, names)
    Y, _ = found.at(*states(rng, skeleton.n))
    return base_of(Y.reshape(-1, Y.shape[2])), found.values


def random_body(rng):
    """Ten parameters of some point masses."""
    mass, x = rng.uniform(0.05, 0.5, 6), 0.1 * rng.normal(size=(6, 3))
    com = mass @ x / mass.sum()
    away = x - com
    about = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(mass, away, strict=True))
    return parameters_of(fm.Body("b", float(mass.sum()), com, about)), mass, x


def least(values):
    return np.linalg.eigvalsh(second_moments(values)).min()


def spread(base, guess, share):
    """Covariance of base parameters that are known to a share of what the guesses are off by."""
    size = np.maximum(share * np.abs(guess), 1e-7)
    return np.diag(base.matrix**2 @ size**2)


def test_second_moments_are_sums_over_points(rng):
    values, mass, x = random_body(rng)
    points = np.c_[x, np.ones(6)]
    np.testing.assert_allclose(second_moments(values)[0], (points.T * mass) @ points, atol=1e-12)
    back = fm.Body("b", **body_of(values))
    np.testing.assert_allclose(parameters_of(back), values, atol=1e-12)


def test_of_the_model_s_own_base_parameters_the_bones_are_its_own(rng):
    base, guess = based(spatial(), ("upper", "ulna", "radius"), rng)
    found = bones_of(base, base.of(guess), spread(base, guess, 0.1), guess)
    np.testing.assert_allclose(found.values, guess, rtol=1e-6, atol=1e-9)
    assert np.abs(found.off).max() < 1e-6


def test_bodies_far_from_the_guess_are_found(rng):
    """Bodies of random masses exist by construction, and are met to little of the deviations."""
    base, guess = based(spatial(), ("upper", "ulna", "radius"), rng)
    covariance = spread(base, guess, 1e-4)
    for _ in range(10):
        wanted = base.of(np.concatenate([random_body(rng)[0] for _ in range(3)]))
        found = bones_of(base, wanted, covariance, guess)
        assert least(found.values) > 0.0 and np.abs(found.off).max() < 0.05
        np.testing.assert_allclose(base.of(found.values), wanted, rtol=1e-3, atol=1e-7)


def test_bones_are_the_minimum(rng):
    """Against a search without derivatives in factors of the second moments, of one body."""
    guess, *_ = random_body(rng)
    alone = Base(np.arange(10), np.zeros(0, int), np.zeros((10, 0)), np.ones(10))
    wanted, covariance = guess.copy(), np.diag((0.3 * np.abs(guess) + 1e-3) ** 2)
    wanted[4] *= 4.0  # breaks the triangle inequality
    found = bones_of(alone, wanted, covariance, guess)
    inverse = np.linalg.inv(second_moments(guess)[0])
    lower = np.tril_indices(4)

    def values_of(x):
        L = np.zeros((4, 4))
        L[lower] = x
        P = L @ L.T
        about = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
        rest = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
        return np.r_[P[3, 3], P[:3, 3], about[rest]], P

    def cost(x):
        values, P = values_of(x)
        off = (values - wanted) / np.sqrt(np.diag(covariance))
        return 0.5 * off @ off + np.trace(inverse @ P) - np.linalg.slogdet(P)[1]

    first = np.linalg.cholesky(second_moments(guess)[0])[lower]
    best = minimize(cost, first, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
    np.testing.assert_allclose(values_of(best.x)[0], found.values, rtol=1e-4, atol=1e-6)
    assert least(found.values) > 0.0 and np.abs(found.off).max() > 0.1


@pytest.mark.parametrize("change", ["mass", "triangle"])
def test_what_no_body_has_is_off(change, rng):
    """All ten parameters are known: nothing is left to choose."""
    values, *_ = random_body(rng)
    alone = Base(np.arange(10), np.zeros(0, int), np.zeros((10, 0)), np.ones(10))
    other, covariance = values.copy(), np.diag((1e-3 * np.abs(values) + 1e-6) ** 2)
    other[4 if change == "triangle" else 0] *= 1e3 if change == "triangle" else -1.0
    found = bones_of(alone, other, covariance, values)
    # what is possible ends at zero: to round-off of the largest moment
    assert least(found.values) > -1e-13 and np.abs(found.off).max() > 100.0


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_plane_chain_has_bones_up_to_the_mass_that_the_first_moment_allows(share, rng):
    """The lower link needs m I > |h|^2, the upper one what m L^2 leaves of its own moment."""
    base, guess = based(chain(), ("upper", "lower"), rng)
    wanted = base.of(guess)
    _, _, upper, mx, my, _ = wanted
    wanted[5] = share * 0.3**2 * (mx**2 + my**2) / upper
    found = bones_of(base, wanted, spread(base, guess, 1e-4), guess)
    assert least(found.values) > 0.0
    assert bool(np.abs(found.off).max() > 10.0) is (share < 1.0)


def test_thin_rods_are_bodies(rng):
    """Whose guesses have no thickness."""
    model = fm.Model("rod")
    rod = model.add(fm.Body("rod", 1.0, (0, -0.15, 0), (7.5e-3, 1e-7, 7.5e-3)))
    model.add(fm.Universal("shoulder", model.ground, rod, (0, 0, 0), (0, 0, 1), (1, 0, 0)))
    base, guess = based(model, ("rod",), rng)
    found = bones_of(base, base.of(guess), spread(base, guess, 0.1), guess)
    assert least(found.values) > 0.0 and np.abs(found.off).max() < 0.1


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_identification_gives_bones_and_says_if_they_are_others(sign):
    from identification.test_identification import problem

    from fibermsk.identification.fit.search import Solved
    from fibermsk.identification.found import found_of
    from fibermsk.identification.report.words import inertia_in_words

    own = problem("deep")
    z = own.guess.copy()
    z[own.unknowns.index("lower/Izz")] *= sign
    found = found_of(own, Solved(z, 1.0, 0.1, 1, True, (), 0.0, ()), ())
    (line,) = inertia_in_words(found)
    assert set(found.inertia) == {"upper", "lower"}
    body = found.model().body("upper")
    if sign > 0:
        assert "masses [kg]: upper 1.8, lower 1; they have what was found to" in line
        assert body.mass == pytest.approx(arm().body("upper").mass, rel=1e-6)
    else:
        assert "no bones have what was found" in line and "of lower/Izz" in line
