"""Every bench, tiny: the object of the interface comes out, and absent peers are named.

How long anything took is asked nowhere: ratios are those of the seconds in the rows.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.same_process import same_process  # noqa: F401  (a fixture)

from fibermsk.bench import (
    BENCHES,
    Options,
    bone_times,
    bundle,
    kernels,
    peer_table,
    roofline,
    run_bench,
    scaling,
    small,
    upper_limb as arm,
)
from fibermsk.bench.wraps import compare

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("same_process")


@pytest.fixture
def absent(monkeypatch):
    """No peer is installed."""
    for module in (bundle, kernels, peer_table, compare):
        monkeypatch.setattr(module, "is_installed", lambda name: False)


def run(name, **options):
    found = run_bench(BENCHES[name], Options(threads=1, **options))
    found = json.loads(json.dumps(found))
    assert found["bench"] == name and found["threads"] == 1
    assert {"machine", "threads", "versions", "rows", "ratios", "notes"} <= set(found)
    for row in found["rows"]:
        assert {"case", "who", "n", "seconds"} <= set(row)
        assert row["seconds"] > 0.0
    return found


def test_bundle_alone(absent, monkeypatch):
    monkeypatch.setattr(bundle, "_N", (2,))
    monkeypatch.setattr(bundle, "OURS", replace(bundle.OURS, steps=(32,), converged=64))
    found = run("bundle", quick=True)
    ratios = {"pyelastica": None, "mujoco": None, "pyelastica_swing": None}
    assert found["ratios"] == ratios
    assert "pyelastica is not installed" in found["notes"]
    assert "mujoco is not installed" in found["notes"]
    rest, row = found["rows"]
    # swinging about the rest, which the law of large stretch has 2 % lower than Hooke's
    assert rest["sag"] == pytest.approx(rest["string_sag"], rel=0.05)
    assert row["n"] == 2 and row["steps"] >= 32 and row["penetration"] <= 0.02
    assert 0.0 < row["worst_sag_error"] < 0.5
    assert row["sag"] == pytest.approx(row["converged_sag"], rel=0.02)


def test_ratios_of_a_bundle(absent, monkeypatch):
    """A peer that is ours under another name."""
    ours = replace(bundle.OURS, steps=(32,), converged=48)
    monkeypatch.setattr(bundle, "OURS", ours)
    monkeypatch.setattr(bundle, "PYELASTICA", replace(ours, who="pyelastica"))
    monkeypatch.setattr(bundle, "is_installed", lambda name: name == "pyelastica")
    monkeypatch.setattr(bundle, "_N", (2,))
    monkeypatch.setattr(bundle, "_COMPARED", 2)
    monkeypatch.setattr(bundle, "_REPEATS", 1)
    found = run("bundle")
    ours, peer = found["rows"][2:4]
    assert found["ratios"]["pyelastica"] == pytest.approx(peer["seconds"] / ours["seconds"])
    assert found["ratios"]["mujoco"] is None
    assert [row["who"] for row in found["rows"][2:]] == [
        "fibermsk",
        "pyelastica",
        "fibermsk, one thread",
        "fibermsk, without bending",
        "fibermsk, whole swing",
    ]
    swing = found["rows"][-1]
    assert swing["worst_sag_error"] <= peer["worst_sag_error"]
    assert found["ratios"]["pyelastica_swing"] == pytest.approx(peer["seconds"] / swing["seconds"])


def test_scaling(monkeypatch):
    monkeypatch.setattr(scaling, "_N", (4, 8))
    monkeypatch.setattr(scaling, "_REPEATS", 1)
    monkeypatch.setattr(scaling, "_WARM_UP", ())
    found = run("scaling", quick=True)
    assert [row["n"] for row in found["rows"]] == [4, 8] * 2
    for case, suffix in zip(scaling._MODELS, ("", "_squeezed"), strict=True):
        small, large = (row["seconds"] for row in found["rows"] if row["case"] == case)
        exponent = np.log(large / small) / np.log(2.0)
        assert found["ratios"][f"growth_exponent{suffix}"] == pytest.approx(exponent)
        assert found["ratios"][f"growth_exponent_last{suffix}"] == pytest.approx(exponent)
    squeezed = found["rows"][-1]
    # the least of the loads keeps all neighbors together: far more than one contact an element
    assert squeezed["closed_contacts"] > 8 * 20
    assert squeezed["model_seconds"] > 0.0 and squeezed["build_seconds"] > 0.0


@pytest.mark.slow
def test_kernels_without_exudyn(absent, monkeypatch):
    monkeypatch.setattr(kernels, "_FINER", 4)
    monkeypatch.setattr(roofline, "_MATRIX", 64)
    monkeypatch.setattr(roofline, "_LENGTH", 1 << 12)
    monkeypatch.setattr(bone_times, "_POINTS", 500)
    found = run("kernels", quick=True)
    assert found["ratios"]["exudyn"] is None
    assert found["ratios"]["wrap_mujoco"] is None and found["ratios"]["wrap_opensim"] is None
    assert "ellipsoid_scholz: opensim is not installed" in found["notes"]
    assert found["ratios"]["forward_opensim"] is None
    assert any(note.startswith("forward_opensim: ") for note in found["notes"])
    for which in ("residual", "residual and tangent"):
        (row,) = [r for r in found["rows"] if r["case"] == f"roofline, assembly kernel, {which}"]
        part = row["gflops"] / row["gflops_limit"]
        assert found["ratios"]["roofline"][which] == pytest.approx(part)
        assert row["gflops_limit"] <= row["machine_gflops"]
    (cables,) = [row for row in found["rows"] if "tip_error" in row]
    assert 0.0 < cables["tip_error"] < 0.1
    parts = {row["case"]: row for row in found["rows"]}
    assert parts["contact search"]["us_per_slot"] > 0.0


def test_upper_limb(monkeypatch):
    monkeypatch.setattr(arm, "_LEVELS", ((4, 32), (8, 64)))
    found = run("upper_limb", quick=True, scenes=ROOT / "scenes")
    assert len(found["ratios"]["level_factors"]) == 1
    assert found["ratios"]["numpy_transcription"] is None
    first, second = found["rows"]
    assert (first["steps"], second["steps"]) == (8, 16)
    assert second["seconds_for_8_s"] == pytest.approx(4.0 * second["seconds"])


def test_upper_limb_beside_a_plain_program(monkeypatch, tmp_path):
    monkeypatch.setattr(arm, "_LEVELS", ((4, 32), (8, 64)))
    monkeypatch.setattr(arm, "_COMPARED", 1)
    (tmp_path / "_numpy_limb.py").write_text(
        "def time_steps(elements, steps_per_8s, n_steps):\n"
        "    assert (elements, steps_per_8s, n_steps) == (8, 64, 4)\n"
        "    return 100.0\n"
    )
    found = run("upper_limb", quick=True, scenes=ROOT / "scenes", verification=tmp_path)
    ours, plain = found["rows"][-2:]
    assert plain["seconds"] == 100.0
    assert found["ratios"]["numpy_transcription"] == pytest.approx(100.0 / ours["seconds"])


def test_small(monkeypatch, tmp_path):
    monkeypatch.setenv("FIBERMSK_MODELS", str(tmp_path))
    monkeypatch.setattr(small, "_STEPS", 4)
    monkeypatch.setattr(small, "_DURATION", 0.125)
    found = run("small", quick=True, scenes=ROOT / "scenes")
    assert [row["case"] for row in found["rows"]] == [
        "upper limb, backward Euler", "upper limb, SDIRK2",
    ]  # fmt: skip
    for row in found["rows"]:
        assert row["seconds_per_step"] == pytest.approx(row["seconds"] / row["steps"])
    assert found["ratios"] == {"arm26_real_time": None}
    assert "does not lead to arm26.osim" in " ".join(found["notes"])


@pytest.mark.slow
def test_small_with_line_muscles(shared_models, monkeypatch):
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    for name, value in (("_STEPS", 4), ("_DURATION", 0.125), ("_FRAMES", 4), ("_MOTION", 0.04)):
        monkeypatch.setattr(small, name, value)
    found = run("small", quick=True, scenes=ROOT / "scenes")
    arm26 = {row["case"]: row["seconds"] for row in found["rows"]}["arm26, NDF"]
    assert found["ratios"]["arm26_real_time"] == pytest.approx(0.04 / arm26)


def test_peers_that_are_absent(absent):
    found = run("peers")
    assert found["rows"] == [] and found["ratios"] == {}
    for name in ("pyelastica", "mujoco", "exudyn"):
        assert f"{name} is not installed" in found["notes"]


def test_skeleton():
    found = run("skeleton", quick=True)
    cases = {(row["case"], row["n"]): row for row in found["rows"]}
    assert len(cases) == 2 * 5
    assert cases["all", 10]["coordinates"] == 25 and cases["all", 40]["coordinates"] == 100


def test_muscle_mass(monkeypatch, tmp_path):
    monkeypatch.setenv("FIBERMSK_MODELS", str(tmp_path))
    found = run("muscle_mass", quick=True)
    seconds = {row["case"]: row["seconds"] for row in found["rows"]}
    ratio = found["ratios"]["limb_with_mass_over_massless"]
    assert ratio == pytest.approx(seconds["limb, with mass"] / seconds["limb, massless"])
    assert "does not lead to Rajagopal2016.osim" in " ".join(found["notes"])


def test_tracking_tells_what_is_missing(monkeypatch):
    monkeypatch.setenv("FIBERMSK_MODELS", "")
    found = run("tracking", quick=True, scenes=ROOT / "scenes")
    assert not found["rows"] and set(found["ratios"].values()) == {None}
    assert "does not lead to arm26_static_opt/arm26.osim" in " ".join(found["notes"])


@pytest.mark.slow
def test_tracking(shared_models, monkeypatch):
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    found = run("tracking", quick=True, scenes=ROOT / "scenes")
    assert found["rows"][0]["who"] == "fibermsk" and found["rows"][0]["iterations"] > 5


@pytest.mark.slow
def test_gradients(monkeypatch):
    from fibermsk.bench import gradients

    for name, value in (("_ELEMENTS", 3), ("_STEPS", 3), ("_DURATION", 0.05), ("_LIMB_STEPS", 3)):
        monkeypatch.setattr(gradients, name, value)
    found = run("gradients", quick=True, scenes=ROOT / "scenes")
    numbers = {row["case"]: row["n"] for row in found["rows"]}
    assert numbers["upper limb, sweep 55"] == 55 and numbers["40 muscles, sweep 400"] == 400
    assert set(found["ratios"]) == {
        f"{case.partition(', ')[0]}_{kind}_over_run".replace(" ", "_")
        for case in numbers for kind in [case.partition(", ")[2]] if kind != "run"
    }  # fmt: skip


def test_parameters(monkeypatch):
    from fibermsk.bench import parameters

    monkeypatch.setattr(parameters, "_STEPS", 160)
    monkeypatch.setattr(parameters, "_DURATION", 0.05)
    found = run("parameters", quick=True, scenes=ROOT / "scenes")
    cases = {row["case"]: row for row in found["rows"]}
    assert list(cases) == ["shear modulus", "mass", "attachment", "radius", "activation"]
    parts = found["ratios"]["part_beside_runs"]
    for case, row in cases.items():
        assert parts[case] == pytest.approx(row["seconds"] / row["run_seconds"])
    assert min(parts.values()) <= parts["all"] <= max(parts.values())


def test_view(monkeypatch):
    from fibermsk.bench import view
    from fibermsk.view.pictures import opengl

    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL, which a viewer needs")
    monkeypatch.setattr(view, "_CASES", ((5, 8), (6, 2)))
    monkeypatch.setattr(view, "_ENOUGH", {5: 30.0, 6: 10.0})
    monkeypatch.setattr(view, "_SIZE", (240, 180))
    monkeypatch.setattr(view, "_QUICK_REPEATS", 1)
    found = run("view", quick=True)
    assert [row["n"] for row in found["rows"]] == [5, 5, 6, 6]
    for row in found["rows"]:
        assert row["renderer"]
        assert row["seconds"] == row["update_seconds"] + row["draw_seconds"]
        assert row["frames_per_second"] == pytest.approx(1.0 / row["seconds"])
    wanted = found["ratios"]["frames_over_wanted"]
    assert wanted["5 fibers x 8 elements"] == pytest.approx(
        found["rows"][0]["frames_per_second"] / 30.0
    )
