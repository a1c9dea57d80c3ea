"""Mass of line muscles over ellipsoids, tori and several surfaces, also where an arc fades."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tangents import along
from test_line_chains import ellipsoid, torus, two, two_places
from test_muscle_mass import slope

import fibermsk as fm
from fibermsk.kernels.lines.section import CHAIN
from fibermsk.system.lines.mass import MuscleMasses

WRAPS = {"ellipsoid": ellipsoid, "two": two, "torus": torus, "two_places": two_places}


def sphere(ground, arm):
    return [fm.PathWrap(fm.WrapSphere("e", arm, (0.01, 0, 0), radius=0.05))]


def egg(ground, arm):
    """The same sphere as an ellipsoid."""
    return [fm.PathWrap(fm.WrapEllipsoid("e", arm, (0.01, 0, 0), radii=(0.05, 0.05, 0.05)))]


def build(wraps, mass, law=None, via=False):
    """System of a muscle with mass on a chain of bodies, of which one is free."""
    model = fm.Model("arm", gravity=(0.3, -9.81, 1.0), meant=("mass",))
    numbers = {"mass": 1.0, "com": (0, -0.1, 0), "inertia": (0.1, 0.1, 0.1)}
    root, arm, hand = (model.add(fm.Body(name, **numbers)) for name in ("root", "arm", "hand"))
    model.add(fm.Free("f", model.ground, root))
    model.add(fm.Hinge("q", root, arm, at=(0, 0, 0), axis=(0, 0.1, 1)))
    model.add(fm.Hinge("p", arm, hand, at=(0, -0.1, 0), axis=(1, 0, 0.3)))
    points = [fm.PathPoint("o", root.at(0, 0.3, 0))]
    points.append(fm.PathPoint("i", hand.at(0.02, -0.3, 0.05)))
    if via:
        points.insert(0, fm.PathPoint("via", root.at(0.1, 0.4, 0.05)))
    acts = {"activation": 0.3} if law else {}
    model.add(
        fm.LineMuscle(
            "m", points, wraps=wraps(root, arm), max_isometric_force=100.0, law=law, mass=mass,
            optimal_fiber_length=0.3, tendon_slack_length=0.3, **acts,
        )
    )  # fmt: skip
    return fm.build(model)


def masses_of(system):
    return next(one for one in system.contributions if isinstance(one, MuscleMasses))


def moving(rng, wraps, mass, **options):
    """System, and a state in which the path is solved as a chain that touches."""
    system = build(wraps, mass, **options)
    while True:
        y = system.initial_state()[0] + 0.05 * rng.normal(size=system.n)
        v, a = rng.normal(size=(2, y.size))
        placed = masses_of(system).paths.at(system.configuration.kinematics(0.0, y, v))
        if (placed.state.wrapped == CHAIN).any() and placed.state.touched.any():
            return system, y, v, a


MASSES = {
    "touching": fm.MuscleMass(0.7, blend=1e-3),
    "fading": fm.MuscleMass(0.7, profile=(0.0, 2.0, 0.5), along=(0.1, 0.9), blend=1.0),
    "points": fm.MuscleMass(0.7, points=7, blend=1.0),
}


@pytest.mark.parametrize("mass", MASSES)
@pytest.mark.parametrize("wraps", WRAPS)
def test_forces_follow_from_the_energies_and_tangents_are_exact(rng, wraps, mass):
    """Lagrange's equations of the energies that the mass adds; a via point before the chain."""
    system, y, v, a = moving(rng, WRAPS[wraps], MASSES[mass], via=True)
    masses, own = masses_of(system), system.configuration
    if mass != "touching":
        placed = masses.paths.at(own.kinematics(0.0, y, v))
        plain = masses_of(build(WRAPS[wraps], MASSES["touching"], via=True)).paths
        exact = plain.at(own.kinematics(0.0, y, v)).length
        assert exact[0] - placed.length[0] > 1e-7  # the straight line is shorter

    def energies(y, v):
        found = masses.energy(own.kinematics(0.0, y, v))
        return np.array([found["kinetic"], found["gravity"]])

    steps, n = np.eye(y.size), y.size

    def momentum(t):
        z, w = y + t * v + 0.5 * t * t * a, v + t * a
        return np.array([0.5 * (energies(z, w + e) - energies(z, w - e))[0] for e in steps])

    T, V = np.array([slope(lambda t, e=e: energies(y + t * e, v), 0.0, 1e-4) for e in steps]).T
    needed = slope(momentum, 0.0, 1e-4) - T + V
    without = build(WRAPS[wraps], None, via=True)
    found = [one.evaluate(0.0, y, v, a, tangent=False).residual for one in (system, without)]
    # unit quaternions: forces off the constraint are not compared
    hinges = slice(n - 2, n)
    assert np.abs(needed[hinges]).max() > 1e-2
    assert_allclose((found[0] - found[1])[hinges], needed[hinges], atol=1e-7)
    tangent, d = system.evaluate(0.1, y, v, a, 40.0, 30.0).tangent, rng.normal(size=n)
    residual = along(system, y, v, a, 40.0, 30.0)
    expected = slope(lambda t: residual(y + t * d), 0.0, 1e-5)
    assert_allclose(tangent @ d, expected, atol=3e-8 * np.abs(expected).max())


@pytest.mark.parametrize("wraps", WRAPS)
def test_tension_follows_the_blended_length(rng, wraps):
    """Length, moment arms and their slopes are one function where arcs fade."""
    light = fm.MuscleMass(0.0, blend=1.0)
    system, y, v, a = moving(rng, WRAPS[wraps], light, law=fm.HillLaw(tendon="rigid"))
    paths, own = masses_of(system).paths, system.configuration
    at = own.kinematics(0.0, y, v)
    placed, d = paths.at(at), rng.normal(size=y.size)
    q = own.split(d)[1]
    expected = slope(lambda t: paths.at(own.kinematics(0.0, y + t * d, v)).length, 0.0, 1e-4)
    assert_allclose(placed.by_q @ q, expected, atol=1e-9)
    tangent = system.evaluate(0.1, y, v, a, 40.0, 30.0).tangent
    residual = along(system, y, v, a, 40.0, 30.0)
    expected = slope(lambda t: residual(y + t * d), 0.0, 1e-5)
    assert_allclose(tangent @ d, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("blend", [1e-3, 0.9])
def test_an_ellipsoid_of_equal_radii_is_a_sphere(rng, blend):
    """Forces of the mass, and lengths, are those of the closed form."""
    mass = fm.MuscleMass(0.7, blend=blend)
    one, y, v, a = moving(rng, egg, mass, law=fm.HillLaw(tendon="rigid"))
    other = build(sphere, mass, law=fm.HillLaw(tendon="rigid"))
    found = [s.evaluate(0.0, y, v, a, 40.0, 30.0) for s in (one, other)]
    assert_allclose(found[0].residual, found[1].residual, atol=1e-9)
    d = rng.normal(size=y.size)
    size = np.abs(found[1].tangent @ d).max()
    assert_allclose(found[0].tangent @ d, found[1].tangent @ d, atol=1e-9 * size)


@pytest.mark.slow
def test_energy_stays_while_surfaces_are_touched_and_left():
    """A double pendulum whose muscle leaves a torus and touches and leaves an ellipsoid."""
    model = fm.Model("pendulum", gravity=(0.0, -9.81, 0.0), meant=("mass",))
    numbers = {"mass": 1.0, "com": (0, -0.15, 0), "inertia": (0.0075, 1e-4, 0.0075)}
    upper, lower = (model.add(fm.Body(name, **numbers)) for name in ("upper", "lower"))
    model.add(fm.Hinge("s", model.ground, upper, (0, 0, 0), (0, 0, 1), value=1.2))
    model.add(fm.Hinge("e", upper, lower, (0, -0.3, 0), (0, 0, 1), value=-0.9))
    turned = ((1, 0, 0), (0, 0, 1), (0, -1, 0))
    wraps = [
        fm.WrapTorus("t", model.ground, (0.05, -0.05, 0), turned, "all", True, 0.02, 0.06),
        fm.WrapEllipsoid("egg", upper, (0, -0.3, 0), radii=(0.04, 0.05, 0.2)),
    ]
    ends = model.ground.at(0.10, 0.05, -0.02), lower.at(0.03, -0.15, 0.02)
    model.add(
        fm.LineMuscle(
            "m", [fm.PathPoint(f"p{k}", end) for k, end in enumerate(ends)],
            wraps=[fm.PathWrap(one) for one in wraps], mass=fm.MuscleMass(1.0),
            max_isometric_force=1.0, optimal_fiber_length=0.3, tendon_slack_length=0.0,
        )
    )  # fmt: skip
    system = fm.build(model)

    def rate(t, z):
        y, v = z[:2], z[2:]

        def needed(a):
            return system.evaluate(t, y, v, a, tangent=False).residual

        rest = needed(np.zeros(2))
        M = np.array([needed(e) - rest for e in np.eye(2)]).T
        return np.r_[v, np.linalg.solve(M, -rest)]

    start = np.concatenate(system.initial_state())
    found = solve_ivp(rate, (0.0, 0.5), start, method="DOP853", rtol=1e-9, atol=1e-9)
    each = [system.energy(z[:2], z[2:]) for z in found.y.T]
    total = np.array([one.kinetic + one.gravity for one in each])
    assert np.ptp(total) < 2e-8 * max(one.kinetic for one in each)
    touched = [
        tuple(masses_of(system).paths.at(system.configuration.kinematics(0.0, z[:2], z[2:]))
              .state.touched.tolist()) for z in found.y.T
    ]  # fmt: skip
    assert [one for one, _ in itertools.groupby(touched)] == [(0, 0, 1), (1, 0, 1), (1, 0, 0)]
