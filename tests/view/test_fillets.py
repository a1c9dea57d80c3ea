import numpy as np
import pytest
from fillet_arm import LENGTH, THIN, WIDE, bent_arm

from fibermsk.results.result import BodyMotion, ShapeRecord
from fibermsk.view.browser.content import pack
from fibermsk.view.drawing.fillets import Fillets, distance
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures import opengl, scene


def placed(stage, frame):
    """Points and normals of the pieces in ground."""
    stage.move(frame)
    for piece in stage.pieces:
        pose = stage.pose(piece.body, frame)
        yield (
            piece.surface.points @ pose[:3, :3].T + pose[:3, 3],
            piece.surface.normals @ pose[:3, :3].T,
            piece.surface.faces,
        )


def depths(stage, frame, points):
    """Distances of points from both shapes, without fillets."""
    found = []
    for piece in stage.pieces:
        pose = stage.pose(piece.body, frame)
        local = (points - pose[:3, 3]) @ pose[:3, :3]
        found.append([distance(piece.solid, point) for point in local])
    return np.array(found)


def test_points_of_surfaces_are_at_distance_zero():
    for piece in Stage(bent_arm(), "tissue").pieces:
        own = [distance(piece.solid, point) for point in piece.surface.points]
        assert np.abs(own).max() < 1e-12


@pytest.mark.parametrize("frame", [1, 2])
def test_a_crease_is_filled_and_bones_stay_elsewhere(frame):
    stage = Stage(bent_arm(), "tissue")
    before = [piece.surface.points.copy() for piece in stage.pieces]
    moved = 0
    for old, piece, (points, normals, _) in zip(
        before, stage.pieces, placed(stage, frame), strict=True
    ):
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-9)
        far = np.linalg.norm(piece.surface.points - old, axis=1)
        joint = np.linalg.norm(points - [0.0, 0.0, -LENGTH], axis=1)
        assert far[joint > 4.5 * WIDE].max() == 0.0
        assert far.max() < 0.8 * THIN
        changed = far > 0.0
        moved += changed.sum()
        # outside of both bones, or on them, by no more than a quarter of the width
        least = depths(stage, frame, points[changed]).min(axis=0)
        assert least.min() > -1e-3 * THIN
        assert 0.05 * THIN < least.max() < 0.25 * THIN
    assert moved > 300


@pytest.mark.parametrize("frame", [1, 2])
def test_both_bones_share_the_fillet_with_one_normal(frame):
    stage = Stage(bent_arm(), "tissue")
    (one, one_normal, _), (other, other_normal, _) = placed(stage, frame)
    filled = [depths(stage, frame, points).min(axis=0) > 0.02 * THIN for points in (one, other)]
    assert all(those.sum() > 20 for those in filled)
    from scipy.spatial import KDTree

    gap, k = KDTree(other).query(one[filled[0]])
    near = gap < 0.1 * THIN
    assert near.sum() > 20
    cosine = np.sum(one_normal[filled[0]][near] * other_normal[k[near]], axis=1)
    assert cosine.min() > np.cos(np.radians(25.0))
    # without fillets the normals on both sides of the crease differ by the angle between the bones
    assert np.median(cosine) > np.cos(np.radians(8.0))


def test_a_straight_joint_of_equal_bones_is_as_it_was():
    stage = Stage(bent_arm((0.0, 0.0), thin=WIDE), "tissue")
    for points, _, _ in placed(stage, 0):
        assert depths(stage, 0, points).min(axis=0).max() < 0.05 * WIDE


def test_bones_apart_or_with_a_joint_at_some_times_only_have_no_fillet():
    assert Stage(bent_arm(at=-LENGTH - 2.2 * WIDE), "tissue").fillets.groups == {}
    result = bent_arm()
    position = result.bodies["lower"].position.copy()
    position[2, 0] = 0.2
    away = BodyMotion(position, result.bodies["lower"].rotation, result.bodies["lower"].shapes)
    result.bodies["lower"] = away
    assert Stage(result, "tissue").fillets.groups == {}


def test_frames_can_be_shown_in_any_order():
    stage = Stage(bent_arm(), "tissue")
    first = [points.copy() for points, *_ in placed(stage, 2)]
    for frame in (0, 1):
        stage.move(frame)
    for one, (again, *_) in zip(first, placed(stage, 2), strict=True):
        np.testing.assert_array_equal(one, again)


def test_three_shapes_agree_where_they_meet():
    across = ShapeRecord(
        "infinite_cylinder", np.array([0, 0, -LENGTH]), np.array([0, 1, -LENGTH]), WIDE
    )
    stage = Stage(bent_arm(more=(across,)), "tissue")
    groups = stage.fillets.groups
    assert [list(group) for group in groups.values()] == [[0, 1, 2]] * 3
    for points, _, _ in placed(stage, 2):
        assert depths(stage, 2, points).min(axis=0).max() < 0.5 * WIDE


def test_a_ghost_lies_below():
    from fibermsk.view.drawing.compare import make_stages

    two = make_stages(
        [bent_arm(), bent_arm()], "tissue", "overlay", theme="light", arrows=(), labels=False
    )
    solid, ghost = (np.concatenate([p for p, *_ in placed(stage, 2)]) for stage in two)
    normals = np.concatenate([n for _, n, _ in placed(two[0], 2)])
    depth = np.sum((solid - ghost) * normals, axis=1)
    assert np.median(depth) == pytest.approx(two[1].fillets.sunk, rel=1e-6)
    assert np.quantile(depth, 0.02) > 0.3 * two[1].fillets.sunk


def test_pictures_and_windows_follow(renderer):
    picture = scene.picture(bent_arm(), time=8.0, size=(320, 240), shadows=False)
    original, Fillets.move = Fillets.move, lambda *_: None
    try:
        creased = scene.picture(bent_arm(), time=8.0, size=(320, 240), shadows=False)
    finally:
        Fillets.move = original
    changed = np.any(np.abs(picture.astype(int) - creased) > 8, axis=2)
    assert 20 < changed.sum() < 0.02 * changed.size
    if renderer == "processor" or not opengl.off_screen_works():
        return
    from fibermsk.view.window.viewer import Viewer

    viewer = Viewer(bent_arm(), off_screen=True, size=(320, 240), time=0.0)
    try:
        meshes = viewer._scenes[0]._filleted
        assert len(meshes) == 2
        before = meshes[1].points.copy()
        viewer.step(2)
        assert np.abs(meshes[1].points - before).max() > 0.1 * THIN
    finally:
        viewer.close()


def test_pages_are_told_the_shapes_that_meet():
    import json
    import struct
    import zlib

    data = zlib.decompress(pack(bent_arm()).part(0))
    (n,) = struct.unpack("<I", data[:4])
    pieces = json.loads(data[4 : 4 + n])["runs"][0]["pieces"]
    solids = [[one["body"] for one in piece["joined"]] for piece in pieces]
    assert solids == [[0, 1], [0, 1]]
