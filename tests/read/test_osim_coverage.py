"""The table of coverage against the classes that OpenSim registers, and against what is read."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from opensim_peer import SCRIPT, run_script
from osim_classes import ACTS, IDLE, LOST, REFUSED, fate

PAGE = Path(__file__).parents[2] / "docs" / "opensim_coverage.md"

ROW = re.compile(r"^\| `(\w+)` \| ([a-z ]+) \| (.+) \|$", re.MULTILINE)


@cache
def rows():
    """Status and reason of each class in the table."""
    found = ROW.findall(PAGE.read_text())
    names = [name for name, _, _ in found]
    assert len(names) == len(set(names)) > 100
    return {name: (status, why) for name, status, why in found}


@pytest.fixture(scope="module")
def registered(tmp_path_factory):
    """Kinds and default XML of each class that OpenSim can read from a file."""
    folder = tmp_path_factory.mktemp("classes")
    answer = folder / "classes.json"
    run_script(SCRIPT.with_name("classes_in_opensim.py"), folder, {"answer": str(answer)})
    return json.loads(answer.read_text())


def test_the_table_lists_every_class_of_opensim(registered):
    assert len(registered) > 100
    assert sorted(rows()) == sorted(registered)


def test_every_row_has_a_known_status_and_a_reason():
    for name, (status, why) in rows().items():
        assert status in (ACTS, IDLE, LOST, REFUSED) and len(why) > 5, name


def test_the_import_does_what_the_table_says(tmp_path, registered):
    wrong = {}
    for name, (kinds, default) in registered.items():
        found, told = fate(tmp_path, name, kinds, default)
        if found != rows()[name][0]:
            wrong[name] = f"the table says {rows()[name][0]!r}, the import {found!r}: {told[:200]}"
    assert not wrong, "\n".join(f"{name}: {text}" for name, text in wrong.items())


def test_what_does_not_act_is_named_in_the_report(tmp_path, registered):
    """By its class, or, of members of a set, by what the set is."""
    of_sets = {"Controller": "CONTROLLERS"}
    for name, (status, _) in rows().items():
        if status != LOST or name.removesuffix("_Deprecated").endswith("Muscle"):
            continue
        kinds, default = registered[name]
        _, told = fate(tmp_path, name, kinds, default)
        word = "CONTROLLERS" if name == "ControllerSet" else of_sets.get(kinds[0], name)
        assert word in told, name
