"""The coupled tangent: exact, with contact, attachments and two hinges."""

import numpy as np
import pytest
from scenes_of_tests import apply, independent, two_link_arm
from tangents import along, moving_state

import fibermsk as fm
from fibermsk.protocol import BorderedMatrix


@pytest.fixture(scope="module", params=["half_pass", "variational"])
def arm(request):
    return fm.build(two_link_arm(formulation=request.param))


@pytest.mark.parametrize("rates", [False, True])
@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 0.0), (50.0, 70.0)])
def test_coupled_tangent_agrees_with_central_differences(arm, rng, beta, alpha, rates):
    y, v, a = moving_state(arm, rng)
    if rates:
        a = arm.enforce_rate(y, v, a)
    evaluation = arm.evaluate(0.1, y, v, a, beta, alpha, rates=rates)
    assert min(arm.contact.n_closed()) > 5  # both kinds of contact take part
    residual = along(arm, y, v, a, beta, alpha, rates)
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
    n_all = sum(part.runs.candidates.size for part in arm.contact.sets.fibers)
    everything = arm.evaluate(0.1, y, v, a, tangent=False).residual
    n_fibers, n_elements = 3, 4
    assert n_all == n_fibers * n_elements * (n_fibers - 1) * n_elements
    np.testing.assert_allclose(everything, near, atol=1e-13 * np.abs(near).max(), rtol=0)
    arm.contact.candidates.forget()


def test_attachment_hessian_is_the_derivative_of_the_jacobian(arm):
    import sparse

    q = np.array([0.4, -0.7])

    def ends(q):
        return arm.attached.place(arm.skeleton.at(q))

    def jacobian(q):
        return ends(q).C

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
    ahead, here, behind = (ends(q + t * p).c for t in (1e-4, 0.0, -1e-4))
    curvature = (ahead - 2 * here + behind) / 1e-8
    # second differences: 1e-8 relative truncation, 1e-16 / 1e-8 round-off
    np.testing.assert_allclose(rate @ p, curvature.ravel(), atol=3e-7)


def chain_with_fibers():
    """Three hinges in a row, fibers from the ground to each body."""
    model = fm.Model("chain", gravity=(0, 0, 0))
    axes = ((0.2, 1, 0.1), (1, 0.3, 0), (0.1, -0.2, 1))
    parent, tissue = model.ground, fm.Tissue(1000.0, fm.KelvinVoigt(5e4, 10.0), prestress=1e4)
    for i, axis in enumerate(axes):
        body = model.add(fm.Body(f"b{i}", mass=1.0, com=(0, 0, -0.1), inertia=(0.01,) * 3))
        at = (0, 0, 0) if i == 0 else (0, 0, -0.2)
        model.add(fm.Hinge(f"q{i}", parent, body, at=at, axis=axis, value=0.3 * i))
        ends = model.ground.at(0.2, 0.05 * i, 0.1), body.at(0.03, 0.02 * i, -0.1)
        model.add(fm.Fiber(f"f{i}", attach=ends, radius=4e-3, n_elements=2, tissue=tissue))
        parent = body
    return fm.build(model)


def test_accelerations_of_attached_ends_vary_as_the_tangent_has_it(rng):
    """Three coordinates in a chain: all third derivatives of a point take part."""
    from fibermsk.kernels.skeleton.points import acceleration_slope

    system = chain_with_fibers()
    y, _ = system.initial_state()
    v = system.enforce(y, rng.normal(size=system.n))
    a = system.enforce_rate(y, v, rng.normal(size=system.n))
    q, p, p_dot = (system.split(part)[1] for part in (y, v, a))
    state = system.tree.evaluate(q, p, p_dot)
    C = system.attached.place(system.skeleton.at(q)).C
    beta, alpha = 3.0, 7.0
    slope = np.empty_like(C)
    acceleration_slope(
        state.S, system.tree.moves, system.cables.point_link, C, p, p_dot, beta, slope
    )
    slope += alpha * beta * C

    def ends(k, h):
        d = np.zeros(system.n)
        d[system.n - 3 + k] = h
        moved = system.retract(0.0, y, d)
        v_moved = system.enforce(moved, v + beta * d)
        rate = system.enforce_rate(moved, v_moved, a + alpha * beta * d)
        return system.split(rate)[0][system.cables.attached_nodes, :3]

    h = 1e-5
    for k in range(3):
        expected = (ends(k, h) - ends(k, -h)) / (2.0 * h)
        np.testing.assert_allclose(slope[:, :, k], expected, atol=1e-8)


@pytest.mark.parametrize("method", [fm.SDIRK2(), fm.GeneralizedAlpha(0.8)], ids=repr)
def test_newton_is_quadratic_with_heavy_attached_ends(method):
    """Fibers as heavy as the bodies: what the ends' accelerations leave out of a tangent shows."""
    from dataclasses import replace

    from fibermsk.solvers import State

    model = chain_with_fibers().model
    for fiber in model.fibers:
        object.__setattr__(fiber, "tissue", replace(fiber.tissue, density=2e5))
    system = fm.build(model)
    y, _ = system.initial_state()
    v = np.zeros(system.n)
    v[-3:] = (3.0, -2.0, 4.0)
    state = State(0.0, y, system.enforce(y, v))
    step = method.step(system, fm.Newton(tolerance=1e-13), method.start(system, state), 0.02)
    for report in step.reports:
        history = np.array(report.history)
        clear = history[1:] > 1e-13
        assert report.converged and clear.sum() >= 1 and history[2] < 1e-12
        assert (history[1:] / history[:-1] ** 2)[clear].max() < 10.0
