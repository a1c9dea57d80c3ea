"""Muscles around surfaces in the benchmark, each program in its own process."""

import pytest

from fibermsk.bench import Findings, Options
from fibermsk.bench.measure.machine import is_installed
from fibermsk.bench.wraps import compare


def test_programs_compute_the_same_paths(monkeypatch):
    """Lengths of installed programs agree with ours; without agreement there is no ratio."""
    if not is_installed("mujoco") and not is_installed("opensim"):
        pytest.skip("neither mujoco nor opensim is installed")
    strict = [
        one._replace(apart=0.0) if one.ratio == "ellipsoid_scholz" else one
        for one in compare.RIVALS
    ]
    monkeypatch.setattr(compare, "RIVALS", strict)
    monkeypatch.setattr(compare, "_QUICK_POSES", 300)
    monkeypatch.setattr(compare, "_RUNS", 1)
    findings = Findings()
    compare.add_wraps(findings, Options(quick=True))
    times = {(row["case"], row["who"]): row["seconds"] for row in findings.rows}
    for one in strict:
        if not is_installed(one.package):
            assert f"{one.ratio}: {one.package} is not installed" in findings.notes
        elif one.ratio == "ellipsoid_scholz":
            assert any("ellipsoid_scholz: lengths differ by" in note for note in findings.notes)
        else:
            case = compare._case(one.surface, one.muscles)
            ratio = times[case, one.who] / times[case, "fibermsk"]
            assert findings.ratios[one.ratio] == pytest.approx(ratio)
    for row in findings.rows:
        assert row["length_difference"] < 2e-5 and row["moment_arm_difference"] < 2e-5
    if is_installed("opensim"):
        assert findings.ratios["ellipsoid_scholz"] is None
        last = findings.rows[-1]
        assert last["who"] == "opensim, Scholz2015" and last["length_difference"] < 1e-11
