"""Compiled Hill forces against the equations in plain Python, and their derivatives."""

import numpy as np
import pytest
from laws.hill_muscles import FORMS, KINDS, muscle, random_law, random_state
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.kernels.lines.hill import kernels_of
from fibermsk.laws.hill.equations import OUTPUTS
from fibermsk.laws.hill.kinds import equations_of

QUICK = [pair for pair in FORMS if pair[0] == "degroote"]
SLOW = [pytest.param(*pair, marks=pytest.mark.slow) for pair in FORMS if pair[0] != "degroote"]


def arrays(kind, form, n):
    rng = np.random.default_rng(12)
    law = fm.HillLaw(random_law(rng, kind, form)[0].curves, form, min_activation=0.01)
    muscles = [muscle(rng, pennate=k % 3 > 0) for k in range(n)]
    x = np.array([random_state(rng, law, one) for one in muscles])
    return law, np.array([law.constants(one) for one in muscles]), np.ascontiguousarray(x.T)


@pytest.mark.parametrize(("kind", "form"), [*QUICK, *SLOW])
def test_forces_and_outputs(kind, form):
    law, c, x = arrays(kind, form, 40)
    kernels, equations = kernels_of(law), equations_of(KINDS[kind])
    found = np.full((40, 2, 6), np.nan)
    kernels.forces(*x, c, found)
    one, values = getattr(equations, form), getattr(equations, f"{form}_outputs")
    expected = np.array([one(row, *state) for row, state in zip(c, x.T, strict=True)])
    assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * abs(expected).max())
    outputs = np.full((40, len(OUTPUTS)), np.nan)
    kernels.outputs(*x, c, outputs)
    expected = np.array([values(row, *state) for row, state in zip(c, x.T, strict=True)])
    assert_allclose(outputs, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.slow  # compiles for complex numbers
@pytest.mark.parametrize("kind", ["degroote"])
def test_slopes_in_constants(kind):
    law, c, x = arrays(kind, "elastic", 5)
    kernels = kernels_of(law)
    exact = np.full((5, 2, c.shape[1]), np.nan)
    kernels.constant_slopes(*x, c.astype(complex), exact)
    for j in range(c.shape[1]):
        step, sides = 1e-6 * np.maximum(abs(c[:, j]), 0.1), []
        for side in (-1.0, 1.0):
            moved, out = c.copy(), np.empty((5, 2, 6))
            moved[:, j] += side * step
            kernels.forces(*x, moved, out)
            sides.append(out[:, :, 0])
        rough = (sides[1] - sides[0]) / (2.0 * step[:, None])
        scale = 1e-6 * (1.0 + abs(exact[:, :, j]).max())
        assert_allclose(rough, exact[:, :, j], rtol=1e-4, atol=scale, err_msg=str(j))
