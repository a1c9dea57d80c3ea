"""Welds and lines as constraints: derivatives, drift, energy, order, forces, rest and stability."""

import warnings

import numpy as np
import pytest
from joint_cases import functional_arm
from scenes_of_tests import apply, independent, two_link_arm
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from tangents import along, moving_state

import fibermsk as fm

G = 9.81
METHODS = [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8)]


def bead(value=0.4, friction=0.0):
    """A bead on a wire that is fixed to a pendulum: the wire turns with it."""
    model = fm.Model("bead", gravity=(0, 0, -G))
    wire = model.add(fm.Body("wire", 1.0, (0, 0, -0.3), (0.03, 0.03, 0.01)))
    own = model.add(fm.Body("bead", 0.5, (0, 0, 0), (1e-4,) * 3))
    model.add(
        fm.Hinge("swing", model.ground, wire, (0, 0, 0), axis=(0, 1, 0), value=value),
        fm.Slider("x", model.ground, fm_cart(model), (0, 0, 0), axis=(1, 0, 0), value=0.0),
    )
    cart = model.body("cart")
    model.add(fm.Slider("z", cart, own, (0, 0, 0), axis=(0, 0, 1), damping=friction))
    model.add(
        fm.PointOnLineConstraint("on the wire", wire.at((0, 0, -0.1)), own.at((0, 0, 0)), (0, 0, 1))
    )
    return model


def fm_cart(model):
    """A body without size between the two sliders of the bead."""
    return model.add(fm.Body("cart", 0.1, (0, 0, 0), (1e-5,) * 3))


def at(value, along_wire):
    """Coordinates of the bead at a distance along the wire."""
    return {"x": -along_wire * np.sin(value), "z": -along_wire * np.cos(value)}


def started(value=0.4, along_wire=0.2, **options):
    model = bead(value, **options)
    place = at(value, along_wire)
    joints = {one.name: one for one in model.joints}
    return model.edit({joints[name]: {"value": place[name]} for name in ("x", "z")})


def minimal(t, state):
    """The same by the angle and the distance r along the wire: 0.5 kg, and 0.1 kg that only slides.

    Kinetic energy of the wire J w^2 / 2, J = 0.03 + 0.09; of the bead 0.5 (r'^2 + r^2 w^2) / 2; of
    the cart 0.1 x'^2 / 2, x = -r sin a.
    """
    a, r, w, s = state
    sa, ca = np.sin(a), np.cos(a)
    # x' = -(s sa + r w ca), and the rest of x'' is -(2 s w ca - r w^2 sa)
    jx, rest = np.array([-r * ca, -sa]), -(2 * s * w * ca - r * w * w * sa)
    M = np.diag([0.12 + 0.5 * r * r, 0.5]) + 0.1 * np.outer(jx, jx)
    force = (
        np.array(
            [
                -2 * 0.5 * r * s * w - G * (0.3 * 1.0 + 0.5 * r) * sa,
                0.5 * r * w * w + 0.5 * G * ca,
            ]
        )
        - 0.1 * jx * rest
    )
    return w, s, *np.linalg.solve(M, force)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_bead_on_a_turning_wire_moves_as_in_minimal_coordinates(method):
    exact = solve_ivp(minimal, (0, 0.4), (0.4, 0.2, 0.0, 0.0), rtol=1e-11, atol=1e-12).y[:, -1]
    errors, system = [], fm.build(started())
    for n in (40, 80):
        result = fm.simulate(system, t_end=0.4, dt=0.4 / n, method=method, control=fm.FixedSteps())
        errors.append(abs(result.coordinate("swing")[-1] - exact[0]))
        assert result.stats["position_drift"] < 1e-15
        assert result.stats["velocity_drift"] < 1e-14
        assert np.ptp(result.elements["on the wire"]["position"]) > 0.1
    assert np.log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.2)


def test_energy_on_a_wire_is_conserved_to_the_order_of_the_method():
    offs, system = [], fm.build(started())
    for n in (40, 80):
        result = fm.simulate(system, t_end=0.4, dt=0.4 / n, control=fm.FixedSteps())
        energy, kinetic = energies(system, result)
        offs.append(np.ptp(energy))
        assert np.ptp(kinetic) > 0.3
    assert offs[1] < 1e-3 and np.log2(offs[0] / offs[1]) > 1.8


def energies(system, result):
    names = system.skeleton.independent
    y, v = (np.array([part[n] for n in names]).T for part in (result.coordinates, result.speeds))
    found = [system.energy(*one) for one in zip(y, v, strict=True)]
    return (
        np.array([one.kinetic + one.gravity for one in found]),
        np.array([one.kinetic for one in found]),
    )


def test_the_force_of_a_wire_is_across_it():
    result = fm.simulate(fm.build(started()), t_end=0.2, dt=0.02)
    angle, force = result.coordinate("swing"), result.elements["on the wire"]["force"]
    wire = np.stack([-np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    assert np.abs(force).max() > 0.1
    np.testing.assert_allclose(np.sum(force * wire, axis=1), 0.0, atol=1e-12)


def test_a_bead_rests_at_the_end_of_a_spring_on_its_wire():
    """On the manifold: the wire hangs, and a spring along it holds the bead; the mode is known."""
    model = started(0.2, 0.3, friction=0.5)
    wire, own = model.body("wire"), model.body("bead")
    model.add(fm.PointSpring("spring", wire.at((0, 0, -0.1)), own.at((0, 0, 0)), 50.0, 0.1))
    system = fm.build(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y, _ = fm.equilibrium(system)
    values = dict(zip(system.skeleton.independent, y, strict=True))
    sag = 0.1 + 0.1 + 0.5 * G / 50.0
    assert values["z"] == pytest.approx(-sag, abs=1e-7)
    assert values["swing"] == pytest.approx(0.0, abs=1e-7)
    found = fm.stability(system, y)
    stiffness, inertia = G * (0.3 + 0.5 * sag), 0.12 + (0.5 + 0.1) * sag**2
    swing = np.sqrt(stiffness / inertia) / (2 * np.pi)
    assert found.stable and found.frequency == pytest.approx(swing, rel=1e-4)


def welded(rotation=None):
    """A double pendulum whose second bar hangs by a weld, with a tilted frame."""
    model = fm.Model("welded", gravity=(0, 0, -G))
    turn = Rotation.from_rotvec([0.3, -0.5, 0.2]).as_matrix() if rotation is None else rotation
    one = model.add(fm.Body("one", 1.0, (0, 0, -0.1), (0.02, 0.02, 0.01)))
    two = model.add(fm.Body("two", 0.7, (0.02, 0, 0.03), (0.004, 0.005, 0.002)))
    model.add(fm.Hinge("swing", model.ground, one, (0, 0, 0), axis=(1, 0.2, 0), speed=2.0))
    spin = 2.0 * np.array([1.0, 0.2, 0.0]) / np.hypot(1.0, 0.2)
    model.add(
        fm.Free(
            "flight", model.ground, two, at=(0, 0, -0.3), rotation=turn,
            velocity=np.cross(spin, (0, 0, -0.3)), angular_velocity=spin,
        )
    )  # fmt: skip
    model.add(fm.WeldConstraint("weld", one.at((0, 0, -0.3)), two.at((0, 0, 0)), turn))
    return model, turn


def test_a_weld_constraint_is_a_weld():
    model, turn = welded()
    whole = fm.Model("whole", gravity=(0, 0, -G))
    one, two = (whole.add(body) for body in model.bodies[1:])
    whole.add(fm.Hinge("swing", whole.ground, one, (0, 0, 0), axis=(1, 0.2, 0), speed=2.0))
    whole.add(fm.Weld(one, two, at=(0, 0, -0.3), rotation=turn))
    system = fm.build(model)
    runs = [
        fm.simulate(one, t_end=0.6, dt=0.02, control=fm.AdaptiveSteps(1e-8))
        for one in (system, fm.build(whole))
    ]
    bodies = [run.bodies["two"] for run in runs]
    np.testing.assert_allclose(bodies[0].position, bodies[1].position, atol=2e-6)
    np.testing.assert_allclose(bodies[0].rotation, bodies[1].rotation, atol=2e-6)
    assert runs[0].stats["position_drift"] < 1e-14 and runs[0].stats["velocity_drift"] < 1e-13
    # the force and torque of the weld at the start, from Newton's and Euler's laws
    assert_balance(system, runs[0], turn)


def assert_balance(system, run, turn):
    """Force and torque of the weld are mass times acceleration and rate of spin, at each frame."""
    force, torque = (run.elements["weld"][name] for name in ("force", "torque"))
    t, R, p = run.time, run.bodies["two"].rotation, run.bodies["two"].position
    c = p + R @ np.array([0.02, 0, 0.03])
    h = t[1] - t[0]
    k = slice(1, -1)
    rate = (c[2:] - 2 * c[1:-1] + c[:-2]) / h**2
    np.testing.assert_allclose(force[k], 0.7 * (rate - [0, 0, -G]), atol=0.02 * np.abs(force).max())
    spin = np.array(
        [Rotation.from_matrix(b @ a.T).as_rotvec() / h for a, b in zip(R[:-1], R[1:], strict=True)]
    )
    inertia = R @ np.diag([0.004, 0.005, 0.002]) @ np.swapaxes(R, 1, 2)
    middle = np.array(
        [0.5 * (a + b) @ w for a, b, w in zip(inertia[:-1], inertia[1:], spin, strict=True)]
    )
    about = np.diff(middle, axis=0) / h + np.cross((c - p)[k], force[k])
    np.testing.assert_allclose(torque[k], about, atol=0.02 * np.abs(torque).max())


def test_a_weld_that_is_turned_half_way_round_is_refused():
    """The axes of the frames are perpendicular there too."""
    model = fm.Model("flipped", gravity=(0, 0, -G))
    one, two = (model.add(fm.Body(name, 1.0, (0, 0, 0), (0.01,) * 3)) for name in ("one", "two"))
    model.add(fm.Hinge("swing", model.ground, one, (0, 0, 0), axis=(1, 0, 0)))
    flip = Rotation.from_rotvec([0, np.pi, 0]).as_matrix()
    model.add(fm.Free("flight", model.ground, two, rotation=flip))
    model.add(fm.WeldConstraint("weld", one.at((0, 0, 0)), two.at((0, 0, 0))))
    system = fm.build(model)
    assert max(system.drift(0.0, *system.initial_state())) < 1e-12
    with pytest.raises(fm.ModelError, match="'weld': the x axes .* cosine -1; must be 1"):
        fm.simulate(system, t_end=0.1, dt=0.1)


def arm(name, constraint):
    """Fibers and joints of all kinds, closed by a constraint."""
    if name == "hinges":
        model = two_link_arm()
    else:
        model = functional_arm("multiplier" if name == "multiplier" else "eliminate")
    last, ground = model.bodies[-1], model.ground
    if constraint == "line":
        model.add(
            fm.PointOnLineConstraint(
                "hold", last.at((0.1, 0.2, 0.05)), ground.at((0.03, -0.05, 0.04)), (1, 0.4, -0.3)
            )
        )
    else:
        turn = Rotation.from_rotvec([0.3, -0.5, 0.2]).as_matrix()
        ends = ground.at((0.1, 0.2, 0.05)), last.at((0.03, -0.05, 0.04))
        model.add(fm.WeldConstraint("hold", *ends, turn))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fm.build(model)


@pytest.mark.parametrize("kind", ["functions", "multiplier"])
@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 70.0)])
def test_tangents_of_a_line_agree_with_central_differences(rng, kind, beta, alpha, monkeypatch):
    system = arm(kind, "line")
    monkeypatch.setattr(system, "initial_state", system.configuration.start)
    y, v, a = moving_state(system, rng)
    evaluation = system.evaluate(0.1, y, v, a, beta, alpha)
    residual = along(system, y, v, a, beta, alpha)
    free, n = independent(system), system.skeleton.n
    for _ in range(4):
        d = rng.normal(size=system.n) * system.scale * free
        h = 2e-7
        ahead, back = (system.retract(0.0, y, sign * h * d) for sign in (1.0, -1.0))
        slope = (residual(ahead) - residual(back)) / (2.0 * h)
        exact = apply(evaluation.tangent, d) * free
        for part in (slice(0, -n), slice(-n, None)):
            atol = 2e-6 * np.abs(slope[part]).max()
            np.testing.assert_allclose(exact[part], slope[part], atol=atol, rtol=0)


@pytest.mark.parametrize("constraint", ["line", "weld"])
def test_derivatives_of_the_rows(rng, constraint):
    """G, V, W and the curvature, by differences of values, rates and forces."""
    system = arm("functions", constraint)
    hold = system.multipliers.holding[0]
    n, h = system.skeleton.n, 1e-6
    y, v = system.configuration.start()
    q, p, p_dot = rng.uniform(-0.5, 0.5, n), rng.normal(size=n), rng.normal(size=n)
    q = system.split(y)[1] + 0.2 * q

    def state(q, p, p_dot):
        whole = [np.zeros(system.n) for _ in range(3)]
        whole[0][:] = y
        for vector, part in zip(whole, (q, p, p_dot), strict=True):
            system.split(vector)[1][:] = part
        return system.configuration.at(0.0, *whole, second=True)[0]

    at = state(q, p, p_dot)
    held = hold.constrain(at, True)
    lam = rng.normal(size=held.g.size)
    for k, e in enumerate(np.eye(n)):
        ahead, back = (hold.constrain(state(q + s * h * e, p, p_dot), True) for s in (1, -1))
        for name, exact in (("g", held.G), ("g_dot", held.V), ("g_ddot", held.W)):
            slope = (getattr(ahead, name) - getattr(back, name)) / (2 * h)
            np.testing.assert_allclose(exact[:, k], slope, atol=2e-7 * (1 + abs(slope).max()))
        slope = (ahead.G - back.G).T @ lam / (2 * h)
        np.testing.assert_allclose(
            hold.curvature(at, lam)[:, k], slope, atol=2e-7 * (1 + abs(slope).max())
        )
    t = 1e-4
    ahead, back = (
        hold.constrain(state(q + s * t * p + 0.5 * t * t * p_dot, p + s * t * p_dot, p_dot), False)
        for s in (1, -1)
    )
    np.testing.assert_allclose(held.g_dot, (ahead.g - back.g) / (2 * t), atol=1e-5)
    np.testing.assert_allclose(held.g_ddot, (ahead.g_dot - back.g_dot) / (2 * t), atol=1e-4)


def test_what_cannot_be_held_is_refused():
    model = fm.Model("m")
    body = model.add(fm.Body("b", 1.0, (0, 0, 0), (0.01,) * 3))
    ends = model.ground.at((0, 0, 0)), body.at((0, 0, 0))
    with pytest.raises(fm.ModelError, match="direction"):
        fm.PointOnLineConstraint("line", *ends, direction=(0, 0, 0))
    with pytest.raises(fm.ModelError, match="constraint 'line': point .* on another body"):
        fm.PointOnLineConstraint("line", ends[0], model.ground.at((1, 0, 0)), (1, 0, 0))
    with pytest.raises(fm.ModelError, match="constraint 'weld': second .* on another body"):
        fm.WeldConstraint("weld", ends[0], model.ground.at((1, 0, 0)))
    with pytest.raises(fm.ModelError, match="be a rotation matrix"):
        fm.WeldConstraint("weld", *ends, rotation=2.0 * np.eye(3))
