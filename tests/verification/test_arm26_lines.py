"""Line muscles of arm26 against OpenSim."""

import _arm26_variants as variants
import _peers
import pytest
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.verify import Unavailable, run_problem

PROBLEM = load_module("arm26_lines")


@pytest.fixture
def there(shared_models, monkeypatch):
    """The model and OpenSim."""
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    try:
        return variants.folder(), _peers.python_of_opensim()
    except Unavailable as missing:
        pytest.skip(str(missing))


def test_states_are_those_of_opensim(there):
    """At equal equations, with wrapping."""
    duration, tolerance = 0.05, 1e-6
    found = variants.run_both(["spheres"], duration, tolerance, PROBLEM.ACCURACY)
    answers = PROBLEM.expected(duration, tolerance)
    off = variants.differences(*found["spheres"])
    for quantity in (*PROBLEM.LIMITS, "start"):
        assert answers[f"spheres_{quantity}_off"].holds(off[quantity]), quantity
    assert off["coordinates"] < 5e-6


@pytest.mark.slow
def test_the_whole_motion(there):
    outcome = run_problem(load_problem("arm26_lines"), {"duration": 1.0})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]


def test_without_the_model_the_problem_is_skipped(monkeypatch, tmp_path):
    monkeypatch.setenv("FIBERMSK_MODELS", str(tmp_path))
    with pytest.raises(Unavailable, match=str(tmp_path)):
        PROBLEM.run()
    with pytest.raises(fm.ModelError, match=r"arm26_lines: model = ''.*opensim-org"):
        fm.make_scene("arm26_lines")


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"duration": 2.0}, "duration = 2.0 s; must be a multiple of 0.01 s up to 1.0 s"),
        ({"tolerance": 1.0}, "tolerance = 1.0; must be 1e-9 to 1e-5"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(fm.ModelError, match=message):
        PROBLEM.run(**settings)
    with pytest.raises(fm.ModelError, match="duration = 11.0 s; must be positive and at most 10"):
        fm.make_scene("arm26_lines", duration=11.0)
