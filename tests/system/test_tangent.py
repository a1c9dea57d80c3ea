"""The coupled tangent: exact, with contact, attachments and two hinges."""

import numpy as np
import pytest
from scenes_of_tests import apply, independent, two_link_arm

import fibermsk as fm
from fibermsk.protocol import BorderedMatrix


def moving_state(system, rng, bend=2e-3):
    """A bent, moving state with accelerations."""
    y, _ = system.initial_state()
    free = independent(system)
    y = system.retract(0.0, y, bend * rng.normal(size=system.n) * system.scale * free)
    v = system.enforce(y, 0.3 * rng.normal(size=system.n))
    v_dot = 3.0 * rng.normal(size=system.n)
    return y, v, v_dot


def along(system, y0, v0, a0, beta, alpha):
    """Residual as a function of the unknowns alone: v and v_dot follow y."""

    def residual(y):
        v = system.enforce(y, v0 + beta * (y - y0))
        return system.evaluate(0.1, y, v, a0 + alpha * (v - v0), tangent=False).residual

    return residual


@pytest.fixture(scope="module", params=["half_pass", "variational"])
def arm(request):
    return fm.build(two_link_arm(formulation=request.param))


@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 0.0), (50.0, 70.0)])
def test_coupled_tangent_agrees_with_central_differences(arm, rng, beta, alpha):
    y, v, a = moving_state(arm, rng)
    evaluation = arm.evaluate(0.1, y, v, a, beta, alpha)
    assert min(arm.contact.n_closed()) > 5  # both kinds of contact take part
    residual = along(arm, y, v, a, beta, alpha)
    free = independent(arm)
    for _ in range(5):
        d = rng.normal(size=arm.n) * arm.scale * free
        h = 1e-6
        slope = (
            residual(arm.retract(0.0, y, h * d)) - residual(arm.retract(0.0, y, -h * d))
        ) / (2 * h)  # fmt: skip
        exact = apply(evaluation.tangent, d) * free
        # central differences lose eps / h of the residual and h^2 of its third derivative
        for part in (slice(0, -2), slice(-2, None)):
            np.testing.assert_allclose(
                exact[part], slope[part], atol=1e-6 * np.abs(slope[part]).max(), rtol=0
            )


def test_each_coordinate_column_and_row(arm, rng):
    """Border: how everything varies with each joint, and each joint's equation with everything."""
    y, v, a = moving_state(arm, rng)
    beta, alpha = 40.0, 60.0
    tangent = arm.evaluate(0.1, y, v, a, beta, alpha).tangent
    assert isinstance(tangent, BorderedMatrix)
    residual = along(arm, y, v, a, beta, alpha)
    h = 1e-6
    for k in range(2):
        d = np.zeros(arm.n)
        d[arm.n - 2 + k] = 1.0
        slope = (residual(arm.retract(0.0, y, h * d)) - residual(arm.retract(0.0, y, -h * d))) / (
            2 * h
        )
        exact = np.r_[tangent.B[:, k], tangent.D[:, k]]
        np.testing.assert_allclose(exact, slope, atol=1e-6 * np.abs(slope).max(), rtol=0)
        np.testing.assert_allclose(exact[-2:], slope[-2:], rtol=1e-6)


def test_taylor_remainder_falls_as_h_squared(arm, rng):
    y, v, a = moving_state(arm, rng)
    beta, alpha = 50.0, 70.0
    evaluation = arm.evaluate(0.1, y, v, a, beta, alpha)
    residual = along(arm, y, v, a, beta, alpha)
    free = independent(arm)
    d = 1e-3 * rng.normal(size=arm.n) * arm.scale * free
    slope = apply(evaluation.tangent, d) * free
    # from the largest step that opens and closes no contact down to round-off
    steps = 2.0 ** -np.arange(8, 15)
    rest = [
        np.linalg.norm(residual(arm.retract(0.0, y, h * d)) - evaluation.residual - h * slope)
        for h in steps
    ]
    order = np.log2(np.array(rest[:-1]) / np.array(rest[1:]))
    np.testing.assert_allclose(order, 2.0, atol=0.1)


def test_residual_does_not_depend_on_asking_for_the_tangent(arm, rng):
    y, v, a = moving_state(arm, rng)
    with_tangent = arm.evaluate(0.1, y, v, a, 3.0, 5.0)
    without = arm.evaluate(0.1, y, v, a, tangent=False)
    np.testing.assert_array_equal(with_tangent.residual, without.residual)
    np.testing.assert_array_equal(with_tangent.reactions, without.reactions)


def test_contact_does_not_depend_on_the_candidates(arm, rng):
    """The broad phase may only leave out what is open: a search over everything gives the same."""
    y, v, a = moving_state(arm, rng)
    near = arm.evaluate(0.1, y, v, a, tangent=False).residual
    arm.contact._search(10.0)
    n_all = arm.contact._runs.candidates.size
    everything = arm.evaluate(0.1, y, v, a, tangent=False).residual
    n_fibers, n_elements = 3, 4
    assert n_all == n_fibers * n_elements * (n_fibers - 1) * n_elements
    np.testing.assert_allclose(everything, near, atol=1e-13 * np.abs(near).max(), rtol=0)
    arm.contact._reach = -1.0


def test_attachment_hessian_is_the_derivative_of_the_jacobian(arm):
    import sparse

    q = np.array([0.4, -0.7])
    zero = np.zeros(2)

    def jacobian(q):
        return arm.attachments(arm.tree.evaluate(q, zero, zero))[1]

    hessian = arm.attachment_hessian(q)
    assert isinstance(hessian, sparse.COO)
    h = 1e-6
    for k in range(2):
        d = h * np.eye(2)[k]
        slope = (jacobian(q + d) - jacobian(q - d)) / (2 * h)
        # round-off over 2 h of entries of size 0.1
        np.testing.assert_allclose(
            hessian.todense()[:, :, k], slope.reshape(-1, 2), atol=1e-9, rtol=0
        )
    p = np.array([0.3, 2.0])
    rate = sparse.tensordot(hessian, p, axes=1)
    c = lambda t: arm.attachments(arm.tree.evaluate(q + t * p, zero, zero))[0]  # noqa: E731
    curvature = (c(1e-4) - 2 * c(0.0) + c(-1e-4)) / 1e-8
    # second differences: 1e-8 relative truncation, 1e-16 / 1e-8 round-off
    np.testing.assert_allclose(rate @ p, curvature.ravel(), atol=3e-7)
