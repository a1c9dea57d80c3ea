import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import pytest
from make_result import make_hanging_fiber, make_meshed_arm, make_reporting_arm, make_result

from fibermsk import scene_files
from fibermsk.io import load, save


@pytest.fixture
def file(tmp_path):
    return save(make_result(9), tmp_path / "run.h5")


def test_info_prints_contents_ranges_and_units(cli, file):
    done = cli("info", file)
    assert done.exit_code == 0
    assert "/time" in done.stdout
    assert "0 to 8 s" in done.stdout
    assert "elements = 8" in done.stdout
    found = json.loads(cli("info", file, "--json").stdout)
    assert found["scene"] == "upper_limb"
    assert found["parameters"]["steps"] == 8
    assert {"/time", "/fibers/biceps_1/position"} <= {item["path"] for item in found["datasets"]}


def test_info_fits_a_screen(cli, file, tmp_path):
    one = load(file)
    history = one.fibers["biceps_1"]
    many = replace(one, fibers={f"fiber_{k}": history for k in range(100)})
    shown = cli("info", save(many, tmp_path / "many.h5")).stdout.splitlines()
    assert len(shown) < 48 and max(map(len, shown[1:])) < 110
    (row,) = (line for line in shown if "/axial_force" in line)
    assert row.split()[:3] == ["/fibers/*/axial_force", "x", "100"]
    assert any(line.startswith("  fibers: fiber_0, fiber_1, ") for line in shown)
    every = cli("info", tmp_path / "many.h5", "--all").stdout
    assert every.count("/axial_force") == 100 and "*: all of one kind" not in every


def test_info_of_optimal_control_and_line_muscles_fits_a_screen(cli, tmp_path):
    arm = make_reporting_arm()
    control = {f"muscle_{k}": arm.tables["control"]["biceps"] for k in range(40)}
    ends = {f"motion of joint_{k} at the end": control["muscle_0"] for k in range(40)}
    muscle = arm.muscles["brachialis"]
    extra = {f"field_{k}": muscle["length"] for k in range(30)}
    fields = [muscle.fields["length"]._replace(name=name) for name in extra]
    fields = {one.name: one for one in fields}
    muscle = type(muscle)(muscle.fields | fields, {**muscle.arrays, **extra}, muscle.path, 0.004)
    tables = arm.tables | {"control": control, "multipliers": ends}
    many = replace(arm, tables=tables, muscles={"brachialis": muscle, "brachioradialis": muscle})
    shown = cli("info", save(many, tmp_path / "many.h5")).stdout.splitlines()
    assert len(shown) < 70 and max(map(len, shown[1:])) < 110
    (row,) = (line for line in shown if "/control/" in line)
    assert row.split()[:3] == ["/control/*", "x", "40"]
    assert sum("/muscles/" in line for line in shown) == 4
    further = " ".join(shown).partition("/muscles/*, further: ")[2].split()
    assert {f"field_{k}," for k in range(29)} <= set(further)
    every = cli("info", tmp_path / "many.h5", "--all").stdout
    assert every.count("/muscles/") > 60 and "further" not in every


def test_info_lists_parameters_of_a_scene(cli):
    done = cli("info", "upper_limb", "--parameters", "--match", "biceps_*/tissue/active/*")
    assert done.exit_code == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    assert first == "model 'upper_limb': 8 parameters"
    assert lines[3].split() == ["biceps_1/tissue/active/exponent", "4", "(1,", "100]"]
    assert lines[-1] == "  --all: with descriptions" and max(map(len, lines)) <= 80
    described = cli("info", "upper_limb", "--parameters", "--match", "forearm/mass", "--all")
    assert described.stdout.splitlines()[1].split("(0, inf)  ")[1].startswith("Mass [kg]; positive")
    command = ("info", "upper_limb", "--parameters", "--json", "--set", "numbers=printed")
    found = json.loads(cli(*command, "--match", "triceps_3/tissue/*").stdout)["parameters"]
    assert found["triceps_3/tissue/prestress"] == {
        "value": 16.0,
        "unit": "N/m^2",
        "range": "[0, inf)",
        "description": "Constant Cauchy stress sigma_0 [N/m^2]; zero or positive, since a cable "
        "carries no compression.",
    }
    every = json.loads(cli("info", "upper_limb", "--parameters", "--json").stdout)["parameters"]
    assert len(every["elbow_flexion/axis"]["value"]) == 3 and every["forearm/mass"]["value"] == 1.5


@pytest.mark.parametrize(
    "command, words",
    [
        (["x.h5", "--parameters"], "x.h5 is a result, not a model"),
        (["upper_limb", "--parameters", "--match", "bicep/radius"], "no parameter 'bicep/radius'"),
        (["upper_limb", "--parameters", "--set", "steps=x"], "steps"),
        (["x.h5", "--match", "x"], "--match x: must be left out without --parameters"),
    ],
)
def test_info_refuses_parameters_that_are_not_there(cli, command, words):
    done = cli("info", *command)
    assert done.exit_code == 2 and words in done.stderr


def test_info_and_view_of_a_result_with_meshes(cli, tmp_path):
    file = save(make_meshed_arm(), tmp_path / "meshed.h5")
    done = cli("info", file, "--all")
    assert done.exit_code == 0, done.stderr
    assert "/bodies/forearm/visuals/mesh_0/vertices" in done.stdout
    assert json.loads(cli("info", file, "--json").stdout)["up"] == [0.0, 0.0, 1.0]
    assert cli("view", file, "--picture", tmp_path / "x.png").exit_code == 0


@pytest.mark.parametrize("command", [["info"], ["plot", "--out", "x.png"], ["view"]])
def test_bad_files(cli, tmp_path, command):
    done = cli(*command, tmp_path / "missing.h5")
    assert done.exit_code == 2
    assert "there is no such file" in done.stderr
    with h5py.File(tmp_path / "other.h5", "w"):
        pass
    done = cli(*command, tmp_path / "other.h5")
    assert done.exit_code == 2
    assert "not a fibermsk result" in done.stderr


def test_plot_writes_pictures(cli, file, tmp_path):
    for name in ("new/page.png", "page.svg"):
        done = cli("plot", file, "--out", tmp_path / name)
        assert done.exit_code == 0, done.stderr
        assert (tmp_path / name).stat().st_size > 10_000
    out = tmp_path / "some.png"
    assert cli("plot", file, "--what", "speeds", "solver", "--out", out).exit_code == 0
    assert cli("plot", "--what", "speeds", "--what", "radius", file, "--out", out).exit_code == 0
    told = save(make_reporting_arm(), tmp_path / "told.h5")
    assert ".tension    band" in cli("plot", told, "--list").stdout
    assert cli("plot", "--what", "band.tension", "load.force", told, "--out", out).exit_code == 0
    assert "/elements/band/tension  " in cli("info", told).stdout
    for what in (["speeds,solver"], ["speeds,", "solver"], ["speeds", "solver,radius"]):
        assert cli("plot", "--what", *what, file, "--out", out).exit_code == 0
    done = cli("plot", file, "--what", ",", "--out", out)
    assert done.exit_code == 2 and "--what ,: has no name" in done.stderr
    done = cli("plot", file, "--what", "colour", "--out", out)
    assert done.exit_code == 2
    assert "activation" in done.stderr
    assert cli("plot", file, "--out", tmp_path / "page.doc").exit_code == 2
    assert cli("plot", file).exit_code == 2


def test_plot_of_chosen_fibers_and_times(cli, file, tmp_path):
    out = tmp_path / "x.pdf"
    what = ["--what", "stretch", "stretch_map", "--fiber", "biceps_*", "triceps_1", "--time", "3"]
    done = cli("plot", file, *what, "--out", out)
    assert done.exit_code == 0, done.stderr
    assert out.read_bytes().startswith(b"%PDF")
    done = cli("plot", "--what", "stretch", "--fiber", "biceps_1", file, "--out", out)
    assert done.exit_code == 0, done.stderr
    done = cli("plot", file, "--fiber", "deltoid", "--out", out)
    assert done.exit_code == 2 and "has: biceps_1" in done.stderr
    done = cli("plot", file, "--what", "stretch", "--time", "9", "--out", out)
    assert done.exit_code == 2 and "from 0 s to 8 s" in done.stderr


def test_plots_are_listed(cli, tmp_path):
    done = cli("plot", "--list")
    assert done.exit_code == 0 and "coordinates " in done.stdout
    file = save(make_hanging_fiber(), tmp_path / "fiber.h5")
    done = cli("plot", file, "--list")
    assert "stretch_map " in done.stdout and "coordinates " not in done.stdout
    many = save(make_reporting_arm(5), tmp_path / "arm.h5")
    shown = cli("plot", many, "--list").stdout.splitlines()
    assert max(map(len, shown)) <= 80
    assert [line.split()[0] for line in shown if " tendon force of" in line] == ["tendon_force"]
    assert any(line.startswith(".tension ") and line.endswith(" band") for line in shown)
    assert any(line.endswith(", such as tendon.force") for line in shown)
    done = cli("plot", file, many, "--out", tmp_path / "x.png")
    assert done.exit_code == 2 and f"fibermsk view {file} {many} compares" in done.stderr
    done = cli("plot")
    assert done.exit_code == 2 and "no result file" in done.stderr
    done = cli("plot", file)
    assert done.exit_code == 2 and "--out is missing" in done.stderr


def test_help_names_fields(cli):
    from fibermsk.view.fields import FIELDS

    shown = " ".join(cli("view", "--help").stdout.replace("│", " ").split())
    for name in FIELDS:
        assert name in shown
    assert "--list" in cli("plot", "--help").stdout.split("--what")[1].split("--fiber")[0]


def test_looks_of_pictures(cli, file, tmp_path):
    plain = tmp_path / "plain.png"
    assert cli("view", file, "--picture", plain).exit_code == 0
    for option in (["--envelope"], ["--no-shadows"], ["--fit", "run"], ["--labels"]):
        out = tmp_path / f"{option[0][2:]}.png"
        done = cli("view", file, "--picture", out, *option)
        assert done.exit_code == 0, done.stderr
        assert out.read_bytes() != plain.read_bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--no-shadows", "--html", "x.html"], "--no-shadows does not apply without --picture"),
        (["--fit", "run", "--movie", "x.mp4"], "--fit does not apply without --picture"),
        (["--fit", "tight", "--picture", "x.png"], "there are: frame, run"),
    ],
)
def test_looks_that_do_not_apply_are_refused(cli, file, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    done = cli("view", file, *options)
    assert done.exit_code == 2 and words in " ".join(done.stderr.replace("│", " ").split())
    assert not any(tmp_path.glob("x.*"))


def test_view_writes_a_screenshot(cli, file, tmp_path, monkeypatch):
    out = tmp_path / "new" / "x.png"
    arguments = ["view", file, "--picture", out, "--time", "3", "--color-by", "stretch"]
    done = cli(*arguments)
    assert done.exit_code == 0, done.stderr
    assert out.stat().st_size > 10_000
    assert cli("view", file, "--picture", out, "--color-by", "taste").exit_code == 2
    # also where no window can be opened
    monkeypatch.setenv("DISPLAY", "")
    for arguments, words in (
        (["--color-by", "strech"], "no field 'strech' along the fibers; there are: "),
        (["--color-by", "strech"], "did you mean 'stretch'?"),
        (["--arrows", "contakt"], "arrows = 'contakt'; there are: attachment, contact, both"),
    ):
        wrong = cli("view", file, *arguments)
        assert wrong.exit_code == 2 and words in wrong.stderr and "display" not in wrong.stderr
    assert cli("view", file, "--picture", out, "--time", "99").exit_code == 2


def test_view_takes_a_theme_and_arrows(cli, file, tmp_path):
    plain, dark = tmp_path / "plain.png", tmp_path / "dark.png"
    assert cli("view", file, "--picture", plain).exit_code == 0
    look = ["--theme", "dark", "--arrows", "attachment,contact"]
    assert cli("view", file, "--picture", dark, *look).exit_code == 0
    assert plain.read_bytes() != dark.read_bytes()
    for option in (["--theme", "gray"], ["--arrows", "wind"]):
        done = cli("view", file, "--picture", plain, *option)
        assert done.exit_code == 2 and "there are: " in done.stderr


def test_view_compares_results(cli, file, tmp_path, monkeypatch):
    from fibermsk import view

    asked = {}
    monkeypatch.setattr(view, "show", lambda shown, **how: asked.update(shown=shown, **how))
    other = tmp_path / "other.h5"
    other.write_bytes(Path(file).read_bytes())
    done = cli("view", file, other, "--compare", "overlay", "--arrows", "contact")
    assert done.exit_code == 0, done.stderr
    assert len(asked["shown"]) == 2
    assert asked["names"] == [Path(file).stem, "other"]
    assert asked["compare"] == "overlay" and asked["arrows"] == ["contact"]
    assert cli("view", file, other, "--measure", "elbow_flexion").exit_code == 0
    assert asked["compare"] == "side_by_side" and asked["measures"] == ("elbow_flexion",)
    done = cli("view", file, other, "--picture", tmp_path / "two.png", "--size", "400x300")
    assert done.exit_code == 0 and (tmp_path / "two.png").exists()
    for arguments, words in (
        ([file, "--compare", "overlay"], "needs several results"),
        ([file, other, "--compare", "above"], "must be side-by-side or overlay"),
        ([file, "--measure", "elbow", "--picture", tmp_path / "x.png"], "'elbow_flexion'"),
        ([file, tmp_path / "arm.osim"], "is a model"),
    ):
        done = cli("view", *arguments)
        assert done.exit_code == 2 and words in done.stderr


def test_view_without_a_display_says_what_to_do(cli, file, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    done = cli("view", file)
    assert done.exit_code == 2
    assert "--picture" in done.stderr


def test_scenes_are_listed_without_being_run(cli, computing, monkeypatch):
    package = computing / "fibermsk"
    (computing / "scenes").mkdir()
    package.mkdir()
    (computing / "scenes" / "swing.py").write_text('"""A swing.\n\nMore."""\nraise RuntimeError\n')
    (computing / "scenes" / "broken.py").write_text("def (")
    (computing / "scenes" / "_part.py").write_text("")
    monkeypatch.setattr(scene_files.fibermsk, "__file__", str(package / "__init__.py"))
    done = cli("scenes")
    assert done.exit_code == 0
    assert "swing   A swing." in done.stdout
    assert "broken  (cannot be read)" in done.stdout
    assert "_part" not in done.stdout
    found = json.loads(cli("scenes", "--json").stdout)
    assert {"name": "swing", "title": "A swing."} in found["scenes"]
    assert "did you mean 'swing'?" in cli("run", "swong").stderr

    # In a wheel the package carries the folders.
    carried = package / "_scenes"
    carried.mkdir()
    (carried / "carried.py").write_text('"""A carried scene."""\n')
    assert "A carried scene." in cli("scenes").stdout
    (package / "_verification").mkdir()
    (package / "_verification" / "problem.py").write_text(
        '"""A problem."""\ndef run(elements: int = 2):\n    return {}\n'
    )
    assert "fibermsk verify problem" in cli("run", "problem").stderr
    assert "elements  int, default 2" in cli("scenes", "problem").stdout


def test_scene_shows_its_parameters(cli, scene_file):
    path = scene_file()
    done = cli("scenes", path)
    assert done.exit_code == 0
    assert "arm: An arm that works." in done.stdout
    assert "steps     int, default 4" in done.stdout
    found = json.loads(cli("scenes", path, "--json").stdout)
    described = found["parameters"]["duration"]
    assert described == {"type": "float", "default": 8.0, "description": ""}


def test_scene_explains_its_parameters(cli, tmp_path):
    path = tmp_path / "swing.py"
    path.write_text(
        '"""Swing: a title with the name of the scene."""\nimport fibermsk as fm\n\n\n'
        "def scene(length: float = 0.3, width: float = 1.0, start: str = 'low', other: int = 1):\n"
        '    """Describe the scene.\n\n    Not : this.\n\n    Parameters\n    ----------\n'
        "    length, width : float\n        Extent of the swing,\n        as it hangs [m].\n"
        '    start : {"low", "high"}\n        Where it begins.\n\n'
        '    Returns\n    -------\n    other : fm.Scene\n        What runs.\n    """\n'
    )
    done = cli("scenes", path)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == "Swing: a title with the name of the scene."
    lines = [line.strip() for line in done.stdout.splitlines()]
    for name in ("length", "width"):
        k = next(k for k, line in enumerate(lines) if line.startswith(f"{name} "))
        assert lines[k + 1] == "Extent of the swing, as it hangs [m]."
    assert '{"low", "high"}: Where it begins.' in lines and "What runs" not in done.stdout
    found = json.loads(cli("scenes", path, "--json").stdout)["parameters"]
    assert found["start"]["description"] == '{"low", "high"}: Where it begins.'
    assert found["other"]["description"] == ""


def test_every_parameter_of_the_scenes_is_explained(cli):
    for path in scene_files.list_files("scenes"):
        found = json.loads(cli("scenes", path.stem, "--json").stdout)["parameters"]
        assert found and all(len(one["description"]) > 10 for one in found.values()), path


def test_plot_and_view_of_a_fiber_alone(cli, tmp_path):
    file = save(make_hanging_fiber(), tmp_path / "fiber.h5")
    assert cli("plot", file, "--out", tmp_path / "x.png").exit_code == 0
    assert cli("view", file, "--picture", tmp_path / "y.png").exit_code == 0


def test_help_needs_nothing_heavy():
    code = (
        "import sys\nfrom fibermsk.cli.main import main\nsys.argv[1:] = ['--help']\n"
        "try:\n    main()\nfinally:\n"
        "    print('heavy:', {'pyvista', 'matplotlib', 'numba', 'h5py'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "heavy: set()" in done.stdout
