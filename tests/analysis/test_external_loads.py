"""External loads of OpenSim in inverse dynamics."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner
from verify.problem_files import load_module, load_problem

import fibermsk as fm
from fibermsk.cli.main import app
from fibermsk.verify import Unavailable, run_problem

PROBLEM = load_module("inverse_dynamics")
COLUMNS = [f"{name}_{axis}" for name in ("force", "point", "torque") for axis in "xyz"]


def test_walking_is_that_of_opensim(shared_models, monkeypatch):
    """With ground reactions of both feet, to the last printed digit."""
    monkeypatch.setenv("FIBERMSK_MODELS", str(shared_models))
    try:
        outcome = run_problem(load_problem("inverse_dynamics"), {})
    except Unavailable as missing:
        pytest.skip(str(missing))
    assert outcome.passed, [(row.quantity, row.ours) for row in outcome.rows if not row.passed]
    assert 100.0 < outcome.values["residual_N"] < 200.0


def pendulum():
    model = fm.Model("pendulum", gravity=(0.0, 0.0, 0.0), meant=("mass",))
    bob = model.add(fm.Body("bob", 1.0, (0, -0.3, 0), (0.01, 0.01, 0.01)))
    model.add(fm.Hinge("hinge", model.ground, bob, (0.1, 0.2, 0), (0, 0, 1)))
    return model


def loads(folder, table=None, file="loads.mot", **fields):
    """Files of one load, with some of its fields."""
    fields = {
        "applied_to_body": "bob", "force_expressed_in_body": "ground",
        "point_expressed_in_body": "ground", "force_identifier": "force",
        "point_identifier": "point", "torque_identifier": "torque",
    } | fields  # fmt: skip
    kind = fields.pop("kind", "ExternalForce")
    inner = "".join(f"<{tag}>{text}</{tag}>" for tag, text in fields.items())
    (folder / "loads.xml").write_text(
        f'<OpenSimDocument Version="40000"><ExternalLoads name="loads"><objects><{kind} '
        f'name="push">{inner}</{kind}></objects><datafile>{file}</datafile></ExternalLoads>'
        "</OpenSimDocument>"
    )
    if table is None:
        table = [[t, 3.0, -2.0, 5.0, 0.4, -0.1, 0.7, 0.0, 0.0, 0.6] for t in np.linspace(0, 1, 11)]
    lines = ["loads", "version=1", f"nRows={len(table)}", "nColumns=10", "endheader"]
    lines += ["\t".join(["time", *COLUMNS]), *("\t".join(map(str, row)) for row in table)]
    (folder / "loads.mot").write_text("\n".join(lines) + "\n")
    return folder / "loads.xml"


MOTION = {"time": np.linspace(0.2, 0.8, 31), "hinge": 0.5 * np.sin(np.linspace(0.0, 3.0, 31))}


@pytest.mark.parametrize(
    "frames, torque",
    [
        # about the hinge, whatever the angle
        (("ground", "ground"), lambda q: 0.6 + 0.3 * -2.0 - (-0.3) * 3.0 + 0.0 * q),
        # the force turns away from the body-fixed point
        (
            ("ground", "bob"),
            lambda q: (
                0.6
                + (0.4 * np.cos(q) + 0.1 * np.sin(q)) * -2.0
                - (0.4 * np.sin(q) - 0.1 * np.cos(q)) * 3.0
            ),
        ),
        (("bob", "bob"), lambda q: 0.6 + 0.4 * -2.0 + 0.1 * 3.0 + 0.0 * q),
    ],
    ids=["ground", "point of the body", "body"],
)
def test_a_load_on_a_pendulum(tmp_path, frames, torque):
    model = pendulum()
    free = fm.inverse_dynamics(model, MOTION).force["hinge"]
    fields = dict(zip(("force_expressed_in_body", "point_expressed_in_body"), frames, strict=True))
    model.add(*fm.read_external_loads(loads(tmp_path, **fields), model))
    found = fm.inverse_dynamics(model, MOTION).force["hinge"]
    np.testing.assert_allclose(free - found, torque(MOTION["hinge"]), atol=1e-12)


def test_a_load_without_a_point_acts_at_the_origin_of_the_body(tmp_path):
    (load,) = fm.read_external_loads(
        loads(tmp_path, point_identifier="", torque_identifier=""), pendulum()
    )
    assert load.at_frame == "body" and not np.any(load.at) and not np.any(load.torque)


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"applied_to_body": "bib"}, r"line 1: ExternalForce 'push': .*did you mean 'bob'"),
        ({"force_identifier": "fource"}, "identifier 'fource' begins 0 names of columns; must beg"),
        ({"point_identifier": "poi", "torque_identifier": "p"}, None),
        ({"force_identifier": "", "torque_identifier": ""}, "has neither force nor torque"),
        ({"point_expressed_in_body": "toes"}, "'toes'; must be ground or bob"),
        ({"isDisabled": "true"}, "has no force that acts"),
        ({"appliesForce": "perhaps"}, "appliesForce = 'perhaps'; must be true or false"),
        ({"kind": "PrescribedForce"}, "another kind of load"),
        ({"file": ""}, "has no <datafile>"),
        ({"file": "other.mot"}, "other.mot.*not found"),
    ],
)
def test_wrong_files_are_refused(tmp_path, fields, words):
    file = loads(tmp_path, **fields)
    if words is None:  # beginnings of names are enough
        assert len(fm.read_external_loads(file, pendulum())) == 1
        return
    with pytest.raises(fm.ModelError, match=words):
        fm.read_external_loads(file, pendulum())


def test_a_missing_file_is_said_to_be_one_of_loads(tmp_path):
    with pytest.raises(fm.ModelError, match="no such file; must name a loads file"):
        fm.read_external_loads(tmp_path / "nope.xml", pendulum())


def test_fields_that_are_not_used_are_named(tmp_path):
    with pytest.warns(fm.ModelWarning, match="not used: gain"):
        fm.read_external_loads(loads(tmp_path, gain="2"), pendulum())


def test_a_motion_beyond_the_loads_is_refused(tmp_path):
    model = pendulum()
    model.add(*fm.read_external_loads(loads(tmp_path), model))
    late = MOTION | {"time": MOTION["time"] + 0.3}
    with pytest.raises(fm.ModelError, match=r"'push', 'force': t = 1.1 s; must be in \[0, 1\] s"):
        fm.inverse_dynamics(model, late)


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_command_with_loads(shared_models, tmp_path):
    home = shared_models / "opensim-models" / "gait10dof18musc_reference"
    if not home.is_dir():
        pytest.skip(f"no {home}")
    out, files = tmp_path / "id.sto", [home / "subject01.osim", home / "subject01_walk_IK.mot"]
    given = ["--loads", home / "subject01_walk_grf.xml", "--lowpass", 6, "--out", out, "--json"]
    found = CliRunner().invoke(app, ["id", *map(str, files), *map(str, given)])
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    assert abs(report["largest"]["ankle_angle_r"] - 130.26) < 0.01


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
def test_activations_of_walking_with_ground_reactions(shared_models, tmp_path):
    """What muscles and reserves give is what inverse dynamics needs; one command each."""
    home = shared_models / "opensim-models" / "gait10dof18musc_reference"
    if not home.is_dir():
        pytest.skip(f"no {home}")
    files = [str(home / "subject01.osim"), str(home / "subject01_walk_IK.mot")]
    loads = ["--loads", str(home / "subject01_walk_grf.xml"), "--lowpass", "6"]
    out = tmp_path / "so.sto"
    found = CliRunner().invoke(app, ["so", *files, *loads, "--out", str(out), "--json"])
    assert found.exit_code == 0, found.output
    report = json.loads(next(line for line in found.output.splitlines() if line.startswith("{")))
    assert report["optimality"] < 1e-9
    assert report["assumptions"]["external forces"] == "right, left"
    model = fm.read_osim(files[0])
    model.add(*fm.read_external_loads(loads[1], model))
    needed = fm.inverse_dynamics(model, files[1], lowpass=6.0).force
    for name, one in report["reserves"].items():
        assert abs(one["required"] - np.abs(needed[name]).max()) < 1e-9
    # without the ground the ankle needs next to nothing
    table = fm.read_signals(out)
    assert np.abs(needed["ankle_angle_r"]).max() > 100.0
    assert table.signal("soleus_r/activation").max() > 0.3
