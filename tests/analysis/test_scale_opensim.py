"""Scaled models against OpenSim, in a process of its own."""

import json
from pathlib import Path

import numpy as np
import pytest
from opensim_peer import run_script

import fibermsk as fm

SCRIPT = Path(__file__).with_name("scale_in_opensim.py")
BODIES = ("pelvis", "femur_r", "tibia_r", "talus_r", "calcn_r", "toes_r", "torso")


def model_file(shared_models):
    file = shared_models / "opensim-models" / "gait10dof18musc.osim"
    scaled = shared_models / "opensim-models" / "gait10dof18musc_reference" / "subject01.osim"
    if not file.is_file() or not scaled.is_file():
        pytest.skip(f"no {file}")
    return scaled


def compare(found, theirs, tolerance):
    """Masses, inertias, poses, paths, lengths and markers."""
    model = found.model
    for name, (mass, *rest) in theirs["bodies"].items():
        body = model.body(name)
        assert abs(body.mass / mass - 1.0) < tolerance
        np.testing.assert_allclose(body.com, rest[:3], atol=tolerance)
        xx, yy, zz, xy, xz, yz = rest[3:]
        matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        np.testing.assert_allclose(body.inertia, matrix, atol=tolerance)
    skeleton = fm.skeleton(model)
    poses = skeleton.poses(skeleton.start)
    for name, place in theirs["poses"].items():
        np.testing.assert_allclose(poses[name][1], place, atol=tolerance)
    for name, (fiber, tendon, length) in theirs["muscles"].items():
        muscle = model.muscle(name)
        assert abs(muscle.optimal_fiber_length / fiber - 1.0) < tolerance, name
        assert abs(muscle.tendon_slack_length / tendon - 1.0) < tolerance, name
        assert abs(fm.path_length(model, name) / length - 1.0) < tolerance, name
    for name, place in theirs["markers"].items():
        np.testing.assert_allclose(model.marker(name).station.position, place, atol=tolerance)


@pytest.mark.parametrize("keep", [True, False])
def test_scaled_walker(shared_models, tmp_path, rng, keep):
    """Every body by three factors of its own, knees with splines and moving points among them."""
    file = model_file(shared_models)
    model = fm.read_osim(file)
    factors = {body.name: rng.uniform(0.8, 1.25, 3).tolist() for body in model.bodies[1:]}
    factors["torso"] = [1.1, 1.1, 1.1]
    mass = 81.0 if keep else -1.0
    answer = tmp_path / "answer.json"
    task = {"model": str(file), "factors": factors, "mass": mass, "keep": keep}
    run_script(SCRIPT, tmp_path, task | {"answer": str(answer)})
    found = fm.scale(model, factors, mass=81.0 if keep else None, keep_distribution=keep)
    compare(found, json.loads(answer.read_text()), 1e-9)
    assert found.factors.keys() == factors.keys()
    assert len(set(found.muscles.values())) == 18
    if keep:
        assert abs(found.mass - 81.0) < 1e-12


PAIRS = {
    "pelvis": ([("R.ASIS", "L.ASIS")], {"pelvis": "X Y Z"}),
    "thigh": (
        [("R.ASIS", "R.Knee.Lat"), ("L.ASIS", "L.Knee.Lat")],
        {"femur_r": "X Y Z", "femur_l": "Y"},
    ),
    "shank": ([("R.Knee.Lat", "R.Ankle.Lat")], {"tibia_r": "X Y Z", "tibia_l": "Y Z"}),
    "torso": ([("Sternum", "R.Acromium")], {"torso": "X"}),
}


def setup(folder, file, static):
    """A setup of the ScaleTool with measurements and a factor."""

    def objects(tag, items):
        return f"<{tag}><objects>{''.join(items)}</objects></{tag}>"

    measurements = [
        f'<Measurement name="{name}"><apply>true</apply>'
        + objects("MarkerPairSet", [
            f"<MarkerPair><markers> {a} {b}</markers></MarkerPair>" for a, b in pairs])
        + objects("BodyScaleSet", [
            f'<BodyScale name="{body}"><axes> {axes}</axes></BodyScale>'
            for body, axes in bodies.items()])
        + "</Measurement>"
        for name, (pairs, bodies) in PAIRS.items()
    ]  # fmt: skip
    manual = ('<Scale name="calcn_r"><scales>1.1 0.9 1.05</scales><segment>calcn_r</segment>'
              "<apply>true</apply></Scale>")  # fmt: skip
    text = (
        '<?xml version="1.0"?><OpenSimDocument Version="40000"><ScaleTool name="subject">'
        f"<mass>75.5</mass><GenericModelMaker><model_file>{file}</model_file></GenericModelMaker>"
        "<ModelScaler><apply>true</apply><scaling_order> measurements manualScale</scaling_order>"
        + objects("MeasurementSet", measurements) + objects("ScaleSet", [manual])
        + f"<marker_file>{static}</marker_file><time_range> 0.1 0.4</time_range>"
        "<preserve_mass_distribution>true</preserve_mass_distribution></ModelScaler>"
        "</ScaleTool></OpenSimDocument>"
    )  # fmt: skip
    (folder / "setup.xml").write_text(text)
    return folder / "setup.xml"


def test_scale_tool_with_a_static_trial(shared_models, tmp_path, rng):
    """Measurements of pairs of markers over a range of times, from OpenSim's own setup."""
    file = model_file(shared_models)
    model = fm.read_osim(file)
    skeleton = fm.skeleton(model)
    poses = skeleton.poses(skeleton.start)
    time = np.arange(11) / 20.0
    positions = {}
    for one in model.markers:
        R, x = poses[one.body.name]
        at = 1.07 * (x + R @ np.asarray(one.station.position)) * [1.0, 1.02, 0.97]
        positions[one.name] = at + rng.normal(0.0, 0.003, (time.size, 3))
    fm.Markers("static", time, positions, rate=20.0).write(tmp_path / "static.trc")
    answer, given = tmp_path / "answer.json", setup(tmp_path, file, "static.trc")
    run_script(SCRIPT, tmp_path, {"setup": str(given), "answer": str(answer)})
    found = fm.scale(model, given)
    compare(found, json.loads(answer.read_text()), 1e-9)
    assert abs(found.mass - 75.5) < 1e-12 and found.kept_distribution
    assert [one.measurement for one in found.residuals].count("thigh") == 2
    one = found.residuals[0]  # a single pair on one body, scaled equally: exact
    assert abs(one.scaled - one.measured) < 1e-12 < abs(one.modeled - one.measured)
    inside = slice(2, 9)
    off = np.linalg.norm((positions["R.ASIS"] - positions["L.ASIS"])[inside], axis=1)
    assert abs(one.measured - off.mean()) < 1e-12 and abs(one.deviation - off.std()) < 1e-12
    found.write(tmp_path / "factors.xml")
    again = fm.scale(model, tmp_path / "factors.xml")
    assert again.mass == found.mass and again.muscles == found.muscles
    run_script(
        SCRIPT, tmp_path,
        {"model": str(file), "factors": {k: v.tolist() for k, v in again.factors.items()},
         "mass": again.mass, "keep": True, "answer": str(answer)},
    )  # fmt: skip
    compare(again, json.loads(answer.read_text()), 1e-9)
