"""Every bench, tiny: the object of the interface comes out, and absent peers are named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fibermsk.bench import BENCHES, Options, bundle, kernels, peer_table, run_bench, scaling
from fibermsk.bench import upper_limb as arm

ROOT = Path(__file__).parents[2]


@pytest.fixture
def absent(monkeypatch):
    """No peer is installed."""
    for module in (bundle, kernels, peer_table):
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
    """A peer that is ours under another name is about as fast."""
    ours = replace(bundle.OURS, steps=(32,), converged=48)
    monkeypatch.setattr(bundle, "OURS", ours)
    monkeypatch.setattr(bundle, "PYELASTICA", replace(ours, who="pyelastica"))
    monkeypatch.setattr(bundle, "is_installed", lambda name: name == "pyelastica")
    monkeypatch.setattr(bundle, "_N", (2,))
    monkeypatch.setattr(bundle, "_COMPARED", 2)
    monkeypatch.setattr(bundle, "_REPEATS", 1)
    found = run("bundle")
    assert 0.2 < found["ratios"]["pyelastica"] < 5.0 and found["ratios"]["mujoco"] is None
    assert [row["who"] for row in found["rows"][2:]] == [
        "fibermsk",
        "pyelastica",
        "fibermsk, one thread",
        "fibermsk, without bending",
        "fibermsk, whole swing",
    ]
    swing, peer = found["rows"][-1], found["rows"][3]
    assert swing["worst_sag_error"] <= peer["worst_sag_error"]
    assert found["ratios"]["pyelastica_swing"] > 0.0


def test_scaling(monkeypatch):
    monkeypatch.setattr(scaling, "_N", (4, 8))
    monkeypatch.setattr(scaling, "_REPEATS", 1)
    found = run("scaling", quick=True)
    assert [row["n"] for row in found["rows"]] == [4, 8] * 2
    assert -1.0 < found["ratios"]["growth_exponent"] < 3.0
    squeezed = found["rows"][-1]
    # the least of the loads keeps all neighbors together: far more than one contact an element
    assert squeezed["closed_contacts"] > 8 * 20
    assert squeezed["model_seconds"] > 0.0 and squeezed["build_seconds"] > 0.0


def test_kernels_without_exudyn(absent, monkeypatch):
    monkeypatch.setattr(kernels, "_FINER", 4)
    found = run("kernels", quick=True)
    assert found["ratios"]["exudyn"] is None
    assert found["ratios"]["wrap_mujoco"] is None and found["ratios"]["wrap_opensim"] is None
    assert any("line muscles" in note for note in found["notes"])
    assert 0.0 < found["ratios"]["roofline"]["residual"] < 1.0
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


def test_peers_that_are_absent(absent):
    found = run("peers")
    assert found["rows"] == [] and found["ratios"] == {}
    for name in ("pyelastica", "mujoco", "exudyn"):
        assert f"{name} is not installed" in found["notes"]


def test_skeleton():
    found = run("skeleton", quick=True)
    cases = {(row["case"], row["n"]): row for row in found["rows"]}
    assert cases["all", 40]["coordinates"] == 100
    parts = sum(row["seconds"] for (case, n), row in cases.items() if n == 40 and case != "all")
    assert 0.3 * parts < cases["all", 40]["seconds"] < 3.0 * parts


def test_view(monkeypatch):
    from fibermsk.bench import view
    from fibermsk.view import opengl

    if not opengl.off_screen_works():
        pytest.skip("this machine has no OpenGL, which a viewer needs")
    monkeypatch.setattr(view, "_CASES", ((5, 8), (500, 3)))
    found = run("view", quick=True)
    assert [row["n"] for row in found["rows"]] == [5, 5, 500, 500]
    for row in found["rows"]:
        assert row["renderer"]
        assert row["seconds"] == row["update_seconds"] + row["draw_seconds"]
        assert row["frames_per_second"] == pytest.approx(1.0 / row["seconds"])
    wanted = found["ratios"]["frames_over_wanted"]
    assert wanted["5 fibers x 8 elements"] == pytest.approx(
        found["rows"][0]["frames_per_second"] / 30.0
    )
