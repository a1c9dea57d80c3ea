"""The tutorial notebooks run, tell what they say, and hold no results of a machine."""

import json

import pytest
from scenes_of_tests import ROOT

pytest.importorskip("sphinx", reason="the site needs sphinx; install the extra docs")
pytest.importorskip("nbclient", reason="notebooks need nbclient; install the extra docs")
pytest.importorskip("ipykernel", reason="notebooks need ipykernel; install the extra docs")

import tutorials

FOLDER = ROOT / "docs" / "tutorials"
SAID = {
    "from_opensim": ["the elbow ends at 74 degrees", "curl_coordinates.sto", "bundle: 92"],
    "from_mechanics": ["stretch 1.0917", "orders [5.5 5.6 5.9]", "orders [2. 2.]"],
    "from_scripting": ["['elbow_flexion']", "True success", "tables_fibers.csv"],
}
"""What each prints."""


def test_every_notebook_is_a_page():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(tutorials.NAMES) == set(SAID)
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    for name in tutorials.NAMES:
        assert f"generated/tutorials/{name}\n" in guide


@pytest.mark.parametrize("name", tutorials.NAMES)
def test_notebooks_hold_no_results(name):
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    for cell in json.loads(text)["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
    assert not [place for place in ("/home", "/tmp", "/root", "C:\\") if place in text]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", tutorials.NAMES)
def test_a_notebook_runs(name, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = tutorials.run(FOLDER / f"{name}.ipynb")
    text, pictures = tutorials.page(notebook, name)
    for words in SAID[name]:
        assert words in text, words
    assert len(pictures) >= 1 and all(one[:4] == b"\x89PNG" for one in pictures.values())
    assert text.startswith("# ") and f"tutorials/{name}.ipynb" in text
    errors = [o for c in notebook.cells for o in c.get("outputs", ()) if o.output_type == "error"]
    assert not errors


def test_noise_of_a_kernel_is_not_shown():
    quiet = {"output_type": "stream", "name": "stderr", "text": "a warning\n"}
    assert tutorials.shown(quiet) is None
    loud = {"output_type": "stream", "name": "stdout", "text": "findfont: no font\n3.5 N\n"}
    assert tutorials.shown(loud) == ("text", "3.5 N", "")
    assert tutorials.shown({"output_type": "display_data", "data": {"text/html": "<b>a</b>"}}) == (
        "html", "<b>a</b>", "",
    )  # fmt: skip
