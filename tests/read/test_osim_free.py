"""Bodies that nothing joins to the ground move freely, by the joints that OpenSim adds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask
from osim_text import body, joint, model as text_of
from same_models import differences

import fibermsk as fm


def pin(name, parent, child):
    return joint("PinJoint", name, parent, child, (f"{name}q",))


CASES = {
    "alone": ("a", ""),
    "two": ("ab", ""),
    "the parent of a joint": ("ab", pin("p", "b", "a")),
    "the first parent": ("abc", pin("p", "b", "a") + pin("r", "c", "a")),
    "the parent of most": ("abcd", pin("p", "a", "b") + pin("r", "d", "c") + pin("s", "d", "b")),
}


def read(tmp_path, names, joints):
    file = tmp_path / "loose.osim"
    file.write_text(text_of("".join(map(body, names)), joints))
    return file, fm.read_osim(file)


@pytest.mark.parametrize("case", CASES)
def test_free_joints_are_those_of_opensim(tmp_path, rng, case):
    file, model = read(tmp_path, *CASES[case])
    report = [one for one in model.import_report.entries if "moves freely" in one.text]
    assert report and all("as in OpenSim" in one.text for one in report)
    free = [one for one in model.joints if one.name.startswith("free_")]
    assert len(free) == len(report)
    skeleton = fm.skeleton(model)
    draws = rng.uniform(-0.8, 0.8, (3, skeleton.n))
    values = [dict(zip(skeleton.independent, one.tolist(), strict=True)) for one in draws]
    answer = ask(tmp_path, file, values)
    assert set(answer["coordinates"]) == {one.name for one in model.coordinates}
    for q, theirs in zip(values, answer["configurations"], strict=True):
        for name, (turned, place) in skeleton.poses(skeleton.q_of(q)).items():
            if name == "ground":
                continue
            assert_allclose(turned, theirs["poses"][name][0], atol=1e-12)
            assert_allclose(place, theirs["poses"][name][1], atol=1e-12)


def test_a_free_body_is_written_and_read_again(tmp_path):
    _, model = read(tmp_path, "ab", pin("p", "b", "a"))
    again = fm.read_osim(fm.write_osim(model, tmp_path / "again.osim"))
    assert differences(model, again, 2e-15) == []
    assert not [one for one in again.import_report.entries if "moves freely" in one.text]
    assert again.import_report.joint_kinds["free_b"] == "FreeJoint"


def test_beside_a_body_on_the_ground(tmp_path):
    """OpenSim 4.6 fails on such a file: it takes the body on the ground for none of the tree."""
    _, model = read(tmp_path, "abc", pin("p", "ground", "b") + pin("r", "c", "a"))
    assert [one.name for one in model.joints] == ["p", "free_c", "r"]
    assert len(model.coordinates) == 8


def test_it_falls(tmp_path):
    _, model = read(tmp_path, "a", "")
    result = fm.simulate(model, t_end=0.2, dt=0.01)
    down = result.coordinate("free_a_coord_4")
    assert_allclose(down[-1], -0.5 * 9.80665 * 0.04, rtol=1e-3)


def test_a_taken_name_is_another(tmp_path):
    _, model = read(tmp_path, "ab", joint("PinJoint", "free_a", "ground", "b", ("q",)))
    assert [one.name for one in model.joints] == ["free_a", "free_a_2"]
    assert np.isfinite(fm.skeleton(model).start).all()
