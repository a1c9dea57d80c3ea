"""Muscles with mass whose paths are those of networks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tangents import along
from test_muscle_mass import slope

import fibermsk as fm
from fibermsk.kernels.lines.path_arrays import CAPPED
from fibermsk.system.lines.networks import trained

SURFACES = {"cylinder": fm.WrapCylinder, "capped": fm.WrapCappedCylinder}
RADIUS = 0.03


def leg(shape, mass, law=None, *, side=None, bend=0.4, origin=(0.07, 0.02, -0.03)):
    """A muscle from the ground around a surface of the first bone to the second."""
    model = fm.Model("leg", gravity=(0.3, -9.81, 0.2), meant=("mass",))
    thigh = model.add(fm.Body("thigh", 1.0, (0, -0.1, 0.01), inertia=(0.01, 0.002, 0.01)))
    shank = model.add(fm.Body("shank", 1.0, (0, -0.1, 0.0), inertia=(0.01, 0.002, 0.01)))
    tilted = np.array([0.1, 0.05, 0.99])
    model.add(
        fm.Hinge("hip", model.ground, thigh, (0, 0, 0), (0, 0, 1), value=0.2),
        fm.Hinge("knee", thigh, shank, (0, -0.1, 0), tilted / np.linalg.norm(tilted), value=bend),
    )
    at = {"length": 0.2} if shape is fm.WrapCylinder else {}
    surface = shape("roll", thigh, (0, -0.1, 0.02), radius=RADIUS, **at)
    path = [
        fm.PathPoint("o", model.ground.at(*origin)),
        fm.PathPoint("i", shank.at(0.05, -0.09, 0)),
    ]
    model.add(
        fm.LineMuscle(
            "calf", path, wraps=[fm.PathWrap(surface, side=side)], max_isometric_force=200.0,
            optimal_fiber_length=0.1, tendon_slack_length=0.1, law=law, mass=mass,
            activation=None if law is None else 0.4,
        )
    )  # fmt: skip
    return model


def network(**options):
    return fm.MuscleMass(0.7, wrapping="network", **options)


def build(*arguments, **options):
    with pytest.warns(
        fm.ModelWarning, match="'calf': path around 'roll' by a network, with errors"
    ):
        return fm.build(leg(*arguments, **options))


@pytest.fixture(params=[("cylinder", -0.7), ("capped", 0.9), ("cylinder", 0.6)], ids=str)
def moving(request, rng):
    """System, the same without mass, and a state: wrapped, over the cap, and detached."""
    name, bend = request.param
    shape, side = SURFACES[name], -1 if name == "cylinder" else None
    system = build(shape, network(profile=(0.0, 2.0, 0.5), along=(0.1, 0.9)), side=side, bend=bend)
    y, _ = system.initial_state()
    return system, (y, *rng.normal(size=(2, y.size)))


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_forces_follow_from_the_energies(moving):
    """Lagrange's equations of the whole kinetic and potential energy."""
    system, (y, v, a) = moving

    def energies(y, v):
        found = system.energy(y, v)
        return np.array([found.kinetic, found.gravity])

    def momentum(t):
        z, w = y + t * v + 0.5 * t * t * a, v + t * a
        return np.array([0.5 * (energies(z, w + e) - energies(z, w - e))[0] for e in np.eye(2)])

    h = 1e-3
    T, V = np.array([slope(lambda t, e=e: energies(y + t * e, v), 0.0, h) for e in np.eye(2)]).T
    needed = slope(momentum, 0.0, h) - T + V
    found = system.evaluate(0.0, y, v, a, tangent=False).residual
    assert_allclose(found, needed, atol=2e-8 * np.abs(needed).max())


def test_tangents_are_exact(moving, rng):
    system, (y, v, a) = moving
    b, c, d = 40.0, 30.0, rng.normal(size=2)
    residual = along(system, y, v, a, b, c)
    expected = slope(lambda t: residual(y + t * d), 0.0, 1e-4)
    found = system.evaluate(0.1, y, v, a, b, c).tangent @ d
    assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("name", SURFACES)
def test_tension_follows_the_length_of_the_network(name, rng):
    """Moment arms are derivatives of that length, and tangents include its second ones."""
    law = fm.HillLaw(tendon="rigid")
    system = build(SURFACES[name], network(), law, side=-1 if name == "cylinder" else None)
    y, _ = system.initial_state()
    paths = system.contributions[-2].paths

    def lengths(y):
        return paths.at(system.configuration.kinematics(0.0, y, 0.0 * y)).length

    arms = [slope(lambda t, e=e: lengths(y + t * e), 0.0, 1e-4)[0] for e in np.eye(2)]
    placed = paths.at(system.configuration.kinematics(0.0, y, 0.0 * y))
    assert_allclose(placed.by_q[0], arms, rtol=1e-9)
    v, a, d = rng.normal(size=(3, 2))
    residual = along(system, y, v, a, 40.0, 30.0)
    expected = slope(lambda t: residual(y + t * d), 0.0, 1e-5)
    found = system.evaluate(0.1, y, v, a, 40.0, 30.0).tangent @ d
    assert_allclose(found, expected, atol=2e-8 * np.abs(expected).max())


def test_results_tell_of_the_network():
    """A short run: errors in mm and the range are in the description of the length."""
    system = build(SURFACES["capped"], network(), fm.HillLaw(tendon="rigid"))
    result = fm.simulate(system, t_end=1e-3, dt=1e-3, time_error=False)
    errors = trained(CAPPED).errors
    about = result.muscles["calf"].fields["length"].description
    assert f"position {1e3 * RADIUS * errors['position'][0]:.2g}," in about
    assert f"{1e3 * RADIUS * errors['length'][2]:.2g} mm" in about
    assert "distance of an end from the axis / radius in [1.2, 6]" in about
    own = result.muscles["calf"]
    pieces = np.linalg.norm(np.diff(own.path[-1], axis=0), axis=1)
    assert abs(pieces.sum() - own["length"][-1]) < 0.03 * RADIUS


def test_near_the_exact_path_of_a_cylinder():
    """Length, moment arms and mass matrix against the exact path, away from lift-off."""
    inertia, length = [], []
    for mass in (network(), fm.MuscleMass(0.7, wrapping="switch")):
        model = leg(fm.WrapCylinder, mass, fm.HillLaw(tendon="rigid"), side=-1, bend=-0.7)
        if mass.wrapping == "network":
            with pytest.warns(fm.ModelWarning, match="network"):
                system = fm.build(model)
        else:
            system = fm.build(model)
        y, v = system.initial_state()
        muscle = system.contributions[-2]
        placed = muscle.paths.at(system.configuration.kinematics(0.0, y, v))
        length.append(np.r_[placed.length, placed.by_q[0]])
        rows = [system.evaluate(0.0, y, v, e, tangent=False).residual for e in np.eye(2)]
        inertia.append(np.array(rows) - system.evaluate(0.0, y, v, 0 * v, tangent=False).residual)
    assert np.abs(length[0] - length[1]).max() < 0.02 * RADIUS
    assert_allclose(inertia[0], inertia[1], atol=0.01 * np.abs(inertia[1]).max())


@pytest.mark.parametrize("name", SURFACES)
def test_a_start_out_of_range_is_refused(name):
    with pytest.raises(fm.ModelError, match="'calf': distance of an end.* = .*; must be in "):
        fm.build(leg(SURFACES[name], network(), origin=(0.9, 0.02, -0.03)))


@pytest.mark.parametrize(
    "control", [fm.FixedSteps(), fm.AdaptiveSteps(1e-5)], ids=lambda x: type(x).__name__
)
@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_a_run_that_leaves_the_range_says_so(control):
    model = leg(fm.WrapCappedCylinder, network(), bend=0.9)
    model = model.edit({model.joint("knee"): {"speed": 9.0}})
    with pytest.raises(fm.ConvergenceError, match="'calf': .* at 'roll'; must be in .*trained"):
        fm.simulate(fm.build(model), t_end=0.6, dt=0.01, control=control)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"mass": 0.5}, "must have wrapping='network' around the capped cylinder 'roll'"),
        ({"mass": None}, "must have wrapping='network' around"),
        ({"wraps": ()}, "active wraps = .*must be one cylinder or capped cylinder"),
        ({"points": 3}, "points = .*must be a fixed origin and insertion"),
    ],
)
def test_other_paths_are_refused(change, message):
    from dataclasses import replace

    muscle = leg(fm.WrapCappedCylinder, network()).muscles[0]
    if "points" in change:
        change = {"points": [*muscle.points, muscle.points[0]]}
    with pytest.raises(fm.ModelError, match=message):
        replace(muscle, **change)


def test_many_poses_and_drawing():
    """Batches have exact paths only; a drawn path runs through points of the network."""
    model = leg(fm.WrapCappedCylinder, network())
    skeleton = fm.skeleton(model)
    with pytest.raises(fm.ModelError, match="'calf'.*network"):
        fm.MuscleGeometry(skeleton, model.muscles)
    path = fm.muscle_path(skeleton, model.muscles[0], skeleton.start)
    pieces = np.linalg.norm(np.diff(path.polyline, axis=0), axis=1)
    assert len(pieces) > 20
    assert abs(pieces.sum() - path.length) < 0.03 * RADIUS


@pytest.mark.slow
def test_energy_over_the_cap_is_kept_to_the_order_of_the_method():
    """A free motion that presses against the cap and lifts off."""
    system, changes = build(SURFACES["capped"], network(), bend=0.9), []
    for steps in (100, 200):
        result = fm.simulate(
            system, t_end=0.3, dt=0.3 / steps, method=fm.SDIRK4(), control=fm.FixedSteps(),
            newton=fm.Newton(tolerance=1e-11), time_error=False,
        )  # fmt: skip
        y, v = (
            np.transpose([own[name] for name in ("hip", "knee")])
            for own in (result.coordinates, result.speeds)
        )
        found = [system.energy(a.copy(), b.copy()) for a, b in zip(y, v, strict=True)]
        total = np.array([one.total for one in found])
        changes.append(np.abs(total - total[0]).max() / max(one.kinetic for one in found))
    assert changes[1] < 2e-7
    assert np.log2(changes[0] / changes[1]) > 3.7
