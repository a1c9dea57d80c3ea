"""`fibermsk run MODEL.osim --bundle` and `fibermsk info MODEL.osim --bundle`."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.cli.options import parse_numbers, parse_settings
from fibermsk.cli.running.model_files import named, scene_of_model
from fibermsk.scene_files import find


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


def controls_of(file, model, excitations):
    """A storage of OpenSim with an excitation for each muscle, linear in time, over 0.03 s."""
    names = [one.name for one in fm.read_osim(model).muscles]
    rows = [[t, *(0.05 + t * excitations.get(name, 0.0) for name in names)] for t in (0.0, 0.03)]
    table = "\n".join("\t".join(map(str, row)) for row in rows)
    head = f"controls\nversion=1\nnRows=2\nnColumns={len(names) + 1}\ninDegrees=no\nendheader"
    file.write_text(head + "\ntime\t" + "\t".join(names) + "\n" + table + "\n")
    return str(file)


def activation_of(slope, time):
    """Thelen's dynamics with rise 0.01 s and decay 0.04 s, from 0.05, by SciPy."""

    def rate(t, a):
        u = 0.05 + slope * t
        return (u - a) / (0.01 * (0.5 + 1.5 * a) if u > a else 0.04 / (0.5 + 1.5 * a))

    return solve_ivp(rate, (0.0, 0.03), [0.05], t_eval=time, rtol=1e-10, atol=1e-12).y[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("default::fibermsk.errors.ModelWarning")
@pytest.mark.parametrize(
    ("file", "bundle", "other", "coordinate"),
    [
        ("arm26.osim", "BICshort", "BRA", "r_elbow_flex"),
        ("gait10dof18musc.osim", "bifemsh_r", "vasti_r", "knee_angle_r"),
    ],
)
def test_one_file_drives_bundles_and_lines(
    cli, tmp_path, shared_models, file, bundle, other, coordinate
):
    """The activation follows the same law on both, and each pulls."""
    model, out = str(shared_models / "opensim-models" / file), tmp_path / "mixed.h5"
    excitations = {bundle: 25.0, other: 10.0}
    controls = controls_of(tmp_path / "controls.sto", model, excitations)
    options = ["--controls", controls, "--until", "0.03", "--out", str(out), "--json"]
    settings = ["--set", "fibers=2", "elements=8", "steps=12"]
    done = cli("run", model, "--bundle", bundle, *options, *settings)
    assert json.loads(done.stdout)["status"] == "success"
    result = fm.load(out)
    assert set(result.muscles) == {one.name for one in fm.read_osim(model).muscles} - {bundle}
    assert set(result.fibers) == {f"{bundle}_1", f"{bundle}_2"}
    fiber, line = result.fibers[f"{bundle}_1"], result.muscles[other]
    for name, found in ((bundle, fiber.activation), (other, line["activation"])):
        exact = activation_of(excitations[name], result.time)
        assert exact[-1] > 2.0 * exact[0]
        # Euler's method with steps of 2.5 ms
        np.testing.assert_allclose(found, exact, rtol=0, atol=0.03)
    pulls = fiber.axial_force.mean(axis=1), line["tendon_force"]
    assert all(pull[-1] > 1.2 * pull[0] > 0.0 for pull in pulls)
    assert np.ptp(result.coordinates[coordinate]) > 1e-4


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["run", "MODEL", "--controls", "no.sto"], "there is no such file"),
        (["run", "MODEL", "--controls", "2"], "must be in [0, 1]"),
        (["run", "MODEL", "--activation", "0.1"], "without --bundle"),
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


def test_numbers_of_a_muscle_change_before_it_becomes_a_bundle(shared_models, cli, tmp_path):
    """Sections carry the new force: F0 over the tension; other numbers are of the fibers."""
    arm = shared_models / "opensim-models" / "arm26.osim"
    out = tmp_path / "arm.h5"
    changed = "--param", "BICl*/max_isometric_force=300", "BIClong_*/tissue/density=1000"
    short = "--set", "steps=2", "duration=0.002"
    done = cli("run", arm, "--bundle", "BIClong", *short, *changed, "--out", out, "--json")
    assert done.exit_code == 0
    kept = fm.load(out)
    assert kept.parameters["BICl*/max_isometric_force"] == 300
    file, settings = scene_of_model(arm, "BIClong", None, None)
    values = parse_settings(settings, file.parameters, "model")
    scene = file.make(values, parse_numbers(changed[1:]))
    assert {fiber.tissue.density for fiber in scene.model.fibers} == {1000.0}
    theta = np.linspace(0.0, 1.0, 201)
    belly = [np.max(fiber.radius(theta)) for fiber in scene.model.fibers]
    start = [kept.fibers[fiber.name].radius[0].max() for fiber in scene.model.fibers]
    stress = scene.model.fibers[0].tissue.active.max_stress
    assert np.pi * np.sum(np.square(belly)) * stress == pytest.approx(300.0, rel=1e-9)
    assert np.allclose(start, belly, rtol=0.1)


def test_numbers_that_a_bundle_has_no_more_are_refused(shared_models, cli, tmp_path):
    arm = shared_models / "opensim-models" / "arm26.osim"
    out = tmp_path / "arm.h5"
    controls = "--controls", "0.1"
    for path in ("BIClong/law/damping", "BIC*/law/damping"):
        done = cli(
            "run", arm, "--bundle", "BIClong", *controls, "--param", f"{path}=0.2", "--out", out
        )
        assert done.exit_code == 2 and not out.exists()
        text = done.stderr.replace("\n", " ")
        assert f"--param {path}: would have no effect: 'BIClong' is a bundle" in text


def test_specific_tension_of_bundles(shared_models, cli):
    arm = shared_models / "opensim-models" / "arm26.osim"
    done = cli("info", arm, "--bundle", "BIClong", "--set", "specific_tension=5e5", "--json")
    one = json.loads(done.stdout)["muscles"]["BIClong"]
    # sections that F0 and this tension give, or thinner ones where bones leave no room
    factor = one["radius_factor"]
    assert 0.5 < factor <= 1.0
    assert one["specific_tension"] == pytest.approx(5e5 / factor**2, rel=1e-9)
    done = cli("info", arm, "--bundle", "BIClong", "--set", "specific_tension=-1")
    assert done.exit_code == 2 and "specific_tension = -1.0; must be positive" in done.stderr


def test_a_resumed_model_has_the_name_of_its_file(model):
    file, settings = scene_of_model(Path(model), "bifemsh_r", None, None)
    again = find(str(file.path))
    assert again.name == "model_scene" and named(again, settings).name == "gait10dof18musc"
    assert named(find("hanging_fiber"), settings).name == "hanging_fiber"
