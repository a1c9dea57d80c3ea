"""Surfaces of the user on paths, and the errors of paths."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.errors import PathError
from fibermsk.kernels.lines.taut import solve
from fibermsk.kernels.lines.taut.own_surface import rebuilt_with
from fibermsk.kernels.lines.taut.refusal import wrap_error
from fibermsk.kernels.lines.taut.surfaces import (
    ELLIPSOID,
    OWN,
    fill_third,
    gauss_slope,
    settle,
)

SIZE = np.array([0.05, 0.03, 0.02])


def egg(size, x, g, H):
    """An ellipsoid by another level set, sqrt(sum (x/a)^2) - 1."""
    rho = math.sqrt((x[0] / size[0]) ** 2 + (x[1] / size[1]) ** 2 + (x[2] / size[2]) ** 2)
    for r in range(3):
        g[r] = x[r] / size[r] ** 2 / rho
    for r in range(3):
        for c in range(3):
            H[r, c] = -g[r] * g[c] / rho
        H[r, r] += 1.0 / size[r] ** 2 / rho
    return rho - 1.0


def test_third_derivatives_of_an_own_surface():
    """By differences, as good as in closed form: those of an ellipsoid, and of the egg itself."""
    own = rebuilt_with((egg,))
    x, g, H = np.array([0.02, -0.02, 0.01]), np.empty(3), np.empty((3, 3))
    assert settle(ELLIPSOID, SIZE, x, g, H)
    v = np.cross(g, (0.3, 0.5, 0.1))
    v /= np.linalg.norm(v)
    found = own(gauss_slope)(OWN, SIZE, x, v)
    assert_allclose(found, gauss_slope(ELLIPSOID, SIZE, x, v), rtol=1e-10)
    # rho = sqrt(q) along a line, q of second order in the step: third derivative, its gradient
    a, third = SIZE**-2.0, np.empty(3)
    own(fill_third)(OWN, SIZE, x, v, third)
    first, second = a * x @ v, a * v @ v - (a * x @ v) ** 2
    rho = math.sqrt(a * x @ x)
    assert rho == pytest.approx(1.0)
    wanted = -2.0 * first * a * v - second * a * x + 2.0 * first**2 * a * x
    assert_allclose(third, wanted, rtol=1e-9)


def test_no_surface_of_its_own():
    """Without a function the level is NaN: a status, not a path."""
    foot, active = np.zeros((1, 7)), np.zeros(1, np.int64)
    status, length = solve.chain(
        np.array([OWN]), SIZE[None].copy(), np.eye(3)[None].copy(), np.zeros((1, 3)),
        np.array([-0.07, 0.0, 0.004]), np.array([0.07, 0.01, 0.003]), np.zeros((1, 3)),
        np.array([False]), foot, active, False, np.empty(12), np.empty((12, 12)),
    )  # fmt: skip
    assert status == solve.NOT_FINITE and math.isnan(length)


@pytest.mark.parametrize("status", range(1, 12))
def test_errors(status):
    error = wrap_error("muscle 'BRA'", status, ["elbow", "condyle"])
    assert isinstance(error, PathError) and isinstance(error, fm.ModelError) and error.reason
    assert str(error).startswith("muscle 'BRA': no taut path: ")
    assert "wrap surfaces 'elbow', 'condyle'" in str(error)
    error = wrap_error("muscle 'BRA'", status, ["elbow", "condyle"], "condyle", " at q = 1 rad")
    assert "no taut path at q = 1 rad: " in str(error)
    assert "wrap surface 'condyle'" in str(error) and "elbow" not in str(error)


def test_a_level_that_cannot_be_compiled():
    def level(size, x, g, H):
        return {}[x]

    with pytest.raises(fm.ModelError, match="level 'level': cannot be compiled"):
        rebuilt_with((level,))
