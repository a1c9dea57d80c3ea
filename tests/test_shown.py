"""Short texts of objects at a prompt and in a notebook."""

import pickle
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from make_result import make_reporting_arm, make_result

import fibermsk as fm
from fibermsk import _check
from fibermsk._shown import LINES, WIDTH, Summary, names, span
from fibermsk.studies.identity import plain

RESULT = make_reporting_arm(9)


def upper_limb():
    return fm.make_scene("upper_limb").model


def shown_things():
    model = upper_limb()
    fiber = model.fiber("biceps_1")
    yield from (model, model.ground, *model.joints, fiber, fiber.tissue, *model.contacts)
    yield from (*fiber.attach, *model.coordinates, fm.build(model), fm.still(model))
    yield from (RESULT, RESULT.fibers, RESULT.fibers["biceps_1"], RESULT.bodies, RESULT.elements)
    yield from (RESULT.bodies["forearm"], RESULT.coordinates, *RESULT.elements.values())
    yield from (*RESULT.states.values(), RESULT.muscles, *RESULT.muscles.values())


@pytest.mark.parametrize("thing", list(shown_things()), ids=lambda one: type(one).__name__)
def test_texts_fit_a_screen_and_tables_are_complete_html(thing):
    text = repr(thing)
    assert 5 < len(text) <= LINES * WIDTH and " object at 0x" not in text
    lines = text.splitlines()
    assert len(lines) <= LINES and max(map(len, lines)) <= WIDTH
    assert str(thing) == text
    table = thing._repr_html_()
    assert not re.search("src=|href=|url|<script", table)
    root = ElementTree.fromstring(table)
    assert root.tag == "table" and root.find("caption") is not None


def test_descriptions_are_shown_with_units_and_parts_by_name():
    model = upper_limb()
    hinge, forearm = model.joint("elbow_flexion"), model.body("forearm")
    assert "parent=Body('upper_arm'), child=Body('forearm')" in repr(hinge)
    assert "at=(0, 0, -0.351) m" in repr(hinge) and "N m s/rad" in repr(hinge)
    assert "mass=1.5 kg" in repr(forearm) and "kg m^2" in repr(forearm)
    assert repr(forearm.at(0.0, 0.1, 0.0)) == "Station('forearm', (0, 0.1, 0) m)"
    assert repr(fm.Body("bone")) == "Body('bone')"
    ends = model.ground.at(0, 0, 0), forearm.at(0, 0, 1)
    assert "stiffness=5 N/m" in repr(fm.PointSpring("band", *ends, stiffness=5.0, rest_length=0.1))


def test_a_long_description_loses_its_last_fields_and_says_so():
    model = upper_limb()
    text = repr(replace(model.contacts[0], name="n" * 290))
    assert text.startswith("Contact('nnn") and text.endswith("...)")


def test_tables_name_what_does_not_fit():
    rows = [(f"row_{k}", str(k)) for k in range(30)]
    lines = Summary("title", rows).text().splitlines()
    assert len(lines) == LINES and "row_7" in lines[-2]
    assert lines[-1].startswith("  22 more  row_8, row_9") and lines[-1].endswith("...")
    assert names([f"fiber_{k}" for k in range(99)], 30) == "fiber_0, fiber_1 and 97 more"
    assert names([]) == "none"


def test_texts_of_others_do_not_become_markup():
    table = Summary("<b>title</b>", [("<script>", "a & b")])
    assert "<b>" not in table.html() and "&lt;script&gt;" in table.html()
    renamed = replace(RESULT, scene="<img src=x>")
    assert "<img" not in renamed._repr_html_() and "<img" in repr(renamed)


def test_ranges_have_units_and_unknown_numbers_are_told():
    assert span(np.array([1.0, np.nan, 3.0]), "N") == "1 to 3 N"
    assert span(np.array([2.0, 2.0]), "1") == "2"
    assert span(np.full(3, np.nan), "N") == "not known"
    assert span(np.empty(0)) == "array of shape (0,)"


def test_a_result_tells_status_frames_and_ranges():
    text = repr(make_result(33))
    assert text.startswith("Result of ") and "0 to 8 s in 33 frames" in text
    assert "elbow_flexion 0 to 1.047 rad" in text
    assert "biceps_1, biceps_2, triceps_1, triceps_2, triceps_3" in text
    failed = replace(RESULT, status="failed", message="no convergence at t = 1 s")
    assert ": failed\n" in repr(failed) and "no convergence at t = 1 s" in repr(failed)
    assert re.search(r"elbow_flexion +0 to 1\.047 rad/?", repr(make_result(33).coordinates))
    assert "rad/s" in repr(make_result(33).speeds)


def test_a_fiber_tells_the_ranges_of_its_fields():
    text = repr(RESULT.fibers["biceps_1"])
    assert re.search(r"axial_force +[\d.]+ to [\d.]+ N\n", text)
    assert re.search(r"length +[\d.]+ to [\d.]+ m\n", text) and "position" in text


def test_no_change_of_a_value_is_lost_in_the_identity_of_a_study():
    """Texts are short, so that they cannot tell models apart."""
    body = fm.Body("a", 1.0, inertia=(1.0, 1.0, 1.0))
    other = fm.Body("a", 1.0 + 1e-12, inertia=(1.0, 1.0, 1.0))
    assert repr(body) == repr(other) and plain(body) != plain(other)
    assert plain(body) == plain(fm.Body("a", 1.0, inertia=(1.0, 1.0, 1.0)))


def test_parts_by_name_stay_after_pickling_and_replacing():
    for result in (pickle.loads(pickle.dumps(RESULT)), replace(RESULT, scene="other")):
        with pytest.raises(KeyError, match="no fiber 'bicep'"):
            result.fibers["bicep"]
        assert list(result.fibers) == list(RESULT.fibers)


@pytest.mark.parametrize(
    "look, words",
    [
        (lambda r: r.fibers["bicep_1"], "no fiber 'bicep_1'; this result has: biceps_1, biceps_2,"
         " .*; did you mean 'biceps_1' or "),
        (lambda r: r.bodies["hand"], "no body 'hand'; this result has: upper_arm, "),
        (lambda r: r.coordinates["elbow"], "did you mean 'elbow_flexion'"),
        (lambda r: r.coordinate("elbow_flex"), "did you mean 'elbow_flexion'"),
        (lambda r: r.speeds["x"], "no speed 'x'; this result has: elbow_flexion"),
        (lambda r: r.tension("x"), "no fiber 'x'; this result has: biceps_1"),
        (lambda r: r.muscles["x"], "no muscle 'x'; this result has: "),
        (lambda r: r.elements["x"], "no element 'x'; this result has: "),
        (lambda r: next(iter(r.elements.values()))["x"], "no field 'x'; there are: "),
    ],
)  # fmt: skip
def test_a_wrong_name_is_told_with_those_that_exist(look, words):
    with pytest.raises(KeyError, match=words):
        look(RESULT)
    assert RESULT.fibers.get("bicep") is None


def test_many_names_are_not_tried_one_by_one():
    class Counted(str):
        joined = 0

        def __len__(self) -> int:
            Counted.joined += 1
            return super().__len__()

    words = names([Counted(f"fiber_{k}") for k in range(10_000)])
    assert words.endswith(" and 9995 more") and Counted.joined < 100


def test_the_value_in_an_error_is_one_line():
    assert "\n" not in _check.show(fm.still(upper_limb())) and _check.show("a\nb") == repr("a\nb")
