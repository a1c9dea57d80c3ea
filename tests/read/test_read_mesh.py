"""Meshes from files of every format, and from broken ones."""

import re

import _meshes
import numpy as np
import pytest
from numpy.testing import assert_allclose

import fibermsk as fm
from fibermsk.read.mesh import _vtp as vtp

FORMATS = ["ascii.stl", "binary.stl", "text.obj", "ascii.ply", "binary.ply", "surface.vtp"]


@pytest.fixture
def ball():
    vertices, faces = _meshes.icosphere(2)
    return 20.0 * vertices, faces  # millimeters


def write(path, vertices, faces):
    """Write a file; the part of its name before the ending is the kind."""
    import pyvista
    import trimesh

    mesh = trimesh.Trimesh(vertices, faces, process=False)
    kind = path.stem
    if path.suffix == ".vtp":
        padded = np.c_[np.full(len(faces), 3), faces]
        pyvista.PolyData(vertices, padded.ravel()).save(path)
    elif path.suffix == ".stl":
        mesh.export(path, file_type="stl_ascii" if kind == "ascii" else "stl")
    elif path.suffix == ".ply":
        mesh.export(path, encoding="ascii" if kind == "ascii" else "binary")
    else:
        mesh.export(path)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format(tmp_path, ball, name):
    write(tmp_path / name, *ball)
    mesh = fm.read_mesh(tmp_path / name, scale=1e-3)
    report = mesh.report
    assert mesh.name == name.split(".")[0]
    assert (report.vertices, report.faces, report.components) == (162, 320, 1)
    assert report.watertight and report.open_edges == 0 and report.turned == 0
    exact = fm.Mesh(1e-3 * ball[0], ball[1])
    # single precision of binary STL, eight digits of text
    assert_allclose(report.volume, exact.report.volume, rtol=1e-5)
    assert_allclose(mesh.radius, exact.radius, rtol=1e-5)
    assert_allclose(report.extents, exact.report.extents, rtol=1e-6)
    assert report.remarks == ()


def test_millimeters_are_suspected(tmp_path, ball):
    write(tmp_path / "bone.stl", *ball)
    with pytest.warns(fm.ModelWarning, match="bone.stl.*scale=1e-3"):
        report = fm.read_mesh(str(tmp_path / "bone.stl")).report
    assert any("scale=1e-3" in remark for remark in report.remarks)
    assert "millimeters" in str(report)


def test_inside_out_file_is_turned(tmp_path, ball):
    write(tmp_path / "text.obj", ball[0], ball[1][:, ::-1])
    report = fm.read_mesh(tmp_path / "text.obj", scale=1e-3).report
    assert report.turned == 320 and report.volume > 0.0
    assert any("inward" in remark for remark in report.remarks)


def test_quads_and_several_objects_of_one_file(tmp_path):
    lines = ["o first"]
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    for part in range(2):
        lines += [f"v {x + 3 * part} {y} {z}" for x, y, z in corners]
        lines += ["f " + " ".join(str(i + 8 * part) for i in quad) for quad in quads]
        lines.append("o second")
    (tmp_path / "boxes.obj").write_text("\n".join(lines))
    mesh = fm.read_mesh(tmp_path / "boxes.obj", scale=0.01, name="boxes", radius=0.004)
    assert mesh.report.faces == 24 and mesh.report.components == 2 and mesh.report.watertight
    assert_allclose(mesh.report.volume, 2e-6, rtol=1e-12)
    assert mesh.radius == 0.004


BROKEN = {
    "empty.stl": b"",
    "cut.stl": b"\0" * 80 + b"\x10\0\0\0" + b"\0" * 60,
    "nonsense.stl": b"this is no mesh",
    "nonsense.ply": b"this is no mesh",
    "points.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\n",
    "nonsense.obj": b"f 1 2 3\n",
    "nonsense.vtp": b"<VTKFile>",
    "cut.vtp": b'<?xml version="1.0"?><VTKFile type="PolyData"><PolyData><Piece',
    "flat.obj": b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
    "point.obj": b"v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n",
    "nan.obj": b"v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n",
    "sheet.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
}


TEXT = """<VTKFile type="PolyData"><PolyData>
<Piece NumberOfPoints="{n}" NumberOfPolys="{polys}" NumberOfStrips="1">
<Points><DataArray NumberOfComponents="3" format="ascii">{points}</DataArray></Points>
<Polys><DataArray Name="connectivity" format="ascii">{corners}</DataArray>
<DataArray Name="offsets" format="ascii">4</DataArray></Polys>
<Strips><DataArray Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray Name="offsets" format="ascii">4</DataArray></Strips>
</Piece></PolyData></VTKFile>"""
POINTS = "0 0 0 .1 0 0 .1 .1 0 0 .1 .1"
GOOD = {"n": 4, "polys": 1, "points": POINTS, "corners": "0 1 2 3"}


def test_polygons_and_strips_of_a_text_vtp(tmp_path):
    file = tmp_path / "sheet.vtp"
    file.write_text(TEXT.format(**GOOD))
    vertices, faces = vtp("sheet", file, True)
    assert_allclose(vertices[2], [0.1, 0.1, 0.0])
    assert faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2], [1, 3, 2]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 999999999999}, "NumberOfPoints = '999999999999', found 4"),
        ({"polys": 7}, "NumberOfPolys = '7', found 1"),
        ({"points": "0 0 0 nan 0 0 0 1 0 0 0 1"}, "coordinates that are not finite"),
        ({"points": "0 0 0 one 0 0 0 1 0 0 0 1"}, "words that are not numbers"),
        ({"points": POINTS + " 1"}, "not triples"),
        ({"corners": "0 1 2 4"}, "missing points"),
        ({"corners": "0 1 2"}, "are inconsistent"),
    ],
)
def test_broken_text_vtp(tmp_path, capfd, change, words):
    file = tmp_path / "broken.vtp"
    file.write_text(TEXT.format(**{**GOOD, **change}))
    with pytest.raises(fm.ModelError, match="broken.vtp") as error:
        fm.read_mesh(file)
    assert words in str(error.value)
    assert capfd.readouterr().err == ""


def test_document_type_in_a_vtp_is_refused(tmp_path):
    file = tmp_path / "typed.vtp"
    file.write_text('<!DOCTYPE x [<!ENTITY a "1">]>' + TEXT.format(**GOOD))
    with pytest.raises(fm.ModelError, match="typed.vtp.*document type.*export it again"):
        fm.read_mesh(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb'NumberOfPoints="\d+"', b'NumberOfPoints="999999999999"'),
        (rb'NumberOfPolys="\d+"', b'NumberOfPolys="999999999999"'),
        (rb'NumberOfVerts="\d+"', b'NumberOfVerts="-5"'),
        (rb'NumberOfComponents="3"', b'NumberOfComponents="999999999"'),
    ],
)
def test_absurd_header_of_a_binary_vtp(tmp_path, ball, capfd, old, new):
    file = tmp_path / "absurd.vtp"
    write(file, *ball)
    data, n = re.subn(old, new, file.read_bytes())
    assert n
    file.write_bytes(data)
    with pytest.raises(fm.ModelError, match="absurd.vtp.*NumberOf.*too many for.*export it again"):
        fm.read_mesh(file)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_with_their_name(tmp_path, name, capfd):
    (tmp_path / name).write_bytes(BROKEN[name])
    with pytest.raises(fm.ModelError) as error:
        fm.read_mesh(tmp_path / name)
    assert name.split(".")[0] in str(error.value) and ";" in str(error.value)


def test_missing_and_unknown_files(tmp_path):
    with pytest.raises(fm.ModelError, match="bone.stl.*not found.*check the path"):
        fm.read_mesh(tmp_path / "bone.stl")
    with pytest.raises(fm.ModelError, match="'.step'; must be one of .obj, .ply, .stl, .vtp"):
        fm.read_mesh(tmp_path / "bone.step")
    with pytest.raises(fm.ModelError, match="path"):
        fm.read_mesh(3)
    with pytest.raises(fm.ModelError, match="scale = 0"):
        fm.read_mesh(tmp_path / "bone.stl", scale=0.0)


def test_bones_of_published_models(shared_models):
    """They are not closed, and their report says so; left as they are they have a volume."""
    files = sorted((shared_models / "opensim-models" / "Geometry").glob("*.vtp"))
    files += sorted((shared_models / "NMSM_Forward_Dynamics" / "stl").glob("*.stl"))
    if not files:
        pytest.skip(f"no meshes in {shared_models}")
    for file in files:
        mesh = fm.read_mesh(file)
        report = mesh.report
        assert report.faces > 100 and report.volume > 0.0 and 1e-3 < mesh.radius < 0.03
        assert report.watertight or any("not closed" in remark for remark in report.remarks)
        assert report.extents.max() < 0.5
