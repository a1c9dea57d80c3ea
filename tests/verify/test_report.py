import re
from dataclasses import replace

import pytest
from verify.problem_files import write_problem

import fibermsk as fm
from fibermsk.scene_files import find_problem
from fibermsk.verify import Expected, Outcome, run_problem
from fibermsk.verify.report import study_problem, write_report

DEFAULTS = {"elements": 4, "offset": 0.0}


@pytest.fixture
def sections(tmp_path):
    good = find_problem(str(write_problem(tmp_path)))
    bad = find_problem(str(write_problem(tmp_path, "studies in vain", "vain")))
    return [
        study_problem(run_problem(good, DEFAULTS), fine=True),
        study_problem(run_problem(bad, {**DEFAULTS, "offset": 1.0})),
        study_problem(Outcome(good, DEFAULTS, error="no equilibrium")),
    ]


def test_pages_tell_everything(sections, tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    page, text = (path.read_text() for path in write_report(sections, folder))
    for content in (page, text):
        assert "2 of 3 problems failed: vain, square. 2 numbers are verified: 2 exact" in content
        assert "A problem that works" in content and "A second paragraph." in content
        assert "elements = 4, offset = 0.0" in content
        assert "second order" in content and "A finding." in content
        assert "1.0625" in content and "0.0625" in content
        assert "The study failed: no equilibrium" in content
        assert "failed: no equilibrium" in content and re.search(r"failed(</span>)?\. ", content)
    # the figure is in the one page and beside the other
    assert page.count("data:image/png;base64,") == 2
    assert not re.search(r'(src|href)="(?!data:|#)', page) and "http" not in page
    assert "with &lt;angles&gt; &amp; | bars" in page and "Errors &lt;table&gt;" in page
    assert "![A problem that works](square.png)" in text
    assert "| square | length | exact | independent | 1 | 1.0625 | 0.0625 | 0.0688 | yes |" in text
    assert (folder / "square.png").read_bytes().startswith(b"\x89PNG")
    assert not (folder / "vain.png").exists()
    names = {path.name for path in folder.iterdir()}
    assert names == {"verification.html", "verification.md", "square.png"}


def test_regressions_are_named_and_not_counted(tmp_path):
    problem = find_problem(str(write_problem(tmp_path)))
    outcome = run_problem(problem, DEFAULTS)
    kept = Expected(3.0, 0.1, "as before", kind="regression", source="version 1")
    both = replace(outcome, expected={**outcome.expected, "other": kept})
    text = write_report([study_problem(both)], tmp_path)[1].read_text()
    assert "1 numbers are verified: 1 exact" in text
    assert "1 regression (earlier result of the package, to detect changes), not counted" in text
    assert "| square | other | regression | regression | 3 | 3 | 0 | 0.1 | yes |" in text
    assert "- other: version 1: as before" in text
    # what changed is noticed all the same
    changed = replace(both, values={**both.values, "other": 4.0})
    assert both.passed and not changed.passed


def test_bars_do_not_break_markdown_tables(sections, tmp_path):
    table = {"columns": ["a|b"], "rows": [["c|d"], [1.0], [True], [float("nan")]]}
    section = type(sections[0])(sections[0].outcome, {"Title": table})
    write_report([section], tmp_path)
    text = (tmp_path / "verification.md").read_text()
    assert "| a\\|b |\n|---|\n| c\\|d |\n| 1 |\n| yes |\n| - |" in text


def test_folder_that_vanished(sections, tmp_path):
    """All files are kept together in another folder."""
    (tmp_path / "gone").write_text("a file now")
    with pytest.raises(fm.WriteError, match=r"cannot write .*all 3 files are kept in ") as caught:
        write_report(sections, tmp_path / "gone")
    kept = caught.value.kept
    assert {path.name for path in kept} == {"verification.html", "verification.md", "square.png"}
    assert len({path.parent for path in kept}) == 1 and all(path.stat().st_size for path in kept)


def test_fine_study_is_asked_for(tmp_path):
    outcome = run_problem(find_problem(str(write_problem(tmp_path))), DEFAULTS)
    sizes = [
        len(study_problem(outcome, fine=fine).tables["Errors <table>"]["rows"])
        for fine in (False, True)
    ]
    assert sizes == [2, 3]
