"""What the page of equations names exists, and it leaves out no kernel."""

import importlib
import pkgutil
import re

import pytest
from scenes_of_tests import ROOT

import fibermsk.kernels

PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
PACKAGES = "anatomy|elements|forces|gradients|kernels|laws|linalg|model|read|solvers|system"
NAMES = sorted(set(re.findall(rf"`((?:{PACKAGES})(?:\.\w+)+)`", PAGE)))
LABELS = re.findall(r"^\$\$ \(([\w-]+)\)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_names_exists(name):
    try:
        importlib.import_module(f"fibermsk.{name}")
    except ModuleNotFoundError:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(f"fibermsk.{module}"), function))


def test_the_page_mentions_every_kernel_module():
    found = pkgutil.walk_packages(fibermsk.kernels.__path__, "fibermsk.kernels.")
    modules = {module.name.removeprefix("fibermsk.") for module in found if not module.ispkg}
    assert len(modules) > 30
    missing = {name for name in modules if not re.search(rf"`{re.escape(name)}\b", PAGE)}
    assert not missing


def test_every_equation_has_a_label_of_its_own():
    assert len(LABELS) == len(set(LABELS)) > 30
    assert PAGE.count("\n$$\n") == len(LABELS)  # each block opens so, and closes with its label
    assert set(re.findall(r"\{eq\}`([\w-]+)`", PAGE)) <= set(LABELS)


def test_every_equation_names_what_evaluates_it():
    sources = pytest.importorskip("sources", reason="needs sphinx; install the extra docs")
    found = sources.equations(PAGE)
    assert set(found) == set(LABELS) and not [label for label, names in found.items() if not names]
    assert PACKAGES == sources.PACKAGES


def test_names_after_equations_belong_to_them():
    sources = pytest.importorskip("sources", reason="needs sphinx; install the extra docs")
    page = (
        "## One\n\n`laws.stress`\n\n$$\na\n$$ (eq-a)\n\n$$\nb\n$$ (eq-b)\n\nBoth: `laws.titin`.\n\n"
        "$$\nc\n$$ (eq-c)\n\n## Two\n\n`kernels.section.section`\n"
    )
    assert sources.equations(page) == {
        "eq-a": {"laws.titin"},
        "eq-b": {"laws.titin"},
        "eq-c": set(),
    }


def test_figures_of_the_page_are_drawn_by_their_script(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "images")
    make = importlib.import_module("make_theory")
    monkeypatch.setattr(make, "HERE", tmp_path)
    for name, draw in make.FIGURES.items():
        with make.plt.rc_context(make.STYLE):
            draw()
        shown = f"theory_{name}.svg"
        assert f"(images/{shown})" in PAGE and (ROOT / "docs" / "images" / shown).is_file()
        assert (tmp_path / shown).read_text(encoding="utf-8").count("<path") > 20


def test_every_law_of_stress_and_contact_has_its_source():
    for equation in ("G 21", "G 44", "G 52–53", "G 62", "G 64", "G 66", "G 69", "G 95"):
        assert equation in PAGE
