import os
from dataclasses import fields, is_dataclass, replace

import h5py
import numpy as np
import pytest
from make_result import make_hanging_fiber, make_meshed_arm, make_reporting_arm, make_result

from fibermsk.errors import ModelError, ModelWarning
from fibermsk.io import check_writable, describe, hdf5 as module, load, save
from fibermsk.results import ShapeRecord


def assert_same(a, b):
    if is_dataclass(a):
        assert type(a) is type(b)
        for item in fields(a):
            assert_same(getattr(a, item.name), getattr(b, item.name))
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, tuple):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b)
    else:
        assert a == b


@pytest.mark.parametrize(
    "result",
    [
        make_result(),
        make_result(1, status="interrupted", message="stopped by the user"),
        make_hanging_fiber(),
        make_meshed_arm(),
        make_reporting_arm(),
    ],
    ids=["arm", "one_frame", "hanging", "meshed", "reporting"],
)
def test_round_trip(tmp_path, result):
    path = save(result, tmp_path / "new" / "folder" / "run.h5")
    assert_same(load(path), result)
    assert os.listdir(path.parent) == ["run.h5"]


def test_layout_is_the_documented_one(tmp_path):
    result = make_result(4)
    with h5py.File(save(result, tmp_path / "run.h5")) as file:
        assert file["time"].shape == (4,)
        assert file["coordinates/elbow_flexion"].attrs["units"] == "rad"
        assert file["speeds/elbow_flexion"].attrs["units"] == "rad/s"
        assert file["bodies/forearm/rotation"].shape == (4, 3, 3)
        assert file["fibers/biceps_1/position"].shape == (4, 9, 3)
        assert file["fibers/biceps_1/axial_force"].shape == (4, 21)
        assert file["fibers/biceps_1/axial_force"].attrs["units"] == "N"
        assert file["solver/min_admissibility"].shape == (4,)
        assert file.attrs["units"] == "SI"
        assert file.attrs["status"] == "success"
        assert set(file.attrs) >= {"scene", "parameters", "fibermsk_version", "method"}


def test_meshes_are_written_packed_beside_their_body(tmp_path):
    result = make_meshed_arm()
    path = save(result, tmp_path / "run.h5")
    with h5py.File(path) as file:
        assert list(file["bodies/forearm/shapes/kind"].asstr()) == ["capsule", "mesh"]
        vertices = file["bodies/forearm/shapes/mesh_1/vertices"]
        assert vertices.attrs["units"] == "m" and vertices.compression == "gzip"
        assert file["bodies/forearm/visuals/mesh_0/faces"].shape == (4 * 12 * 11, 3)
        assert "visuals" not in file["bodies/upper_arm"]
    drawn = load(path).bodies["forearm"].visuals[0]
    assert drawn.faces.dtype == np.int64
    np.testing.assert_allclose(drawn.end, [0.06, 0.06, 0.06])
    assert "/bodies/forearm/visuals/mesh_0/faces" in {
        item["path"] for item in describe(path)["datasets"]
    }


def test_units_and_the_way_up_are_kept(tmp_path):
    history = np.linspace(0.0, 1.0, 3)
    result = make_result(
        3,
        coordinates={"turn": history, "slide": history},
        speeds={"turn": history, "slide": history},
        coordinate_units={"slide": "m"},
        up=(0.0, 1.0, 0.0),
    )
    path = save(result, tmp_path / "run.h5")
    assert_same(load(path), result)
    assert describe(path)["attributes"]["up"] == [0.0, 1.0, 0.0]
    with h5py.File(path) as file:
        assert file["coordinates/slide"].attrs["units"] == "m"
        assert file["speeds/slide"].attrs["units"] == "m/s"


def test_mesh_without_triangles_survives(tmp_path):
    bodies = dict(make_result(2).bodies)
    empty = ShapeRecord.mesh(np.empty((0, 3)), np.empty((0, 3)))
    bodies["forearm"] = replace(bodies["forearm"], visuals=(empty,))
    back = load(save(make_result(2, bodies=bodies), tmp_path / "run.h5"))
    assert back.bodies["forearm"].visuals[0].vertices.shape == (0, 3)


def test_awkward_names_and_values_survive(tmp_path):
    result = make_result(3)
    fiber = result.fibers["biceps_1"]
    odd = replace(
        result,
        fibers={"left/long %2F head": fiber, ".": fiber},
        parameters={"n": np.int64(3), "x": np.arange(2.0)},
        stats={"history": list(range(30_000))},
    )
    back = load(save(odd, tmp_path / "run.h5"))
    assert list(back.fibers) == ["left/long %2F head", "."]
    assert back.parameters == {"n": 3, "x": [0.0, 1.0]}
    assert len(back.stats["history"]) == 30_000


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch, error):
    path = save(make_result(3), tmp_path / "run.h5")
    write = module._write

    def broken(file, result):
        yield from write(file, result)
        raise error

    monkeypatch.setattr(module, "_write", broken)
    with pytest.raises(error):
        save(make_result(9), path)
    assert load(path).time.size == 3
    assert os.listdir(tmp_path) == ["run.h5"]


def test_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelError, match="cannot write .*file"):
        check_writable(tmp_path / "file" / "run.h5")
    with pytest.raises(ModelError, match="it is a folder"):
        save(make_result(2), tmp_path)
    assert check_writable(tmp_path / "made" / "run.h5").parent.is_dir()


def test_bad_files_are_named_as_such(tmp_path):
    with pytest.raises(ModelError, match="there is no such file"):
        load(tmp_path / "missing.h5")
    with pytest.raises(ModelError, match="it is a folder"):
        load(tmp_path)
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(ModelError, match="not an HDF5 file"):
        load(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(ModelError, match="not a fibermsk result"):
        load(tmp_path / "other.h5")


def test_damaged_files(tmp_path):
    path = save(make_result(9), tmp_path / "run.h5")
    whole = path.read_bytes()
    for part in (0.1, 0.5, 0.99):
        path.write_bytes(whole[: int(part * len(whole))])
        with pytest.raises(ModelError, match="damaged or incomplete"):
            load(path)
    path.write_bytes(whole)
    with h5py.File(path, "a") as file:
        file["fibers/biceps_1/stretch"][1, 1] += 1e-15
    with pytest.raises(ModelError, match=r"changed by another program .*SHA-256.*unsealed=True"):
        load(path)


def test_a_file_without_a_seal_is_read_on_an_explicit_word(tmp_path):
    """Such as of an earlier version: no block before it, texts of any length."""
    result = make_result(5)
    sealed, other = save(result, tmp_path / "run.h5"), tmp_path / "other.h5"
    with h5py.File(sealed) as one, h5py.File(other, "w") as file:
        for name in one:
            one.copy(name, file)
        file.attrs.update(one.attrs)
        del file["bodies/forearm/shapes/kind"]
        kind = file.create_dataset("bodies/forearm/shapes/kind", (1,), h5py.string_dtype())
        kind[0] = "capsule"
    for reader in (load, describe):
        with pytest.raises(ModelError, match="has no seal.*unsealed=True"):
            reader(other)
    with pytest.warns(ModelWarning, match="read without a valid seal, its numbers may be wrong"):
        back = load(other, unsealed=True)
    assert_same(back, result)
    assert_same(load(save(back, other)), result)
    # and of what is read so, everything but the seal is checked
    with h5py.File(other, "r+") as file:
        del file["time"]
        file["time"] = np.arange(4.0)
        file["time"].attrs["units"] = "s"
    with pytest.warns(ModelWarning), pytest.raises(ModelError, match=r"the shape \(5,\); must be"):
        load(other, unsealed=True)


def test_every_dataset_has_the_check_sums_of_hdf5(tmp_path):
    """For readers that do not know of the seal."""
    path = save(make_meshed_arm(5), tmp_path / "run.h5")
    with h5py.File(path) as file:
        plain = []
        file.visititems(lambda name, item: plain.append(name) if _without(item) else None)
        start = file["fibers/biceps_1/position"].id.get_chunk_info(0).byte_offset
    assert plain == []
    data = bytearray(path.read_bytes())
    data[start + 512 + 4] ^= 1
    path.write_bytes(data)
    with h5py.File(path) as file, pytest.raises(OSError, match="filter returned failure|checksum"):
        file["fibers/biceps_1/position"][()]


def _without(item):
    return isinstance(item, h5py.Dataset) and item.size and not item.fletcher32


def test_large_arrays_are_in_several_chunks(tmp_path, rng):
    mesh = ShapeRecord.mesh(rng.normal(size=(300_001, 3)), np.zeros((1, 3)))
    forearm = replace(make_result(2).bodies["forearm"], visuals=(mesh,))
    path = save(make_result(2, bodies={"forearm": forearm}), tmp_path / "run.h5")
    with h5py.File(path) as file:
        assert file["bodies/forearm/visuals/mesh_0/vertices"].id.get_num_chunks() == 2
    assert_same(load(path).bodies["forearm"].visuals[0], mesh)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"time": np.array([0.0, 2.0, 1.0])}, r"/time goes from 2 to 1 at index 1; must increase"),
        ({"status": "done"}, "status is 'done'; must be one of success, stopped, int"),
        ({"step_size": np.zeros(4)}, r"/solver/step_size has the shape \(4,\); must be \(3,\)"),
        ({"up": (0.0, 0.0, 2.0)}, r"up is \(0.0, 0.0, 2.0\); must be .* a unit vector"),
        ({"coordinate_units": {"elbow_flexion": "deg"}}, "'deg'; must be one of rad, m, 1"),
    ],
)
def test_what_could_not_be_read_is_not_written(tmp_path, changes, message):
    with pytest.raises(ModelError, match=f"cannot write .*run.h5: .*{message}"):
        save(replace(make_result(3), **changes), tmp_path / "run.h5")
    assert list(tmp_path.iterdir()) == []


def test_description_has_ranges_and_units(tmp_path):
    found = describe(save(make_result(5), tmp_path / "run.h5"))
    assert found["attributes"]["parameters"]["elements"] == 8
    time = next(item for item in found["datasets"] if item["path"] == "/time")
    assert time == {"path": "/time", "shape": [5], "units": "s", "min": 0.0, "max": 8.0}


def test_devices_are_left_alone(tmp_path):
    import os

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for call in (check_writable, lambda path: save(make_result(), path)):
        with pytest.raises(ModelError, match="it is a device or another special file"):
            call(pipe)
    assert pipe.is_fifo()


def test_each_dataset_is_opened_once(tmp_path, monkeypatch):
    """Files of thousands of fibers have ten thousands of them; few are open at a time."""
    path, opened, most = save(make_result(5), tmp_path / "run.h5"), [], []
    take = h5py.h5o.open

    def noted(parent, name, **others):
        item = take(parent, name, **others)
        if others:  # from the high-level interface, which reads what is not a number
            return item
        if isinstance(item, h5py.h5d.DatasetID):
            opened.append(h5py.h5i.get_name(item))
        file = h5py.h5i.get_file_id(item)
        most.append(h5py.h5f.get_obj_count(file, h5py.h5f.OBJ_DATASET | h5py.h5f.OBJ_GROUP))
        return item

    monkeypatch.setattr("fibermsk.io.extent.h5o.open", noted)
    result = load(path)
    with h5py.File(path) as file:
        names = []
        file.visititems(lambda name, item: names.append(f"/{name}") if _is_data(item) else None)
    assert sorted(name.decode() for name in opened) == sorted(names)
    assert max(most) <= 5
    assert_same(result, make_result(5))


def _is_data(item):
    return isinstance(item, h5py.Dataset)
