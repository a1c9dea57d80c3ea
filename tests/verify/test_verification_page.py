"""The page of verification: rows, references and tolerances of the problems, orders first."""

import re

import pytest
from scenes_of_tests import ROOT
from verify.test_answers import answers

from fibermsk.scene_files import problem_names
from fibermsk.verify import GROUPS

PAGE = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
CELL = r" (\S+) \|"
ROW = re.compile(rf"^\|{CELL * 8} (.+) \|$", re.MULTILINE)


def rows(text):
    """Cells of the rows of a text, without heads."""
    return [one for one in ROW.findall(text) if one[0] not in ("problem", "---")]


def sections():
    """Rows by the title of their section."""
    parts = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], map(rows, parts[2::2]), strict=True))


def test_the_page_leads_with_orders_and_extrapolated_values():
    titles = [title for title in sections() if title in GROUPS]
    assert titles == list(GROUPS[: len(titles)]) and len(titles) == len(GROUPS) - 1
    assert list(sections())[: len(titles)] == titles
    assert {row[2] for row in sections()[GROUPS[0]]} == {"order"}
    assert len(sections()[GROUPS[0]]) > 40 and len(sections()[GROUPS[1]]) > 10


@pytest.mark.parametrize("name", problem_names())
def test_the_page_has_the_rows_of_a_problem(name):
    known = answers(name)
    found = {
        row[1]: (title, row) for title, own in sections().items() for row in own if row[0] == name
    }
    assert set(found) == set(known)
    for quantity, (title, row) in found.items():
        answer = known[quantity]
        assert title == answer.group, quantity
        assert row[2:4] == (answer.kind, answer.evidence), quantity
        assert float(row[4]) == pytest.approx(answer.value, rel=1e-6, abs=1e-6 * answer.scale)
        assert row[7] == f"{answer.tolerance:.3g}", quantity


def test_numbers_of_the_page_pass():
    for own in sections().values():
        for row in own:
            reference, ours, difference, tolerance = map(float, row[4:8])
            assert abs(ours - reference) <= tolerance * (1 + 1e-6) + 1e-8 * abs(reference), row
            assert difference == pytest.approx(
                ours - reference, rel=0.01, abs=1e-8 * abs(reference)
            )
            assert row[8] == "yes" or row[8].startswith("misses its limit of ")


def test_every_row_says_which_evidence_it_is():
    evidence = [row[3] for own in sections().values() for row in own]
    assert set(evidence) == {"independent", "consistency"}
    assert f"{len(evidence)} rows" in PAGE
