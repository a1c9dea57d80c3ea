"""The scene with the published arm: runs, and its muscles are where they belong."""

import numpy as np
import pytest
from scenes_of_tests import load_scene

import fibermsk as fm
from fibermsk.anatomy.obstacles import Obstacles
from fibermsk.anatomy.path import Curve

SCENE = load_scene("arm26_fibers")


@pytest.fixture(scope="module")
def files(shared_models):
    folder = shared_models / "opensim-models"
    if not (folder / "arm26.osim").is_file():
        pytest.skip(f"no arm26.osim in {folder}")
    return {"model": str(folder / "arm26.osim"), "geometry": str(folder / "Geometry")}


def test_scene_needs_the_model(monkeypatch):
    monkeypatch.delenv("FIBERMSK_MODELS", raising=False)
    with pytest.raises(fm.ModelError, match="opensim-org/opensim-models"):
        SCENE.scene()
    with pytest.raises(fm.ModelError, match="looked at nowhere"):
        SCENE.scene(model="nowhere")


def biceps_in_front(result):
    """Whether the long head of the biceps is in front of the humerus halfway down, always."""
    humerus = result.bodies["r_humerus"]
    for i in (1, 2, 3):
        fiber = result.fibers[f"BIClong_{i}"]
        offset = fiber.position - humerus.position[:, None]
        middle = np.einsum("tni,tij->tnj", offset, humerus.rotation)[:, 4]
        if not (middle[:, 0] > 0.0).all():
            return False
    return True


@pytest.mark.slow
def test_curl(files):
    """The fibers start outside of all bones and lift the forearm."""
    scene = SCENE.scene(**files)
    system = fm.build(scene.model)
    y, v = system.initial_state()
    # the path of a fiber is measured at other points than those of its contact
    assert system.evaluate(0.0, y, v, 0.0 * v, tangent=False).admissibility > 0.99
    result = fm.simulate_scene(scene)
    assert result.status == "success" and result.time[-1] == 1.0
    angle = result.coordinates["r_elbow_flex"]
    # the flexors lift the forearm, and the extensors bring it back
    assert 1.3 < angle.max() < 2.1 and 20 < angle.argmax() < 60
    assert 0.7 < angle[-1] < angle.max() - 0.1
    assert biceps_in_front(result)
    # it runs over the head of the humerus, which pushes it
    for i in (1, 2, 3):
        assert result.fibers[f"BIClong_{i}"].contact_force_density[-1].max() > 10.0
    # no centerline enters a bone
    bones = [body for body in scene.model.bodies if body.name in SCENE.BONES]
    for k in range(0, 101, 10):
        motion = {body.name: result.bodies[body.name] for body in bones}
        poses = {name: (m.rotation[k], m.position[k]) for name, m in motion.items()}
        obstacles = Obstacles(bones, poses)
        for fiber in result.fibers.values():
            nodal = np.stack([fiber.position[k], fiber.tangent[k]], axis=1).reshape(-1, 3)
            points = Curve(fiber.node_theta, nodal)(np.linspace(0.0, 1.0, 80))
            assert obstacles.distance(points)[0].min() > 0.0
