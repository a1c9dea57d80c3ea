"""Equilibria of the muscles of published models against OpenSim."""

import _arm26_variants as variants
import _peers
import pytest
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.verify import Unavailable, run_problem


@pytest.mark.parametrize("model", ["arm26", pytest.param("all", marks=pytest.mark.slow)])
def test_fibers_are_as_long_as_in_opensim(model, shared_models, monkeypatch):
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    try:
        variants.folder()
        _peers.python_of_opensim()
    except Unavailable as missing:
        pytest.skip(str(missing))
    outcome = run_problem(load_problem("muscle_equilibria"), {"model": model})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]


def test_unknown_models_are_refused():
    with pytest.raises(fm.ModelError, match="model = 'leg'; must be one of arm26, gait10"):
        load_module("muscle_equilibria").run("leg")
