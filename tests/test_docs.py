"""Every block of every page runs, in the order of the page, as a reader would type it."""

import doctest
import importlib
import re
from pathlib import Path

import doc_pages
import pytest
from doc_pages import RUN, SHELL, TEXT, Reader, read
from scenes_of_tests import ROOT

import fibermsk as fm

PAGES = doc_pages.pages()
WITH_CODE = [page for page in PAGES if any(b.language in RUN | SHELL for b in read(page))]
WITH_LATE = [page for page in WITH_CODE if any("slow" in b.marks for b in read(page))]


def follow(page, folder, shared_models):
    """Type the blocks of a page; gives the reader and what could not be run here."""
    reader, missing = Reader(folder), []
    for block in read(page):
        if not block.runs:
            continue
        file = block.marks.get("needs")
        if file and not bring(file, folder, shared_models):
            missing.append(f"{block} needs {file}")
            continue
        reader.follow(block)
    return reader, missing


def bring(file, folder, shared_models):
    """Link a published model, its meshes and its data into a folder; says whether it is there."""
    if (folder / file).exists():
        return True
    models = shared_models / "opensim-models"
    for source in (shared_models, models, models / "gait10dof18musc_reference"):
        if (source / file).is_file():
            for one in source.iterdir() if source.name.endswith("_reference") else [source / file]:
                (folder / one.name).symlink_to(one)
            if (source / "Geometry").is_dir() and not (folder / "Geometry").exists():
                (folder / "Geometry").symlink_to(source / "Geometry")
            return True
    return False


@pytest.fixture
def models(request):
    """Folder of published models, or one that is empty where there is none."""
    try:
        return request.getfixturevalue("shared_models")
    except pytest.skip.Exception:
        return request.getfixturevalue("tmp_path_factory").mktemp("no_models")


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.slow) if p in WITH_LATE else p for p in WITH_CODE],
)
def test_a_page_runs(page, tmp_path, models):
    reader, missing = follow(page, tmp_path, models)
    CHECKS.get(page, lambda folder, reader: None)(tmp_path, reader)
    if missing:
        pytest.skip("the rest of the page runs; " + ", ".join(missing))


def check_readme(folder, reader):
    assert "success 101." in reader.all_printed
    assert fm.load(folder / "limb.h5").time[-1] == 8.0


def check_skeletons(folder, reader):
    assert (folder / "leg.png").stat().st_size > 10_000
    assert "'knee_angle'" in reader.all_printed


NEEDED = (None, "display", "arm26.osim", "gait10dof18musc.osim", "subject01_walk_grf.xml")
"""What a block may need that is not here; more is a decision."""
CHECKS = {"README.md": check_readme, "docs/skeletons.md": check_skeletons}


def test_marks_and_languages_are_known():
    for page in PAGES:
        for block in read(page):
            assert block.language in RUN | SHELL | TEXT, f"{block}: language {block.language!r}"
            unknown = set(block.marks) - set(doc_pages.MARKS)
            assert not unknown, f"{block}: {unknown}"
            assert block.marks.get("needs") in NEEDED, f"{block}: needs what no page may need"
            for words in doc_pages.commands(block.code) if block.language in SHELL else ():
                assert doc_pages.rule(words) is None or doc_pages.BY_RULE[doc_pages.rule(words)]


def test_few_blocks_are_not_run():
    """The exemptions, listed: each has its reason, and there are few."""
    idle = [block for page in PAGES for block in read(page) if not block.runs]
    listed = "\n".join(f"{block}: {block.marks}" for block in idle)
    for block in idle:
        reason = block.marks.get("not run")
        assert reason is None or len(reason.split()) >= 3, f"{block}: why is it not run?"
    for languages, most in ((RUN, 5), (SHELL, 5)):
        assert sum(block.language in languages for block in idle) <= most, listed


@pytest.mark.parametrize(
    "text",
    [
        "```sh\nfibermsk view none.h5\n```\n",
        "```sh\nfibermsk verify --nothing\n```\n",
        "```sh\nfibermsk view --web --port\n```\n",
        "~~~python\n1 / 0\n~~~\n",
        "```{code-block} python\n1 / 0\n```\n",
    ],
)
def test_what_is_not_run_is_looked_at(text, tmp_path):
    with pytest.raises((AssertionError, ValueError)):
        for block in doc_pages.blocks(text):
            Reader(tmp_path).follow(block)


def test_files_of_pages_are_used():
    for page in PAGES:
        all_blocks = read(page)
        for k, block in enumerate(all_blocks):
            name = block.marks.get("file")
            later = [other for other in all_blocks[k + 1 :] if "file" not in other.marks]
            assert not name or any(Path(name).stem in other.code for other in later), block


def test_examples_of_docstrings_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [path for path in (ROOT / "fibermsk").rglob("*.py") if ">>>" in path.read_text("utf-8")]
    assert files
    for path in files:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        assert doctest.testmod(importlib.import_module(name)).failed == 0, name


def test_links_lead_somewhere():
    """Links to files of the repository, also from the README, which is no page of the site."""
    for page in PAGES:
        text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" in target or target.startswith("generated/") or "generated/" in target:
                continue
            assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"


# What runs the pages, on pages of its own.

LOUD = """
<!-- needs arm26.osim -->
```python
a = 1
```
text
<!-- tested with: steps=2 -->
```sh
fibermsk scenes && fibermsk scenes hanging_fiber  # both
pip install \\
    fibermsk
```
"""


def test_blocks_have_marks_lines_and_languages():
    first, second = doc_pages.blocks(LOUD)
    assert (first.language, first.line, first.marks) == ("python", 4, {"needs": "arm26.osim"})
    assert second.marks == {"tested with": "steps=2"} and second.language == "sh"
    words = list(doc_pages.commands(second.code))
    assert words[1] == ["fibermsk", "scenes", "hanging_fiber"] and words[2][-1] == "fibermsk"
    assert [doc_pages.rule(item) for item in words] == [None, None, "pip"]


def test_a_command_that_nothing_runs_is_refused():
    with pytest.raises(ValueError, match="rm -r"):
        doc_pages.rule(["rm", "-r", "results"])


def test_python_shell_files_and_failures_share_a_folder(tmp_path):
    page = """
```python
n = 3
```
<!-- file: own.py -->
```python
import fibermsk as fm
def scene(steps: int = 2):
    raise fm.ModelError("no such muscle")
```
```sh
fibermsk scenes own.py
```
<!-- output -->
```text
...
  steps  int, default 2.0
```
<!-- fails -->
```sh
fibermsk run own.py
```
<!-- fails -->
```python
fm.Capsule((0, 0, 0), (0, 0, 1), -n)
```
"""
    reader = Reader(tmp_path)
    for block in doc_pages.blocks(page):
        reader.follow(block)
    assert "no such muscle" in reader.all_printed and "-3" in reader.all_printed


@pytest.mark.parametrize(
    "wanted, same",
    [("angle 54.1 degrees", True), ("angle 55.2 degrees", False), ("angle ...", True)]
    + [("angle (54.1) degrees", False), ("angle 54.1", False), ("...\nangle 54 degrees", True)],
)
def test_output_is_compared_loosely(wanted, same):
    (block,) = doc_pages.blocks(f"<!-- output -->\n```text\n{wanted}\n```\n")
    if same:
        doc_pages.compare(block, "start\nangle 54.0 degrees\n")
    else:
        with pytest.raises(AssertionError, match="not printed"):
            doc_pages.compare(block, "start\nangle 54.0 degrees\n")


def test_a_block_that_must_fail_and_does_not_is_noticed(tmp_path):
    for page in ("```python\npass\n```", "```sh\nfibermsk scenes\n```"):
        (block,) = doc_pages.blocks(f"<!-- fails -->\n{page}\n")
        with pytest.raises(AssertionError):
            Reader(tmp_path).follow(block)


def test_all_pages_are_tested():
    assert {"README.md", "docs/skeletons.md", "docs/method.md"} <= set(PAGES)
    assert not [page for page in PAGES if "generated" in Path(page).parts]
