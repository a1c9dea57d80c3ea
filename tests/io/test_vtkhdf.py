"""VTKHDF files, read back with VTK's own reader at every time."""

import os
from dataclasses import replace

import h5py
import numpy as np
import pytest
from make_result import (
    make_fiber,
    make_hanging_fiber,
    make_meshed_arm,
    make_reporting_arm,
    make_result,
)
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

from fibermsk.io import export, vtkhdf
from fibermsk.results import BodyMotion, ShapeRecord


class Read:
    """What VTK's reader makes of a file at its times, asked for in any order."""

    def __init__(self, path):
        self.reader = vtkHDFReader()
        self.reader.SetFileName(str(path))
        assert self.reader.CanReadFile(str(path))
        self.reader.UpdateInformation()
        information = self.reader.GetOutputInformation(0)
        key = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
        self.times = [information.Get(key, k) for k in range(information.Length(key))]

    def at(self, time):
        self.reader.UpdateTimeStep(time)
        self.data = self.reader.GetOutputDataObject(0)
        assert self.data.GetClassName() == "vtkPolyData"
        return self

    @property
    def points(self):
        return vtk_to_numpy(self.data.GetPoints().GetData())

    def field(self, name):
        return vtk_to_numpy(self.data.GetPointData().GetArray(name))

    def cell_field(self, name):
        return vtk_to_numpy(self.data.GetCellData().GetArray(name))

    def texts(self, name):
        array = self.data.GetFieldData().GetAbstractArray(name)
        return [array.GetValue(k) for k in range(array.GetNumberOfValues())]

    @property
    def cells(self):
        found = []
        for k in range(self.data.GetNumberOfCells()):
            ids = self.data.GetCell(k).GetPointIds()
            found.append([ids.GetId(i) for i in range(ids.GetNumberOfIds())])
        return found


def uneven(n_frames=6):
    """The meshed arm with times that no single-precision number is, and fibers of two sizes."""
    result = make_meshed_arm(n_frames)
    origin = np.tile([0.0, 0.01, 0.1], (n_frames, 1))
    short = make_fiber(
        origin, origin - [0.0, 0.0, 0.2], np.ones((n_frames, 1)), n_nodes=4, n_samples=7
    )
    short = replace(short, theta=np.linspace(0.04, 0.96, 7))
    time = np.cumsum(np.linspace(0.1, 0.2, n_frames)) ** 1.5
    return replace(result, time=time, fibers=result.fibers | {"µ short": short})


@pytest.fixture(params=["one_part", "many_parts"])
def blocks(request, monkeypatch):
    """Files are the same however many frames are written at a time."""
    if request.param == "many_parts":
        monkeypatch.setattr(vtkhdf, "_POINTS", 300)


def test_states_and_elements_at_every_time(tmp_path, blocks):
    result = make_reporting_arm(6)
    owners = {"tendon": result.states["tendon"], **result.elements}
    for file in export(result, tmp_path / "run.vtkhdf"):
        read = Read(file)
        for k in (3, 0, 5, 1):
            data = read.at(result.time[k]).data.GetFieldData()
            for owner, own in owners.items():
                for name, values in own.items():
                    found = vtk_to_numpy(data.GetAbstractArray(f"{owner}.{name}"))
                    np.testing.assert_array_equal(found.ravel(), values[k].ravel())


def test_fibers_at_every_time(tmp_path, blocks):
    result = uneven()
    export(result, tmp_path / "run.vtkhdf")
    read = Read(tmp_path / "run_fibers.vtkhdf")
    assert read.times == result.time.tolist()
    for k in [3, 0, 5, 1, 1, 2, 4]:
        read.at(result.time[k])
        assert read.data.GetNumberOfLines() == read.data.GetNumberOfCells() == 6
        np.testing.assert_array_equal(read.cell_field("fiber"), np.arange(6))
        assert read.texts("fiber_names") == list(result.fibers)
        for cell, fiber in zip(read.cells, result.fibers.values(), strict=True):
            theta = read.field("theta")[cell]
            assert theta[0] == 0.0 and theta[-1] == 1.0 and (np.diff(theta) > 0.0).all()
            at_nodes = np.isin(theta, fiber.node_theta)
            at_samples = np.isin(theta, fiber.theta)
            assert at_nodes.sum() == fiber.node_theta.size and (at_nodes | at_samples).all()
            # nodes and samples to the last bit
            np.testing.assert_array_equal(read.points[cell][at_nodes], fiber.position[k])
            np.testing.assert_allclose(
                read.points[cell], fiber.centerline(theta, k), rtol=0, atol=1e-15
            )
            for name in ("stretch", "radius", "axial_force", "contact_line_force"):
                values = read.field(name)[cell][at_samples]
                np.testing.assert_array_equal(values, getattr(fiber, name)[k], err_msg=name)
            np.testing.assert_array_equal(read.field("stress")[cell][at_samples], fiber.stress[k])
            np.testing.assert_array_equal(
                read.field("muscle_fraction")[cell][at_samples], fiber.muscle_fraction
            )
            np.testing.assert_array_equal(read.field("activation")[cell], fiber.activation[k])


def test_bones_at_every_time(tmp_path, blocks):
    result = uneven()
    export(result, tmp_path / "run.vtkhdf")
    read = Read(tmp_path / "run_bones.vtkhdf")
    assert read.times == result.time.tolist()
    local = {}
    for k in [4, 0, 5, 2]:
        read.at(result.time[k])
        cells = np.array(read.cells)
        assert cells.shape[1] == 3 and read.texts("body_names") == ["upper_arm", "forearm"]
        for number, (name, body) in enumerate(result.bodies.items()):
            of = np.unique(cells[read.cell_field("body") == number])
            back = (read.points[of] - body.position[k]) @ body.rotation[k]
            np.testing.assert_allclose(back, local.setdefault(name, back), rtol=0, atol=1e-15)
    # meshes are there as they are, at their places
    forearm = result.bodies["forearm"]
    for shape, drawn in ((forearm.shapes[1], 0), (forearm.visuals[0], 1)):
        moved = shape.vertices @ forearm.rotation[2].T + forearm.position[2]
        of = cells[(read.cell_field("body") == 1) & (read.cell_field("drawn_only") == drawn)]
        corners = read.points[of[-len(shape.faces) :]]
        np.testing.assert_allclose(corners, moved[shape.faces], rtol=0, atol=1e-15)


def test_forces_at_every_time(tmp_path):
    result = uneven()
    export(result, tmp_path / "run.vtkhdf")
    read = Read(tmp_path / "run_attachments.vtkhdf")
    for k in [5, 0, 3]:
        read.at(result.time[k])
        assert read.data.GetNumberOfVerts() == 12 and read.texts("end_names")[1] == "insertion"
        for number, fiber in enumerate(result.fibers.values()):
            for end, (node, force) in enumerate(((0, "force_origin"), (-1, "force_insertion"))):
                at = 2 * number + end
                assert (read.cell_field("fiber")[at], read.cell_field("end")[at]) == (number, end)
                np.testing.assert_array_equal(read.points[at], fiber.position[k, node])
                np.testing.assert_array_equal(read.field("force")[at], getattr(fiber, force)[k])


def test_status_and_units_are_told(tmp_path):
    result = make_result(3, status="failed", message="Newton did not\nconverge")
    files = export(result, tmp_path / "run.vtkhdf")
    assert [file.name for file in files] == [
        "run_fibers.vtkhdf", "run_bones.vtkhdf", "run_attachments.vtkhdf",
    ]  # fmt: skip
    for file in files:
        read = Read(file).at(0.0)
        assert read.texts("status") == ["failed: Newton did not converge"]
        assert read.texts("scene") == ["upper_limb"]
        assert read.texts("fibermsk_version") == ["0.1.0"]


def test_one_frame_and_a_fiber_alone(tmp_path):
    export(make_result(1), tmp_path / "one.vtkhdf")
    read = Read(tmp_path / "one_fibers.vtkhdf").at(0.0)
    assert read.data.GetNumberOfCells() == 5
    np.testing.assert_array_equal(read.points[0], make_result(1).fibers["biceps_1"].position[0, 0])
    files = export(make_hanging_fiber(), tmp_path / "h.vtkhdf")
    assert [file.name for file in files] == ["h_fibers.vtkhdf", "h_attachments.vtkhdf"]
    assert sorted(os.listdir(tmp_path))[:2] == ["h_attachments.vtkhdf", "h_fibers.vtkhdf"]


def test_fields_work_in_a_filter(tmp_path):
    """Tubes of the true radius, as the filter Tube of ParaView makes them."""
    from vtkmodules.vtkFiltersCore import vtkTubeFilter

    result = make_result(4)
    export(result, tmp_path / "run.vtkhdf")
    read = Read(tmp_path / "run_fibers.vtkhdf").at(result.time[2])
    read.data.GetPointData().SetActiveScalars("radius")
    tube = vtkTubeFilter()
    tube.SetInputData(read.data)
    tube.SetVaryRadiusToVaryRadiusByAbsoluteScalar()
    tube.SetNumberOfSides(24)
    tube.Update()
    around = vtk_to_numpy(tube.GetOutput().GetPoints().GetData())
    fiber = result.fibers["biceps_1"]
    away = np.linalg.norm(around[: 24 * 2] - fiber.position[2, 0], axis=1)
    np.testing.assert_allclose(away[:24], fiber.radius[2, 0], rtol=1e-5)


def test_capsules_and_endless_cylinders_are_closed_and_look_outwards(tmp_path):
    import pyvista

    from fibermsk.io.bones import bone_triangles

    result = make_result(2)
    slanted = ShapeRecord("capsule", np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.1, 0.0]), 0.02)
    ball = ShapeRecord("capsule", np.ones(3), np.ones(3), 0.05)
    endless = ShapeRecord("infinite_cylinder", np.zeros(3), np.array([0.0, 1.0, 0.0]), 0.01)
    far = replace(endless, start=endless.start + 5.0, end=endless.end + 5.0)
    still = np.repeat(np.eye(3)[None], 2, axis=0)
    body = BodyMotion(np.zeros((2, 3)), still, (slanted, ball, endless, far))
    parts = bone_triangles(replace(result, bodies={"b": body}), "b")
    length = np.linalg.norm(slanted.end - slanted.start)
    r = slanted.radius
    volumes = [
        np.pi * r**2 * length + 4.0 / 3.0 * np.pi * r**3,
        4.0 / 3.0 * np.pi * 0.05**3,
        None,
        np.pi * 0.01**2 * 0.1,
    ]
    for part, volume in zip(parts, volumes, strict=True):
        surface = pyvista.PolyData.from_regular_faces(part.points, part.faces)
        assert surface.is_manifold and surface.n_open_edges == 0
        a, b, c = np.moveaxis(part.points[part.faces] - part.points.mean(axis=0), 1, 0)
        signed = np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6.0
        # 32 points around: 1 - sin(2 pi / 32) / (2 pi / 32) is 0.6 percent
        assert (
            signed == pytest.approx(signed if volume is None else volume, rel=0.02) and signed > 0
        )


def test_format_is_the_documented_one(tmp_path):
    export(make_result(3), tmp_path / "run.vtkhdf")
    with h5py.File(tmp_path / "run_fibers.vtkhdf") as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"PolyData" and list(root.attrs["Version"]) == [2, 0]
        assert root["Steps"].attrs["NSteps"] == 3
        assert root["Steps/CellOffsets"].shape == (3, 4)
        n = int(root["NumberOfPoints"][0])
        assert root["Points"].shape == (3 * n, 3) and root["Points"].dtype == np.float64
        assert list(root["Steps/PointOffsets"]) == [0, n, 2 * n]
