"""Networks for paths of muscles: exact paths, shipped errors, exact derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.network import path

from fibermsk.kernels.lines.material.network import evaluate, evaluate_paths
from fibermsk.kernels.lines.path_arrays import CAPPED as CAPPED_KIND, CYLINDER as CYLINDER_KIND
from fibermsk.system.lines.networks import trained
from fibermsk.train.exact import CAPPED, CYLINDER, Ends, taut_paths
from fibermsk.train.judge import errors_of
from fibermsk.train.samples import RANGES, draw_ends, ends_in_frame

KINDS = {CYLINDER: CYLINDER_KIND, CAPPED: CAPPED_KIND}


def outside(x):
    """Points (..., 3) moved out of the capped cylinder, to the nearest place on it."""
    flat = np.where(x[..., 2] > 0.0, 1.0, 0.0)
    size = np.sqrt(x[..., 0] ** 2 + x[..., 1] ** 2 + flat * x[..., 2] ** 2)
    out = np.maximum(1.0 / size, 1.0)[..., None] * x
    return np.stack([out[..., 0], out[..., 1], np.where(flat > 0, out[..., 2], x[..., 2])], -1)


def strings(ends):
    """Taut polygons (n, 129, 3) around the capped cylinder, shortened point by point."""
    o, i = ends_in_frame(ends)
    share, x = np.linspace(0.0, 1.0, 5)[:, None], None
    half = (share.T - 0.5) * ends.delta[:, None]
    rho = ends.rho_o[:, None] + share.T * (ends.rho_i - ends.rho_o)[:, None]
    z = ends.z_o[:, None] + share.T * (ends.z_i - ends.z_o)[:, None]
    x = np.stack([rho * np.cos(half), rho * np.sin(half), z], -1)
    while x.shape[1] < 129:
        finer = np.empty((x.shape[0], 2 * x.shape[1] - 1, 3))
        finer[:, ::2], finer[:, 1::2] = x, 0.5 * (x[:, 1:] + x[:, :-1])
        x = outside(finer)
        for _ in range(1200):
            for first in (1, 2):
                own = np.arange(first, x.shape[1] - 1, 2)
                x[:, own] = outside(0.5 * (x[:, own - 1] + x[:, own + 1]))
    assert_allclose(x[:, 0], o)
    assert_allclose(x[:, -1], i)
    return x


@pytest.fixture(scope="module")
def shortened():
    """Random paths that touch the capped cylinder, and their strings."""
    ends = draw_ends(CAPPED, 400, np.random.default_rng(5))
    taut = taut_paths(CAPPED, ends, np.full((400, 1), 0.5))
    own = np.flatnonzero(taut.wrapped > 0.1)[:40]
    ends = Ends(*(value[own] for value in ends))
    x = strings(ends)
    return ends, x, np.linalg.norm(np.diff(x, axis=1), axis=2).sum(1)


def test_exact_paths_are_those_of_strings(shortened):
    """What the networks learn, against polygons whose chords cut the corners by their square."""
    ends, x, length = shortened
    at = np.concatenate(
        [[0.0 * length], np.cumsum(np.linalg.norm(np.diff(x, axis=1), axis=2), 1).T]
    )
    fractions = (at / length).T
    taut = taut_paths(CAPPED, ends, fractions)
    assert taut.found.all()
    chord = np.linalg.norm(np.diff(x, axis=1), axis=2).max(1)
    bound = taut.wrapped * chord**2 / 24.0
    off = taut.length - length
    assert (off > -1e-6).all() and (off < 1.5 * bound + 1e-6).all()
    assert np.linalg.norm(taut.x - x, axis=-1).max() < 4e-3


def test_capped_network_against_strings(shortened):
    """Independent of what trained it: points and lengths of polygons."""
    ends, x, length = shortened
    own = trained(CAPPED_KIND)
    o, i = ends_in_frame(ends)
    off = []
    for k in (32, 64, 96):
        run = np.linalg.norm(np.diff(x, axis=1), axis=2)
        alpha = run[:, :k].sum(1) / length
        found, L, turned = np.empty((40, 3)), np.empty(40), np.empty(40)
        evaluate_paths(own.network, 0.0, o, i, alpha, found, L, turned)
        off.append(np.linalg.norm(found - x[:, k], axis=1))
    assert np.median(off) < 3.0 * own.errors["position"][0]
    assert np.max(off) < own.errors["position"][2]
    assert np.abs(L - length).max() < own.errors["length"][2]


@pytest.mark.parametrize("surface", KINDS)
def test_shipped_errors_are_those_of_new_paths(surface):
    own = trained(KINDS[surface])
    assert own.ranges == RANGES[surface]
    found = errors_of(surface, own.network, 20_000, seed=77)
    told = np.array(list(own.errors.values()))
    assert_allclose(found[:, :2], told[:, :2], rtol=0.15)
    assert (found[:, 2] < 1.5 * told[:, 2]).all()
    assert found[0, 0] < 5e-3 and found[1, 0] < 5e-3


# rows of the table in docs/howto/muscle_mass.md
EVEN = {
    "cylinder": [(0.0016, 0.021, 0.14), (0.0012, 0.0077, 0.034), (0.0099, 0.12, 0.59)],
    "capped_cylinder": [(0.0008, 0.0081, 0.041), (0.0007, 0.0041, 0.026), (0.0032, 0.041, 0.16)],
}


@pytest.mark.parametrize("surface", KINDS)
def test_errors_of_evenly_drawn_paths_are_those_of_the_page(surface):
    found = errors_of(surface, trained(KINDS[surface]).network, 20_000, seed=77, even=True)
    told = np.array(EVEN[surface])
    assert_allclose(found[:, :2], told[:, :2], rtol=0.15)
    assert (found[:, 2] < 1.5 * told[:, 2]).all()


def difference(f, h=3e-5):
    """Derivative at zero by eight points, of eighth order."""
    weights = enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280), start=1)
    return sum(w * (f(k * h) - f(-k * h)) for k, w in weights) / h


def check_derivatives(network, capped, reference, turns, z, d, e, alpha):
    def value(z):
        return path(network, capped, turns, z[:3], z[3:], alpha)

    def slope(z, way):
        return np.imag(value(z + 1e-30j * way)) / 1e-30

    # nested differences lose eps / h^2
    z, d, e = (x.astype(np.longdouble) for x in (z, d, e))
    second = difference(lambda t: slope(z + t * d, d))
    mixed = difference(lambda t: slope(z + t * e, d))
    third = difference(lambda t: difference(lambda s: slope(z + t * e + s * d, d)))
    jets = np.zeros((6, 6))
    jets[:, 0], jets[:, 1], jets[:, 3] = z, d, e
    x, length = np.empty((3, 6)), np.empty((1, 6))
    evaluate(network, reference, jets[:3].copy(), jets[3:].copy(), alpha, x, length)
    found = np.vstack([x, length])
    assert_allclose(found[:, 0], value(z), rtol=1e-12, atol=1e-12)
    assert_allclose(found[:, 1], slope(z, d), rtol=1e-10, atol=1e-10)
    assert_allclose(found[:, 3], slope(z, e), rtol=1e-10, atol=1e-10)
    for k, exact in ((2, second), (4, mixed), (5, third)):
        assert_allclose(found[:, k], exact, atol=1e-8 * (np.abs(exact).max() + 1.0))


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no longer floats than doubles")
@pytest.mark.parametrize("surface", KINDS)
def test_derivatives_are_exact(surface, rng):
    """First ones by complex steps, second and third by differences of such."""
    capped, network = surface == CAPPED, trained(KINDS[surface]).network
    ends = draw_ends(surface, 12, rng)
    for k, (o, i) in enumerate(zip(*ends_in_frame(ends), strict=True)):
        side = -1.0 if k % 2 else 1.0
        z = np.concatenate([o, i]) * np.tile([1.0, side, 1.0], 2)
        turn = np.arctan2(z[0] * z[4] - z[1] * z[3], z[0] * z[3] + z[1] * z[4])
        turns = round((side * ends.delta[k] - turn) / (2 * np.pi))
        d, e = rng.normal(size=(2, 6))
        reference = 0.0 if capped else side * np.pi
        check_derivatives(network, capped, reference, turns, z, d, e, 0.37)
