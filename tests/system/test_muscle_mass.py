"""Mass of line muscles: Lagrange's equations, exact tangents, and what it must not change."""

from dataclasses import replace

import numpy as np
import pytest
from joint_cases import every_joint
from line_models import arm
from numpy.testing import assert_allclose, assert_array_equal
from tangents import along
from test_line_chains import quadric
from test_line_paths import MODELS, random_muscles

import fibermsk as fm
from fibermsk.system.lines.mass import MuscleMasses

MASSES = {
    "continuous": {"blend": 0.0},
    "blended": {"blend": 0.8},
    "spindle": {"profile": (0.0, 2.0, 0.5), "along": (0.1, 0.9), "blend": 0.0},
    "points": {"points": 7, "blend": 0.0},
}


def build(model, muscles, mass):
    """System with some muscles of a mass."""
    own = model.copy()
    own.add(*(replace(one, mass=mass) for one in muscles))
    own.meant = ("mass",)
    return fm.build(own)


def moving(rng, name, options):
    """System with massive muscles, the same without mass, and a state with wrapped paths."""
    model = MODELS[name](rng)
    blend = options["blend"]
    while True:
        muscles = random_muscles(model, rng)
        try:
            system = build(model, muscles, fm.MuscleMass(0.7, **options))
        except fm.ModelError:  # a random point inside a surface
            continue
        y, _ = system.initial_state()
        y = y + 0.05 * rng.normal(size=y.size)
        v, a = rng.normal(size=(2, y.size))
        paths = system.contributions[-1].paths
        try:
            turned = paths.at(system.configuration.kinematics(0.0, y, v)).state.found[:, 0]
        except fm.ModelError:
            continue
        low, high = (0.2 * blend, 0.9 * blend) if blend else (0.2, np.inf)
        if np.count_nonzero((turned > low) & (turned < high)) >= 2:
            return system, build(model, muscles, None), (y, v, a)


def slope(function, x, h):
    """Derivative by five points."""
    near, far = function(x + h) - function(x - h), function(x + 2 * h) - function(x - 2 * h)
    return (8.0 * near - far) / (12.0 * h)


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.parametrize("name", ["hinges", "functions"])
@pytest.mark.parametrize("kind", MASSES)
def test_forces_follow_from_the_energies(rng, kind, name):
    """Lagrange's equations of the kinetic and potential energy that the mass adds."""
    system, without, (y, v, a) = moving(rng, name, MASSES[kind])
    steps = np.eye(y.size)

    def energies(y, v):
        found = [one.energy(y, v) for one in (system, without)]
        return np.array([found[0].kinetic - found[1].kinetic, found[0].gravity - found[1].gravity])

    def momentum(t):
        z, w = y + t * v + 0.5 * t * t * a, v + t * a
        # exact: the kinetic energy is quadratic in the speeds
        return np.array([0.5 * (energies(z, w + e) - energies(z, w - e))[0] for e in steps])

    h = 1e-3
    T, V = np.array([slope(lambda t, e=e: energies(y + t * e, v), 0.0, h) for e in steps]).T
    needed = slope(momentum, 0.0, h) - T + V
    found = [one.evaluate(0.0, y, v, a, tangent=False).residual for one in (system, without)]
    assert np.abs(needed).max() > 0.1
    assert_allclose(found[0] - found[1], needed, atol=2e-8 * np.abs(needed).max())


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.parametrize("name", ["hinges", "functions", "quaternions"])
@pytest.mark.parametrize("kind", ["blended", "spindle", "points"])
def test_tangents_are_exact(rng, kind, name):
    system, _, (y, v, a) = moving(rng, name, MASSES[kind])
    b, c = 40.0, 30.0
    tangent = system.evaluate(0.1, y, v, a, b, c).tangent
    residual = along(system, y, v, a, b, c)
    d = rng.normal(size=y.size)
    expected = slope(lambda t: residual(y + t * d), 0.0, 1e-4)
    assert_allclose(tangent @ d, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_tangents_are_exact_under_a_root_that_carries_the_whole_path(rng):
    """Axes of the root move all points and the cylinder; a via point besides."""
    model = every_joint(rng, ["free", "hinge", "hinge"])
    _, root, middle, last = model.bodies
    cylinder = fm.WrapCylinder("c", middle, (0.1, 0.0, 0.0), radius=0.1, length=3.0)
    turned = 0.0
    while turned < 0.2:
        points = [
            fm.PathPoint(f"p{k}", body.at(*(0.3 * rng.normal(size=3))))
            for k, body in enumerate([root, middle, last])
        ]
        muscle = fm.LineMuscle(
            "m", points, wraps=[fm.PathWrap(cylinder)], max_isometric_force=1.0,
            optimal_fiber_length=0.5, tendon_slack_length=0.0,
        )  # fmt: skip
        try:
            system = build(model, [muscle], fm.MuscleMass(0.7, blend=0.0))
            y = system.initial_state()[0] + 0.05 * rng.normal(size=system.initial_state()[0].size)
            v, a, d = rng.normal(size=(3, y.size))
            masses = next(one for one in system.contributions if isinstance(one, MuscleMasses))
            placed = masses.paths.at(system.configuration.kinematics(0.0, y, v))
        except fm.ModelError:  # a random point inside the cylinder
            continue
        turned = placed.state.found[:, 0].max()
    tangent = system.evaluate(0.1, y, v, a, 40.0, 30.0).tangent
    residual = along(system, y, v, a, 40.0, 30.0)
    expected = slope(lambda t: residual(y + t * d), 0.0, 1e-4)
    assert_allclose(tangent @ d, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_tension_follows_the_blended_length(rng):
    """A muscle with force and mass, half lifted off: tangents include the slope of its length."""
    law = fm.HillLaw(tendon="rigid")
    for value in np.linspace(0.5, 1.4, 19):
        model = arm(law, 0.5, value=value)
        light = fm.MuscleMass(0.0, blend=0.6)
        model = model.edit({one: {"mass": light} for one in model.muscles})
        system = fm.build(model)
        y, _ = system.initial_state()
        v, a = rng.normal(size=(2, y.size))
        muscles = system.contributions[-2]
        state = muscles.paths.at(system.configuration.kinematics(0.0, y, v)).state
        if ((state.found[:, 0] > 0.1) & (state.found[:, 0] < 0.5)).any():
            break
    else:
        pytest.fail("no path is half wrapped")
    residual = along(system, y, v, a, 40.0, 30.0)
    tangent, d = system.evaluate(0.1, y, v, a, 40.0, 30.0).tangent, rng.normal(size=y.size)
    expected = slope(lambda t: residual(y + t * d), 0.0, 1e-5)
    assert_allclose(tangent @ d, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_no_mass_changes_nothing(rng):
    system, without, state = moving(rng, "hinges", {"blend": 0.0})
    nothing = without.model.edit({one: {"mass": fm.MuscleMass(0.0, blend=0.0)} for one in
                                  without.model.muscles})  # fmt: skip
    found = [one.evaluate(0.0, *state, 3.0, 2.0) for one in (fm.build(nothing), without, system)]
    assert_array_equal(found[0].residual, found[1].residual)
    for direction in np.eye(without.n):
        assert_array_equal(found[0].tangent @ direction, found[1].tangent @ direction)
    assert np.abs(found[2].residual - found[1].residual).max() > 0.1


def test_a_straight_muscle_adds_a_third_of_its_mass_at_the_insertion():
    """With a fixed origin m d^2 / 3 about the hinge; N points 1 / (4 N^2) of it less."""
    mass, d, shank = 0.004, 0.02, 0.0035 * 0.032**2 / 3.0
    for points, share in ((None, 1.0), (1, 0.75), (5, 0.99)):
        model = fm.Model("leg", gravity=(0.0, 0.0, 0.0), meant=("mass",))
        bone = model.add(fm.Body("shank", 0.0035, inertia=(shank, shank, shank)))
        model.add(fm.Hinge("knee", model.ground, bone, (0, 0, 0), (0, 0, 1), value=0.7))
        ends = model.ground.at(-0.01, 0.05, 0.0), bone.at(0.0, -d, 0.0)
        path = [fm.PathPoint(f"p{k}", at) for k, at in enumerate(ends)]
        model.add(
            fm.LineMuscle(
                "calf", path, max_isometric_force=1.0, optimal_fiber_length=0.05,
                tendon_slack_length=0.0, mass=fm.MuscleMass(mass, points=points),
            )
        )  # fmt: skip
        system = fm.build(model)
        one = np.ones(1)
        needed = system.evaluate(0.0, *system.initial_state(), one, tangent=False).residual[0]
        added = needed - shank
        assert added == pytest.approx(share * mass * d**2 / 3.0, rel=1e-12)
    assert mass * d**2 / 3.0 / shank == pytest.approx(0.446, abs=5e-4)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"mass": -1.0}, "mass = -1.0 kg; must be"),
        ({"mass": 1.0, "along": (0.5, 0.5)}, "along = .*; must have its end above its start"),
        ({"mass": 1.0, "along": (0.0, 1.2)}, "along.1. = 1.2; must be at most 1"),
        ({"mass": 1.0, "profile": (0.0, 0.0)}, "profile = .*one of them positive"),
        ({"mass": 1.0, "profile": (1.0, 2.0), "points": 3}, "must be left out with points"),
        ({"mass": 1.0, "points": (0.2, 1.3)}, "must be fractions of the length"),
        ({"mass": 1.0, "points": 0}, "points = 0; must be"),
        ({"mass": 1.0, "points": np.array([0.3, 0.3])}, "must be fractions of the length .* incr"),
        ({"mass": 1.0, "points": (0.3,), "along": (0.0, 0.5)}, "along = .*; must be left out with"),
        ({"mass": 1.0, "wrapping": "switch", "blend": 0.3}, "blend = 0.3 rad; must be left out"),
        ({"mass": 1.0, "wrapping": "network", "blend": 0.3}, "must be left out with .* 'network'"),
        ({"mass": 1.0, "blend": 2.0}, "blend = 2.0 rad; must be at most 1"),
    ],
)
def test_wrong_masses_are_refused(options, message):
    with pytest.raises(fm.ModelError, match=message):
        fm.MuscleMass(**options)


def test_places_may_be_an_array():
    assert fm.MuscleMass(1.0, points=np.array([0.2, 0.6])).points == (0.2, 0.6)


def carrying(*shapes, mass=0.5):
    """A muscle with mass over some surfaces, from the ground to a bone on a hinge."""
    model = fm.Model("m", meant=("mass",))
    bone = model.add(fm.Body("bone", 1.0, inertia=(1, 1, 1)))
    model.add(fm.Hinge("hinge", model.ground, bone, (0, 0, 0), (0, 0, 1)))
    path = [fm.PathPoint("o", model.ground.at(-1, 0.3, 0)), fm.PathPoint("i", bone.at(1, 0.3, 0))]
    wraps = [fm.PathWrap(shape(model.ground)) for shape in shapes]
    return model.add(
        fm.LineMuscle("calf", path, wraps=wraps, mass=mass, max_isometric_force=1.0,
                      optimal_fiber_length=0.5, tendon_slack_length=0.0)
    ) and model  # fmt: skip


def test_surfaces_that_cannot_carry_mass_are_refused():
    def ellipsoid(body):
        return fm.WrapEllipsoid("egg", body, (0, 0, 0), radii=(0.1, 0.2, 0.3))

    def level(body):
        given = {"level": quadric, "size": (0.1, 0.2, 0.3), "reach": 0.3}
        return fm.WrapLevelSet("own", body, (0, 0, 0), **given)

    with pytest.raises(fm.ModelError, match="'calf': has mass and wraps around 'own', a WrapLev"):
        fm.build(carrying(level))
    switch = fm.MuscleMass(0.5, wrapping="switch")
    with pytest.raises(fm.ModelError, match="'calf': its mass switches .* around 'egg'"):
        fm.build(carrying(ellipsoid, mass=switch))


@pytest.mark.slow
def test_a_path_on_two_surfaces_cannot_carry_mass_that_switches():
    def cylinder(x):
        return lambda body: fm.WrapCylinder(f"c{x}", body, (x, 0.2, 0), radius=0.2, length=1.0)

    switch = fm.MuscleMass(0.5, wrapping="switch")
    system = fm.build(carrying(cylinder(-0.4), cylinder(0.4), mass=switch))
    state = system.initial_state()
    with pytest.raises(fm.ModelError, match="'calf': its path touches several surfaces"):
        system.evaluate(0.0, *state, np.zeros(1))


def test_mass_is_a_parameter():
    system = fm.build(carrying())
    assert system.parameters["calf/mass"].unit == "kg"
    lighter = system.with_parameters({"calf/mass": 0.25})
    ones = [s.evaluate(0.0, *s.initial_state(), np.ones(1)).residual[0] for s in (system, lighter)]
    light = fm.build(carrying().edit({"calf/mass": 0.0}))
    none = light.evaluate(0.0, *light.initial_state(), np.ones(1)).residual[0]
    assert ones[0] - none == pytest.approx(2.0 * (ones[1] - none), rel=1e-12)
