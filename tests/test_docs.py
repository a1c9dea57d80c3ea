"""The scripts of the guide run, in the order of the page."""

import re

import pytest
from scenes_of_tests import ROOT

BLOCK = re.compile(r"(?:<!-- needs (?P<file>\S+) -->\n)?```python\n(?P<code>.*?)```", re.DOTALL)


def blocks(page):
    """File that each script of a page needs, its line, and the script."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [
        (match["file"], text.count("\n", 0, match.start("code")), match["code"])
        for match in BLOCK.finditer(text)
    ]


def run(page, scripts, names):
    """Run scripts in one namespace, with the lines of the page in tracebacks."""
    for _, line, code in scripts:
        exec(compile("\n" * line + code, page, "exec"), names)


def test_scripts_of_the_skeleton_guide_run(tmp_path, monkeypatch, capsys):
    own = [block for block in blocks("skeletons.md") if block[0] is None]
    assert len(own) >= 7
    monkeypatch.chdir(tmp_path)
    names = {}
    run("skeletons.md", own, names)
    assert (tmp_path / "leg.png").stat().st_size > 10_000
    assert "'knee_angle'" in capsys.readouterr().out
    assert "patella_angle" not in names["skeleton"].independent


def test_scripts_that_read_opensim_models_run(tmp_path, monkeypatch, shared_models):
    needing = [block for block in blocks("skeletons.md") if block[0] is not None]
    assert len(needing) == 2
    for file in {file for file, _, _ in needing} | {"Geometry"}:
        source = shared_models / "opensim-models" / file
        if not source.exists():
            pytest.skip(f"{source} is not here")
        (tmp_path / file).symlink_to(source)
    monkeypatch.chdir(tmp_path)
    names = {}
    run("skeletons.md", [(None, 0, "import fibermsk as fm"), *needing], names)
    assert (tmp_path / "arm26.png").exists() and (tmp_path / "biceps.png").exists()


def test_scripts_of_the_page_on_data_run(tmp_path, monkeypatch, capsys):
    for package in ("xarray", "pandas"):
        pytest.importorskip(package, reason=f"needs {package}")
    own = blocks("exchange.md")
    assert len(own) == 3
    monkeypatch.chdir(tmp_path)
    names = {}
    run("exchange.md", own, names)
    assert "pulled_fibers.vtkhdf" in capsys.readouterr().out
    assert names["result"].status == "success" and float(names["peak"].max()) > 1.0
    page = (ROOT / "docs" / "exchange.md").read_text(encoding="utf-8")
    for file in names["files"]:
        assert f"_{file.name.partition('_')[2]}" in page, "each file is told of"
