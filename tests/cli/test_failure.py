"""Runs that fail on the way: message, exit status, and what is in the file."""

import json

import numpy as np
import pytest
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.cli.main import app

SCENE = '''
import fibermsk as fm


def pulse(t):
    return {pulse}


def scene():
    """One fiber between two walls."""
    model = fm.Model("pulled", gravity=(0, 0, 0))
    tissue = fm.Tissue(
        1000.0, fm.KelvinVoigt(1e5, {viscosity}), active=fm.ActiveStress(1e5, 1.0), prestress=1e3
    )
    hand = fm.MovingPoint(lambda t: ({where}, 0.0, 0.0))
    model.add(
        fm.Fiber("f", attach=(model.ground.at(0, 0, 0), hand), radius=2e-3, n_elements=3,
                 tissue=tissue, activation=pulse)
    )
    return fm.Scene(model, duration=0.1, steps=10, tolerance=0.0)
'''


def run(tmp_path, capsys, **parts):
    parts = {"pulse": "0.1", "viscosity": 100.0, "where": "0.1"} | parts
    (tmp_path / "pulled.py").write_text(SCENE.format(**parts), encoding="utf-8")
    out = tmp_path / "pulled.h5"
    with pytest.raises(SystemExit) as end:
        app(["run", str(tmp_path / "pulled.py"), "--out", str(out), "--json", "--quiet"])
    return end.value.code or 0, fm.load(out), *capsys.readouterr()


def test_signal_that_is_no_number_between_frames(tmp_path, capsys):
    """Found by no check beforehand; the first stage of the step from 0.03 s lies at 0.0329 s."""
    pulse = "float('nan') if 0.03292 < t < 0.03294 else 0.1"
    code, result, printed, errors = run(tmp_path, capsys, pulse=pulse)
    assert code == 1 and result.status == "failed"
    assert "from t = 0.03 s, in interval 4, failed: fiber 'f': activation at t = 0.03" in errors
    assert "nan" in errors and "the frames up to t = 0.03 s are in" in errors
    np.testing.assert_allclose(result.time, [0.0, 0.01, 0.02, 0.03], atol=1e-15)
    assert np.isfinite(result.fibers["f"].position).all()
    report = json.loads(printed)
    assert report["status"] == "failed" and report["time_end"] == pytest.approx(0.03)


def test_compression_is_reported(tmp_path, capsys):
    """The fiber is pushed together to 0.8 of its length within 0.05 s."""
    where = "0.1 - 0.02 * min(t / 0.05, 1.0) ** 2"
    with pytest.warns(
        fm.ModelWarning,
        match="compressed fibers: f from t = .*Without bending stiffness.*Tissue.bending",
    ):
        code, result, printed, _ = run(tmp_path, capsys, where=where, pulse="0.0")
    (interval,) = json.loads(printed)["slack"]
    assert code == 0 and result.slack == (fm.results.Slack(**interval),)
    history = result.fibers["f"]
    when = (history.axial_force < 0.0).any(axis=1)
    assert interval["fiber"] == "f" and interval["start"] == pytest.approx(result.time[when][0])
    # the log looks at other points of the elements than the stored samples
    assert interval["force"] == pytest.approx(history.axial_force.min(), rel=0.3)
    assert 0.0 < interval["theta"] < 1.0


def test_error_holds_when_where_and_why():
    system = fm.build(two_link_arm(contact=False))
    system.cables.rows.law[:, :, 6] = -3e4  # a prestress that pushes
    with pytest.raises(fm.ConvergenceError) as caught:
        fm.simulate(
            system,
            t_end=0.1,
            dt=0.01,
            newton=fm.Newton(max_iterations=1),
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
    error = caught.value
    assert error.time == 0.0 and error.step == 1 and error.result.status == "failed"
    assert error.where in str(error) and error.where.startswith(("fiber_", "shoulder", "elbow"))
    for part in (
        "the step from t = 0 s, in interval 1, failed even at a length of 2.4e-06 s",
        "no convergence in 1 iterations",
        "largest residual",
        "Likely cause: fiber 'fiber_0' is compressed by",
    ):
        assert part in str(error)
