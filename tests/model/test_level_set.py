"""Wrapping surfaces of the user's own: what they accept, and where they are."""

import pytest
from numpy.testing import assert_allclose

import fibermsk as fm

BONE = fm.Body("bone", mass=1.0, inertia=(1.0, 1.0, 1.0))


def tube(size, x, g, H):
    """An infinite cylinder about z."""
    for r in range(3):
        g[r] = 2.0 * x[r] if r < 2 else 0.0
        for c in range(3):
            H[r, c] = 2.0 if r == c and r < 2 else 0.0
    return x[0] ** 2 + x[1] ** 2 - size[0] ** 2


def surface(level=tube, **changes):
    given = {"size": (0.02, 0.02, 0.02), "reach": 0.1, **changes}
    return fm.WrapLevelSet("w", BONE, level=level, **given)


def test_place():
    one = surface(center=(0.005, 0.0, 0.3))
    assert one.radius_along((2.0, 0.0, 0.0)) == pytest.approx(0.015, rel=1e-9)
    assert one.radius_along((0.0, 0.0, 1.0)) is None
    assert_allclose(one.height((0.0, -0.0201, 3.0)), 1e-4, rtol=1e-2)
    F, g, H = one.at((0.0, -0.0201, 3.0))
    assert F == pytest.approx(0.0201**2 - 0.02**2) and g[1] == -0.0402 and H[0, 0] == 2.0


def changed(slope=0.0, bend=0.0, sign=1.0):
    """A tube whose level, gradient or Hessian is wrong."""

    def level(size, x, g, H):
        F = tube(size, x, g, H)
        g[0] += slope
        H[0, 1] += bend
        return sign * F

    return level


def without_slope(size, x, g, H):
    g[:], H[:] = 0.0, 0.0
    return -1.0 if x[0] ** 2 + x[1] ** 2 < size[0] ** 2 else 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: surface(None), "level = None; must be a function level"),
        (lambda: surface(abs), "must be a function level"),
        (lambda: surface(changed(slope=1e-6)), "gradient of the level at .* differs by 1e-06"),
        (lambda: surface(changed(bend=1e-3)), "Hessian of the level at .* differs by 0.001"),
        (lambda: surface(changed(sign=-1.0)), "level at the center = 0.0004; must be below zero"),
        (lambda: surface(center=(1.0, 0, 0)), "level at the center = 0.9996; must be below zero"),
        (lambda: surface(reach=0.01), "reach = 0.01 m; must let a ray from the center leave"),
        (lambda: surface(without_slope), "gradient of the level at .* not zero on the surface"),
        (lambda: surface(lambda size, x: 1.0), "fails: TypeError"),
        (lambda: surface(size=(1.0, 1.0, 0.0)), r"size\[2\] = 0.0 m"),
    ],
)
def test_bad_input_is_refused(make, words):
    with pytest.raises(fm.ModelError, match=f"wrap surface 'w': .*{words}"):
        make()
