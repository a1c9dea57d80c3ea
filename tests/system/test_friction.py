"""Friction between fibers and on bones: forces, tangent, energy, and what is refused."""

from dataclasses import replace

import numpy as np
import own_laws as own
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import friction as plain
from scenes_of_tests import apply, independent, rubber, two_link_arm
from scipy.integrate import solve_ivp
from tangents import moving_state

import fibermsk as fm
from fibermsk.system.assembly import Assembly
from fibermsk.system.contribution import Slopes

FORMULATIONS = ["variational", "half_pass"]
RUB = fm.Friction(0.5, speed=0.3)
RADIUS = 5e-3


def rubbed(model, friction=RUB):
    """The model with friction of all contacts."""
    return model.copy(
        lambda one: replace(one, friction=friction) if isinstance(one, fm.Contact) else one
    )


def slider_and_follower(formulation):
    """A fiber on the capsule of a bone that a slider carries, and that turns coupled to it.

    Its first end is on the ground, its last on the bone. A second bone has a prescribed motion.
    """
    model = fm.Model("follower", gravity=(0, 0, 0))
    inertia = (1e-3, 1e-3, 1e-3)
    cart = model.add(fm.Body("cart", 1.0, (0, 0, 0), inertia))
    model.add(fm.Slider("slide", model.ground, cart, (0, 0, 0), axis=(1, 0, 0)))
    capsule = fm.Capsule((0, -0.1, 0), (0.01, 0.1, 0), 0.02)
    bone = model.add(fm.Body("bone", 1.0, (0, 0, 0.01), inertia, shapes=capsule))
    model.add(fm.Hinge("turn", cart, bone, (0, 0, 0), axis=(0, 1, 0)))
    model.add(fm.Coupling("turn", fm.Polynomial((0.0, 3.0, 5.0)), "slide"))
    capsule = fm.Capsule((0.05, -0.1, 0), (0.06, 0.1, 0), 0.02)
    driven = model.add(fm.Body("driven", 1.0, (0, 0, 0.01), inertia, shapes=capsule))
    spin = fm.Coordinate("spin", prescribed=fm.Linear(0.7))
    model.add(fm.Hinge("hinge", cart, driven, (0.05, 0, 0), axis=(0, 1, 0.2), coordinate=spin))
    height = 0.9 * (0.02 + RADIUS)
    ends = model.ground.at(-0.04, 0.0, height), driven.at(0.03, 0.01, height)
    fiber = fm.Fiber("fiber", attach=ends, radius=RADIUS, n_elements=5, tissue=rubber(0.0, 2e4))
    model.add(fiber)
    law = fm.PenaltyContact(400.0, 3.0)
    model.add(fm.Contact(fiber, [bone, driven], law, formulation=formulation))
    return model


def friction_error(system, rng, beta, bend, h=1e-7):
    """Largest error of the tangent of friction alone, over its largest entry along a direction."""
    y, v, v_dot = moving_state(system, rng, bend)
    element = (system.named_elements["friction"],)
    assemble = Assembly(system.cables, system.skeleton, system.attached, element, 0.0)
    free, t = independent(system), 0.0
    free[6 * system.cables.n_nodes + system.skeleton.constraints.held] = False

    def at(new, tangent):
        speed = system.enforce(new, v + beta * (new - y))
        kinematics, _ = system.configuration.at(t, new, speed, v_dot, second=tangent)
        return assemble(kinematics, Slopes(beta, 0.0, False) if tangent else None)

    matrix = at(y, True).matrix
    worst = 0.0
    for _ in range(3):
        d = rng.normal(size=system.n) * system.scale * free
        ahead, behind = (at(system.retract(t, y, s * d), False).residual for s in (h, -h))
        slope = (ahead - behind) / (2 * h) * free
        worst = max(worst, np.abs(apply(matrix, d) * free - slope).max() / np.abs(slope).max())
    assert np.abs(slope).max() > 0.0
    return worst


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("beta", [0.0, 4.0, 200.0])
def test_tangent_alone(formulation, beta, rng):
    """Fibers on fibers and on turning bones, with attached ends in contact."""
    system = fm.build(rubbed(two_link_arm(formulation=formulation)))
    assert friction_error(system, rng, beta, 2e-3) < 1e-6
    assert min(system.contact.n_closed()) > 20


@pytest.mark.slow  # compiles
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_tangent_with_a_law_of_ones_own(formulation, rng):
    model = two_link_arm(formulation=formulation)
    law = own.Hertz(900.0)
    model._contacts[:] = [replace(one, law=law, friction=RUB) for one in model.contacts]
    assert friction_error(fm.build(model), rng, 4.0, 2e-3) < 1e-6


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("beta", [0.0, 4.0, 200.0])
def test_tangent_with_coupled_and_prescribed_coordinates(formulation, beta, rng):
    system = fm.build(rubbed(slider_and_follower(formulation)))
    assert friction_error(system, rng, beta, 1e-4) < 1e-6
    assert system.contact.n_closed()[1] >= 4


def moving(system, rng, bend=2e-3):
    """A moving state, its kinematics, and the friction's residual of nodes and axes."""
    y, v, _ = moving_state(system, rng, bend)
    at, _ = system.configuration.at(0.0, y, v)
    element = (system.named_elements["friction"],)
    return at, element[0]


def alone(system, at, friction):
    """Residual of the nodes (n_nodes, 6) and of the axes before ends are eliminated."""
    from fibermsk.system.contribution import Sums

    sums = Sums.zero(system.skeleton, at, np.zeros_like(at.nodes), np.zeros((0, 3, 6, 6)), None)
    friction.add(at, sums)
    return sums.nodes, sums.axes.force


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_action_equals_reaction_and_the_power_is_dissipated(formulation, rng):
    """On fibers and bones: forces and moments add up to zero, and work is only lost."""
    system = fm.build(rubbed(two_link_arm(formulation=formulation)))
    at, friction = moving(system, rng)
    nodes, axes = alone(system, at, friction)
    assert np.abs(axes).max() > 0.0
    lost = np.sum(nodes * at.velocity) + axes @ at.motion.speed
    assert_allclose(friction.power(at), lost, rtol=1e-12)
    assert lost > 0.0
    # between fibers alone nothing is left, neither force nor moment of positions and tangents
    only = rubbed(two_link_arm(formulation=formulation), None)
    contacts = [
        replace(one, friction=RUB) if k == 0 else one for k, one in enumerate(only.contacts)
    ]
    only._contacts[:] = contacts
    system = fm.build(only)
    at, friction = moving(system, np.random.default_rng(3))
    nodes, axes = alone(system, at, friction)
    size = np.abs(nodes[:, :3]).sum()
    assert size > 1e-3 and not axes.any()
    assert np.abs(nodes[:, :3].sum(axis=0)).max() < 1e-13 * size
    moment = np.cross(at.nodes[:, :3], nodes[:, :3]) + np.cross(at.nodes[:, 3:], nodes[:, 3:])
    assert np.abs(moment.sum(axis=0)).max() < 1e-14 * size


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_nodal_forces_are_the_slopes_of_the_plain_dissipation(formulation, rng):
    """Between fibers: mu times the normal forces that contact reports, by a complex step."""
    model = rubbed(two_link_arm(formulation=formulation))
    model._contacts[1:] = [replace(one, friction=None) for one in model.contacts[1:]]
    system = fm.build(model)
    at, friction = moving(system, rng)
    (part,) = system.contact.sets.fibers
    h, elements, x = system.cables.h, system.cables.elements, at.nodes.reshape(-1, 2, 3)
    points, pushed = [], part.forces(system.contact.geometry)
    for s in np.flatnonzero(pushed.any(axis=1)):
        run = int(np.searchsorted(part.runs.point_start, s, side="right")) - 1
        e, law, f = part.runs.element[run], part.runs.law[run], part.points.element[s]
        q = s - part.runs.point_start[run]
        xi, eta = part.partners.xi[law, q], part.points.xi[s]
        share = 1.0 if part.potential else 0.5
        force = share * part.partners.weight[law, q] * h[e] * pushed[s]
        points.append((e, xi, f, eta, 0.5 * np.linalg.norm(force)))

    def dissipation(rates):
        v, total = rates.reshape(-1, 2, 3), 0.0
        for e, xi, f, eta, limit in points:
            place, rate = [], []
            for element, at_xi in ((e, xi), (f, eta)):
                for order in (0, 1):
                    N = plain.hermite(at_xi, h[element], order)
                    place.append(N @ x[elements[element]].reshape(4, 3))
                    rate.append(N @ v[elements[element]].reshape(4, 3))
            m, u = place[2] - place[0], rate[0] - rate[2]
            squared = plain.sliding_squared(place[1], rate[1], place[3], rate[3], m, u)
            total += limit * np.sqrt(squared + 0.3**2)
        return total

    found, _ = alone(system, at, friction)
    v = at.velocity.ravel()
    chosen = rng.choice(np.flatnonzero(found.ravel()), 25, replace=False)
    for k in chosen:
        step = np.zeros(v.size, complex)
        step[k] = 1e-30j
        expected = dissipation(v + step).imag / 1e-30
        assert_allclose(found.ravel()[k], expected, atol=1e-10 * np.abs(found).max())


def parallel(formulation):
    """Two straight, parallel fibers that overlap by a tenth, one free to move along the other."""
    model = fm.Model("parallel", gravity=(0, 0, 0))
    fibers = []
    for z in (0.0, 1.8 * RADIUS):
        ends = model.ground.at(0, 0, z), model.ground.at(0.1, 0, z)
        fiber = fm.Fiber(f"f{z}", attach=ends, radius=RADIUS, n_elements=3, tissue=rubber())
        fibers.append(model.add(fiber))
    law = fm.PenaltyContact(300.0, 3.0)
    model.add(fm.Contact(*fibers, law, formulation=formulation, friction=fm.Friction(0.4, 1e-6)))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_parallel_fibers_by_hand(formulation):
    """One slides along the other: mu F(g) per length, and half of the couple on each fiber."""
    system = fm.build(parallel(formulation))
    y, v = system.initial_state()
    nodes, _ = system.split(v)
    nodes[:4, 0] = 1.0
    at, _ = system.configuration.at(0.0, y, v)
    found, _ = alone(system, at, system.named_elements["friction"])
    force = 0.4 * 300.0 * 0.1 / (1.0 - 3.0 * 0.1) * 0.1
    assert_allclose(found[:4, :3].sum(axis=0), [force, 0, 0], rtol=1e-4, atol=1e-12)
    assert_allclose(found[4:, :3].sum(axis=0), [-force, 0, 0], rtol=1e-4, atol=1e-12)
    # about each centerline: of the tangents' forces, and of transverse forces along x
    couples = np.cross(at.nodes[:, 3:], found[:, 3:])
    couples += np.cross(at.nodes[:, :3] * [1, 1, 0], found[:, :3])
    half = 0.5 * force * 1.8 * RADIUS
    assert_allclose(couples[:4].sum(axis=0)[1], half, rtol=1e-4)
    assert_allclose(couples[4:].sum(axis=0)[1], half, rtol=1e-4)
    # across each other they roll
    nodes[:4, :2] = 0.0, 1.0
    at, _ = system.configuration.at(0.0, y, v)
    found, _ = alone(system, at, system.named_elements["friction"])
    assert np.abs(found).max() < 1e-9 * force


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_crossing_fibers_by_hand(formulation):
    """One of two that cross at a right angle slides obliquely: mu times the normal force.

    The contact extends along both fibers by up to a third of the radius, so that its normals are
    not all parallel: 3 %.
    """
    model = fm.Model("crossing", gravity=(0, 0, 0))
    fibers = []
    for z, way in ((0.0, [0.05, 0, 0]), (1.97 * RADIUS, [0, 0.05, 0])):
        a, b = np.array([0, 0, z]) - way, np.array([0, 0, z]) + way
        ends = model.ground.at(*a), model.ground.at(*b)
        fiber = fm.Fiber(f"f{z}", attach=ends, radius=RADIUS, n_elements=40, tissue=rubber())
        fibers.append(model.add(fiber))
    law = fm.PenaltyContact(300.0, 3.0)
    contact = fm.Contact(*fibers, law, formulation=formulation, friction=fm.Friction(0.4, 1e-6))
    model.add(contact)
    system = fm.build(model)
    y, v = system.initial_state()
    nodes, _ = system.split(v)
    n = nodes.shape[0] // 2
    nodes[:n, :2] = 0.6, 0.8
    at, _ = system.configuration.at(0.0, y, v)
    found, _ = alone(system, at, system.named_elements["friction"])
    (part,) = system.contact.sets.fibers
    run = np.repeat(np.arange(part.runs.law.size), np.diff(part.runs.point_start))
    weight = part.partners.weight[
        part.runs.law[run], np.arange(run.size) - part.runs.point_start[run]
    ]
    pushed = np.abs(part.forces(system.contact.geometry)[:, 2])
    normal = (weight * system.cables.h[part.runs.element[run]]) @ pushed
    normal *= 1.0 if part.potential else 0.5
    expected = 0.4 * normal * np.array([0.6, 0.8, 0.0])
    for force, sign in ((found[:n], 1.0), (found[n:], -1.0)):
        assert_allclose(force[:, :3].sum(axis=0), sign * expected, atol=0.03 * 0.4 * normal)


def block(formulation, friction, stiffness=400.0):
    """A block on a spring, whose two cylinders hold a stiff fiber between them."""
    model = fm.Model("block", gravity=(0, 0, 0))
    apart = 0.9 * 2 * RADIUS
    shapes = [fm.InfiniteCylinder((0, 0, z), (1, 0, 0), RADIUS) for z in (apart, -apart)]
    body = model.add(fm.Body("block", 0.5, (0, 0, 0), (1e-3,) * 3, shapes=shapes))
    slide = fm.Coordinate("slide", "translation", 0.02, forces=fm.Spring(stiffness))
    model.add(fm.Slider("slider", model.ground, body, (0, 0, 0), axis=(1, 0, 0), coordinate=slide))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e10, 1e7), prestress=1e5)
    ends = model.ground.at(-0.1, 0, 0), model.ground.at(0.1, 0, 0)
    fiber = model.add(fm.Fiber("belt", attach=ends, radius=RADIUS, n_elements=4, tissue=tissue))
    law = fm.PenaltyContact(100.0, 3.0)
    model.add(fm.Contact(fiber, body, law, formulation=formulation, friction=friction))
    return model


MU, SPEED = 0.3, 2e-3
NORMAL = 2 * 0.2 * 100.0 * 0.1 / (1.0 - 3.0 * 0.1)


def slide_of_block(times, speed=SPEED):
    """Position of the block by scipy: 0.5 x'' = -400 x - mu N x' / sqrt(x'^2 + s^2)."""

    def rate(t, state):
        x, v = state
        return [v, (-400.0 * x - MU * NORMAL * v / np.hypot(v, speed)) / 0.5]

    options = {"method": "Radau", "rtol": 1e-10, "atol": 1e-13, "t_eval": times}
    return solve_ivp(rate, (0.0, times[-1]), [0.02, 0.0], **options).y[0]


def test_block_slips_and_sticks():
    """Against the regularized oscillator: half swings of 2 mu N / k less, then it creeps.

    The other formulation is below, in adaptive steps and with every method.
    """
    system = fm.build(block("half_pass", fm.Friction(MU, SPEED)))
    options = {"method": fm.SDIRK2(), "control": fm.FixedSteps(), "time_error": False}
    result = fm.simulate(system, t_end=0.6, dt=1e-3, **options)
    found, expected = result.coordinates["slide"], slide_of_block(result.time)
    assert_allclose(found, expected, atol=1e-5)  # 6e-6 measured
    assert 0.0 < abs(found[-1]) < MU * NORMAL / 400.0  # held by friction
    part = 400.0 * abs(found[-1]) / (MU * NORMAL)
    creep = abs(found[-1] - found[-2]) / 1e-3  # the stated speed
    assert_allclose(creep, SPEED * part / np.sqrt(1.0 - part * part), rtol=0.01)
    power = result.elements["friction"]["power"]
    lost = 0.5 * 400.0 * (0.02**2 - found[-1] ** 2)
    assert (power >= 0.0).all()
    assert_allclose(np.trapezoid(power, result.time), lost, rtol=1e-3)


def test_block_in_adaptive_steps():
    result = fm.simulate(fm.build(block("variational", fm.Friction(MU, SPEED))), t_end=0.6, dt=0.01)
    assert_allclose(result.coordinates["slide"], slide_of_block(result.time), atol=5e-4)


@pytest.mark.parametrize(
    "method", [fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha()]
)
def test_every_method_slides_the_block(method):
    """To the order of the method, where steps resolve the regularization."""
    system = fm.build(block("variational", fm.Friction(MU, 0.2)))
    order = 1 if isinstance(method, fm.BackwardEuler) else 2
    errors = []
    for dt in (4e-3, 2e-3):
        options = {"method": method, "control": fm.FixedSteps(), "time_error": False}
        result = fm.simulate(system, t_end=0.08, dt=dt, **options)
        found = result.coordinates["slide"][-1] - slide_of_block(result.time, 0.2)[-1]
        errors.append(abs(found))
    assert errors[1] < (1e-3 if order == 1 else 5e-5)
    assert 0.85 < np.log2(errors[0] / errors[1]) / order < 1.3


def test_friction_never_adds_energy(rng):
    """Of fibers and bones that only friction moves: total energy never increases."""
    system = fm.build(block("half_pass", fm.Friction(MU, SPEED), stiffness=1e-3))
    y, v = system.initial_state()
    system.split(v)[1][:] = 0.5
    euler = {"method": fm.BackwardEuler(), "control": fm.FixedSteps()}
    result = fm.simulate(system, (y, v), t_end=0.05, dt=1e-3, **euler)
    speed = result.speeds["slide"]
    assert (np.diff(speed[speed > 5 * SPEED]) < 0.0).all()
    assert (speed > -1e-9).all()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_zero_coefficient_is_no_friction(formulation, rng):
    """Bitwise: residual, tangent, and a run."""
    model = two_link_arm(formulation=formulation)
    systems = [fm.build(rubbed(model, friction)) for friction in (None, fm.Friction(0.0, 1.0))]
    assert not any("friction" in system.named_elements for system in systems)
    y, v, a = moving_state(systems[0], rng)
    first, second = (system.evaluate(0.1, y, v, a, 50.0, 70.0) for system in systems)
    assert_array_equal(first.residual, second.residual)
    d = rng.normal(size=y.size)
    assert_array_equal(first.tangent @ d, second.tangent @ d)
    one, other = (fm.simulate(system, t_end=2e-3, dt=1e-3) for system in systems)
    for name, fiber in one.fibers.items():
        assert_array_equal(fiber.position, other.fibers[name].position)
        assert_array_equal(fiber.axial_force, other.fibers[name].axial_force)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_equilibrium_has_no_friction(formulation):
    """Friction would hold the block where it starts: at rest it is not there."""
    y, _ = fm.equilibrium(fm.build(block(formulation, fm.Friction(50.0, 1e-9))))
    other, _ = fm.equilibrium(fm.build(block(formulation, None)))
    assert_allclose(y, other, atol=1e-12)
    assert abs(y[-1]) < 1e-9


def test_checkpoint_resumes_bitwise_and_knows_the_coefficient():
    system, taken = fm.build(block("variational", fm.Friction(MU, SPEED))), []
    options = {"dt": 2e-3, "t_end": 0.02}
    whole = fm.simulate(system, **options, checkpoint=taken.append, checkpoint_every=0.0)
    rest = fm.simulate(system, **options, resume_from=taken[len(taken) // 2])
    assert_array_equal(whole.coordinates["slide"], rest.coordinates["slide"])
    assert_array_equal(whole.elements["friction"]["power"], rest.elements["friction"]["power"])
    other = fm.build(block("variational", fm.Friction(MU + 0.01, SPEED)))
    with pytest.raises(fm.ModelError, match="the friction"):
        fm.simulate(other, **options, resume_from=taken[0])


def test_parameters_by_path():
    system = fm.build(block("variational", fm.Friction(MU, SPEED)))
    path = "contacts/0/friction/coefficient"
    assert system.parameters[path].value == MU
    assert "friction" not in system.with_parameters({path: 0.0}).named_elements
    with pytest.raises(fm.ModelError, match="speed"):
        system.with_parameters({"contacts/0/friction/speed": 0.0})


def test_refusals():
    with pytest.raises(fm.ModelError, match="coefficient = -0.1"):
        fm.Friction(-0.1, 1e-3)
    with pytest.raises(fm.ModelError, match="speed = 0"):
        fm.Friction(0.1, 0.0)
    contact = parallel("variational").contacts[0]
    with pytest.raises(fm.ModelError, match="friction = 0.3"):
        replace(contact, friction=0.3)
    from fibermsk.gpu.refusals import refuse_unsupported

    with pytest.raises(fm.ModelError, match="friction"):
        refuse_unsupported(parallel("variational"))
    model = block("variational", fm.Friction(MU, SPEED))
    ends = model.ground.at(0, 0, 0), model.bodies[1].at(0, 0, 0)
    model.add(fm.PointSpring("friction", *ends, stiffness=1.0, rest_length=0.1))
    with pytest.raises(fm.ModelError, match="rename the element"):
        fm.build(model)
