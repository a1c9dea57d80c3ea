"""PLY and OBJ files that hold less or more than they say, and what is read of good ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.read.obj import read_obj
from fibermsk.read.ply import read_ply

HEAD = """ply
format ascii 1.0
comment a box without its lid
element vertex {n}
property float x
property float y
property float z
property uchar red
element face {m}
property list uchar int vertex_indices
{more}end_header
"""
CORNERS = ["0 0 0 7", "1 0 0 7", "1 1 0 7", "0 1 0 7", "0 0 1 7"]
FACES = ["4 3 2 1 0", "3 0 1 4", "3 1 2 4", "3 2 3 4", "3 3 0 4"]


def ply(n=5, m=5, corners=CORNERS, faces=FACES, more="", end="\n"):
    return HEAD.format(n=n, m=m, more=more) + "\n".join([*corners, *faces]) + end


def read(tmp_path, text, name="roof.ply"):
    (tmp_path / name).write_text(text)
    return fm.read_mesh(tmp_path / name)


def test_polygons_of_a_ply(tmp_path):
    report = read(tmp_path, ply()).report
    assert (report.vertices, report.faces, report.watertight) == (5, 6, True)
    assert_allclose(report.volume, 1.0 / 3.0)
    # further elements, other line breaks and blank lines change nothing
    more = "element edge 1\nproperty int vertex1\n"
    other = ply(more=more, end="\n\n3\n\n").replace("\n", "\r\n")
    assert str(read(tmp_path, other).report) == str(report)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ply(m=6), "it declares 6 of 'face', found 5"),
        (ply(n=12), "it declares 12 of 'vertex', found 10"),
        (ply(m=4), "1 lines after the last declared element"),
        (ply(n=4), "'face' 1 has too many numbers"),
        (ply(n=6), "'vertex' 6 has too many numbers"),
        (ply(faces=[*FACES[:4], "3 3 0"]), "'face' 5 has too few numbers"),
        (ply(faces=[*FACES[:4], "3 3 0 4 1"]), "'face' 5 has too many numbers"),
        (ply(faces=[*FACES[:4], "2 3 0"]), "polygons with fewer than three"),
        (ply(faces=[*FACES[:4], "-1"]), "'face' 5 has too few numbers"),
        (ply(faces=[*FACES[:4], "3 3 0 5"]), "missing ones"),
        (ply(faces=[*FACES[:4], "3 3 0 -1"]), "missing ones"),
        (ply(faces=[*FACES[:4], "3 3 0 1.5"]), "must have integers"),
        (ply(faces=[*FACES[:4], "3 3 0 x"]), "could not convert"),
        (ply().replace("vertex 5", "vertex five"), "'element vertex five'"),
        (ply().replace("vertex 5", "vertex -5"), "'element vertex -5'"),
        (ply().replace("float z", "float w"), "no vertices with x, y and z"),
        (ply().replace("float z", "quad z"), "'property quad z'"),
        (ply().replace("list uchar int", "list float int"), "'property list float int"),
        (ply(faces=["3"] * 5).replace("list uchar int", "int"), "unknown type"),
        (ply().replace("end_header", ""), "header"),
        (ply().replace("format ascii", "format morse"), "'format morse 1.0'"),
        (ply().replace("element face", "element vertex"), "'element vertex 5'"),
        (ply().replace("ply\n", "plyx\n"), "does not begin with 'ply'"),
        ("ply\nformat ascii 1.0\nproperty float x\n", "'property float x'"),
        ("ply", "header does not end"),
    ],
)
def test_broken_plys(tmp_path, text, words):
    with pytest.raises(fm.ModelError, match="roof.ply.*export it again") as error:
        read(tmp_path, text)
    assert words in str(error.value)


def test_ply_cut_within_its_last_number(tmp_path):
    """Nothing is missing by count, but the last index may be."""
    text = ply(faces=[*FACES[:4], "3 3 0 4"], end="")
    assert read(tmp_path, text).report.watertight
    with pytest.warns(fm.ModelWarning, match=r"roof.ply.*open at .*last line has no line end"):
        read(tmp_path, ply(faces=[*FACES[:4], "3 3 0 1"], end=""))


def test_binary_ply_of_either_order(tmp_path):
    head = ply().partition("end_header\n")[0] + "end_header\n"
    for order, name in ((">", "binary_big_endian"), ("<", "binary_little_endian")):
        point = np.dtype([("p", f"{order}f4", 3), ("c", "u1")])
        rows = np.array([([float(x) for x in c.split()[:3]], 7) for c in CORNERS], point)
        faces = [list(map(int, face.split())) for face in FACES]
        cells = b"".join(bytes(f[:1]) + np.array(f[1:], f"{order}i4").tobytes() for f in faces)
        data = head.replace("ascii", name).encode() + rows.tobytes() + cells
        file = tmp_path / f"{name}.ply"
        file.write_bytes(data)
        found = read_ply(file)
        assert found.sizes.tolist() == [4, 3, 3, 3, 3] and found.doubt == ""
        assert_allclose(found.vertices, rows["p"])
        assert fm.read_mesh(file).report.watertight
        for changed, words in (
            (data[:-1], "it declares 5 of 'face', found 4"),
            (data + b"\0", "1 bytes after the last declared element"),
            (data.replace(b"vertex 5", b"vertex 999999999999"), ", found 10"),
        ):
            file.write_bytes(changed)
            with pytest.raises(fm.ModelError, match=words):
                fm.read_mesh(file)


OBJ = "".join(f"v {c[:-2]}\n" for c in CORNERS)
OBJ += "f 4 3 2 1\nf 1 2 5\nf 2/1 3/1/1 5//2\nf -3 -2 -1\nf 4 \\\n 1 5\n"


def test_polygons_of_an_obj(tmp_path):
    assert read(tmp_path, OBJ, "roof.obj").report.watertight
    # materials and textures of a file are not looked for
    text = "mtllib ../../none.mtl\n# a remark\no Åf v\nvn 0 0 1\n" + OBJ.replace("\n", "\r\n")
    assert read(tmp_path, text, "roof.obj").report.watertight
    assert read_obj(tmp_path / "roof.obj").sizes.tolist() == [4, 3, 3, 3, 3]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OBJ + "f 1 2\n", "line 12 has 'f 1 2'; must name three or more of the vertices"),
        (OBJ + "f 1 2 0\n", "line 12 has 'f 1 2 0'"),
        (OBJ + "f 1 2 -6\n", "line 12 has 'f 1 2 -6'"),
        (OBJ + "f 1 2 6\n", "missing ones"),
        (OBJ + "f 1 2 x\n", "line 12 has 'f 1 2 x'"),
        (OBJ + "v 1 2\n", "line 12 has 'v 1 2'; must name three numbers"),
        (OBJ + "v 1 2 x\n", "line 12 has 'v 1 2 x'"),
        ("hello\n", "neither vertices nor faces"),
    ],
)
def test_broken_objs(tmp_path, text, words):
    with pytest.raises(fm.ModelError, match="roof.obj.*export it again") as error:
        read(tmp_path, text, "roof.obj")
    assert words in str(error.value)


def test_obj_cut_between_lines(tmp_path):
    """The format has no counts: an open surface may be one that was cut off."""
    lines = OBJ.replace("\\\n", "").splitlines(keepends=True)
    with pytest.warns(fm.ModelWarning, match=r"roof.obj.*open at 3 edges, and 0 .*truncated\?"):
        assert read(tmp_path, "".join(lines[:-1]), "roof.obj").report.faces == 5
    whole = OBJ.replace("f 4 3", "v 9 9 9\nf 4 3").replace("-3 -2 -1", "3 4 5")
    with pytest.warns(fm.ModelWarning, match="and 1 of its vertices are unused"):
        read(tmp_path, whole, "roof.obj")
