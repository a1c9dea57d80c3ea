"""Mesh files cut off at random places: refused, warned of, or whole but for a last line break."""

import warnings

import _meshes
import numpy as np
import pytest
from amount import cases

import fibermsk as fm

FORMATS = ["ascii.stl", "binary.stl", "text.obj", "ascii.ply", "binary.ply", "mixed.ply"]
FORMATS += ["text.vtp", "binary.vtp"]


def write(path, vertices, faces):
    """Write a file; the part of its name before the ending is the kind."""
    import pyvista
    import trimesh

    mesh = trimesh.Trimesh(vertices, faces, process=False)
    if path.suffix == ".vtp":
        cells = np.c_[np.full(len(faces), 3), faces]
        pyvista.PolyData(vertices, cells.ravel()).save(path, binary=path.stem == "binary")
    elif path.suffix == ".stl":
        mesh.export(path, file_type="stl_ascii" if path.stem == "ascii" else "stl")
    elif path.name == "mixed.ply":
        write_mixed(path, vertices, faces)
    elif path.suffix == ".ply":
        mesh.export(path, encoding=path.stem)
    else:
        mesh.export(path)


def write_mixed(path, vertices, faces):
    """Big-endian, with quads among the triangles, colors, and an element that is not known."""
    head = f"""ply
format binary_big_endian 1.0
comment polygons of three and four corners
element vertex {len(vertices)}
property double x
property double y
property double z
property uchar red
element face {len(faces) - 1}
property uchar flag
property list uint8 int vertex_index
element edge 1
property int vertex1
end_header
"""
    point = np.dtype([("p", ">f8", 3), ("c", "u1")])
    rows = np.zeros(len(vertices), point)
    rows["p"] = vertices
    a, b = faces[0], faces[1]
    shared = np.intersect1d(a, b)
    assert shared.size == 2
    k = next(k for k in range(3) if a[k] not in shared)
    quad = [a[k], a[k - 2], *np.setdiff1d(b, shared), a[k - 1]]
    data = b"".join(
        b"\1" + bytes([len(face)]) + np.array(face, ">i4").tobytes() for face in [quad, *faces[2:]]
    )
    path.write_bytes(head.encode() + rows.tobytes() + data + b"\0\0\0\7")


@pytest.fixture(scope="module")
def ball():
    vertices, faces = _meshes.icosphere(2)
    # neighbors first, for a quad
    near = [np.intersect1d(faces[0], face).size == 2 for face in faces]
    second = int(np.flatnonzero(near)[0])
    faces[[1, second]] = faces[[second, 1]]
    return 0.02 * vertices, faces


@pytest.mark.parametrize("name", FORMATS)
def test_cut_files(tmp_path, ball, name, rng, capfd):
    whole, cut = tmp_path / name, tmp_path / f"cut_{name}"
    write(whole, *ball)
    report = fm.read_mesh(whole).report
    assert report.watertight and report.faces == len(ball[1])
    data = whole.read_bytes()
    ends = len(data) - np.arange(1, 9)
    for length in [*ends, *rng.integers(1, len(data), cases(40))]:
        cut.write_bytes(data[:length])
        with warnings.catch_warnings():
            warnings.simplefilter("error", fm.ModelWarning)
            try:
                found = fm.read_mesh(cut).report
            except fm.ModelWarning as warning:
                assert "is the file truncated?" in str(warning)
            except fm.ModelError as error:
                assert cut.stem in str(error) and ";" in str(error)
            else:
                # the last line break, or the end of the last tag, is all that may be missing
                assert str(found) == str(report)
                assert data[length:].strip(b"\r\n>") == b"" or len(data[length:]) <= 2
    capfd.readouterr()


@pytest.mark.parametrize("name", ["ascii.ply", "binary.ply", "mixed.ply"])
def test_other_counts(tmp_path, ball, name, rng):
    """A header that says another number, however large, is no file of a mesh."""
    file = tmp_path / name
    write(file, *ball)
    data = file.read_bytes()
    numbers = {b"vertex": len(ball[0]), b"face": len(ball[1]) - (name == "mixed.ply")}
    for element, number in numbers.items():
        others = rng.integers(0, 2 * number, cases(20))
        for other in [*others[others != number], 0, 10**9, 10**18, 2**64]:
            old, new = (b"element %s %d\n" % (element, int(n)) for n in (number, other))
            assert data.count(old) == 1
            file.write_bytes(data.replace(old, new))
            with pytest.raises(fm.ModelError, match="cannot be read: ") as error:
                fm.read_mesh(file)
            assert str(file) in str(error.value)
