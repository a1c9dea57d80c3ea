"""A flicked finger with and without the mass of its muscles."""

import numpy as np
import pytest
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.verify import Unavailable, run_problem

PROBLEM = load_module("finger_flick")


@pytest.fixture
def there(shared_models, monkeypatch):
    """The hand."""
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    try:
        PROBLEM.made()
    except Unavailable as missing:
        pytest.skip(str(missing))


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_inertia_is_that_of_plain_numpy(there):
    heavy, bare = (PROBLEM.made(muscles=on).model for on in (True, False))
    bones, own = PROBLEM.plain_masses(heavy)
    np.testing.assert_allclose(PROBLEM.masses(fm.build(heavy)), bones + own, rtol=1e-10)
    np.testing.assert_allclose(PROBLEM.masses(fm.build(bare)), bones, rtol=1e-10)
    np.testing.assert_allclose(1.0 + own / bones, (2.3, 2.3, 4.5), atol=0.05)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_who_bursts_depends_on_the_integrator(there):
    outcome = run_problem(load_problem("finger_flick"), {})
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]
    assert outcome.values["runge_kutta_muscles"] > outcome.values["runge_kutta_bare"]


def test_without_the_hand_the_scene_says_what_it_needs(monkeypatch, tmp_path):
    monkeypatch.setenv("FIBERMSK_MODELS", str(tmp_path))
    with pytest.raises(Unavailable, match="myohand_body.xml"):
        PROBLEM.made()
    (tmp_path / "myohand_body.xml").write_text("<mujocoinclude><body name='a'/></mujocoinclude>")
    with pytest.raises(fm.ModelError, match="has no mcp2_flexion"):
        fm.make_scene("finger_flick")
