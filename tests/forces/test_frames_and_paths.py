"""Bushings, springs of paths, ligaments and formulas: energy, momentum, tangents, refusals."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.system.contribution import Sums


def turned(*vector):
    return Rotation.from_rotvec(vector).as_matrix()


def two_free():
    """Two free bodies without gravity, in motion."""
    model = fm.Model("two", gravity=(0, 0, 0))
    for k in range(2):
        body = model.add(fm.Body(f"b{k}", 1.0 + k, (0.02, 0.01 * k, -0.03), (0.02, 0.03, 0.015)))
        spin, rate = (0.5, -0.3 + k, 0.8), (0.1, -0.2 * k, 0.05)
        place = {
            "quaternion": Rotation.from_rotvec((0.1 * k, 0.2, -0.1)).as_quat(scalar_first=True)
        }
        start = {"position": (0.3 * k, 0.1, 0.05 * k), "velocity": rate, "angular_velocity": spin}
        model.add(fm.Free(f"j{k}", model.ground, body, **place, **start))
    return model


def bushing(model, **more):
    first, second = list(model.bodies)[1:3]
    axes = {"first_axes": turned(0.3, -0.2, 0.4), "second_axes": turned(-0.1, 0.3, 0.2)}
    ends = first.at((0.12, 0.03, 0.02)), second.at((-0.1, 0.02, 0.01))
    return fm.Bushing("bush", *ends, **axes, **more)


STIFF = {
    "rotational_stiffness": (2.0, 3.0, 4.0),
    "translational_stiffness": (60.0, 80.0, 100.0),
}
DAMPED = {"rotational_damping": (0.1, 0.2, 0.3), "translational_damping": (1.0, 2.0, 3.0)}


RUBBING = {"static_friction": 0.8, "dynamic_friction": 0.5, "viscous_friction": 0.1}


def touching(model, name, **more):
    """A sphere deep in another one or in a half-space."""
    first, second = list(model.bodies)[1:3]
    places = first.at((0.05, 0.02, 0.0)), second.at((0.0, 0.02, 0.01))
    numbers = {"radius": 0.4, "stiffness": 2e3, "transition_velocity": 0.5} | more
    return fm.SphereContact(name, *places, axes=turned(0.2, 0.1, -0.3), **numbers)


def path(model):
    first, second = list(model.bodies)[1:3]
    ball = fm.WrapSphere("ball", second, position=(0.02, 0.04, 0.0), radius=0.03)
    places = first.at((0.05, 0.1, 0.0)), first.at((0.1, 0.05, 0.02)), second.at((0.05, -0.05, 0.02))
    points = [fm.PathPoint(f"p{k}", one) for k, one in enumerate(places)]
    return points, [fm.PathWrap(ball)]


def conservative(model):
    points, wraps = path(model)
    curve = fm.NaturalSpline((-1.0, 0.0, 1.0, 2.0), (-3.0, 0.0, 4.0, 20.0))
    yield bushing(model, **STIFF)
    yield bushing(
        model, **STIFF, moments=(curve, None, curve), forces=(None, fm.Linear(50.0), None)
    )
    yield fm.PathSpring("s", points, stiffness=80.0, rest_length=0.2)
    yield fm.PathSpring("w", points, wraps=wraps, stiffness=80.0, rest_length=0.2)
    yield fm.Ligament("l", points, rest_length=0.2, force=30.0)
    yield fm.ToeLigament("t", points, slack_length=0.2, stiffness=60.0, damping=0.0)
    yield touching(model, "plane")
    yield touching(model, "ball", other_radius=0.2)
    yield fm.PointFormula("f", points[0].station, points[2].station, "40*(d-0.1)^3")


def dissipating(model):
    points, _ = path(model)
    yield bushing(model, **STIFF, **DAMPED)
    yield fm.PathSpring("s", points, stiffness=80.0, rest_length=0.2, dissipation=0.3)
    yield fm.ToeLigament("t", points, slack_length=0.2, stiffness=60.0, damping=3.0)
    yield touching(model, "rough", dissipation=0.2, **RUBBING)
    yield touching(model, "balls", other_radius=0.2, share=0.3, dissipation=0.2, **RUBBING)
    yield touching(model, "soft", dissipation=0.2, smooth=(1e-5, 300.0, 50.0), **RUBBING)
    ends = points[0].station, points[2].station
    yield fm.ForcePair("push", *ends, fm.Linear(2.0, 3.0))
    yield fm.TorquePair("twist", ends[0].body, ends[1].body, 3.0, (1.0, 2.0, 0.5))
    yield fm.TorquePair("turn", ends[0].body, ends[1].body, fm.Linear(0, 2.0), (1, 2, 0), "first")
    yield bushing(
        model, moments=("3*theta_x*delta_z", None, None), forces=("9*theta_y", None, None)
    )


def on_carrier():
    """Two bodies free on a carrier that is free itself, which internal forces do not move."""
    model = fm.Model("carrier", gravity=(0, 0, 0))
    carrier = fm.Body("carrier", 5.0, (0, 0, 0), (0.1, 0.1, 0.1))
    model.add(carrier, fm.Free("c", model.ground, carrier, position=(1.0, -2.0, 0.5)))
    free = two_free()
    for body, joint in zip(free.bodies[1:], free.joints, strict=True):
        model.add(body)
        at = dict(zip(("x", "y", "z"), (joint.coordinates[k].value for k in range(3)), strict=True))
        model.add(fm.Free(joint.name, carrier, body, position=tuple(at.values())))
    return model


def rows(system, name, rng):
    """A random state, its speeds, and the rows of one element there."""
    y, v = system.initial_state()
    v = system.enforce(y, rng.normal(size=v.size))
    at, _ = system.configuration.at(0.0, y, v, np.zeros_like(v))
    sums = Sums.zero(system.skeleton, at, np.zeros_like(at.nodes), np.zeros((0, 3, 6, 6)), None)
    system.named_elements[name].add(at, sums)
    return y, v, sums.force + system.skeleton.from_axes(at.motion, sums.axes.force)


def stored(system, y):
    found = system.energy(y, np.zeros_like(y))
    return found.elastic + found.contact


@pytest.mark.parametrize("k", range(8))
def test_power_of_a_conservative_force_is_that_of_its_energy(k, rng):
    model = two_free()
    element = list(conservative(model))[k]
    model.add(element)
    system, h = fm.build(model), 1e-5
    y, v, on_q = rows(system, element.name, rng)
    rate = (stored(system, y + h * v) - stored(system, y - h * v)) / (2.0 * h)
    assert abs(rate) > 1e-2
    assert on_q @ v == pytest.approx(rate, rel=1e-7)


@pytest.mark.parametrize("k", range(5))
def test_damping_takes_power(k, rng):
    model = two_free()
    element = list(dissipating(model))[k]
    model.add(element)
    system, h, taken = fm.build(model), 1e-5, []
    for _ in range(6):
        y, v, on_q = rows(system, element.name, rng)
        rate = (stored(system, y + h * v) - stored(system, y - h * v)) / (2.0 * h)
        taken.append(on_q @ v - rate)
    assert min(taken) > -1e-7 and max(taken) > 1e-2


def test_energy_is_kept_in_a_run():
    model = two_free()
    points, wraps = path(model)
    model.add(bushing(model, **STIFF), fm.Ligament("l", points, rest_length=0.2, force=30.0))
    model.add(fm.PathSpring("w", points, wraps=wraps, stiffness=80.0, rest_length=0.2))
    system = fm.build(model)
    steps = {"method": fm.SDIRK4(), "control": fm.FixedSteps()}
    result = fm.simulate(system, t_end=0.05, dt=5e-4, **steps)
    names = system.skeleton.independent
    found = [
        system.energy(*(np.array([of[one][k] for one in names]) for of in (q, p)))
        for q, p in [(result.coordinates, result.speeds)]
        for k in range(len(result.time))
    ]
    whole, elastic = (np.array([getattr(one, of) for one in found]) for of in ("total", "elastic"))
    assert np.ptp(elastic) > 0.01
    assert np.ptp(whole) < 1e-6 * np.ptp(elastic)


@pytest.mark.parametrize("k", range(19))
def test_forces_and_moments_balance(k, rng):
    """Virtual power of a common rigid motion is zero: momenta are kept."""
    model = on_carrier()
    element = [*conservative(model_of(model)), *dissipating(model_of(model))][k]
    model.add(element)
    system = fm.build(model)
    on_q = rows(system, element.name, rng)[2]
    names = list(system.skeleton.independent)
    of_carrier = [one.name for one in model.joints[0].coordinates]
    own = [k for k, name in enumerate(names) if name in of_carrier]
    assert np.abs(on_q).max() > 1e-2
    assert np.abs(on_q[own]).max() < 1e-12 * np.abs(on_q).max()


class model_of:  # noqa: N801
    """The last two bodies of a model as those of `two_free`."""

    def __init__(self, model):
        self.bodies = [model.ground, *model.bodies[-2:]]


@pytest.mark.parametrize("k", range(19))
def test_tangents(k):
    model = two_free()
    model.add(*model_with_hinge(model))
    element = [*conservative(model), *dissipating(model)][k]
    model.add(element)
    assert fm.check_contribution(model, element.name) < 1e-6


def model_with_hinge(model):
    """A body on a hinge of the last one, which nothing here touches."""
    third = fm.Body("third", 0.5, (0, 0, 0.1), (0.01, 0.01, 0.01))
    return third, fm.Hinge("h", model.bodies[2], third, (0.1, 0, 0), axis=(0, 1, 1))


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda m: bushing(m, moments=("z", None, None)), r"moments\[0\].*'z'"),
        (lambda m: bushing(m, moments=("theta_x", None)), "moments = 2; must be three"),
        (lambda m: bushing(m, forces=(3.0, None, None)), r"forces\[0\]"),
        (lambda m: bushing(m, rotational_stiffness=(-1.0, 0, 0)), "rotational_stiffness"),
        (
            lambda m: fm.Bushing("b", m.bodies[1].at(0, 0, 0), m.bodies[1].at(1, 0, 0)),
            "another body",
        ),
        (
            lambda m: fm.PathSpring("s", path(m)[0][:1], stiffness=1.0, rest_length=1.0),
            "points = 1",
        ),
        (lambda m: fm.PathSpring("s", path(m)[0], stiffness=1.0, rest_length=-0.1), "rest_length"),
        (lambda m: fm.Ligament("s", path(m)[0], rest_length=1.0, force=-1.0), "force"),
        (lambda m: fm.ToeLigament("s", path(m)[0], slack_length=1.0, stiffness=-1.0), "stiffness"),
        (lambda m: touching(m, "c", radius=0.0), "radius"),
        (lambda m: touching(m, "c", share=1.5), "share = 1.5; must be at most 1"),
        (lambda m: touching(m, "c", other_radius=0.1, smooth=(1, 1, 1)), "between two spheres"),
        (lambda m: fm.CoordinateFormula("f", "q", "q +"), "operand missing"),
        (lambda m: fm.CoordinateFormula("f", "q", 3.0), "force = 3.0; must be a formula"),
        (
            lambda m: fm.PointFormula("f", m.bodies[1].at(0, 0, 0), m.bodies[1].at(1, 0, 0), "d"),
            "another body",
        ),
    ],
)
def test_what_is_refused(make, words):
    with pytest.raises(fm.ModelError, match=words):
        make(two_free())


def test_a_bushing_at_90_degrees_and_points_that_coincide_are_named():
    model = fm.Model("turn")
    body = model.add(fm.Body("b", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    hinge = fm.Hinge("q", model.ground, body, (0, 0, 0), axis=(0, 1, 0), value=np.pi / 2)
    model.add(hinge, fm.Bushing("disc", model.ground.at(0, 0, 0), body.at(0, 0, 0), **STIFF))
    with pytest.raises(fm.ModelError, match="bushing 'disc': second angle = 90 degrees"):
        fm.simulate(model, t_end=0.01, dt=0.01)
    model = fm.Model("turn")
    body = model.add(fm.Body("b", 1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    model.add(fm.Hinge("q", model.ground, body, (0, 0, 0), axis=(0, 1, 0)))
    model.add(fm.PointFormula("f", model.ground.at(0, 0, 1), body.at(0, 0, 1), "d"))
    with pytest.raises(fm.ModelError, match="formula 'f': distance = 0 m; must be positive"):
        fm.simulate(model, t_end=0.01, dt=0.01)


def swinging():
    """A body on a hinge between a bushing, a spring around a ball, a ligament and formulas."""
    model = fm.Model("swinging", gravity=(0, 0, -9.81))
    body = model.add(fm.Body("b", 1.0, (0.02, 0, -0.15), (0.02, 0.03, 0.01)))
    model.add(fm.Hinge("q", model.ground, body, (0, 0, 0), axis=(0, 1, 0), value=0.4))
    ball = fm.WrapSphere("ball", model.ground, radius=0.04)
    places = model.ground.at(0.1, 0.01, 0.05), body.at(-0.05, 0.0, -0.1)
    points = [fm.PathPoint(f"p{k}", one) for k, one in enumerate(places)]
    disc = {"translational_damping": (3.0, 3.0, 3.0), "rotational_stiffness": (1.0, 2.0, 3.0)}
    ends = model.ground.at(0.02, 0, 0), body.at(0.03, 0, 0.01)
    model.add(
        fm.Bushing("disc", *ends, **disc, moments=(None, fm.Polynomial([0.1, 0.5, 2.0]), None)),
        fm.PathSpring("band", points, wraps=[fm.PathWrap(ball)], stiffness=90.0, rest_length=0.1),
        fm.Ligament("acl", points, rest_length=0.12, force=20.0),
        fm.CoordinateFormula("stop", "q", "-2*q^3 - 0.1*qdot"),
    )
    return model


NUMBERS = [
    "disc/rotational_stiffness/y", "disc/translational_damping/x", "disc/moments/1/coefficients/1",
    "disc/first/x", "band/stiffness", "band/rest_length", "band/points/1/x", "acl/force",
    "acl/rest_length", "acl/curve/y/5",
]  # fmt: skip


def test_gradients_in_numbers_by_path():
    model = swinging()
    steps = {"t_end": 0.1, "dt": 0.01, "control": fm.FixedSteps(), "method": fm.SDIRK2()}
    end = fm.Objective(lambda time, q: q[-1], {"q": "q"})
    run = fm.Simulation(model, **steps, newton=fm.Newton(tolerance=1e-11))
    found = fm.gradient(run, end, NUMBERS).gradient
    for path, slope in zip(NUMBERS, found, strict=True):
        value, ends = float(fm.Parameters(model)[path].value), []
        h = 1e-5 * max(abs(value), 0.1)
        for sign in (1.0, -1.0):
            other = fm.with_parameters(model, {path: value + sign * h})
            result = fm.simulate(other, **steps, newton=fm.Newton(tolerance=1e-11))
            ends.append(result.coordinate("q")[-1])
        central = (ends[0] - ends[1]) / (2.0 * h)
        assert slope == pytest.approx(central, rel=1e-4, abs=1e-7), path
    assert np.abs(found).min() > 0.0
