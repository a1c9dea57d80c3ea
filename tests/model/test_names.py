"""Names: refused when given where a file could not hold them."""

import re

import pytest
from make_result import make_result

import fibermsk as fm
from fibermsk.io import save

NOWHERE = ["a\0b", "\ud800", "biceps\udcff"]
"""No text of a file can hold these."""
PATHS = ["a/b", "/", "/a", "a/", ".", "..", " .. ", "../../a"]
"""These lead elsewhere in a result file."""

GROUND = fm.Body("ground")
ENDS = (GROUND.at(0, 0, 0), GROUND.at(0.1, 0, 0))
TISSUE = fm.Tissue(1000.0, fm.KelvinVoigt(1e5, 100.0))
MUSCLE = {"max_isometric_force": 1.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.1}
POINTS = (fm.PathPoint("p", ENDS[0]), fm.PathPoint("q", ENDS[1]))


def hinge(name, **more):
    return fm.Hinge(name, GROUND, fm.Body("rod"), at=(0, 0, 0), axis=(0, 0, 1), **more)


ITEMS = {
    "body": fm.Body,
    "fiber": lambda name: fm.Fiber(name, attach=ENDS, radius=1e-3, n_elements=2, tissue=TISSUE),
    "coordinate": fm.Coordinate,
    "hinge": hinge,
    "hinge of its own coordinate": lambda name: hinge(name, coordinate=fm.Coordinate("turn")),
    "free": lambda name: fm.Free(name, GROUND, fm.Body("rod")),
    "line muscle": lambda name: fm.LineMuscle(name, POINTS, **MUSCLE),
}
TEXTS = {
    "model": fm.Model,
    "path point": lambda name: fm.PathPoint(name, ENDS[0]),
    "wrap surface": lambda name: fm.WrapSphere(name, GROUND, radius=0.1),
}


@pytest.mark.parametrize("name", [*NOWHERE, *PATHS])
@pytest.mark.parametrize("kind", ITEMS)
def test_items_whose_names_no_result_file_can_hold(kind, name):
    with pytest.raises(fm.ModelError, match=r": name = .*; must have no .*; rename it") as error:
        ITEMS[kind](name)
    assert str(error.value).startswith(kind.split(" of ")[0]) and repr(name) in str(error.value)


@pytest.mark.parametrize("name", NOWHERE)
@pytest.mark.parametrize("kind", TEXTS)
def test_texts_that_no_file_can_hold(kind, name):
    with pytest.raises(fm.ModelError, match=rf"^{kind}: name = .*no null character.*rename it"):
        TEXTS[kind](name)


@pytest.mark.parametrize("name", ["left arm", "a.b", "...", "ä µ 手", "100 %", "a\\b", "%2F"])
def test_names_that_files_can_hold(name):
    for make in (*ITEMS.values(), *TEXTS.values()):
        assert make(name).name == name


@pytest.mark.parametrize("name", NOWHERE)
def test_a_result_of_ones_own_making_is_refused_as_a_whole(tmp_path, name):
    """A null character would cut the name, and let two fibers become one."""
    result = make_result()
    result.fibers[name] = next(iter(result.fibers.values()))
    with pytest.raises(fm.ModelError, match="name = .*no null character"):
        save(result, tmp_path / "arm.h5")
    assert not list(tmp_path.iterdir())


def test_scene_of_a_file_whose_name_no_result_can_hold():
    """Refused before anything is computed."""
    scene = fm.Scene(fm.Model("m"), duration=1.0, steps=2)
    with pytest.raises(fm.ModelError, match=re.escape("simulate_scene: name = 'arm\\udcff'")):
        fm.simulate_scene(scene, name="arm\udcff")
