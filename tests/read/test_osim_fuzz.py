"""Files broken at random: either a model comes out or a `ModelError` that names the file."""

import copy
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from fuzz.amount import cases
from hypothesis import HealthCheck, given, settings, strategies as st
from test_osim_constraints import COUPLED, HELD
from test_osim_joints import FUNCTIONS
from test_osim_loops import four_bar

import fibermsk as fm

DATA = Path(__file__).parents[1] / "data"
LIMBS = [(DATA / f"limb_v{version}.osim").read_bytes() for version in (2, 3, 4)]


def closed():
    """A loop of joints with constraints, couplers of several coordinates, and new functions."""
    held = "".join(
        f'<{kind} name="{kind}">{HELD[kind]}</{kind}>'
        for kind in ("PointOnLineConstraint", "ConstantDistanceConstraint", "WeldConstraint")
    )
    coupler = (
        '<CoordinateCouplerConstraint name="c"><coupled_coordinates_function>'
        f"{COUPLED['polynomial']}</coupled_coordinates_function><independent_coordinate_names>"
        "j10 j11</independent_coordinate_names><dependent_coordinate_name>j12"
        "</dependent_coordinate_name></CoordinateCouplerConstraint>"
    )
    text = four_bar("GimbalJoint", "GimbalJoint").replace(
        "<ConstraintSet><objects>", (f"<ConstraintSet><objects>{held}{coupler}")
    )
    for name, function in (("j20", "step"), ("j21", "sine"), ("j22", "natural 5")):
        motion = "<prescribed>true</prescribed>"
        motion += f"<prescribed_function>{FUNCTIONS[function]}</prescribed_function>"
        text = text.replace(f'<Coordinate name="{name}">', f'<Coordinate name="{name}">{motion}')
    return text.encode()


LIMBS.append(closed())
TAGS = sorted({element.tag for limb in LIMBS for element in ET.fromstring(limb).iter()})

TEXTS = [
    "",
    "nan",
    "NaN NaN NaN",
    "inf",
    "-Infinity 0 0",
    "1e400",
    "1e300 1e300 1e300",
    "-1",
    "0",
    "0 0 0",
    "1 2",
    "1 2 3 4 5 6 7",
    "1e-300",
    "1e11 -1e11 1e11",
    "0x10",
    "1_000",
    "\u0661 \u0662 \u0663",
    "true",
    "maybe",
    "swing",
    "flexion flexion",
    "swing twist flexion glide",
    "ground",
    "/ground",
    "lower",
    "/bodyset/upper",
    "../../bodyset/cap",
    "../" * 40,
    "/jointset/elbow/flexion",
    "/jointset/elbow/upper_offset",
    "upper_mesh_frame",
    "..",
    ".",
    "/",
    "x" * 500,
    "\u2603",
    "<&>",
]

mutations = st.lists(
    st.tuples(
        st.sampled_from(
            ["delete", "double", "rename", "text", "name", "move", "wrap", "attribute", "empty"]
        ),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
        st.one_of(st.sampled_from(TEXTS), st.text(max_size=8), st.floats().map(repr)),
    ),
    min_size=1,
    max_size=6,
)


def mutate(root, how, where, other, text):
    """Change one element of a tree."""
    text = "".join(c for c in text if c.isprintable())
    parents = {child: parent for parent in root.iter() for child in parent}
    elements = list(parents)
    if not elements:
        return
    element = elements[where % len(elements)]
    parent = parents[element]
    target = elements[other % len(elements)]
    if how == "delete":
        parent.remove(element)
    elif how == "double":
        parent.append(copy.deepcopy(element))
    elif how == "rename":
        element.tag = TAGS[other % len(TAGS)]
    elif how == "text":
        element.text = text
    elif how == "name":
        element.set("name", text)
    elif how == "move":
        target.append(copy.deepcopy(element))
    elif how == "wrap":
        inside = copy.deepcopy(element)
        element.clear()
        element.append(inside)
    elif how == "attribute":
        element.set(["file", "Version", "name", "type"][other % 4], text)
    else:
        element.clear()


def read(folder, content):
    """Read what may be broken: nothing but a ModelError that names the file may come of it."""
    file = folder / "broken.osim"
    file.write_bytes(content)
    try:
        model = fm.read_osim(file)
    except fm.ModelError as error:
        assert str(error).startswith(str(file)), error
        assert ", line " in str(error), error
        assert len(str(error)) < 1500
        return None
    str(model.import_report)
    return model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


often = settings(
    max_examples=cases(150),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("limb", LIMBS, ids=["version 2", "version 3", "version 4", "closed"])
@often
@given(mutations)
def test_elements_at_random(folder, limb, changes):
    root = ET.fromstring(limb)
    for change in changes:
        mutate(root, *change)
    read(folder, ET.tostring(root))


@often
@given(
    st.sampled_from(LIMBS),
    st.lists(
        st.tuples(st.integers(0, 10**6), st.binary(max_size=6), st.integers(0, 40)), max_size=4
    ),
)
def test_bytes_at_random(folder, limb, changes):
    content = bytearray(limb)
    for where, new, n in changes:
        where %= len(content)
        content[where : where + n] = new
    read(folder, bytes(content))


@settings(often, max_examples=cases(50))
@given(st.binary(max_size=300))
def test_anything(folder, content):
    read(folder, content)


@settings(often, max_examples=cases(100))
@given(st.data())
def test_each_number_at_its_worst(folder, data):
    """Every text of numbers, replaced by another one."""
    root = ET.fromstring(data.draw(st.sampled_from(LIMBS)))
    numbers = [e for e in root.iter() if e.text and e.text.strip() and len(e) == 0]
    element = data.draw(st.sampled_from(numbers))
    words = element.text.split()
    k = data.draw(st.integers(0, len(words) - 1))
    words[k] = repr(data.draw(st.floats()))
    element.text = " ".join(words)
    read(folder, ET.tostring(root))
