"""`fibermsk run MODEL.osim --bundle` and `fibermsk info MODEL.osim --bundle`."""

import json

import pytest

import fibermsk as fm


@pytest.fixture
def model(shared_models):
    path = shared_models / "opensim-models" / "gait10dof18musc.osim"
    if not path.is_file():
        pytest.skip(f"no gait10dof18musc.osim in {path.parent}")
    return str(path)


def test_info_reports_without_a_run(model, cli):
    done = cli("info", model, "--bundle", "bifemsh_*", "--set", "fibers=2", "--json")
    found = json.loads(done.stdout)
    assert set(found["muscles"]) == {"bifemsh_r", "bifemsh_l"} and not found["refused"]
    one = found["muscles"]["bifemsh_r"]
    assert one["fibers"] == 2 and 3e5 <= one["specific_tension"] <= 1e6
    assert 0.0 < one["mass"] < 1.0 and list(one["rings"]) == ["bifemsh_r_via1"]


@pytest.mark.slow
@pytest.mark.filterwarnings("default::fibermsk.errors.ModelWarning")
def test_run_writes_a_result(model, cli, tmp_path):
    file = tmp_path / "activation.csv"
    file.write_text("time,bifemsh_r,vasti_r\n0,0.01,0\n0.02,0.3,0\n")
    out = tmp_path / "leg.h5"
    options = ["--activation", str(file), "--out", str(out), "--json"]
    settings = ["--set", "fibers=1", "elements=8", "steps=4", "duration=0.02"]
    done = cli("run", model, "--bundle", "bifemsh_r,vasti*_r", *options, *settings)
    found = json.loads(done.stdout)
    assert found["status"] == "success" and found["scene"] == "gait10dof18musc"
    # one fiber is too thick for the vasti
    assert "max_isometric_force = 5000 N" in found["refused"]["vasti_r"]
    result = fm.load(out)
    assert result.stats["muscles"] == {"refused": found["refused"], "remarks": found["remarks"]}
    assert set(result.fibers) == {"bifemsh_r_1"}
    assert result.coordinates["knee_angle_r"][-1] != result.coordinates["knee_angle_r"][0]
    # joints that the muscle does not cross are locked
    assert result.coordinates["ankle_angle_r"][-1] == result.coordinates["ankle_angle_r"][0]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["run", "MODEL", "--controls", "no.sto"], "there is no such file"),
        (["run", "MODEL", "--controls", "2"], "must be in [0, 1]"),
        (["run", "MODEL", "--activation", "0.1"], "without --bundle"),
        (["run", "contracting_fiber", "--until", "1"], "--until 1.0: must be left out"),
        (["run", "MODEL", "--bundle", "bicep"], "muscles = 'bicep'; must be a muscle"),
        (["run", "MODEL", "--bundle", "bifemsh_r", "--activation", "2"], "must be in [0, 1]"),
        (["run", "MODEL", "--bundle", "bifemsh_r", "--activation", "no.sto"], "or a file (.sto"),
        (["run", "MODEL", "--bundle", "bifemsh_r", "--set", "free=some"], "must be one of"),
        (["run", "MODEL", "--bundle", "bifemsh_r", "--set", "contact=femur_r"], "geometry=DIR"),
        (
            ["run", "MODEL", "--bundle", "bifemsh_r,vasti_r", "--set", "fibers=1"],
            "no bundle for muscle 'vasti_r': fibers of muscle 'vasti_r': max_isometric",
        ),
        (["run", "contracting_fiber", "--bundle", "all"], "--bundle all: must be left out"),
        (["run", "none.osim", "--bundle", "all"], "there is no model file none.osim"),
    ],
)
def test_refusals(model, cli, arguments, match):
    done = cli(*[model if one == "MODEL" else one for one in arguments])
    assert done.exit_code == 2
    assert match in done.stderr.replace("\n", " ")
