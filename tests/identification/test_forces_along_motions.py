"""Forces of muscles along known motions: those of their laws, with exact derivatives."""

import numpy as np
import pytest
from identification.planar_arm import arm
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from fibermsk.identification.equations.curves import tables_of
from fibermsk.identification.unknowns import numbers_of
from fibermsk.kernels.identification.fibers import ELASTIC, FIBER, RIGID, Muscles, muscle_forces

H = 0.005


def muscles(kind, tendon="rigid"):
    model = arm(tendon)
    own = model.muscles
    tables, ids = tables_of(own, [one.law for one in own])
    n = len(own)
    return own, Muscles(
        np.full(n, kind), np.full(n, 0.1), np.full(n, 0.0), ids, tables
    )  # fmt: skip


def motion(own, k=50, h=H):
    """Lengths of paths, their rates, and activations with derivatives in five common numbers."""
    t = h * np.arange(k)[:, None]
    phase = np.arange(len(own))
    base = np.array([0.95 * one.optimal_fiber_length + one.tendon_slack_length for one in own])
    swing = np.array([0.15 * one.optimal_fiber_length for one in own])
    L = base + swing * np.sin(9.0 * t + phase)
    v = swing * 9.0 * np.cos(9.0 * t + phase)
    a = 0.4 + 0.3 * np.sin(7.0 * t + 2.0 * phase)
    by = np.stack([np.cos((j + 3.0) * t + phase) for j in range(5)], axis=2)
    return L, v, a, by


def run(found, numbers, L, v, a, by, h=H):
    kind = np.result_type(numbers.dtype, a.dtype)
    f, own, common = (np.empty((*L.shape, *more), kind) for more in ((), (5,), (5,)))
    muscle_forces(found, numbers, h, L, v, a, by, f, own, common)
    return f, own, common


def all_numbers(own):
    return np.array([numbers_of(one) for one in own])


def test_rigid_tendons_are_those_of_the_law():
    own, found = muscles(RIGID)
    L, v, a, by = motion(own)
    f, _, _ = run(found, all_numbers(own), L, v, a, by)
    for m, one in enumerate(own):
        for k in range(0, L.shape[0], 7):
            exact = one.law.describe(one, L[k, m], v[k, m], a[k, m])["fiber_force_along_tendon"]
            assert f[k, m] == pytest.approx(exact, abs=1e-7)


def test_a_path_shorter_than_its_rigid_tendon_has_no_force():
    own, found = muscles(RIGID)
    L, v, a, by = motion(own)
    slack = np.array([one.tendon_slack_length for one in own])
    for short in (0.0, 0.01):
        parts = run(found, all_numbers(own), 0.0 * L + slack - short, v, a, by)
        assert not any(part.any() for part in parts)


def test_measured_fibers_have_the_same_force():
    own, found = muscles(RIGID)
    L, v, a, by = motion(own)
    expected, _, _ = run(found, all_numbers(own), L, v, a, by)
    slack = np.array([one.tendon_slack_length for one in own])
    height = np.array([one.optimal_fiber_length * np.sin(one.pennation_angle) for one in own])
    fiber = np.hypot(L - slack, height)
    rate = v * (L - slack) / fiber
    f, own_slopes, _ = run(muscles(FIBER)[1], all_numbers(own), fiber, rate, a, by)
    np.testing.assert_allclose(f, expected, rtol=1e-12)
    assert not own_slopes[:, :, 2].any()  # slack lengths do not enter


@pytest.mark.parametrize("kind", [RIGID, FIBER, ELASTIC])
def test_derivatives_are_complex_steps(kind):
    own, found = muscles(kind, "elastic" if kind == ELASTIC else "rigid")
    L, v, a, by = motion(own)
    if kind == FIBER:
        L = L - np.array([0.9 * one.tendon_slack_length for one in own])
    numbers = all_numbers(own)
    _, slopes, common = run(found, numbers, L, v, a, by)
    for j in range(5):
        shifted = numbers.astype(complex)
        shifted[:, j] += 1e-30j
        f, _, _ = run(found, shifted, L, v, a.astype(complex), by)
        expected = f.imag / 1e-30
        np.testing.assert_allclose(
            slopes[:, :, j], expected, atol=1e-8 * (1e-3 + np.abs(expected).max()), rtol=1e-8
        )
        f, _, _ = run(found, numbers.astype(complex), L, v, a + 1e-30j * by[:, :, j], by)
        expected = f.imag / 1e-30
        np.testing.assert_allclose(
            common[:, :, j], expected, atol=1e-8 * np.abs(expected).max(), rtol=1e-8
        )


def test_elastic_tendons_forget_how_they_began_before_residuals_count():
    """Of a movement that goes on, forces of its second half are those of the whole within 0.1 s."""
    own, found = muscles(ELASTIC, "elastic")
    L, v, a, by = motion(own, k=400, h=1e-3)
    whole = run(found, all_numbers(own), L, v, a, by, 1e-3)[0]
    late = (one[200:] for one in (L, v, a, by))
    half = run(found, all_numbers(own), *late, 1e-3)[0]
    off = np.abs(half - whole[200:]) / [one.max_isometric_force for one in own]
    assert off[:100].max() > 1e-4 > 10.0 * off[100:].max()


def test_elastic_tendons_converge_to_the_equations_of_the_law_with_order_two():
    """Against the rate of fibers by root finding in the law's own curves, integrated by Radau."""
    own, found = muscles(ELASTIC, "elastic")
    one, m = own[2], 2
    duration = 0.4

    def at(t):
        base = 0.95 * one.optimal_fiber_length + one.tendon_slack_length
        swing = 0.15 * one.optimal_fiber_length
        return base + swing * np.sin(9.0 * t + m), 0.4 + 0.3 * np.sin(7.0 * t + 2.0 * m)

    def fiber_rate(t, x):
        from fibermsk.laws.hill.kinds import equations_of

        c = one.law.constants(one)
        L, a = at(t)
        row = equations_of(type(one.law.curves)).elastic(c, L, 0.0, a, float(x[0]), 0.0)[1]
        return [-row[0]]

    numbers = all_numbers(own)
    ends = []
    for h in (0.005, 0.0025, 0.00125):
        t = h * np.arange(round(duration / h) + 1)
        L, a = np.tile(at(t)[0][:, None], 4), np.tile(at(t)[1][:, None], 4)
        f, _, _ = run(found, np.tile(numbers[m], (4, 1)), L, 0.0 * L, a, np.zeros((*L.shape, 5)), h)
        ends.append(f[-1, 0])

    def at_rest(x):
        return fiber_rate(0.0, [x])[0]

    start = brentq(at_rest, 0.6 * one.optimal_fiber_length, 1.3 * one.optimal_fiber_length)
    run_ = solve_ivp(fiber_rate, (0.0, duration), [start], method="Radau", rtol=1e-9, atol=1e-12)
    x = run_.y[0, -1]
    height = one.optimal_fiber_length * np.sin(one.pennation_angle)
    along = np.sqrt(x * x - height**2)
    from fibermsk.laws.hill.millard import tendon

    stretch = (at(duration)[0] - along) / one.tendon_slack_length
    exact = one.max_isometric_force * tendon(one.law.constants(one), stretch)[0]
    errors = np.abs(np.array(ends) - exact)
    assert errors[-1] < 1e-3 * exact
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx([2.0, 2.0], abs=0.35)
