"""Joints and coordinates: against Pinocchio, exact tangents, couplings, held coordinates."""

import numpy as np
import pytest
from joint_cases import GRAVITY, a_body, every_joint, functional_arm, placed
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.solvers.statics.linearize import dense

KINDS = ("hinge", "slider", "universal", "cylindrical", "planar", "spherical", "free", "weld")
CHAINS = [(kind,) for kind in KINDS[:-1]] + [
    ("spherical", "hinge", "free"),
    ("free", "universal", "weld", "planar", "spherical"),
    ("weld", "cylindrical", "slider", "spherical", "hinge", "universal"),
]


def theirs(pin, model):
    """Pinocchio's tree: a joint for each axis, and its own for quaternions."""
    tree = pin.Model()
    tree.gravity.linear = np.array(GRAVITY)
    at = {"ground": (0, pin.SE3.Identity())}
    order = []
    for body in model.bodies[1:]:
        joint = model.joint_of(body)
        number, place = at[joint.parent.name]
        place = place * pin.SE3(np.eye(3), np.array(joint.at))
        for k, axis in enumerate(joint.axes):
            revolute = axis.kind == "rotation"
            kind = pin.JointModelRevoluteUnaligned if revolute else pin.JointModelPrismaticUnaligned
            ((name, _),) = axis.pairs
            number = tree.addJoint(number, kind(*axis.direction), place, f"{name} {k}")
            order.append(name)
            place = pin.SE3.Identity()
        if getattr(joint, "quaternion", ()):
            number = tree.addJoint(number, pin.JointModelSpherical(), place, f"{joint.name} ball")
            order.append(joint.quaternion)
            place = pin.SE3.Identity()
        place = place * pin.SE3(np.array(joint.rotation), np.zeros(3))
        place = place * pin.SE3(np.eye(3), -np.array(joint.child_at))
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        tree.appendBodyToJoint(number, inertia, place)
        at[body.name] = number, place
    return tree, tree.createData(), order


def their_motion(skeleton, order, q, p, a):
    """Positions, velocities and accelerations as Pinocchio has them, and dv/dp."""
    index = {name: k for k, name in enumerate(skeleton.independent)}
    x, v, w, rows = [], [], [], []
    for entry in order:
        if isinstance(entry, str):
            k = index[entry]
            x.append([q[k]])
            v.append([p[k]])
            w.append([a[k]])
            rows.append(np.eye(skeleton.n)[[k]])
            continue
        own = [index[name] for name in entry]
        unit = Rotation.from_quat(np.roll(q[own], -1))
        size = np.linalg.norm(q[own])

        def turning(rate, own=own, size=size):
            """2 vec(conj(q) rate) / |q|^2."""
            s, u = q[own][0], q[own][1:]
            return 2.0 * (s * rate[1:] - rate[0] * u - np.cross(u, rate[1:])) / size**2

        E = np.array([turning(e) for e in np.eye(4)]).T
        # the acceleration of the direction, whatever the length does
        length = q[own] @ p[own] / size**2
        x.append(unit.as_quat())
        v.append(E @ p[own])
        w.append(E @ a[own] - 2.0 * length * (E @ p[own]))
        row = np.zeros((3, skeleton.n))
        row[:, own] = E
        rows.append(row)
    return map(np.concatenate, (x, v, w, rows))


@pytest.mark.parametrize("kinds", CHAINS, ids="-".join)
def test_against_pinocchio(rng, kinds):
    """Mass matrix and inverse dynamics, also with quaternions that are not of unit length."""
    pin = pytest.importorskip("pinocchio")
    model = every_joint(rng, kinds)
    skeleton = fm.skeleton(model)
    tree, data, order = theirs(pin, model)
    for _ in range(5):
        q, p, a = (
            skeleton.start + 0.3 * rng.normal(size=skeleton.n),
            *rng.normal(size=(2, skeleton.n)),
        )
        x, v, w, T = their_motion(skeleton, order, q, p, a)
        M = pin.crba(tree, data, x)
        M = np.triu(M) + np.triu(M, 1).T
        expected = T.T @ M @ T
        for own in skeleton.passive._quaternions:
            n = q[own] / np.linalg.norm(q[own])
            expected[np.ix_(own, own)] += np.outer(n, n)
        assert_allclose(skeleton.mass_matrix(q), expected, atol=1e-12 * np.abs(expected).max())
        tau = T.T @ pin.rnea(tree, data, x, v, w)
        found = skeleton.inverse_dynamics(q, p, a)
        for own in skeleton.passive._quaternions:  # without the equation of the length
            n = q[own] / np.linalg.norm(q[own])
            found[own] -= n * (n @ found[own])
        assert_allclose(found, tau, atol=1e-11 * (1 + np.abs(tau).max()))


def test_functional_joint_against_pinocchio(rng):
    """Axes that are splines of coordinates: the chain rule by SciPy's splines and by hand."""
    pin = pytest.importorskip("pinocchio")
    knots, values = np.array([-1.5, -0.5, 0.4, 1.5]), rng.normal(size=(6, 4)) * 0.3
    model = fm.Model("functional", gravity=GRAVITY)
    body = model.add(a_body(rng, "b"))
    directions = rng.normal(size=(6, 3))
    axes = [
        fm.Axis(
            "rotation" if i % 2 else "translation",
            directions[i],
            (("q" if i < 4 else "r", fm.NaturalSpline(knots, values[i])),),
        )
        for i in range(6)
    ]
    place = placed(rng)
    coordinates = [fm.Coordinate("q"), fm.Coordinate("r", "translation")]
    model.add(fm.FunctionalJoint("j", model.ground, body, coordinates, axes, **place))
    skeleton = fm.skeleton(model)
    tree, data, _ = theirs(pin, model)
    splines = [CubicSpline(knots, one, bc_type="natural") for one in values]
    source = [0, 0, 0, 0, 1, 1]
    for _ in range(5):
        q, p, a = rng.uniform(-1.0, 1.0, (3, 2))
        df, ddf = (
            np.array([s(q[k], order) for s, k in zip(splines, source, strict=True)])
            for order in (1, 2)
        )
        x = np.array([s(q[k]) for s, k in zip(splines, source, strict=True)])
        J = np.zeros((6, 2))
        J[np.arange(6), source] = df
        v = J @ p
        w = J @ a + ddf * p[source] ** 2
        tau = J.T @ pin.rnea(tree, data, x, v, w)
        assert_allclose(skeleton.inverse_dynamics(q, p, a), tau, atol=1e-11 * np.abs(tau).max())
        M = pin.crba(tree, data, x)
        M = np.triu(M) + np.triu(M, 1).T
        assert_allclose(skeleton.mass_matrix(q), J.T @ M @ J, atol=1e-12 * np.abs(M).max())


def residual_slopes(system, rng, rates):
    """Tangent of a whole system and the same by differences, for its independent unknowns."""
    y, v = system.initial_state()
    y = system.retract(0.0, y, 1e-3 * rng.normal(size=y.size) * system.scale)
    v = v + 0.5 * rng.normal(size=v.size) * system.scale
    v_dot, b, a = rng.normal(size=v.size), 3.0, 7.0
    given = 0.0 if rates else None
    y_hat = y - v / b
    v_start = system.enforce(y, v, given)

    def at(increment):
        y_new = system.retract(0.0, y, increment)
        v_new = system.enforce(y_new, b * (y_new - y_hat), given)
        rate = v_dot + a * (v_new - v_start)
        return y_new, v_new, system.enforce_rate(y_new, v_new, rate, 0.0) if rates else rate

    found = system.evaluate(0.0, *at(0.0 * y), b, a, rates=rates)
    tangent, slopes = np.asarray(dense(found.tangent)), np.zeros((y.size, y.size))
    for k in range(y.size):
        step = np.zeros(y.size)
        step[k] = 1e-6 * system.scale[k]
        ahead, behind = (
            system.evaluate(0.0, *at(s * step), b, a, rates=rates, tangent=False).residual
            for s in (1.0, -1.0)
        )
        slopes[:, k] = (ahead - behind) / (2.0 * step[k])
    free = np.ones(y.size, bool)
    for node in system.cables.attached_nodes:
        free[6 * node : 6 * node + 3] = False
    free[y.size - system.skeleton.n + system.skeleton.constraints.held] = False
    return tangent[np.ix_(free, free)], slopes[np.ix_(free, free)]


@pytest.mark.parametrize("rates", [False, True])
@pytest.mark.parametrize("prescribed", [False, True])
@pytest.mark.parametrize("enforce", ["eliminate", "multiplier"])
def test_tangent_of_a_whole_system(rng, enforce, prescribed, rates):
    """Fibers, contact, quaternion, splines, coupling and forces of coordinates: all exact."""
    system = fm.build(functional_arm(enforce, prescribed))
    tangent, slopes = residual_slopes(system, rng, rates)
    assert system.contact.n_closed()[1] > 5
    size = np.abs(slopes).max()
    assert_allclose(tangent, slopes, atol=1e-7 * size)
    n = system.skeleton.n - prescribed
    for part in (np.s_[-n:, :], np.s_[:, -n:], np.s_[-n:, -n:]):  # each border on its own scale
        scale = np.abs(slopes[part]).max()
        assert_allclose(tangent[part], slopes[part], atol=1e-7 * scale)


def test_rank_three_derivative_of_the_attachments(rng):
    """d2c/dq2 by differences of dc/dq, with quaternions, splines and couplings."""
    system = fm.build(functional_arm())
    skeleton = system.skeleton
    q = skeleton.start + 0.2 * rng.normal(size=skeleton.n)
    hessian = system.attachment_hessian(q).todense()

    def jacobian(q):
        motion = skeleton.at(q)
        return system.attached.jacobian(motion, system.attached.place(motion))

    h = 1e-6
    for k, e in enumerate(np.eye(skeleton.n)):
        slope = (jacobian(q + h * e) - jacobian(q - h * e)) / (2 * h)
        assert_allclose(hessian[:, :, k], slope.reshape(-1, skeleton.n), atol=1e-8)
        ends = [system.attached.place(skeleton.at(q + s * h * e)).c for s in (1, -1)]
        assert_allclose(jacobian(q)[:, :, k], (ends[0] - ends[1]) / (2 * h), atol=1e-9)


def test_coupling_eliminated_and_with_multiplier_give_the_same_accelerations():
    """G q'' = b with multipliers against coordinates left out: exact at every state."""
    ways = [fm.skeleton(functional_arm(way, fibers=False)) for way in ("eliminate", "multiplier")]
    assert len(ways[0].independent) == len(ways[1].independent) - 1
    a0, _ = ways[0].forward_dynamics(ways[0].start, ways[0].start_speed)
    a1, lam = ways[1].forward_dynamics(ways[1].start, ways[1].start_speed)
    assert_allclose(a1[:-1], a0, rtol=1e-9)
    q, p = ways[1].start, ways[1].start_speed
    G, b = ways[1].constraint(q, p)
    assert_allclose(G @ a1, b, atol=1e-9)
    assert lam.shape == (1,)
    assert_allclose(ways[0].values(ways[0].start)["l"], q[-1], atol=1e-14)
    assert_allclose(ways[0].rates(ways[0].start, ways[0].start_speed)["l"], p[-1], atol=1e-14)


def simulate(model, dt, t_end=0.2, method=None):
    return fm.simulate(
        fm.build(model), t_end=t_end, dt=dt, method=method or fm.SDIRK2(), control=fm.FixedSteps()
    )


def test_coupling_eliminated_and_with_multiplier_give_the_same_motion():
    """They agree at the order of the integrator; the constraint does not drift."""
    apart = []
    for dt in (0.01, 0.005, 0.0025):
        runs = [
            simulate(functional_arm(way, fibers=False), dt) for way in ("eliminate", "multiplier")
        ]
        differences = [runs[0].coordinate(n) - runs[1].coordinate(n) for n in "kjl"]
        apart.append(np.abs(differences).max())
        j, own = runs[1].coordinate("j"), runs[1].coordinate("l")
        assert np.abs(own - (0.1 + 0.5 * j - 0.7 * j**2)).max() < 3.0 * dt**2
    orders = np.log2(np.array(apart[:-1]) / apart[1:])
    assert np.all(orders > 1.7), (apart, orders)


def test_prescribed_and_locked_coordinates():
    """Held where they should be at every frame and in between, at all levels."""
    result = simulate(functional_arm(prescribed=True), 0.01, method=fm.GeneralizedAlpha())
    t = result.time
    assert_allclose(result.coordinate("j"), -0.2 + 0.5 * t + 0.3 * t**2 + 0.1 * t**3, atol=1e-12)
    assert_allclose(result.speeds["j"][1:], (0.5 + 0.6 * t + 0.3 * t**2)[1:], atol=1e-9)
    k, l = result.coordinate("k"), result.coordinate("l")  # noqa: E741
    assert_allclose(l, 0.1 + 0.5 * k - 0.7 * k**2, atol=1e-13)

    model = fm.Model("locked")
    arm = model.add(fm.Body("arm", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)))
    names = [fm.Coordinate("a", value=0.4, locked=True), fm.Coordinate("b", value=0.1)]
    axes = [fm.Axis("rotation", (0, 1, 0), "a"), fm.Axis("rotation", (1, 0, 0), "b")]
    model.add(fm.FunctionalJoint("joint", model.ground, arm, names, axes))
    skeleton = fm.skeleton(model)
    assert skeleton.independent == ("b",)
    assert skeleton.values(skeleton.start) == {"a": 0.4, "b": 0.1}
    expected = Rotation.from_euler("YX", (0.4, 0.1)).as_matrix()
    assert_allclose(skeleton.poses(skeleton.start)["arm"][0], expected, atol=1e-15)
    assert np.all(simulate(model, 0.01).coordinate("a") == 0.4)


def tumbling(n_turns=1.0):
    """An unsymmetric body that turns about its unstable axis, free in space."""
    model = fm.Model("tumbling", gravity=(0, 0, 0))
    body = model.add(fm.Body("box", 1.0, (0.0, 0.0, 0.0), (0.01, 0.02, 0.028)))
    spin = {"angular_velocity": (0.05, 6.0, 0.02), "velocity": (0.3, 0.0, 0.1)}
    model.add(fm.Free("box_joint", model.ground, body, **spin))
    return model


@pytest.mark.slow
def test_a_free_body_keeps_energy_and_angular_momentum():
    """Through all orientations, no gimbal locks; the errors fall with the square of the step."""
    errors = []
    for dt in (0.01, 0.005):
        model = tumbling()
        system = fm.build(model)
        result = fm.simulate(
            system,
            t_end=3.0,
            dt=dt,
            method=fm.GeneralizedAlpha(rho_inf=1.0),
            control=fm.FixedSteps(),
        )
        R = result.bodies["box"].rotation
        names = [f"box_joint_{c}" for c in "wxyz"]
        q = np.array([result.coordinate(n) for n in names]).T
        p = np.array([result.speeds[n] for n in names]).T
        omega = 2.0 * (
            q[:, :1] * p[:, 1:] - p[:, :1] * q[:, 1:] - np.cross(q[:, 1:], p[:, 1:])
        ) / (q**2).sum(axis=1, keepdims=True)  # fmt: skip
        spin = omega * [0.01, 0.02, 0.028]
        momentum = np.einsum("tij,tj->ti", R, spin)
        kinetic = 0.5 * (omega * spin).sum(axis=1)
        errors.append([np.ptp(kinetic) / kinetic[0], np.abs(momentum - momentum[0]).max() / 0.12])
        assert np.abs(np.linalg.norm(q, axis=1) - 1.0).max() < 60.0 * dt**2
        assert R[:, 1, 1].min() < -0.9  # the axis turned over
        assert_allclose(result.coordinate("box_joint_tx"), 0.3 * result.time, atol=1e-12)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 1.7), (errors, orders)


def test_the_length_of_a_quaternion_has_no_part_in_the_mechanics():
    """A start of another length gives the same motion of the body."""
    skeleton = fm.skeleton(tumbling())
    q, p = skeleton.start.copy(), skeleton.start_speed
    body = lambda q, p: skeleton.poses(q)["box"][0]  # noqa: E731
    longer = q.copy()
    longer[3:] *= 2.0
    assert_allclose(body(longer, p), body(q, p), atol=1e-15)
    faster = p.copy()
    faster[3:] *= 2.0
    a, _ = skeleton.forward_dynamics(q, p)
    b, _ = skeleton.forward_dynamics(longer, faster)
    # the same directions: b / 2 and a differ along the quaternion alone
    n = q[3:]
    difference = b[3:] / 2.0 - a[3:]
    assert_allclose(difference - n * (n @ difference), 0.0, atol=1e-10)


def test_limits_hold_a_coordinate():
    """A pendulum falls onto its limit and comes to rest there."""
    model = fm.Model("limited", gravity=(0, -9.81, 0))
    arm = model.add(fm.Body("arm", 1.0, (0.2, 0, 0), (0.01, 0.05, 0.05)))
    forces = fm.QuadraticLimit(-0.5, 1.0, 1e4), fm.Damper(0.5)
    fall = fm.Coordinate("fall", forces=forces, lower=-0.5, upper=1.0)
    model.add(fm.Hinge("joint", model.ground, arm, (0, 0, 0), (0, 0, 1), coordinate=fall))
    result = simulate(model, 0.005, t_end=3.0)
    deep = np.sqrt(9.81 * 0.2 * np.cos(0.5) / 1e4)
    assert_allclose(result.coordinate("fall")[-1], -0.5 - deep, atol=1e-3)


def test_mass_and_center_and_states(rng):
    model = every_joint(rng, ("spherical", "hinge"))
    skeleton = fm.skeleton(model)
    q = skeleton.q_of({"j1": 0.3})
    mass, center = skeleton.mass_and_center(q)
    poses = skeleton.poses(q)
    bodies = model.bodies[1:]
    assert_allclose(mass, sum(b.mass for b in bodies))
    expected = sum(b.mass * (poses[b.name][0] @ b.com + poses[b.name][1]) for b in bodies) / mass
    assert_allclose(center, expected, atol=1e-14)
    with pytest.raises(fm.ModelError, match="coordinate 'x': unknown; must be one of j0_w"):
        skeleton.q_of({"x": 1.0})
    with pytest.raises(fm.ModelError, match=r"skeleton: state .* shape \(5,\)"):
        skeleton.mass_matrix([1.0])


def test_refusals(rng):
    model = every_joint(rng, ("hinge", "hinge"))
    line = fm.Linear()
    for coupling, message in (
        (fm.Coupling("j0", line, "x"), "independent = 'x'; must be a coordinate of model"),
        (fm.Coupling("y", line, "j1"), "dependent = 'y'; must be a coordinate"),
    ):
        with pytest.raises(fm.ModelError, match=message):
            model.add(coupling)
    model.add(fm.Coupling("j0", line, "j1"))
    with pytest.raises(fm.ModelError, match="follow one coordinate only; it already follows 'j1'"):
        model.add(fm.Coupling("j0", line, "j1"))
    with pytest.raises(fm.ModelError, match="must not depend on it"):
        model.add(fm.Coupling("j1", line, "j0"))
    with pytest.raises(fm.ModelError, match="must differ from"):
        fm.Coupling("j1", line, "j1")
    with pytest.raises(fm.ModelError, match="be 'eliminate' or 'multiplier'"):
        fm.Coupling("j1", line, "j0", "drop")

    bodies = fm.Body("a", 1.0, inertia=(1, 1, 1)), fm.Body("b", 1.0, inertia=(1, 1, 1))
    with pytest.raises(fm.ModelError, match="universal 'u': second .* not be parallel"):
        fm.Universal("u", *bodies, (0, 0, 0), (1, 0, 0), (2, 0, 0))
    with pytest.raises(fm.ModelError, match="spherical 's': quaternion .* be nonzero"):
        fm.Spherical("s", *bodies, (0, 0, 0), quaternion=(0, 0, 0, 0))
    with pytest.raises(fm.ModelError, match="must move an axis of the joint, which 'c' does not"):
        fm.FunctionalJoint("f", *bodies, [fm.Coordinate("c")], [])
    with pytest.raises(fm.ModelError, match="locked coordinate"):
        fm.Coordinate("c", locked=True, prescribed=line)
    with pytest.raises(fm.ModelError, match="axis: direction .* be nonzero"):
        fm.Axis("rotation", (0, 0, 0), "c")
    lonely = fm.Model("lonely")
    lonely.add(*bodies)
    lonely.add(fm.Weld(bodies[0], bodies[1]))
    axis = fm.Axis("rotation", (1, 0, 0), "elsewhere")
    lonely.add(fm.FunctionalJoint("f", lonely.ground, bodies[0], [], [axis]))
    with pytest.raises(fm.ModelError, match="coordinate of an axis = 'elsewhere'; must be a coord"):
        fm.skeleton(lonely)


@pytest.mark.slow
@pytest.mark.parametrize("prescribed", [False, True])
@pytest.mark.parametrize("enforce", ["eliminate", "multiplier"])
def test_forces_and_motion_agree(enforce, prescribed):
    """Inverse dynamics of a result: the mismatch falls with the square of the step."""
    worst = []
    for dt in (0.004, 0.002, 0.001):
        system = fm.build(functional_arm(enforce, prescribed))
        result = fm.simulate(system, t_end=0.06, dt=dt, method=fm.SDIRK2(), control=fm.FixedSteps())
        found = fm.check(system, result).coordinates
        worst.append(max(one.rms / max(one.applied, 1.0) for one in found.values()))
    assert worst[-1] < 0.2 * worst[0]


def test_equilibrium_with_quaternions_couplings_and_held_coordinates():
    """Both ways of a coupling find the same rest, and the same lowest mode about it."""
    ends, modes = [], []
    for enforce in ("eliminate", "multiplier"):
        system = fm.build(functional_arm(enforce))
        y, v = fm.equilibrium(system)
        modes.append(fm.stability(system, y))
        assert np.abs(system.evaluate(0.0, y, v, v).residual).max() < 1e-9
        ends.append(system.skeleton.values(system.split(y)[1]))
    assert ends[0].keys() == ends[1].keys()
    assert modes[0].stable and modes[1].stable
    assert_allclose(modes[1].frequency, modes[0].frequency, rtol=1e-4)
    assert_allclose([ends[0][k] for k in ends[0]], [ends[1][k] for k in ends[0]], atol=1e-6)


def test_forward_dynamics_of_held_coordinates():
    """A prescribed coordinate has the acceleration that is given, and the others feel it."""
    skeleton = fm.skeleton(functional_arm(prescribed=True, fibers=False))
    q, p, t = skeleton.start, skeleton.start_speed, 0.3
    a, _ = skeleton.forward_dynamics(q, p, t=t)
    held = skeleton.independent.index("j")
    assert_allclose(a[held], 0.6 + 0.6 * t)
    off = skeleton.inverse_dynamics(q, p, a)
    off[held] = 0.0
    assert_allclose(off, 0.0, atol=1e-10)


def test_states_and_joints_that_make_no_sense():
    arm = functional_arm(fibers=False)
    skeleton = fm.skeleton(arm)
    q = skeleton.start.copy()
    q[:4] = 0.0
    with pytest.raises(fm.ModelError, match=r"quaternion \(shoulder_w, .* be nonzero"):
        skeleton.poses(q)
    bodies = fm.Body("a", 1.0, inertia=(1, 1, 1)), fm.Body("b", 1.0, inertia=(1, 1, 1))
    parts = [fm.Coordinate(n, "quaternion", float(n == "w")) for n in "wxyz"]
    for names, message in ((("w", "x", "y", "y"), "each once"), (("w", "x", "y"), "each once")):
        with pytest.raises(fm.ModelError, match=message):
            fm.FunctionalJoint("f", *bodies, parts, [], quaternion=names)
    flat = [fm.Coordinate(n, "quaternion") for n in "wxyz"]
    with pytest.raises(fm.ModelError, match="be nonzero; start at"):
        fm.FunctionalJoint("f", *bodies, flat, [], quaternion=("w", "x", "y", "z"))
    for field in ({"locked": True}, {"forces": fm.Spring(1.0)}, {"prescribed": fm.Linear()}):
        with pytest.raises(fm.ModelError, match="for a part of a quaternion; a Weld"):
            fm.Coordinate("w", "quaternion", **field)
    axis = fm.Axis("rotation", (1, 0, 0), (("c", fm.Polynomial([0.3])),))
    with pytest.raises(fm.ModelError, match="move an axis of the joint, which 'c' does not"):
        fm.FunctionalJoint("f", *bodies, [fm.Coordinate("c")], [axis])
    jump = fm.PiecewiseLinear([0.0, 0.1, 0.2], [0.0, 1.0, 0.0])
    with pytest.raises(fm.ModelError, match="whose slope is continuous; a NaturalSpline"):
        fm.Coordinate("c", prescribed=jump)
    with pytest.raises(
        fm.ModelError, match="value = 3.0; must be left out for a prescribed coordinate"
    ):
        fm.Coordinate("c", value=3.0, prescribed=fm.Linear())
    twice = fm.Model("twice")
    body = twice.add(bodies[0])
    axes = [fm.Axis("rotation", (1, 0, 0), n) for n in "cd"]
    twice.add(fm.FunctionalJoint("f", twice.ground, body, [fm.Coordinate(n) for n in "cd"], axes))
    skeleton = fm.skeleton(twice)
    with pytest.raises(fm.ModelError, match="moves no mass, alone or with others"):
        skeleton.forward_dynamics(skeleton.start, skeleton.start_speed)
