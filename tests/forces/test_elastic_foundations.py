"""Contact of meshes: tangents, balance, energy, and depths and decelerations by closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_frames_and_paths import model_of, on_carrier, rows, stored, turned, two_free
from triangle_meshes import box, icosphere

import fibermsk as fm
from fibermsk.forces.contact.surfaces import Ball, ClosedMesh, HalfSpace
from fibermsk.system.frames import differentiated

DOWN = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
RUBBING = {"static_friction": 0.8, "dynamic_friction": 0.5, "viscous_friction": 0.1}
STONE = fm.Mesh(*icosphere(2, 0.2))
PIT = fm.Mesh(*icosphere(2, 0.25))
BRICK = fm.Mesh(*box((0.5, 0.4, 0.6), 2))


def contact(model, **more):
    first, second = list(model.bodies)[1:3]
    place = second.at((0.1, 0.02, 0.01))
    numbers = {"mesh": STONE, "axes": turned(0.3, 0.2, 0.1), "stiffness": 1e4}
    return fm.MeshContact("c", first, place, **numbers | {"transition_velocity": 0.5} | more)


SURFACES = [{"axes": turned(0.3, 0.2, 0.1) @ np.diag([-1, -1, 1])}, {"radius": 0.25}]
SURFACES += [{"surface": BRICK}, {"surface": PIT}]


def test_tangent():
    """Of a mesh wholly in a half-space; others touch with springs at their rim, a corner each."""
    model = two_free()
    model.add(contact(model, dissipation=0.2, **RUBBING, **SURFACES[0]))
    assert fm.check_contribution(model, "c") < 1e-6


@pytest.mark.parametrize("of", SURFACES)
def test_derivatives_at_one_pose(of):
    """In all positions, turns and velocities, by steps in which no spring changes what it meets."""
    model = two_free()
    model.add(contact(model, dissipation=0.2, **RUBBING, **of))
    system = fm.build(model)
    own = system.named_elements["c"]
    y, v = system.initial_state()
    at, _ = system.configuration.at(0.0, y, v, np.zeros_like(v))
    poses = own._port.moved(at).poses
    assert own._touching(poses).area.size > 10
    _, by_pose, by_rate = differentiated(own._loads, poses)
    h = 1e-7
    for k in range(12):
        step = np.zeros(12)
        step[k] = h
        moved, found = step.reshape(4, 3), []
        for sign in (1.0, -1.0):
            x, turn = poses.x + sign * moved[:2], sign * moved[2:]
            R = Rotation.from_rotvec(turn).as_matrix() @ poses.R
            v, w = poses.v + sign * moved[:2], poses.w + sign * moved[2:]
            found.append(
                [own._loads(poses._replace(x=x, R=R)), own._loads(poses._replace(v=v, w=w))]
            )
        for exact, one, other in zip((by_pose, by_rate), *found, strict=True):
            slope = (np.concatenate([*one]) - np.concatenate([*other])).ravel() / (2.0 * h)
            np.testing.assert_allclose(exact[:, k], slope, atol=1e-6 * np.abs(exact).max())


@pytest.mark.parametrize("of", SURFACES)
def test_forces_and_moments_balance(of, rng):
    """Virtual power of a common rigid motion is zero: momenta are kept."""
    model = on_carrier()
    model.add(contact(model_of(model), dissipation=0.2, **RUBBING, **of))
    system = fm.build(model)
    on_q = rows(system, "c", rng)[2]
    names = list(system.skeleton.independent)
    own = [names.index(one.name) for one in model.joints[0].coordinates]
    assert np.abs(on_q).max() > 1e-2
    assert np.abs(on_q[own]).max() < 1e-12 * np.abs(on_q).max()


@pytest.mark.parametrize("of", SURFACES)
def test_power_without_damping_is_that_of_its_energy(of, rng):
    model = two_free()
    model.add(contact(model, **of))
    system, h = fm.build(model), 1e-6
    y, v, on_q = rows(system, "c", rng)
    rate = (stored(system, y + h * v) - stored(system, y - h * v)) / (2.0 * h)
    assert abs(rate) > 1e-2
    assert on_q @ v == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize("of", SURFACES)
def test_damping_and_friction_take_power(of, rng):
    model = two_free()
    model.add(contact(model, dissipation=0.2, **RUBBING, **of))
    system, h, taken = fm.build(model), 1e-6, []
    for _ in range(5):
        y, v, on_q = rows(system, "c", rng)
        rate = (stored(system, y + h * v) - stored(system, y - h * v)) / (2.0 * h)
        taken.append(on_q @ v - rate)
    assert min(taken) > -1e-6 and max(taken) > 1e-2


def ground(mesh, m=1.0, height=0.2, start=(), **more):
    """A body with a mesh over a horizontal floor."""
    model = fm.Model("drop", gravity=(0, 0, -9.81))
    body = model.add(fm.Body("body", m, (0, 0, 0), (0.01, 0.01, 0.01)))
    place = {"position": (0, 0, height)} | dict(start)
    model.add(fm.Free("f", model.ground, body, **place))
    floor = model.ground.at((0, 0, 0))
    model.add(fm.MeshContact("floor", body, floor, mesh=mesh, axes=DOWN, **more))
    return model


def test_a_ball_settles_at_its_depth():
    """F = pi k R d^2 of a sphere, to second order in the size of the faces."""
    m, R, k, errors = 3.0, 0.1, 1e7, []
    depth = np.sqrt(m * 9.81 / (np.pi * k * R))
    for levels in (3, 4, 5):
        model = ground(fm.Mesh(*icosphere(levels, R)), m, R - depth, stiffness=k)
        z, _ = fm.equilibrium(fm.build(model))
        errors.append(abs((R - z[2]) / depth - 1.0))
    assert errors[2] < 0.03 and errors[2] < 0.5 * errors[0]


@pytest.mark.slow
def test_a_dropped_ball_comes_to_rest_there():
    m, R, k = 3.0, 0.1, 1e6
    mesh = fm.Mesh(*icosphere(4, R))
    model = ground(mesh, m, R + 0.02, stiffness=k, dissipation=2.0)
    result = fm.simulate(model, t_end=1.0, dt=2e-3)
    rest, _ = fm.equilibrium(fm.build(ground(mesh, m, R - 0.008, stiffness=k)))
    assert result.coordinate("f_tz")[-1] == pytest.approx(rest[2], abs=2e-5)
    assert rest[2] == pytest.approx(R - np.sqrt(m * 9.81 / (np.pi * k * R)), abs=2e-4)


def test_a_box_sinks_by_its_weight_over_its_area():
    m, k = 2.0, 1e6
    model = ground(fm.Mesh(*box((0.2, 0.3, 0.1), 4)), m, 0.049, stiffness=k)
    system = fm.build(model)
    z, _ = fm.equilibrium(system)
    assert 0.05 - z[2] == pytest.approx(m * 9.81 / (k * 0.2 * 0.3), rel=1e-9)
    none = np.zeros_like(z)
    at, _ = system.configuration.at(0.0, z, none, none)
    fields = system.named_elements["floor"].fields(at)
    assert fields["area"] == pytest.approx(0.06) and fields["depth"] == pytest.approx(0.05 - z[2])
    np.testing.assert_allclose(fields["force"], [0.0, 0.0, m * 9.81], atol=1e-6)


def test_a_sliding_box_is_braked_by_friction():
    m, k, u = 2.0, 1e6, 0.3
    low = fm.Mesh(*box((0.2, 0.3, 0.002), 4))  # so flat that friction hardly tips it
    rest = 0.001 - m * 9.81 / (k * 0.06)
    start = {"velocity": (1.0, 0.0, 0.0)}
    model = ground(low, m, rest, start, stiffness=k, dynamic_friction=u, static_friction=u)
    result = fm.simulate(model, t_end=0.2, dt=1e-3)
    assert result.speeds["f_tx"][-1] == pytest.approx(1.0 - u * 9.81 * 0.2, rel=1e-4)


def test_energy_of_a_bouncing_ball_is_kept_to_the_order_of_the_method():
    mesh = fm.Mesh(*icosphere(3, 0.1))
    model, drift = ground(mesh, 1.0, 0.105, stiffness=2e6), []
    system = fm.build(model)
    names = system.skeleton.independent
    for n in (200, 400, 800):
        steps = {"method": fm.SDIRK2(), "control": fm.FixedSteps()}
        result = fm.simulate(system, t_end=0.12, dt=0.12 / n, **steps)
        ends = [
            system.energy(*(np.array([of[one][k] for one in names]) for of in (q, p))).total
            for q, p in [(result.coordinates, result.speeds)]
            for k in range(len(result.time))
        ]
        assert result.coordinate("f_tz").min() < 0.0985 and result.speeds["f_tz"][-1] > 0.0
        drift.append(np.ptp(ends))
    kinetic = 9.81 * 0.005
    assert drift[2] < 2e-3 * kinetic
    assert drift[0] / drift[2] > 8.0


def test_closest_points_follow_points_inside(rng):
    for surface, size in ((HalfSpace(), 1.0), (Ball(0.5), 0.7), (ClosedMesh(BRICK), 0.3)):
        x = rng.uniform(-size, size, (400, 3))
        found = surface.closest(x)
        assert 40 < found.points.size < 400
        h, bad = 1e-7, 0
        for k in range(3):
            step = h * np.eye(3)[k]
            near = [surface.closest(x[found.points] + sign * step) for sign in (1.0, -1.0)]
            if min(one.points.size for one in near) < found.points.size:
                continue
            slope = (near[0].c - near[1].c) / (2.0 * h)
            bad += np.sum(np.abs(slope - found.P[:, :, k]).max(axis=1) > 1e-6)
        assert bad == 0


def test_inside_of_a_mesh_with_reflex_edges(rng):
    """An L: the points inside of either of two boxes, near edges and vertices too."""
    outline = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], float)
    vertices = np.array([(*one, z) for z in (0.0, 1.0) for one in outline])
    flat = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [face[::-1] for face in flat] + [tuple(k + 6 for k in face) for face in flat]
    for k in range(6):
        j = (k + 1) % 6
        faces += [(k, j, j + 6), (k, j + 6, k + 6)]
    surface = ClosedMesh(fm.Mesh(vertices, faces))
    x = rng.uniform(-0.3, 2.3, (4000, 3)) * [1.0, 1.0, 0.6]
    inside = ((x > 0.0) & (x < 1.0))[:, 2] & (x[:, :2] > 0.0).all(1) & (x[:, :2] < 2.0).all(1)
    inside &= (x[:, 0] < 1.0) | (x[:, 1] < 1.0)
    assert np.array_equal(surface.closest(x).points, np.flatnonzero(inside))
    # beside the reflex edge, the closest point is on it
    found = surface.closest(np.array([[0.9, 0.9, 0.5]]))
    np.testing.assert_allclose(found.c, [[1.0, 1.0, 0.5]])
    np.testing.assert_allclose(found.P[0], np.diag([0.0, 0.0, 1.0]), atol=1e-12)


def test_an_ellipsoid_that_is_a_sphere_acts_like_one(rng):
    model = two_free()
    first, second = list(model.bodies)[1:3]
    places = first.at((0.05, 0.02, 0.0)), second.at((0.0, 0.02, 0.01))
    more = {"stiffness": 2e3, "dissipation": 0.2, **RUBBING, "axes": turned(0.2, 0.1, -0.3)}
    more["transition_velocity"] = 0.5
    round_one = {"radii": (0.4, 0.4, 0.4), "own_axes": turned(1.0, 0.3, 0.2)}
    model.add(
        fm.SphereContact("s", *places, radius=0.4, **more),
        fm.EllipsoidContact("e", *places, **round_one, **more),
    )
    system = fm.build(model)
    seed = rng.integers(1000)
    found = [rows(system, name, np.random.default_rng(seed))[2] for name in ("s", "e")]
    assert np.abs(found[0]).max() > 1e-2
    np.testing.assert_allclose(found[0], found[1], rtol=1e-11, atol=1e-12)


def test_tangent_of_an_ellipsoid():
    model = two_free()
    first, second = list(model.bodies)[1:3]
    places = first.at((0.05, 0.02, 0.0)), second.at((0.0, 0.02, 0.01))
    shape = {"radii": (0.4, 0.3, 0.5), "own_axes": turned(1.0, 0.3, 0.2), "stiffness": 2e3}
    model.add(fm.EllipsoidContact("e", *places, **shape, **RUBBING, transition_velocity=0.5))
    assert fm.check_contribution(model, "e") < 1e-6


def test_an_egg_rests_on_its_side():
    """Hertz: 4/3 K d sqrt(R K d) = m g, R = sqrt(a b) of the section parallel to the floor."""
    m, k = 0.5, 1e6
    model = fm.Model("egg", gravity=(0, 0, -9.81))
    egg = model.add(fm.Body("egg", m, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    model.add(fm.Slider("z", model.ground, egg, (0, 0, 0), axis=(0, 0, 1), value=0.0195))
    ends, radii = (egg.at((0, 0, 0)), model.ground.at((0, 0, 0))), (0.03, 0.025, 0.02)
    model.add(fm.EllipsoidContact("floor", *ends, radii=radii, axes=DOWN, stiffness=k, share=1.0))
    z, _ = fm.equilibrium(fm.build(model))
    depth = 0.02 - z[0]
    K, R = k ** (2 / 3), np.sqrt(0.03 * 0.025)
    assert 4 / 3 * K * depth * np.sqrt(R * K * depth) == pytest.approx(m * 9.81, rel=1e-8)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda m: contact(m, mesh=3.0), "mesh = 3.0; must be a Mesh"),
        (lambda m: contact(m, stiffness=0.0), "stiffness = 0"),
        (lambda m: contact(m, radius=0.1, surface=PIT), "be left out with another mesh"),
        (
            lambda m: contact(m, surface=fm.Mesh(STONE.vertices, STONE.faces[1:])),
            "3 open edges'; must be watertight",
        ),
        (
            lambda m: fm.MeshContact(
                "c", m.bodies[1], m.bodies[1].at(0, 0, 0), mesh=STONE, stiffness=1.0
            ),
            "another body",
        ),
        (
            lambda m: fm.EllipsoidContact(
                "e", m.bodies[1].at(0, 0, 0), m.bodies[2].at(0, 0, 0), radii=(1, 1, 0), stiffness=1
            ),
            r"radii\[2\] = 0",
        ),
    ],
)
def test_what_is_refused(make, words):
    with pytest.raises(fm.ModelError, match=words):
        make(two_free())
