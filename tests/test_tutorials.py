"""The tutorial notebooks hold no results of a machine; the site runs them."""

import json

import pytest
from scenes_of_tests import ROOT

pytest.importorskip("sphinx", reason="the site needs sphinx; install the extra docs")
pytest.importorskip("nbclient", reason="notebooks need nbclient; install the extra docs")
pytest.importorskip("ipykernel", reason="notebooks need ipykernel; install the extra docs")

import tutorials

FOLDER = ROOT / "docs" / "tutorials"


def test_every_notebook_is_a_page():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(tutorials.TOLD)
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    for name in tutorials.TOLD:
        assert f"generated/tutorials/{name}\n" in guide


@pytest.mark.parametrize("name", tutorials.TOLD)
def test_notebooks_hold_no_results(name):
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    for cell in json.loads(text)["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
    assert not [place for place in ("/home", "/tmp", "/root", "C:\\") if place in text]


def test_pages_without_their_results_are_refused():
    name, picture = "from_scripting", {"a.png": b""}
    told = "\n".join(tutorials.TOLD[name])
    tutorials.check(name, told, picture)
    with pytest.raises(ValueError, match=f"{name}: no longer shows a picture"):
        tutorials.check(name, told, {})
    with pytest.raises(ValueError, match=f"{name}: no longer shows .*tables_fibers.csv"):
        tutorials.check(name, told.replace("tables", ""), picture)


def test_noise_of_a_kernel_is_not_shown():
    quiet = {"output_type": "stream", "name": "stderr", "text": "a warning\n"}
    assert tutorials.shown(quiet) is None
    loud = {"output_type": "stream", "name": "stdout", "text": "findfont: no font\n3.5 N\n"}
    assert tutorials.shown(loud) == ("text", "3.5 N", "")
    assert tutorials.shown({"output_type": "display_data", "data": {"text/html": "<b>a</b>"}}) == (
        "html", "<b>a</b>", "",
    )  # fmt: skip
