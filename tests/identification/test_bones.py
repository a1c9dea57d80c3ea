"""Bodies that have given base parameters, and base parameters that no body has."""

import numpy as np
import pytest
from identification.planar_arm import arm
from identification.test_inertial_parameters import chain, regressor, states

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
    about = sum(
        m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(mass, x - com, strict=True)
    )
    return parameters_of(fm.Body("b", float(mass.sum()), com, about)), mass, x


def test_second_moments_are_sums_over_points(rng):
    values, mass, x = random_body(rng)
    points = np.c_[x, np.ones(6)]
    np.testing.assert_allclose(second_moments(values)[0], (points.T * mass) @ points, atol=1e-12)
    back = fm.Body("b", **body_of(values))
    np.testing.assert_allclose(parameters_of(back), values, atol=1e-12)


def test_bones_are_the_nearest_ones_and_have_the_base_parameters(rng):
    base, guess = based(spatial(), ("upper", "ulna", "radius"), rng)
    deviation = np.maximum(0.1 * np.abs(guess), 1e-5)
    wanted = base.of(guess * (1.0 + 2e-3 * rng.normal(size=guess.size)))
    found = bones_of(base, wanted, guess, deviation)
    np.testing.assert_allclose(base.of(found), wanted, rtol=1e-9, atol=1e-12)
    assert (np.linalg.eigvalsh(second_moments(found)) > 0.0).all()
    # no change that keeps the base parameters brings them nearer
    ways = np.zeros((base.dependent.size, guess.size))
    ways[range(base.dependent.size), base.dependent] = 1.0
    ways[:, base.independent] = -base.K.T
    slopes = ways @ ((found - guess) / deviation**2)
    sizes = np.abs(ways / deviation).max(axis=1) * np.linalg.norm((found - guess) / deviation)
    assert np.abs(slopes / sizes).max() < 1e-9


def test_bones_far_from_the_guess_are_found(rng):
    """Bodies of random masses exist by construction; the nearest parameters are often none."""
    base, guess = based(spatial(), ("upper", "ulna", "radius"), rng)
    deviation, moved = np.maximum(0.1 * np.abs(guess), 1e-5), 0
    for _ in range(10):
        wanted = base.of(np.concatenate([random_body(rng)[0] for _ in range(3)]))
        found = bones_of(base, wanted, guess, deviation)
        assert found is not None and (np.linalg.eigvalsh(second_moments(found)) > 0.0).all()
        np.testing.assert_allclose(base.of(found), wanted, rtol=1e-8, atol=1e-10)
        B = base.matrix
        spread = (B * deviation**2) @ B.T
        nearest = guess + deviation**2 * (B.T @ np.linalg.solve(spread, wanted - B @ guess))
        moved += np.linalg.eigvalsh(second_moments(nearest)).min() < 0.0
    assert moved > 2


def test_a_body_of_which_all_is_known_is_one_or_not(rng):
    """All ten parameters: nothing is left to choose, and eigenvalues decide."""
    values, *_ = random_body(rng)
    alone = Base(np.arange(10), np.zeros(0, int), np.zeros((10, 0)), np.ones(10))
    size = np.abs(values) + 0.01
    np.testing.assert_allclose(bones_of(alone, values, values, size), values, atol=1e-12)
    for change in ("mass", "triangle"):
        other = values.copy()
        other[4 if change == "triangle" else 0] *= 1e3 if change == "triangle" else -1.0
        assert bones_of(alone, other, values, size) is None, change


@pytest.mark.parametrize("share", [0.95, 1.05])
def test_a_plane_chain_has_bones_up_to_the_mass_that_the_first_moment_allows(share, rng):
    """The lower link needs m I > |h|^2, the upper one what m L^2 leaves of its own moment."""
    base, guess = based(chain(), ("upper", "lower"), rng)
    deviation, wanted = np.maximum(0.1 * np.abs(guess), 1e-5), base.of(guess)
    _, _, upper, mx, my, _ = wanted
    wanted[5] = share * 0.3**2 * (mx**2 + my**2) / upper
    found = bones_of(base, wanted, guess, deviation)
    assert (found is None) is (share < 1.0)
    if found is not None:
        np.testing.assert_allclose(base.of(found), wanted, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_identification_gives_bones_or_says_that_there_are_none(sign):
    from identification.test_identification import problem

    from fibermsk.identification.fit.search import Solved
    from fibermsk.identification.found import found_of
    from fibermsk.identification.report.words import inertia_in_words

    own = problem("deep")
    z = own.guess.copy()
    z[own.unknowns.index("lower/Izz")] *= sign
    found = found_of(own, Solved(z, 1.0, 0.1, 1, True, (), 0.0, ()), ())
    (line,) = inertia_in_words(found)
    body = found.model().body("upper")
    assert (set(found.inertia) == {"upper", "lower"}) is (sign > 0)
    assert body.mass == pytest.approx(arm().body("upper").mass, rel=1e-9)
    assert ("masses [kg]: upper 1.8, lower 1" in line) if sign > 0 else ("no bones have" in line)
