"""The plain NumPy upper limb: alone, and against the package."""

import subprocess
import sys

import _numpy_contact
import _numpy_fiber
import _numpy_limb
import numpy as np
import pytest
from scenes_of_tests import ROOT
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.verify import run_problem

COARSE = {"elements": 4, "steps_per_8s": 256, "first": 6}


def touching(system):
    """Pairs (fiber, partner) in contact."""
    return {(n.fiber, n.partner) for n in system.nears if n.d < n.r_x + n.r_y}


@pytest.fixture(scope="module")
def bent():
    """Limb, state, step and time where fibers touch each other and all bones."""
    dt = 1.0 / 32.0
    states, _, _ = _numpy_limb.march(6, 256, 9)
    return _numpy_limb.Limb(6), states[-1], dt, 10 * dt


def test_nothing_of_the_package_is_used():
    code = "import sys, _numpy_limb; print({m.split('.')[0] for m in sys.modules} & "
    code += "{'fibermsk', 'numba', 'reference'})"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "verification",
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "set()"


def test_step_matrix_is_the_derivative_of_the_residual(bent):
    limb, old, dt, t = bent
    rng = np.random.default_rng(5)
    u, q = old.u + 1e-5 * rng.normal(size=limb.n), old.q + 1e-3
    system = _numpy_limb.step_system(limb, old, t, dt, u, q)
    pairs = touching(system)
    assert any(isinstance(partner, int) for _, partner in pairs)
    assert {"upper_arm", "forearm", "wrapping"} <= {partner for _, partner in pairs}

    def residual(share, du, dq):
        found = _numpy_limb.step_system(limb, old, t, dt, u + share * du, q + share * dq)
        return found.residual

    h = 1e-6
    for du, dq in ((1e-2 * rng.normal(size=limb.n), 0.0), (np.zeros(limb.n), 1.0)):
        slope = (residual(h, du, dq) - residual(-h, du, dq)) / (2.0 * h)
        exact = system.matrix @ np.append(du, dq)
        # the joint's row is small beside the others and is looked at by itself
        for rows in (slice(None, -1), slice(-1, None)):
            size = np.abs(exact[rows]).max()
            np.testing.assert_allclose(slope[rows], exact[rows], atol=1e-6 * size)


def test_closest_point_is_never_farther_than_any_sample():
    rng = np.random.default_rng(2)
    samples = np.linspace(0.0, 1.0, 501)[:, None]
    for _ in range(50):
        cubic, x = rng.normal(size=(4, 3)), rng.normal(size=3)
        xi, d = _numpy_contact.closest_on_element(cubic, x)
        points = cubic[0] + samples * (cubic[1] + samples * (cubic[2] + samples * cubic[3]))
        assert 0.0 <= xi <= 1.0
        assert d <= np.linalg.norm(points - x, axis=1).min() + 1e-13
    straight = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1e-17, 0.0, 0.0], [0.0, 1e-18, 0.0]])
    xi, d = _numpy_contact.closest_on_element(straight, np.array([0.3, 2.0, 0.0]))
    assert xi == pytest.approx(0.3, abs=1e-14) and d == pytest.approx(2.0, abs=1e-14)


def test_bounding_spheres_skip_nothing_that_is_near(bent):
    limb, old, _, _ = bent
    x = np.array([0.05, 0.0, -0.2])
    for fiber in limb.fibers:
        curve = _numpy_contact.curve_of(fiber, old.u[fiber.first : fiber.first + fiber.X.size])
        all_of_them = [_numpy_contact.closest_on_element(cubic, x)[1] for cubic in curve.cubics]
        assert _numpy_contact.closest_on_fiber(curve, x)[2] == min(all_of_them)


def test_safeguard_shortens_what_would_cross(bent):
    limb, old, dt, t = bent
    nears = _numpy_limb.step_system(limb, old, t, dt, old.u, old.q).nears
    update = np.zeros(limb.n)
    assert _numpy_contact.largest_share(limb.fibers, nears, update, 0.0, 0.1) == 1.0
    fiber = limb.fibers[0]
    for e in range(fiber.n - 1):
        update[fiber.first + 6 * e + 7] = 0.1  # across its neighbor
    share = _numpy_contact.largest_share(limb.fibers, nears, update, 0.0, 0.1)
    assert 0.0 < share < 0.25
    _numpy_limb.step_system(limb, old, t, dt, old.u + share * update, old.q)
    with pytest.raises(_numpy_contact.Inadmissible):
        _numpy_contact.line_force(-0.5, 768.0, 3.0)


def test_stress_derivatives():
    limb = _numpy_limb.Limb(2)
    fiber, h = limb.fibers[0], 1e-6
    for lam in (0.8, 1.35):
        point = fiber.points[1][3]

        def stress(lam, rate, point=point):
            return _numpy_fiber.nominal_stress(point, fiber.tissue, 0.3, lam, rate)

        _, by_stretch, by_rate = stress(lam, 2.0)
        ahead, back = stress(lam + h, 2.0)[0], stress(lam - h, 2.0)[0]
        assert by_stretch == pytest.approx((ahead - back) / (2 * h), rel=1e-7)
        assert by_rate == pytest.approx(stress(lam, 3.0)[0] - stress(lam, 2.0)[0], rel=1e-9)


def test_simulate_and_time_steps():
    times, angles, iterations = _numpy_limb.simulate(2, 256, 2)
    np.testing.assert_allclose(times, [0.0, 1.0 / 32.0, 2.0 / 32.0])
    assert angles[0] == 0.0 and np.all(np.diff(angles) > 0.0)
    assert iterations.shape == (2,) and np.all(iterations >= 2)
    assert _numpy_limb.time_steps(2, 256, 2) > 0.0


def test_coarse_setting_passes():
    outcome = run_problem(load_problem("numpy_limb"), COARSE)
    assert outcome.passed, outcome.as_dict()


@pytest.mark.slow
def test_default_setting_passes():
    problem = load_problem("numpy_limb")
    defaults = {key: parameter.default for key, parameter in problem.parameters.items()}
    outcome = run_problem(problem, defaults)
    assert outcome.passed, outcome.as_dict()


@pytest.mark.slow
def test_another_penalty_falls_short(monkeypatch):
    monkeypatch.setattr(_numpy_limb, "BONE_LAW", (769.0, 4.0))
    assert not run_problem(load_problem("numpy_limb"), COARSE).passed


def test_bad_settings_are_refused():
    for name in COARSE:
        with pytest.raises(fm.ModelError):
            load_problem("numpy_limb").run(**COARSE | {name: 0})


@pytest.mark.slow
def test_study_and_figure(monkeypatch):
    module = load_module("numpy_limb")
    monkeypatch.setattr(module, "LEVELS", ((2, 256),))
    monkeypatch.setattr(module, "TIMED", 2)
    numbers = module.study()
    for table in numbers["tables"].values():
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    assert len(module.plot(numbers).axes) == 2
