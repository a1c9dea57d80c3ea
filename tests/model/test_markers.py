"""Markers as items of a model, and in files of OpenSim."""

from pathlib import Path

import numpy as np
import pytest

import fibermsk as fm

DATA = Path(__file__).parents[1] / "data"


def arm():
    model = fm.Model("arm")
    bone = model.add(fm.Body("bone", 1.0, (0, -0.1, 0), (0.01, 0.01, 0.01)))
    model.add(fm.Hinge("elbow", model.ground, bone, (0, 0, 0), (0, 0, 1)))
    model.add(fm.Marker("wrist", bone.at(0.0, -0.25, 0.0)))
    return model


def test_markers_are_found_and_follow_edits():
    model = arm()
    assert model.markers.names == ("wrist",) and model.marker("wrist").body.name == "bone"
    heavy = model.edit({"bone/mass": 2.0})
    assert heavy.marker("wrist").body is heavy.body("bone") is not model.body("bone")
    moved = model.edit({model.marker("wrist"): {"station": model.body("bone").at(0, -0.3, 0)}})
    assert moved.marker("wrist").station.position[1] == -0.3
    assert not model.edit(remove=[model.marker("wrist")]).markers
    assert "markers" in repr(model)


def test_markers_are_checked():
    model = arm()
    bone = model.body("bone")
    with pytest.raises(fm.ModelError, match="'wrist'; must be unique among markers"):
        model.add(fm.Marker("wrist", bone.at(0, 0, 0)))
    with pytest.raises(fm.ModelError, match="already in the model"):
        model.add(model.marker("wrist"))
    with pytest.raises(fm.ModelError, match="unknown body 'other'"):
        model.add(fm.Marker("hand", fm.Body("other").at(0, 0, 0)))
    with pytest.raises(fm.ModelError, match="no marker 'wrst'; did you mean 'wrist'"):
        model.marker("wrst")
    with pytest.raises(fm.ModelError, match="must be a Station"):
        fm.Marker("hand", bone)
    with pytest.raises(fm.ModelError, match="'bone' is removed, but .*wrist.* refers to it"):
        model.edit(remove=[bone])


@pytest.mark.parametrize("version", [2, 3, 4])
def test_markers_of_files(version):
    (marker,) = fm.read_osim(DATA / f"limb_v{version}.osim").markers
    assert (marker.name, marker.body.name) == ("tip", "lower")
    np.testing.assert_array_equal(marker.station.position, [0.0, -0.3, 0.0])


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("/bodyset/lower</socket_parent_frame>\n\t\t\t\t\t<location>0", "/bodyset/lwr"
         "</socket_parent_frame>\n\t\t\t\t\t<location>0", "no body or frame has this name"),
        ("<location>0 -0.3 0<", "<location>0 nan 0<", "must be finite numbers"),
        ('<Marker name="tip">', "<Marker>", "a marker without a name is left out"),
    ],
)  # fmt: skip
def test_wrong_markers_of_files_are_reported(tmp_path, old, new, words):
    """They have no effect on mechanics: the model is read without them."""
    text = (DATA / "limb_v4.osim").read_text()
    assert old in text
    (tmp_path / "limb.osim").write_text(text.replace(old, new))
    model = fm.read_osim(tmp_path / "limb.osim")
    assert not model.markers
    assert words in str(model.import_report)
