"""The core without the packages that draw, and what a wheel carries."""

import subprocess
import sys
import textwrap
import zipfile

import pytest
from scenes_of_tests import ROOT

from fibermsk import _extras
from fibermsk.errors import ModelError

REFUSED = "matplotlib", "pyvista", "vtk", "vtkmodules", "PIL", "imageio_ffmpeg"

BEGIN = f"""
import sys

class Refusing:
    # a finder that has none of the packages that draw
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {REFUSED}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refusing())

import contextlib, io
from pathlib import Path

from typer.testing import CliRunner

import fibermsk as fm
from fibermsk.cli.main import app

HINT = 'pip install "fibermsk[view]"'

def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, (words, done.output)
    return done.stdout

def refused(*words):
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 2 and HINT in done.stderr, (words, done.output)
    return done.stderr

def raises(function):
    try:
        function()
    except fm.ModelError as error:
        assert HINT in str(error), error
    else:
        raise AssertionError(f"{{function}} drew without a package to draw")
"""

RUN = """
run("run", "hanging_fiber", "--set", "elements=4", "steps=8", "duration=0.05", "--out", "a.h5")
result = fm.load("a.h5")
assert result.status == "success" and result.fibers
fm.save(result, "copy.h5")
assert "success" in run("info", "a.h5")
run("export", "a.h5", "--to", "csv", "--out", "tables/a.csv")
run("export", "a.h5", "--to", "vtkhdf", "--out", "a.vtkhdf")
assert list(Path("tables").iterdir()) and list(Path().glob("a*.vtkhdf"))

refused("view", "a.h5", "--screenshot", "a.png")
refused("view", "a.h5", "--movie", "a.mp4")
refused("view", "a.h5", "--html", "a.html")
refused("view", "a.h5")
refused("plot", "a.h5", "--out", "a.png")
refused("plot", "a.h5", "--what", "stretch", "--out", "a.png")
refused("verify", "contact_integration", "--report", "report")
for option, file in (("--picture", "b.png"), ("--movie", "b.mp4"), ("--movie", "b.gif")):
    assert file in refused("run", "hanging_fiber", "--out", "b.h5", option, file)
refused("sensitivity", "hanging_fiber", "--of", "fiber/length_end", "--to", "*", "--out", "b.png")
assert not any(Path(name).exists() for name in ("b.h5", "a.png", "b.png", "report"))
raises(result.plot)
raises(lambda: result.plot("stretch"))
raises(result.view)
for name in fm.view.__all__:
    raises(lambda: getattr(fm.view, name))
repr(result), result._repr_html_(), dir(fm.view)
"""

ALL = """
from fibermsk.scene_files import find_problem, list_files, problem_names

for scene in list_files("scenes"):
    run("scenes", scene.stem)
for name in problem_names():
    find_problem(name)
assert len(problem_names()) > 10
assert "passed" in run("verify", "contact_integration")
"""

MODELS = """
model = Path(sys.argv[1])
run("info", model)
run("muscles", model, "--coordinate", "r_elbow_flex", "--range", "0:2:5", "--out", "arm.csv")
assert "BIClong/moment_arm" in Path("arm.csv").read_text()
words = "muscles", model, "--coordinate", "r_elbow_flex", "--range", "0:2:5", "--out"
refused(*words, "arm.png")
refused(*words, "more.csv", "--plot", "length")
assert not Path("more.csv").exists()
run("run", model, "--controls", "0.1", "--set", "duration=0.02", "steps=4", "--out", "arm.h5")
assert fm.load("arm.h5").muscles
refused("view", model, "--screenshot", "arm.png")
"""

BINARY = """
# a binary VTP is read by VTK; any other mesh is read without it
Path("bone.vtp").write_bytes(
    b'<VTKFile type="PolyData"><PolyData><Piece NumberOfPoints="3" NumberOfPolys="1">'
    b'<Points><DataArray format="appended" NumberOfComponents="3" offset="0"/></Points>'
    b'</Piece></PolyData><AppendedData encoding="raw">_</AppendedData></VTKFile>'
)
raises(lambda: fm.read_mesh("bone.vtp"))
"""


def core(folder, code, *arguments):
    """Run code in a process without the packages that draw."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(code), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("code", [RUN, ALL, BINARY], ids=["run", "scenes", "mesh"])
def test_the_core_needs_nothing_that_draws(tmp_path, code):
    core(tmp_path, code)


def test_the_core_runs_models_of_opensim(tmp_path, shared_models):
    core(tmp_path, MODELS, shared_models / "opensim-models" / "arm26.osim")


def test_the_finder_of_these_tests_refuses(tmp_path):
    for name in REFUSED:
        with pytest.raises(AssertionError, match="No module named"):
            core(tmp_path, f"import {name}")


def test_the_hint_names_what_is_missing(monkeypatch):
    _extras.check_drawing("an arm", ("json", "email"))
    with pytest.raises(ModelError, match=r"cannot draw an arm: imageio-ffmpeg, vtk .*view"):
        monkeypatch.setattr(_extras, "find_spec", lambda name: None)
        _extras.check_drawing("an arm", ("imageio_ffmpeg", "vtkmodules"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Names of the files in a wheel of this checkout, and its metadata."""
    building = pytest.importorskip("hatchling.builders.wheel", reason="needs hatchling")
    builder = building.WheelBuilder(str(ROOT))
    (path,) = builder.build(directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        (about,) = [name for name in names if name.endswith("METADATA")]
        return set(names), archive.read(about).decode()


def test_a_wheel_carries_scenes_verification_and_data(wheel):
    names, _ = wheel
    homes = {"fibermsk": "fibermsk", "scenes": "fibermsk/_scenes"}
    homes["verification"] = "fibermsk/_verification"
    kinds = set()
    for folder, home in homes.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{home}/{path.relative_to(ROOT / folder).as_posix()}" in names, path
                kinds.add(path.suffix)
    assert {".py", ".txt", ".js", ".npz"} <= kinds
    assert not [name for name in names if name.endswith(".pyc")]


def test_a_wheel_requires_what_draws_for_an_extra_only(wheel):
    lines = [line for line in wheel[1].splitlines() if line.startswith("Requires-Dist")]
    for name in ("matplotlib", "pyvista", "vtk", "pillow", "imageio-ffmpeg"):
        needing = [line for line in lines if line.split()[1].partition(">")[0] == name]
        assert needing and all("extra ==" in line for line in needing), needing
