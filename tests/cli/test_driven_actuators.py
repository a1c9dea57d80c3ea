"""`fibermsk run MODEL.osim --controls FILE` drives actuators by their columns."""

import json

import numpy as np
import pytest
from osim_text import body, joint, model

import fibermsk as fm
from fibermsk.cli.running.model_scene import scene

FLAT = "<gravity>0 0 0</gravity>"
FORCES = (
    "<CoordinateActuator name='motor'><coordinate>s</coordinate>"
    "<optimal_force>3</optimal_force></CoordinateActuator>"
    "<ActivationCoordinateActuator name='lag'><coordinate>s</coordinate>"
    "<optimal_force>2</optimal_force><activation_time_constant>0.05</activation_time_constant>"
    "<default_activation>0</default_activation></ActivationCoordinateActuator>"
    "<BodyActuator name='wrench'><socket_body>/bodyset/b</socket_body></BodyActuator>"
)


@pytest.fixture
def cart(tmp_path):
    """A body of 1.5 kg on a slider along x, with a motor, one with a lag, and a wrench."""
    slider = joint("SliderJoint", "j", "ground", "b", ["s"])
    file = tmp_path / "cart.osim"
    file.write_text(model(body("b"), slider, forces=FORCES, gravity=FLAT))
    return file


def table(path, head, *rows):
    path.write_text("\n".join([head, *rows]) + "\n")
    return str(path)


def test_columns_drive_actuators(cli, cart, tmp_path):
    controls = table(tmp_path / "c.csv", "time,motor,/forceset/lag", "0,0,1", "0.4,2,1")
    out = tmp_path / "cart.h5"
    done = cli("run", cart, "--controls", controls, "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "success"
    result = fm.load(out)
    t = result.time
    assert t[-1] == pytest.approx(0.4)
    np.testing.assert_allclose(result.elements["motor"]["force"], 15.0 * t, atol=1e-12)
    activation = 1.0 - np.exp(-t / 0.05)
    np.testing.assert_allclose(result.states["lag"]["activation"], activation, atol=1e-3)
    # the integrals of both forces, over the mass
    moved = 2.5 * t**3 + t**2 - 0.1 * (t + 0.05 * np.expm1(-t / 0.05))
    start = result.coordinate("s")[0]
    np.testing.assert_allclose(result.coordinate("s") - start, moved / 1.5, atol=2e-4)


def test_columns_of_a_wrench_and_times_that_begin_later(cart, tmp_path):
    controls = table(tmp_path / "c.csv", "time,wrench_3,wrench_5", "1,2,4", "1.5,4,4")
    made = scene(str(cart), bundle="none", controls=controls, duration=0.2)
    load = made.model.element("wrench")
    np.testing.assert_allclose(load.value("force", 1.25), [3.0, 0.0, 4.0])
    assert not [one for one in made.model.elements if one.name != "wrench"]


def test_unknown_columns_are_refused_with_the_known_ones(cli, cart, tmp_path):
    controls = table(tmp_path / "c.csv", "time,moter,motor", "0,0,1", "1,0,1")
    done = cli("run", cart, "--controls", controls, "--out", tmp_path / "cart.h5")
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    for words in ("columns 'moter'", "muscles none", "actuators motor, lag, wrench_0"):
        assert words in said
    assert not (tmp_path / "cart.h5").exists()


def test_one_number_is_for_muscles_only(cli, cart, tmp_path):
    done = cli("run", cart, "--controls", "0.5", "--t-end", "0.02", "--out", tmp_path / "cart.h5")
    assert done.exit_code == 0, done.stderr
    assert not fm.load(tmp_path / "cart.h5").elements


def test_a_motion_that_moves_the_coordinate_leaves_its_actuators_out(cart, tmp_path):
    motion = table(tmp_path / "m.csv", "time,s", "0,0", "0.1,0.1", "0.2,0.1", "0.3,0")
    controls = table(tmp_path / "c.csv", "time,motor,wrench_0", "0,0,1", "1,0,1")
    with pytest.warns(fm.ModelWarning, match="have no effect: motor"):
        made = scene(str(cart), bundle="none", motion=motion, controls=controls)
    assert [one.name for one in made.model.elements] == ["wrench"]
