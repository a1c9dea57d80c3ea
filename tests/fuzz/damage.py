"""Ways in which a result file goes bad: its bytes, and its contents under a seal that is right."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import h5py
import numpy as np

BLOCK = 512


def reseal(path: Path) -> None:
    """Give a file the seal that its contents need; written from the documentation."""
    words = path.read_bytes()[:BLOCK].split(b"\n")[0].split(b" ")
    body = path.read_bytes()[BLOCK:]
    words[3] = str(BLOCK + len(body)).encode()
    words[4] = hashlib.sha256(body).hexdigest().encode()
    path.write_bytes((b" ".join(words) + b"\n").ljust(BLOCK, b"\0") + body)


# Bytes ------------------------------------------------------------------------------------------


def flip_bit(data, rng):
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)


def flip_bit_of_the_seal(data, rng):
    data[rng.integers(BLOCK)] ^= 1 << rng.integers(8)


def change_some_bytes(data, rng):
    for place in rng.integers(len(data), size=rng.integers(1, 30)):
        data[place] = rng.integers(256)


def zero_a_range(data, rng):
    start, stop = sorted(rng.integers(len(data) + 1, size=2))
    data[start:stop] = bytes(stop - start)


def fill_a_sector(data, rng):
    start = BLOCK * rng.integers(len(data) // BLOCK)
    data[start : start + BLOCK] = rng.bytes(BLOCK)


def swap_sectors(data, rng):
    a, b = BLOCK * rng.integers(len(data) // BLOCK, size=2)
    data[a : a + BLOCK], data[b : b + BLOCK] = data[b : b + BLOCK], data[a : a + BLOCK]


def cut_off(data, rng):
    del data[rng.integers(len(data)) :]


def cut_out(data, rng):
    start = rng.integers(len(data))
    del data[start : start + rng.integers(1, 2000)]


def append(data, rng):
    data += rng.bytes(rng.integers(1, 2000))


def lose_the_seal(data, rng):
    del data[:BLOCK]


OF_BYTES = (
    flip_bit, flip_bit_of_the_seal, change_some_bytes, zero_a_range, fill_a_sector, swap_sectors,
    cut_off, cut_out, append, lose_the_seal,
)  # fmt: skip

# Contents ---------------------------------------------------------------------------------------


def datasets(file, among=("time", "coordinates", "speeds", "bodies", "fibers", "solver")):
    """Paths of the datasets of numbers."""
    found = []

    def add(path, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fi":
            found.append(path)

    file.visititems(add)
    return [path for path in found if path.split("/")[0] in among]


def pick(rng, items):
    return items[rng.integers(len(items))]


def two(file, rng):
    paths = datasets(file)
    return [paths[k] for k in rng.choice(len(paths), 2, replace=False)]


def one(file, rng, **among):
    return pick(rng, datasets(file, **among))


def put(file, path, values, **settings):
    """Put other values in a dataset's place, with its units."""
    units = file[path].attrs["units"]
    del file[path]
    file.create_dataset(path, data=values, **settings).attrs["units"] = units


def drop_a_row(file, rng):
    # without one of its faces a mesh is a mesh
    path = pick(rng, [path for path in datasets(file) if not path.endswith("faces")])
    # of constants along a fiber all lengths would do that fit together
    put(file, path, file[path][:-1] if len(file[path]) > 1 else np.zeros((3, 0)))


def add_an_axis(file, rng):
    path = one(file, rng)
    put(file, path, file[path][()][..., None])


def flatten(file, rng):
    path = pick(rng, [path for path in datasets(file) if file[path].ndim > 1])
    put(file, path, file[path][()].ravel())


def change_type(file, rng):
    path = one(file, rng)
    kind = rng.choice(["f4", "i4", "u8", "c16", "S8", "?", ">f8" if rng.random() < 0.5 else "i2"])
    put(file, path, np.zeros(file[path].shape, kind))


def change_units(file, rng):
    path = one(file, rng)
    others = {"s", "m", "mm", "N", "1", "deg", "rad", "", "rad/s"} - {file[path].attrs["units"]}
    # an angle and a length are both units of coordinates; its speed is then in the wrong ones
    file[path].attrs["units"] = pick(rng, sorted(others))


def lose_units(file, rng):
    del file[one(file, rng)].attrs["units"]


def number_for_units(file, rng):
    file[one(file, rng)].attrs["units"] = 3.0


def delete(file, rng):
    del file[one(file, rng, among=("time", "bodies", "fibers", "solver"))]


def group_for_a_dataset(file, rng):
    path = one(file, rng)
    units = file[path].attrs["units"]
    del file[path]
    file.create_group(path).attrs["units"] = units


def soft_link(file, rng):
    path, other = one(file, rng), one(file, rng)
    del file[path]
    file[path] = h5py.SoftLink(f"/{other}")


def external_link(file, rng):
    path = one(file, rng)
    del file[path]
    file[path] = h5py.ExternalLink("other.h5", f"/{path}")


def hard_link(file, rng):
    path, other = two(file, rng)
    del file[path]
    file[path] = file[other]


def group_in_itself(file, rng):
    file["fibers/again"] = file["fibers"]


def virtual(file, rng):
    path = one(file, rng)
    shape, units = file[path].shape, file[path].attrs["units"]
    del file[path]
    layout = h5py.VirtualLayout(shape, float)
    layout[...] = h5py.VirtualSource("other.h5", path, shape)
    file.create_virtual_dataset(path, layout).attrs["units"] = units


def external_storage(file, rng):
    path = one(file, rng)
    Path("outside.bin").write_bytes(bytes(file[path].nbytes))
    settings = {"external": [("outside.bin", 0, file[path].nbytes)]}
    shape, kind, units = file[path].shape, file[path].dtype, file[path].attrs["units"]
    del file[path]
    file.create_dataset(path, shape, kind, **settings).attrs["units"] = units


def resizable(file, rng):
    path = one(file, rng)
    values = file[path][()]
    put(file, path, values, maxshape=(None, *values.shape[1:]), chunks=True)


def never_stored(file, rng):
    """HDF5 gives zeros for what was not written."""
    path = one(file, rng)
    shape, kind, units = file[path].shape, file[path].dtype, file[path].attrs["units"]
    del file[path]
    chunks = tuple(max(1, n // 2) for n in shape) if rng.random() < 0.5 else None
    file.create_dataset(path, shape, kind, chunks=chunks).attrs["units"] = units


def stored_in_part(file, rng):
    path = one(file, rng)
    values, units = file[path][()], file[path].attrs["units"]
    del file[path]
    chunks = (1, *values.shape[1:])
    new = file.create_dataset(path, values.shape, values.dtype, chunks=chunks, compression="gzip")
    new[:-1] = values[:-1]
    new.attrs["units"] = units


def giant(file, rng):
    """Terabytes, of which nothing is stored."""
    path = one(file, rng)
    rank, units = file[path].ndim, file[path].attrs["units"]
    del file[path]
    shape = (2**39, *[3] * (rank - 1))
    packed = {"compression": "gzip"} if rng.random() < 0.5 else {}
    new = file.create_dataset(path, shape, "f8", chunks=(2**20, *[3] * (rank - 1)), **packed)
    new.attrs["units"] = units


def unknown_filter(file, rng):
    path = one(file, rng)
    put(file, path, file[path][()], compression="lzf")


def time_goes_back(file, rng):
    time = file["time"][()]
    k = rng.integers(1, len(time))
    time[k] = rng.choice([time[k - 1], -1.0, np.nan, np.inf, -np.inf])
    put(file, "time", time)


def theta_goes_back(file, rng):
    fiber = pick(rng, list(file["fibers"]))
    path = f"fibers/{fiber}/{rng.choice(['theta', 'node_theta'])}"
    put(file, path, file[path][()][::-1])


def unknown_status(file, rng):
    file.attrs["status"] = pick(rng, [b"successs", "", 1, "Success", [1.0, 2.0]])


def lose_an_attribute(file, rng):
    del file.attrs[pick(rng, list(file.attrs))]


def break_json(file, rng):
    bad = ["{", "[1]", '"x"', "[[]]", '[{"fiber": 1}]', "{}x"]
    file.attrs[rng.choice(["parameters", "stats", "slack"])] = pick(rng, bad)


def other_units(file, rng):
    file.attrs["units"] = "mm"


def no_direction(file, rng):
    file.attrs["up"] = pick(rng, [[0.0, 0.0, 2.0], [0.0, 0.0], [np.nan, 0.0, 1.0]])


def swap_datasets(file, rng):
    """Of other shapes or units; two that are alike in both, nothing but the seal can tell."""
    while True:
        a, b = two(file, rng)
        units = file[a].attrs["units"], file[b].attrs["units"]
        if file[a].shape != file[b].shape or units[0] != units[1]:
            break
    file.move(a, "held")
    file.move(b, a)
    file.move("held", b)


def face_of_no_vertex(file, rng):
    path = "bodies/forearm/shapes/mesh_1/faces"
    faces = file[path][()]
    faces[rng.integers(len(faces)), rng.integers(3)] = rng.choice([-1, 10**6, 2**62])
    put(file, path, faces)


def unknown_shape(file, rng):
    kinds = file["bodies/forearm/shapes/kind"]
    kinds[0] = rng.choice([b"", b"cone", b"mesh", b"\xff\xfe"])


def other_magnitude(file, rng):
    fiber = pick(rng, list(file["fibers"]))
    file[f"fibers/{fiber}/contact_force_density"][...] += 1.0


OF_CONTENTS = (
    drop_a_row, add_an_axis, flatten, change_type, change_units, lose_units, number_for_units,
    delete, group_for_a_dataset, soft_link, external_link, hard_link, group_in_itself, virtual,
    external_storage, resizable, never_stored, stored_in_part, giant, unknown_filter,
    time_goes_back, theta_goes_back, unknown_status, lose_an_attribute, break_json, other_units,
    no_direction, swap_datasets, face_of_no_vertex, unknown_shape, other_magnitude,
)  # fmt: skip

# Checkpoints ------------------------------------------------------------------------------------


def checkpoint_time(file, rng):
    file.attrs["time"] = rng.choice([-1.0, np.nan, np.inf, 1e9])


def checkpoint_text(file, rng):
    bad = ["{", "[]", "1", json.dumps("x")]
    file.attrs[rng.choice(["identity", "libraries", "job"])] = pick(rng, bad)


def checkpoint_giant(file, rng):
    file["arrays"].create_dataset("system.more", (2**40,), "f8", chunks=(2**20,))


def checkpoint_link(file, rng):
    file["arrays/system.more"] = h5py.ExternalLink("other.h5", "/x")


def checkpoint_without_arrays(file, rng):
    del file["arrays"]


OF_CHECKPOINTS = (
    checkpoint_time, checkpoint_text, checkpoint_giant, checkpoint_link, checkpoint_without_arrays,
)  # fmt: skip
