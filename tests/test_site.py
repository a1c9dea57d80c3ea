"""What generates pages of the site: commands, public names, scenes and problems, none left out."""

import re

import h5py
import numpy as np
import pytest
from make_result import make_meshed_arm
from PIL import Image
from scenes_of_tests import ROOT

import fibermsk as fm

pytest.importorskip("sphinx", reason="the site needs sphinx; install the extra docs")
pytest.importorskip("numpydoc", reason="the site needs numpydoc; install the extra docs")

import _write
import api
import commands
import fields
import gallery
import problems
import sources
import typer

from fibermsk.cli.main import app
from fibermsk.scene_files import find, find_problem, list_files, problem_names
from fibermsk.verify import Unavailable


def test_the_command_reference_has_every_command_and_option():
    page = commands.page(app)
    group = typer.main.get_command(app)
    assert {"run", "view", "plot", "info"} <= set(group.commands)
    for name, command in group.commands.items():
        assert f"## fibermsk {name}\n" in page and command.help.strip() in page
        section = page.partition(f"## fibermsk {name}\n")[2].partition("\n## ")[0]
        for parameter in command.params:
            assert parameter.help, f"{name} {parameter.name} says nothing of itself"
            shown = parameter.opts if parameter.param_type_name == "option" else []
            for option in shown:
                assert f"`{option}`" in section
    assert "fibermsk run SCENE [OPTIONS]\n" in page


def test_the_table_of_the_result_file_has_every_dataset(tmp_path):
    page = fields.page()
    found = {}
    with h5py.File(fm.save(make_meshed_arm(2), tmp_path / "run.h5")) as file:
        file.visititems(lambda name, one: found.update({name: one.attrs.get("units", "text")}))
        paths = [name for name in found if isinstance(file[name], h5py.Dataset)]
    for name in paths:
        path = re.sub("^bodies/[^/]*", "bodies/<body>", name.replace("visuals", "shapes"))
        path = re.sub("^fibers/[^/]*", "fibers/<fiber>", re.sub("mesh_.", "mesh_<k>", path))
        path = path.replace("elbow_flexion", "<coordinate>")
        (unit,) = re.findall(rf"\| `/{re.escape(path)}` \| \([^|]*\) \| ([^|]*) \| \S", page)
        assert unit == found[name], name
    assert "| `/fibers/<fiber>/stretch` | (n_frames, n_samples) | 1 |" in page
    assert "| `/time` | (n_frames,) | s |" in page


def test_the_command_reference_escapes_what_would_split_a_cell():
    assert _write.row(["a|b", "c\nd"]) == "| a\\|b | c d |"


def test_every_public_name_is_in_one_group():
    names = [name for group in api.grouped().values() for name in group]
    public = {f"fibermsk.{name}" for name in fm.__all__} - {"fibermsk.view", "fibermsk.__version__"}
    assert len(names) == len(set(names))
    assert set(names) == public | {f"fibermsk.view.{name}" for name in fm.view.__all__}


def test_pages_of_names_differ_by_more_than_capitals():
    names = [name for group in api.grouped().values() for name in group]
    files = [api._file(name).lower() for name in names]
    assert len(files) == len(set(files))


@pytest.mark.parametrize(
    "text, bare, name",
    [
        ("fm.Fiber(...)", False, "fibermsk.Fiber"),
        ("fibermsk.build", False, "fibermsk.build"),
        ("fm.view.plot(result)", False, "fibermsk.view.plot"),
        ("SDIRK2()", True, "fibermsk.SDIRK2"),
        ("SDIRK2()", False, None),
        ("Fibers", True, None),
        ("check", True, None),
        ("fm.check", True, "fibermsk.check"),
        ("fm.NAME", False, None),
        ("0.5", True, None),
    ],
)
def test_code_that_begins_with_a_public_name_is_a_link(text, bare, name):
    assert api.target(text, bare=bare) == name


def test_a_name_without_a_group_is_refused(monkeypatch):
    monkeypatch.setattr(api, "GROUPS", {"All": ("", ["model", "laws", "errors"])})
    with pytest.raises(ValueError, match=r"docs/_ext/api\.py"):
        api.grouped()


def test_every_public_name_says_what_it_is():
    for group in api.grouped().values():
        for name in group:
            assert api._summary(api._item(name)).endswith("."), name


def test_the_gallery_has_every_scene_in_its_order():
    shown = gallery.ordered(ROOT / "docs" / "gallery.toml")
    assert list(shown) == [path.stem for path in list_files("scenes")]
    assert shown["upper_limb"].time == 4.0 and shown["arm26_fibers"].needs
    assert len(shown) >= 25
    for scene in shown.values():
        if scene.needs:
            assert moves(ROOT / "docs" / scene.picture)


def moves(path, least=20):
    """Whether a picture of at most 300 kB moves."""
    with Image.open(path) as picture:
        return path.stat().st_size < 300_000 and picture.n_frames >= least


def test_a_scene_that_is_not_there_is_refused(tmp_path):
    (tmp_path / "gallery.toml").write_text("[no_such_scene]\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no_such_scene"):
        gallery.ordered(tmp_path / "gallery.toml")


@pytest.mark.parametrize("path", list_files("scenes"), ids=lambda path: path.stem)
def test_the_page_of_a_scene_explains_its_parameters(path):
    scene = find(path.stem)
    did = {"picture": "x.png", "words": "At t = 0 s."}
    page = gallery.page(scene, gallery.Shown(set={"steps": 3}), did)
    assert f"fibermsk run {path.stem} --set steps=3\n" in page
    for name, parameter in scene.parameters.items():
        (row,) = re.findall(rf"\| `{name}` \| (.*?) \| `(.*?)` \|\n", page)
        assert row[0], f"{path.stem}: {name} is not explained"
        assert row[1] == repr(parameter.default).replace("|", "\\|")


def test_a_scene_is_run_and_drawn(tmp_path):
    scene = find("hanging_fiber")
    did = gallery.show(scene, gallery.Shown(set={"steps": 2, "duration": 0.01}), tmp_path, tmp_path)
    for file in (did["picture"], did["card"], did["plots"], did["moving"]):
        assert (tmp_path / file).stat().st_size > 5000
    assert moves(tmp_path / did["card"], least=2)
    assert "muscle is red" in did["words"]


def test_the_telling_frame_is_the_farthest_from_the_start(tmp_path):
    model = fm.Model("drop")
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(5e4, 0.0))
    path = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]])
    model.add(fm.Fiber("f", path, radius=5e-3, n_elements=2, tissue=tissue))
    result = fm.simulate(
        fm.build(model), t_end=0.02, dt=0.005, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    assert gallery.telling_frame(result) == len(result.time) - 1


def test_a_scene_that_is_not_run_needs_a_picture(tmp_path):
    with pytest.raises(ValueError, match="picture"):
        gallery._did("hanging_fiber", gallery.Shown(needs="a file"), tmp_path, tmp_path)


def test_the_page_of_problems_has_statement_values_and_reasons():
    problem = find_problem("force_length")
    rows = problems.answer(problem)
    page = problems.page([problem], {"force_length": rows})
    assert problem.title in page and len(rows) >= 5
    for name, kind, evidence, value, tolerance, source, why in rows:
        assert (
            f"| {name} | {kind} | {evidence} | {value} | {tolerance} | {source} |" in page
            and source
            and why
        )
        assert float(tolerance) > 0


def test_a_problem_whose_answer_is_not_known_here_says_so():
    class Without:
        parameters: dict = {}

        @staticmethod
        def expected():
            raise Unavailable("install pinocchio")

    ((*_, why),) = problems.answer(Without())
    assert "install pinocchio" in why


def test_every_problem_is_found():
    assert len(problem_names()) >= 20


def test_files_are_written_when_they_differ(tmp_path):
    path = _write.write(tmp_path / "a" / "page.md", "one")
    before = path.stat().st_mtime_ns
    assert _write.write(path, "one").stat().st_mtime_ns == before
    assert _write.write(path, "two").read_text() == "two"
    _write.clear_except(path.parent, [])
    assert not path.exists()


def test_a_digest_changes_with_the_files(tmp_path):
    (tmp_path / "a.py").write_text("1")
    first = _write.digest(tmp_path, "word")
    assert first == _write.digest(tmp_path, "word") != _write.digest(tmp_path, "other")
    (tmp_path / "a.py").write_text("2")
    assert first != _write.digest(tmp_path, "word")


def test_every_name_of_the_theory_page_leads_to_its_source():
    text = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    names = set(re.findall(rf"`((?:{sources.PACKAGES})(?:\.\w+)+)`", text))
    assert len(names) > 100
    for name in names:
        module, function = sources.split(name)
        path = ROOT / "fibermsk" / f"{module.replace('.', '/')}.py"
        lines = path.read_text(encoding="utf-8").splitlines() if function else []
        near = lines[sources.line(module, function) - 1 :][:4]
        assert not function or any(re.match(rf"(def|class) {function}\b", one) for one in near)
    assert sources.split("system.parameters") is None


# what MathJax loads from elsewhere when a page uses it, so that none of its equations appear
LOADED = (
    "toggle mathtip texttip CD bbox boldsymbol bm bra ket braket Bra Ket Braket ketbra "
    "prooftree AxiomC UnaryInfC cancel bcancel xcancel cancelto color definecolor textcolor "
    "colorbox fcolorbox enclose xtwoheadrightarrow xtofrom xmapsto href class style cssId ce pu "
    "unicode verb require"
).split()


def test_equations_need_no_file_that_the_site_lacks():
    command = re.compile(rf"\\({'|'.join(LOADED)})(?![A-Za-z])")
    for path in (ROOT / "docs").rglob("*.md"):
        if "generated" not in path.parts and "_build" not in path.parts:
            assert not command.search(path.read_text(encoding="utf-8")), path
    assert command.search(r"$\boldsymbol x$") and not command.search(r"$\colon\bracket$")
