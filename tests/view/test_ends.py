from dataclasses import replace

import numpy as np
import pytest
from make_result import make_ball, make_hanging_fiber, make_result
from numpy.testing import assert_allclose

from fibermsk.kernels.bones.mesh_tree import build_tree, fill_closest_triangles
from fibermsk.results import MuscleLine, Still
from fibermsk.results.result import BodyMotion, ShapeRecord
from fibermsk.view.drawing.anchors import BoneSurface, End, fiber_ends, find_anchors
from fibermsk.view.drawing.bones import bone_surface
from fibermsk.view.drawing.insertions import fans, is_off, processes
from fibermsk.view.drawing.pieces import _MOUNT_COLOR, BONE_COLOR
from fibermsk.view.drawing.stage import Stage

FRAMES = np.arange(9)


def anchors_of(result):
    bones = {name: BoneSurface(body) for name, body in result.bodies.items()}
    frames = np.arange(result.time.size)
    ends = fiber_ends(result.fibers.values(), frames)
    return find_anchors(ends, result.bodies, bones, frames, 0.7)[0], bones


def test_each_end_is_on_the_bone_that_it_moves_with():
    arm = make_result(9)
    anchors, _ = anchors_of(arm)
    assert [a.body for a in anchors] == ["upper_arm", "forearm"] * 5
    for anchor, fiber in zip(anchors[1::2], arm.fibers.values(), strict=True):
        body = arm.bodies["forearm"]
        for k in (0, 8):
            place = body.position[k] + body.rotation[k] @ anchor.point
            assert_allclose(place, fiber.position[k, -1], atol=1e-12)
        # of a capsule of 35 mm along z
        assert anchor.gap == pytest.approx(np.hypot(*anchor.point[:2]) - 0.035)
        assert_allclose(anchor.bone + anchor.gap * anchor.normal, anchor.point, atol=1e-12)
        # away from the end
        turned = body.rotation[0] @ anchor.along
        assert turned @ (fiber.position[0, 0] - fiber.position[0, -1]) > 0.0


def test_free_ends_and_ends_far_from_bones_have_no_anchor():
    assert anchors_of(make_hanging_fiber(3))[0] == []
    arm = make_result(9)
    free = {k: replace(f, force_insertion=0.0 * f.force_insertion) for k, f in arm.fibers.items()}
    assert {a.body for a in anchors_of(replace(arm, fibers=free))[0]} == {"upper_arm"}
    thin = ShapeRecord("capsule", np.array([9.0, 0, 0]), np.array([9.0, 1, 0]), 0.01)
    still = np.zeros((9, 3)), np.tile(np.eye(3), (9, 1, 1))
    assert anchors_of(replace(arm, bodies={"far": BodyMotion(*still, (thin,))}))[0] == []


def test_ends_on_ground_without_a_shape_are_held_by_plates():
    """Square to the fiber, wider than it, around its round end; a free end has none."""
    result = make_hanging_fiber(3)
    (fiber,) = result.fibers.values()
    for stage in (Stage(result, "tissue"), Stage(replace(result, bodies={}), "tissue")):
        (plate,) = [piece for piece in stage.pieces if piece.color == _MOUNT_COLOR]
        assert plate.body == ""
        way = fiber.tangent[0, 0] / np.linalg.norm(fiber.tangent[0, 0])
        radius = max(float(fiber.radius[0, 0]), 0.006 * stage.size)
        points = plate.surface.points - fiber.position[0, 0]
        height = points @ way
        assert height.min() == pytest.approx(-1.1 * radius) and height.max() < 0.0
        across = np.linalg.norm(points - np.outer(height, way), axis=1)
        assert across.max() == pytest.approx(1.65 * radius)


def test_moving_ends_without_a_shape_are_held_where_they_are_alone():
    frames, n = np.arange(3), 3
    moving = np.array([[0.0, 0, 0], [0.1, 0, 0], [0.3, 0, 0]])
    bodies = {"clamp": BodyMotion(moving, np.tile(np.eye(3), (n, 1, 1)), ())}
    bones = {"clamp": BoneSurface(bodies["clamp"])}
    end = End(moving + (0.0, 0.0, 0.5), np.array([0.0, 0.0, 2.0]), 0.01)
    beside = End(end.path + (0.03, 0.0, 0.0), end.along, 0.01)
    far = End(end.path + (0.2, 0.0, 0.0), end.along, 0.01)
    loose = End((end.path + (0.0, 0.4, 0.0)) * [[1.0], [2.0], [3.0]], end.along, 0.01)
    on_bones, in_air = find_anchors([end, far, loose], bodies, bones, frames, 1.0)
    assert not on_bones and [one.body for one in in_air] == ["clamp", "clamp"]
    assert_allclose(in_air[0].point, (0.0, 0.0, 0.5))
    assert_allclose(in_air[0].normal, (0.0, 0.0, 1.0))
    assert find_anchors([end, beside], bodies, bones, frames, 1.0) == ([], [])


def test_ends_at_rest_far_from_all_that_rests_are_held_by_plates():
    """A target welded to ground, far away, is not the bone of the ends on ground."""
    arm = make_result(3)
    thin = ShapeRecord("capsule", np.array([9.0, 0, 0]), np.array([9.0, 1, 0]), 0.01)
    still = np.zeros((3, 3)), np.tile(np.eye(3), (3, 1, 1))
    bodies = {"target": BodyMotion(*still, (thin,))}
    bones = {"target": BoneSurface(bodies["target"])}
    ends = fiber_ends(arm.fibers.values(), np.arange(3))
    rest = [one for one in ends if not np.ptp(one.path, axis=0).any()]
    apart = End(rest[0].path, rest[0].along, 1e-4)
    on_bones, in_air = find_anchors([apart], bodies, bones, np.arange(3), 0.7)
    assert not on_bones and [one.body for one in in_air] == [""]


def test_process_reaches_from_inside_the_bone_around_the_end():
    anchors, bones = anchors_of(make_result(9))
    for body in ("upper_arm", "forearm"):
        own = [a for a in anchors if a.body == body]
        assert all(is_off(a) for a in own)
        for a in own:
            surface = processes([a], bones[body])
            outwards = (surface.points - a.bone) @ a.normal
            assert outwards.max() == pytest.approx(a.gap + 0.6 * 1.4 * a.radius)
            # the foot is below the surface all around
            gaps = np.array([bones[body].nearest(point)[2] for point in surface.points])
            assert np.all(gaps[:28] < 0.0) and gaps.max() == pytest.approx(outwards.max(), rel=0.3)
            assert np.min(np.linalg.norm(surface.points - a.point, axis=1)) < 1.5 * a.radius
            flat = surface.points[surface.faces]
            across = np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])
            facing = np.sum(across * surface.normals[surface.faces].mean(axis=1), axis=1)
            assert np.all(facing > -1e-15)
        assert len(processes(own, bones[body]).points) == len(own) * len(surface.points)


def test_tendon_on_a_mesh_fans_out_and_has_no_process():
    ball = make_ball(0.05, 24)
    body = BodyMotion(np.zeros((1, 3)), np.eye(3)[None], (ball,))
    surface = BoneSurface(body)
    point = np.array([0.0, 0.0, 0.0502])
    near = surface.nearest(point)
    assert near[2] == pytest.approx(0.0002, abs=5e-4)
    assert surface.nearest(np.array([0.0, 0.0, 0.02]))[2] < 0.0
    ends = [MuscleLine(np.array([[0.0, 0.0, 0.05], [0.05, 0.0, 0.2]]), 0.004)]
    still = Still(make_result(1, fibers={}, bodies={"ball": body}), {"one": ends[0]})
    pieces = [p for p in Stage(still, "tissue").pieces if p.body == "ball"]
    assert len(pieces) == 2  # bone and fan; the other end is free
    fan = pieces[-1]
    assert min(fan.color) > 0.8 and fan.color != BONE_COLOR
    wide = np.ptp(fan.surface.points, axis=0)
    assert wide[0] > 4.0 * 0.004 and wide[0] > 2.0 * wide[2]
    assert fans([]) is None


@pytest.mark.parametrize("length", [0.1, 0.351])
def test_shaft_of_a_bone_keeps_its_radius_and_long_ones_flare(length):
    shape = ShapeRecord("capsule", np.zeros(3), np.array([0.0, 0.0, length]), 0.035)
    surface = bone_surface(shape)
    across = np.linalg.norm(surface.points[:, :2], axis=1)
    middle = np.abs(surface.points[:, 2] - 0.5 * length) < 0.2 * length
    assert across[middle].max() == pytest.approx(0.035) if middle.any() else True
    assert across.max() == pytest.approx(0.035 * (1.08 if length > 0.2 else 1.0))
    a, b, c = surface.points[surface.faces].transpose(1, 0, 2)
    flat = np.cross(b - a, c - a)
    assert np.all(np.sum(flat * surface.normals[surface.faces].mean(axis=1), axis=1) > -1e-12)


def test_cylinder_has_round_edges():
    shape = ShapeRecord("infinite_cylinder", np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.035)
    surface = bone_surface(shape, span=(-0.04, 0.04))
    across = np.linalg.norm(surface.points[:, [0, 2]], axis=1)
    assert across.max() == pytest.approx(0.035)
    assert across[np.abs(surface.points[:, 1]) > 0.038].max() < 0.025
    assert_allclose(np.linalg.norm(surface.normals, axis=1), 1.0)


def test_nearest_point_of_a_mesh_lies_on_its_triangles(rng):
    """Coarse ones, against the compiled search of the contact of meshes."""
    ball = make_ball(0.05, 6)
    stretched = ShapeRecord.mesh(ball.vertices * [1.0, 1.0, 8.0], ball.faces)
    body = BodyMotion(np.zeros((1, 3)), np.eye(3)[None], (stretched,))
    _, tree = build_tree(np.ascontiguousarray(stretched.vertices[stretched.faces]))
    points = 0.3 * rng.normal(size=(60, 3))
    triangles, places = np.empty(60, np.int64), np.empty((60, 3))
    fill_closest_triangles(*tree[:3], points, triangles, places)
    for point, place in zip(points, places, strict=True):
        found, normal, gap = BoneSurface(body).nearest(point)
        assert_allclose(found, place, atol=1e-12)
        assert_allclose(found + gap * normal, point, atol=1e-9)
