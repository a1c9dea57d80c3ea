import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.model.muscles.level_set import WrapLevelSet
from fibermsk.model.muscles.line_muscle import LineMuscle, PathPoint
from fibermsk.model.muscles.wrap import PathWrap, WrapCylinder, WrapEllipsoid, WrapSphere, WrapTorus
from fibermsk.system.reports.wrap_meshes import wrap_mesh

ROD = {"mass": 1.0, "com": (0.0, -0.15, 0.0), "inertia": (0.01, 0.001, 0.01)}
QUARTER = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def leg(*, shapes=(), fiber=False, muscle=True):
    """Thigh and shank with hinges about z, y up, and a muscle behind them."""
    model = fm.Model("leg", gravity=(0, -9.81, 0))
    thigh = model.add(fm.Body("thigh", **ROD, shapes=shapes))
    shank = model.add(fm.Body("shank", **ROD))
    model.add(
        fm.Hinge("hip", model.ground, thigh, at=(0, 1.0, 0), axis=(0, 0, 1)),
        fm.Hinge("knee", thigh, shank, at=(0, -0.3, 0), axis=(0, 0, 1)),
    )
    ends = model.ground.at(-0.05, 1.0, 0.0), shank.at(-0.05, -0.1, 0.0)
    if muscle:
        wrap = WrapCylinder("knee_wrap", thigh, (0, -0.3, 0), radius=0.03, length=0.1)
        idle = WrapSphere("idle", thigh, active=False, radius=0.03)
        points = [PathPoint(f"p{i}", end) for i, end in enumerate(ends)]
        model.add(
            LineMuscle(
                "ham", points, wraps=[PathWrap(wrap), PathWrap(idle)], max_isometric_force=1000.0,
                optimal_fiber_length=0.1, tendon_slack_length=0.2,
            )
        )  # fmt: skip
    if fiber:
        tissue = fm.Tissue(1000.0, fm.KelvinVoigt(1e4, 1e2), prestress=1e3)
        model.add(fm.Fiber("f", attach=ends, radius=0.005, n_elements=3, tissue=tissue))
    return model


def test_still_follows_the_pose():
    still = fm.still(leg(), {"hip": np.pi / 2})
    result = still.result
    assert result.scene == "leg" and result.up == (0.0, 1.0, 0.0)
    assert_allclose(result.coordinates["hip"], [np.pi / 2])
    assert_allclose(result.bodies["thigh"].rotation[0], QUARTER, atol=1e-15)
    assert_allclose(result.bodies["shank"].position[0], [0.3, 1.0, 0.0], atol=1e-15)
    line = still.muscles["ham"]
    assert_allclose(line.points, [[-0.05, 1.0, 0.0], [0.4, 0.95, 0.0]], atol=1e-12)
    assert 0.002 < line.radius < 0.01


def test_muscles_without_a_path_are_straight_and_say_why():
    """A point of the path inside a surface; elsewhere lines go over the surface, as solved."""
    model = leg()
    straight = fm.still(model, {"knee": -1.5}).muscles["ham"]
    frame, q = fm.skeleton(model), [0.0, 1.5]
    bent = fm.still(model, {"knee": 1.5}).muscles["ham"]
    assert_allclose(bent.points, fm.path_points(frame, model.muscles[0], q), atol=0.0)
    assert bent.length == fm.path_length(frame, model.muscles[0], q)
    assert dict(bent.moment_arms) == fm.moment_arms(frame, model.muscles[0], q)
    assert not bent.problem and not straight.problem
    body = model.bodies[1]
    wide = WrapSphere("wide", body, (-0.05, 0.0, 0.0), radius=0.05)
    inside = model.edit({model.muscles[0]: {"wraps": [PathWrap(wide)]}})
    line = fm.still(inside).muscles["ham"]
    assert "'p0' lies 0.05 m inside wrap surface 'wide'" in line.problem
    assert_allclose(line.points, [[-0.05, 1.0, 0.0], [-0.05, 0.6, 0.0]], atol=1e-12)
    assert np.isnan(line.length) and line.moment_arms == ()


def test_bodies_without_shapes_are_sticks_and_the_others_are_not():
    bodies = fm.still(leg()).result.bodies
    (thigh,), (shank,) = bodies["thigh"].visuals, bodies["shank"].visuals
    assert_allclose([thigh.start, thigh.end], [[0, 0, 0], [0, -0.3, 0]], atol=1e-12)
    assert_allclose([shank.start, shank.end], [[0, 0, 0], [0, -0.15, 0]], atol=1e-12)
    assert thigh.kind == "capsule" and 0.0 < shank.radius < thigh.radius < 0.02
    bone = fm.Capsule((0, 0, 0), (0, -0.3, 0), 0.02)
    bodies = fm.still(leg(shapes=bone)).result.bodies
    assert [shape.kind for shape in bodies["thigh"].shapes] == ["capsule"]
    assert bodies["thigh"].visuals == () and len(bodies["shank"].visuals) == 1


def test_results_have_the_sticks_of_a_model():
    run = fm.simulate(leg(fiber=True), t_end=0.01, dt=0.005)
    for name, body in fm.still(leg()).result.bodies.items():
        (own,), (there,) = run.bodies[name].visuals, body.visuals
        assert_allclose(
            [*own.start, *own.end, own.radius], [*there.start, *there.end, there.radius]
        )
    assert run.bodies["thigh"].shapes == ()


def test_degrees_are_told():
    with pytest.warns(fm.ModelWarning, match="'knee': value = 90 rad; plausible.*in degrees"):
        fm.still(leg(), {"knee": 90})


def test_wraps_are_where_their_bodies_are():
    still = fm.still(leg(), {"hip": np.pi / 2})
    assert list(still.wraps) == ["knee_wrap"]  # the other one is not active
    vertices = still.wraps["knee_wrap"].vertices
    out = np.hypot(*(vertices - [0.3, 1.0, 0.0]).T[:2])
    assert_allclose(out[out > 1e-12], 0.03)
    assert_allclose(np.ptp(vertices[:, 2]), 0.1)


def test_axes_are_named_and_turn_with_those_before():
    model = leg()
    ball = model.add(fm.Body("ball", **ROD))
    model.add(fm.Universal("u", model.bodies[2], ball, (0, -0.3, 0), (0, 0, 1), (1, 0, 0)))
    axes = {a.coordinates: a for a in fm.still(model, {"hip": np.pi / 2, "u_1": np.pi / 2}).axes}
    assert set(axes) == {("hip",), ("knee",), ("u_1",), ("u_2",)}
    assert_allclose(axes["knee",].point, [0.3, 1.0, 0.0], atol=1e-15)
    assert_allclose(axes["u_2",].direction, [-1.0, 0.0, 0.0], atol=1e-15)


def test_axis_of_a_functional_joint_is_at_its_moved_center():
    model = fm.Model("slide")
    body = model.add(fm.Body("b", **ROD))
    curve = fm.Polynomial([0.1, 0.0, 0.2])
    axes = (
        fm.Axis("translation", (1, 0, 0), [("q", curve)]),
        fm.Axis("rotation", (0, 0, 1), "q"),
    )
    model.add(fm.FunctionalJoint("j", model.ground, body, fm.Coordinate("q", value=2.0), axes))
    (axis,) = fm.still(model).axes  # the curved translation is no coordinate
    assert axis.kind == "rotation"
    assert_allclose(axis.point, [0.9, 0.0, 0.0])


def test_axes_that_nothing_moves_freely_are_left_out():
    model = leg()
    foot = model.add(fm.Body("foot", **ROD))
    model.add(
        fm.Hinge("ankle", model.bodies[2], foot, (0, -0.3, 0), (0, 0, 1)),
        fm.Coupling("ankle", fm.Linear(0.5), "knee"),
    )
    assert [axis.coordinates for axis in fm.still(model).axes] == [("hip",), ("knee",)]


def test_models_with_fibers_show_them_at_the_start():
    still = fm.still(leg(fiber=True))
    assert_allclose(still.result.fibers["f"].position[0, 0], [-0.05, 1.0, 0.0])
    assert_allclose(still.result.fibers["f"].position[0, -1], [-0.05, 0.6, 0.0], atol=1e-12)
    assert still.result.time.size == 1
    with pytest.raises(fm.ModelError, match="without|left out"):
        fm.still(leg(fiber=True), {"hip": 1.0})


def test_results_of_runs_know_up_and_visuals():
    result = fm.simulate(
        fm.build(leg(fiber=True)),
        t_end=1e-3,
        dt=1e-3,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    assert result.up == (0.0, 1.0, 0.0) and result.coordinate_units == {}
    assert "ground" not in result.bodies


def ball(size, x, g, H):
    g[:], H[:] = 2.0 * x, 2.0 * np.eye(3)
    return x @ x - size[0] ** 2


@pytest.mark.parametrize(
    "make, volume",
    [
        (lambda b: WrapSphere("w", b, (1, 2, 3), QUARTER, radius=0.1), 4 / 3 * np.pi * 1e-3),
        (
            lambda b: WrapEllipsoid("w", b, (1, 2, 3), QUARTER, radii=(0.1, 0.2, 0.3)),
            4 / 3 * np.pi * 6e-3,
        ),
        (
            lambda b: WrapLevelSet("w", b, (1, 2, 3), QUARTER, level=ball, size=[0.1] * 3),
            4 / 3 * np.pi * 1e-3,
        ),
        (
            lambda b: WrapCylinder("w", b, (1, 2, 3), QUARTER, radius=0.1, length=0.5),
            np.pi * 0.01 * 0.5,
        ),
        (
            lambda b: WrapTorus("w", b, (1, 2, 3), QUARTER, inner_radius=0.1, outer_radius=0.4),
            2 * np.pi**2 * 0.4 * 0.01,
        ),
    ],
    ids=["sphere", "ellipsoid", "level set", "cylinder", "torus"],
)
def test_meshes_of_wraps_have_their_volume_and_place(make, volume):
    mesh = wrap_mesh(make(fm.Body("b")), QUARTER, np.array([0.0, 0.0, 1.0]))
    a, b, c = (mesh.vertices - mesh.vertices.mean(0))[mesh.faces].transpose(1, 0, 2)
    found = np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0
    # positive: triangles are counterclockwise from outside; flat ones hold a little less
    assert found == pytest.approx(volume, rel=0.03)
    center = 0.5 * (mesh.start + mesh.end)
    assert_allclose(center, QUARTER @ [1, 2, 3] + [0, 0, 1], atol=1e-3)


def test_mesh_of_a_capped_cylinder():
    """Four radii of the cylinder, and half a sphere, about the center of which it turns."""
    mesh = wrap_mesh(fm.WrapCappedCylinder("w", fm.Body("b"), radius=0.1), np.eye(3), np.zeros(3))
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    found = np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0
    assert found == pytest.approx((4.0 + 2.0 / 3.0) * np.pi * 1e-3, rel=0.02)
    assert_allclose([mesh.vertices[:, 2].min(), mesh.vertices[:, 2].max()], [-0.4, 0.1], atol=1e-12)


def test_unknown_coordinates_are_refused():
    with pytest.raises(fm.ModelError, match="'elbow'"):
        fm.still(leg(), {"elbow": 1.0})
