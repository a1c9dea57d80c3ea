"""Examples of the reference: every public class has one, and it is from code that is run."""

import inspect

import pytest
from doc_pages import read
from scenes_of_tests import ROOT

pytest.importorskip("sphinx", reason="the site needs sphinx; install the extra docs")
pytest.importorskip("numpydoc", reason="the site needs numpydoc; install the extra docs")

import api
import examples
import sources

CLASSES = [
    name for names in api.grouped().values() for name in names if inspect.isclass(api._item(name))
]


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_class_has_an_example(name):
    stub, short = api._stub(name), name.removeprefix("fibermsk.")
    if ">>>" in (api._item(name).__doc__ or ""):
        assert ".. rubric:: Example" not in stub  # its docstring has one, which is run
        return
    found = examples.example(short)
    assert found is not None, f"{name}: use it in docs/howto/parts_by_example.md"
    # shown as it stands in a block that is run, or in a scene
    if found.page:
        file = f"docs/{found.page}.md"
        text = "\n".join(b.code for b in read(file) if b.runs and "fails" not in b.marks)
    else:
        text = (ROOT / "scenes" / f"{found.scene}.py").read_text(encoding="utf-8")
    for line in found.code.splitlines():
        assert line.strip() in text
    assert examples.SHOWN_BY.get(short, f"fm.{short}") in found.code
    assert ".. rubric:: Example" in stub and found.code.splitlines()[0] in stub


def test_classes_that_others_give_are_public():
    import fibermsk as fm

    assert set(examples.SHOWN_BY) <= set(fm.__all__)


def test_a_name_without_any_example_has_none():
    assert examples.example("NoSuchName") is None


def test_every_page_of_the_reference_leads_to_its_source():
    for names in api.grouped().values():
        for name in names:
            (place,) = [one for one in api._stub(name).splitlines() if ":source_of:" in one]
            module, function = place.split("`")[1].split()
            assert sources.split(f"{module}.{function}") == (module, function), name
            assert sources.line(module, function) >= 1


def test_laws_lead_to_their_equations():
    assert "Equations: :eq:`eq-gap`" in api._stub("fibermsk.PenaltyContact")
    assert ":eq:`eq-friction`" in api._stub("fibermsk.Friction")


@pytest.mark.parametrize(
    "name, section",
    [("HillLaw", "Hill muscles"), ("SDIRK2", "Time integration"), ("Spring", "Joint splines")],
)
def test_the_reference_leads_to_the_theory_that_names_it(name, section):
    assert f":theory:`{section}`" in api._stub(f"fibermsk.{name}")
