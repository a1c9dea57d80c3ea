"""Nothing of a file is dropped in silence."""

import json
import random
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from fuzz.amount import cases

import fibermsk as fm

DATA = Path(__file__).parents[1] / "data"

WHOLE = ("MarkerSet", "defaults", "RollingOnSurfaceConstraint", "CoordinateActuator")
"""Left out as a whole with an entry of their own, or defaults, which count where they are used."""


def outside(root):
    """Elements in which something unknown would be news."""
    found = []

    def visit(element):
        if element.tag in WHOLE:
            return
        found.append(element)
        for child in element:
            visit(child)

    visit(root.find("Model"))
    return found


def named(model, tag):
    """Whether the report names a tag, or a muscle keeps it among its parameters."""
    kept = any(tag in key for muscle in model.muscles for key in muscle.parameters)
    return kept or tag in str(model.import_report)


@pytest.mark.parametrize("file", ["limb_v2", "limb_v3", "limb_v4", "arm26"])
def test_unknown_elements_anywhere_are_named(tmp_path, request, file):
    path = DATA / f"{file}.osim"
    if file == "arm26":
        path = request.getfixturevalue("shared_models") / "opensim-models/arm26.osim"
    text = path.read_text()
    choose = random.Random(4)
    n = len(outside(ET.fromstring(text)))
    silent, broken = [], tmp_path / "more.osim"
    for case in range(cases(60)):
        root = ET.fromstring(text)
        element = outside(root)[choose.randrange(n)]
        unknown = ET.Element("novelty")
        unknown.text = "3.5"
        if case % 2:
            unknown = ET.Element("Novelty", name="strange")
            ET.SubElement(unknown, "detail").text = "1 2 3"
        element.insert(choose.randrange(len(element) + 1), unknown)
        broken.write_bytes(ET.tostring(root))
        try:
            model = fm.read_osim(broken)
        except fm.ModelError as error:
            assert unknown.tag in str(error), error
            continue
        if not named(model, unknown.tag):
            silent.append(element.tag)
    assert not silent


def test_attributes_and_stray_texts_are_named(tmp_path):
    text = (DATA / "limb_v4.osim").read_text()
    text = text.replace('<PinJoint name="elbow">', '<PinJoint name="elbow" color="red"> hello')
    file = tmp_path / "stray.osim"
    file.write_text(text)
    report = str(fm.read_osim(file).import_report)
    assert "the attribute color = 'red'" in report
    assert "the text 'hello'" in report


def changed(tmp_path, *changes):
    """Report of limb_v4 with texts replaced."""
    text = (DATA / "limb_v4.osim").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file = tmp_path / "changed.osim"
    file.write_text(text)
    return str(fm.read_osim(file).import_report)


def test_what_stands_outside_of_the_model_is_named(tmp_path):
    plain = str(fm.read_osim(DATA / "limb_v4.osim").import_report)
    report = changed(
        tmp_path,
        ('<OpenSimDocument Version="40000">', '<OpenSimDocument Version="40700" by="me"> hello'),
        ("<Model name=", '<Model kind="human" name='),
        ("</OpenSimDocument>", "<ForceSet/></OpenSimDocument>"),
        ("<objects>", "<defaults><Body><mass>3</mass></Body></defaults><objects>"),
    )
    for words in (
        "version 40700 is newer than the newest supported one",
        "the attribute by = 'me'",
        "the text 'hello'",
        "the attribute kind = 'human'",
        "<ForceSet> is outside <Model>",
        "<defaults> is used directly below <Model> only",
    ):
        assert words in report, words
        assert words not in plain


def test_muscles_of_unknown_and_missing_properties(tmp_path):
    plain = str(fm.read_osim(DATA / "limb_v4.osim").import_report)
    report = changed(
        tmp_path,
        ("<max_isometric_force>", "<max_isometric_farce>"),
        ("</max_isometric_force>", "</max_isometric_farce>"),
    )
    for words in (
        "<max_isometric_farce> is not a known property of a muscle: kept in parameters only",
        "a muscle without max_isometric_force: OpenSim's default is used",
    ):
        assert words in report
        assert words not in plain


def test_report_in_words_and_as_a_dict():
    model = fm.read_osim(DATA / "limb_v4.osim")
    report = model.import_report
    assert isinstance(report, fm.ImportReport)
    assert (report.version, report.file) == (40000, str(DATA / "limb_v4.osim"))
    text = str(report)
    assert "RollingOnSurfaceConstraint is NOT ENFORCED: a body does not roll" in text
    assert "glide starts at" in text
    assert "markers" not in text
    assert "the CoordinateActuator acts with a control only" in text
    assert "block.stl" in text
    assert {entry.kind for entry in report.entries} == {"not understood", "changed", "note"}
    assert [entry.line for entry in report.entries] == sorted(e.line for e in report.entries)
    again = json.loads(json.dumps(report.as_dict()))
    assert len(again["entries"]) == len(report.entries)
    assert again["joint_kinds"]["shoulder"] == "CustomJoint"
    assert again["meshes"] == [{"body": "upper", "file": "block.stl", "path": None}]


def test_many_alike_are_one_line(tmp_path):
    spring = "<NovelForce name='s{}'><stiffness>1</stiffness></NovelForce>"
    springs = "".join(spring.format(i) for i in range(200))
    text = (DATA / "limb_v4.osim").read_text()
    file = tmp_path / "springs.osim"
    file.write_text(
        text.replace('<ForceSet name="forceset">\n\t\t\t<objects>', f"<ForceSet><objects>{springs}")
    )
    report = fm.read_osim(file).import_report
    lines = [line for line in str(report).splitlines() if "NovelForce" in line]
    assert len(lines) == 1
    assert "does NOT ACT" in lines[0] and "and 199 more" in lines[0]


@pytest.mark.parametrize(
    "file",
    ["opensim-models", "opensim-core", "MoBL-ARMS_noncommercial", "das4", "NMSM_Forward_Dynamics"],
)
def test_published_models_all_import(shared_models, file):
    found = sorted((shared_models / file).rglob("*.osim"))
    assert found
    for path in found:
        report = fm.read_osim(path).import_report
        left = [e for e in report.of_kind("not understood") if "mesh" not in e.text]
        assert not left, (path, left)
