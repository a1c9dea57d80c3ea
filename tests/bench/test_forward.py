"""The forward run of arm26 in the benchmark, each program in its own process."""

import os
from pathlib import Path

import pytest

from fibermsk.bench import Findings, Options
from fibermsk.bench.forward import case, compare
from fibermsk.bench.measure.machine import is_installed

SCENES = Path(__file__).parents[2] / "scenes"


def test_without_the_model_there_is_a_note(monkeypatch):
    monkeypatch.delenv("FIBERMSK_MODELS", raising=False)
    findings = Findings()
    compare.add_forward(findings, Options(quick=True, scenes=SCENES))
    assert findings.rows == [] and set(findings.ratios.values()) == {None}
    assert findings.notes == ["forward_opensim: FIBERMSK_MODELS does not lead to arm26.osim"]


@pytest.mark.slow
def test_programs_compute_the_same_run():
    """Errors fall with the tolerance, and runs of both programs are near each other."""
    if case.model_file() is None or not is_installed("opensim"):
        pytest.skip(f"opensim, or arm26.osim in {os.environ.get('FIBERMSK_MODELS')!r}, is missing")
    findings = Findings()
    compare.add_forward(findings, Options(quick=True, scenes=SCENES))
    errors = [row["error"] for row in findings.rows if row["who"] == "fibermsk"]
    assert 1e-5 < errors[0] < 1e-3 and errors[1] < 1e-5
    assert {row["who"] for row in findings.rows} == {
        "fibermsk", "opensim", "opensim, without TRIlongglen",
    }  # fmt: skip
    assert None not in findings.ratios.values()
