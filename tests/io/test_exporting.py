"""Exports to storages and tables, read back; and what every export keeps."""

import csv
import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from make_result import make_hanging_fiber, make_result
from opensim_peer import python_of_opensim

import fibermsk as fm
from fibermsk.errors import ModelError
from fibermsk.io import exporting, save
from fibermsk.results import curves, tables

IN_OPENSIM = """
import json, sys, opensim
opensim.Logger.setLevelString("off")
found = {}
for path in sys.argv[2:]:
    table = opensim.TimeSeriesTable(path)
    labels = list(table.getColumnLabels())
    storage = opensim.Storage(path)
    names = storage.getColumnLabels()
    rows = []
    for i in range(storage.getSize()):
        vector = storage.getStateVector(i)
        data = vector.getData()
        rows.append([vector.getTime(), *(data.get(k) for k in range(data.getSize()))])
    keys = table.getTableMetaDataKeys()
    found[path] = {
        "time": list(table.getIndependentColumn()),
        "values": {n: list(table.getDependentColumn(n).to_numpy()) for n in labels},
        "meta": {k: table.getTableMetaDataString(k) for k in keys},
        "storage": {
            "name": storage.getName(),
            "labels": [names.get(k) for k in range(names.getSize())],
            "degrees": storage.isInDegrees(),
            "rows": rows,
        },
    }
json.dump(found, open(sys.argv[1], "w"))
"""


def in_opensim(folder, *files):
    """What OpenSim reads from storages."""
    python = python_of_opensim()
    if python is None:
        pytest.skip("no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON")
    answer = folder / "answer.json"
    done = subprocess.run(
        [python, "-c", IN_OPENSIM, answer, *files],
        capture_output=True, text=True, cwd=folder, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(answer.read_text())


def awkward(n_frames=7):
    """An arm with names with blanks, a coordinate in m, times of many digits, a failed run."""
    result = make_result(n_frames, status="failed", message="at t = 3:\nno convergence")
    fiber = result.fibers["biceps_1"]
    slide = np.linspace(0.0, 0.1, n_frames) / 3.0
    return replace(
        result,
        time=np.cumsum(np.full(n_frames, 0.1)) / 3.0,
        fibers=result.fibers | {"biceps long": fiber},
        coordinates=result.coordinates | {"slide": slide},
        speeds=result.speeds | {"slide": slide},
        coordinate_units={"slide": "m"},
    )


def expected(result):
    """Columns of every storage."""
    fibers = {name.replace(" ", "_"): fiber for name, fiber in result.fibers.items()}
    attachments = {}
    for name, fiber in fibers.items():
        for end, node in (("origin", 0), ("insertion", -1)):
            force = getattr(fiber, f"force_{end}")
            for i, axis in enumerate("xyz"):
                attachments[f"{name}_{end}_force_v{axis}"] = force[:, i]
                attachments[f"{name}_{end}_force_p{axis}"] = fiber.position[:, node, i]
    return {
        "coordinates": result.coordinates,
        "speeds": result.speeds,
        "activations": {name: fiber.activation for name, fiber in fibers.items()},
        "forces": {n: curves.mean_along(f, f.axial_force) for n, f in fibers.items()},
        "lengths": {name: fiber.length for name, fiber in fibers.items()},
        "attachments": attachments,
    }


def test_storages_come_back(tmp_path):
    result = awkward()
    files = fm.export(result, tmp_path / "new" / "run.sto")
    wanted = expected(result)
    assert [file.name for file in files] == [f"run_{what}.sto" for what in wanted]
    for file, (what, columns) in zip(files, wanted.items(), strict=True):
        signals = fm.read_signals(file)
        assert signals.name == f"upper_limb_{what}" and not signals.in_degrees
        np.testing.assert_array_equal(signals.time, result.time)
        assert set(signals.values) == set(columns)
        for name, values in columns.items():
            np.testing.assert_array_equal(signals.signal(name), values, err_msg=name)
        head = file.read_text().partition("endheader")[0]
        assert "status=failed: at t  is  3: no convergence\n" in head
        assert "inDegrees=no\n" in head and f"nRows={result.time.size}\n" in head
    activation = fm.read_signals(files[2]).activation("biceps_1")
    assert activation(result.time[3]) == result.fibers["biceps_1"].activation[3]


def test_opensim_reads_the_storages(tmp_path):
    result = awkward()
    files = fm.export(result, tmp_path / "run.sto")
    found = in_opensim(tmp_path, *files)
    for file, (what, columns) in zip(files, expected(result).items(), strict=True):
        read = found[str(file)]
        np.testing.assert_array_equal(read["time"], result.time)
        assert set(read["values"]) == set(columns)
        for name, values in columns.items():
            np.testing.assert_array_equal(read["values"][name], values, err_msg=name)
        assert read["meta"]["inDegrees"] == "no"
        assert read["meta"]["status"].startswith("failed: at t")
        assert read["meta"]["nRows"] == str(result.time.size)
        storage = read["storage"]
        assert storage["name"] == f"upper_limb_{what}" and not storage["degrees"]
        assert storage["labels"][0] == "time" and set(storage["labels"][1:]) == set(columns)
        rows = np.array(storage["rows"])
        np.testing.assert_array_equal(rows[:, 0], result.time)
        for name, column in zip(storage["labels"][1:], rows[:, 1:].T, strict=True):
            np.testing.assert_array_equal(column, columns[name])


ANALYZE = """
import sys, opensim
opensim.Logger.setLevelString("off")
tool = opensim.AnalyzeTool()
tool.setName("x")
tool.setModelFilename(sys.argv[1])
tool.setCoordinatesFileName(sys.argv[2])
tool.setInitialTime(0.0)
tool.setFinalTime(1.0)
tool.setResultsDir(".")
kinematics = opensim.Kinematics()
kinematics.setInDegrees(False)
kinematics.setStartTime(0.0)
kinematics.setEndTime(1.0)
tool.updAnalysisSet().cloneAndAppend(kinematics)
tool.printToXML("setup.xml")
assert opensim.AnalyzeTool("setup.xml").run()
"""


def test_opensim_moves_a_model_by_the_coordinates(tmp_path):
    """Its tools take plain names for the coordinates, and no degrees where the header says so."""
    python = python_of_opensim()
    if python is None:
        pytest.skip("no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON")
    t = np.linspace(0.0, 1.0, 11)
    angles = {"swing": 0.3 * t, "twist": 0.1 + 0.5 * t}
    motion = fm.export(
        make_result(11, time=t, coordinates=angles, speeds=angles), tmp_path / "arm.sto"
    )[0]
    # OpenSim writes beside the model
    model = shutil.copy(Path(__file__).parents[1] / "data" / "limb_v4.osim", tmp_path)
    done = subprocess.run(
        [python, "-c", ANALYZE, model, motion],
        capture_output=True, text=True, cwd=tmp_path, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    moved = fm.read_signals(tmp_path / "x_Kinematics_q.sto")
    np.testing.assert_allclose(moved.time, t, atol=1e-8)
    for name, values in angles.items():
        # the model has a constraint besides, which OpenSim's assembly weighs against the file
        np.testing.assert_allclose(moved.signal(name), values, atol=2e-4)


def test_tables_come_back(tmp_path):
    result = awkward()
    files = fm.export(result, tmp_path / "run.csv")
    assert [file.name for file in files] == [f"run_{what}.csv" for what in tables.TABLES]
    for file, what in zip(files, tables.TABLES, strict=True):
        text = file.read_text()
        assert "# scene: upper_limb\n" in text
        assert "# status: failed: at t = 3: no convergence\n" in text
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        rows = list(csv.reader(lines))
        for k, column in enumerate(tables.table(result, what)):
            unit = f" [{column.unit}]" if column.unit else ""
            assert rows[0][k] == column.name + unit
            read = [row[k] for row in rows[1:]]
            if column.unit:
                read = [float(x) for x in read]
            np.testing.assert_array_equal(read, column.values)
    signals = fm.read_signals(files[0])
    np.testing.assert_array_equal(signals.time, result.time)
    np.testing.assert_array_equal(
        signals.signal("elbow_flexion"), result.coordinate("elbow_flexion")
    )
    assert signals.units["elbow_flexion"] == "rad" and signals.units["slide.speed"] == "m/s"
    assert signals.units["biceps long.length"] == "m"
    assert signals.activation("biceps_2.activation")(0.1) <= 1.0


def test_tables_open_in_pandas(tmp_path):
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    result = make_result(3)
    files = fm.export(result, tmp_path / "run.csv")
    # pandas 3 reads all digits by itself, and warns where it is asked to
    old = int(pandas.__version__.split(".")[0]) < 3
    exactly = {"float_precision": "round_trip"} if old else {}
    read = pandas.read_csv(files[1], comment="#", **exactly)
    frame = result.to_dataframe("fibers")
    for name, unit in frame.attrs["units"].items():
        label = f"{name} [{unit}]" if unit else name
        if unit:
            np.testing.assert_array_equal(read[label], frame[name])
        else:
            assert list(read[label]) == list(frame[name])


def test_long_tables_are_the_same_in_parts(tmp_path, monkeypatch):
    from fibermsk.io import csv as module

    result = awkward()
    whole = [file.read_bytes() for file in fm.export(result, tmp_path / "a.csv")]
    monkeypatch.setattr(module, "_ROWS", 10)
    seen = []
    files = fm.export(
        result, tmp_path / "b.csv", report=lambda file, part: seen.append((file, part))
    )
    assert [file.read_bytes() for file in files] == whole
    parts = [part for file, part in seen if file == files[1]]
    assert len(parts) == 7 and parts == sorted(parts) and parts[-1] == 1.0


@pytest.mark.parametrize("to", exporting.FORMATS)
def test_only_its_own_files_are_replaced(tmp_path, to):
    (tmp_path / "keep.txt").write_text("mine")
    first = fm.export(make_result(3), tmp_path / f"run.{to}", to=to)
    before = {file: file.read_bytes() for file in first}
    again = fm.export(make_result(5), tmp_path / f"run.{to}")
    assert again == first and (tmp_path / "keep.txt").read_text() == "mine"
    assert all(file.read_bytes() != before[file] for file in first)
    assert sorted(os.listdir(tmp_path)) == sorted(["keep.txt", *(file.name for file in first)])


@pytest.mark.parametrize("to", exporting.FORMATS)
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_stopped_export_leaves_the_old_files(tmp_path, to, error):
    files = fm.export(make_result(3), tmp_path / f"run.{to}")
    before = [file.read_bytes() for file in files]

    def stop(file, part):
        raise error

    with pytest.raises(error):
        fm.export(make_result(9), tmp_path / f"run.{to}", report=stop)
    assert [file.read_bytes() for file in files] == before
    assert len(os.listdir(tmp_path)) == len(files)


@pytest.mark.parametrize("to", exporting.FORMATS)
def test_a_fiber_alone_and_a_single_frame(tmp_path, to):
    names = [file.name for file in fm.export(make_hanging_fiber(), tmp_path / f"h.{to}")]
    assert not {f"h_bones.{to}", f"h_coordinates.{to}", f"h_bodies.{to}"} & set(names)
    assert fm.export(make_result(1), tmp_path / f"one.{to}")


def test_refusals(tmp_path):
    result = make_result(2)
    with pytest.raises(ModelError, match="run.xlsx: the extension must be .* vtkhdf, sto, csv"):
        fm.export(result, tmp_path / "run.xlsx")
    with pytest.raises(ModelError, match="'vtk': the format must be"):
        fm.export(result, tmp_path / "run.vtkhdf", to="vtk")
    with pytest.raises(ModelError, match=r"extension is .h5; must be .csv .*run.csv"):
        fm.export(result, tmp_path / "run.h5", to="csv")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ModelError, match="cannot write"):
        fm.export(result, tmp_path / "file" / "run.csv")
    none = make_result(2, time=np.empty(0))
    with pytest.raises(ModelError, match="has no frame"):
        fm.export(none, tmp_path / "run.csv")
    empty = replace(result, fibers={}, bodies={}, coordinates={}, speeds={})
    for to in ("vtkhdf", "sto"):
        with pytest.raises(ModelError, match="has no data for a"):
            fm.export(empty, tmp_path / f"run.{to}")
    fiber = result.fibers["biceps_1"]
    for names in (["a b", "a_b"], ["Time"]):
        clash = replace(result, fibers={name: fiber for name in names})
        with pytest.raises(ModelError, match="fibers .* cannot be the label"):
            fm.export(clash, tmp_path / "run.sto")
    assert sorted(os.listdir(tmp_path)) == ["file"]


def test_command(cli_export, tmp_path):
    file = save(make_result(4, status="interrupted"), tmp_path / "run.h5")
    for to in exporting.FORMATS:
        out = tmp_path / to / f"x.{to}"
        done = cli_export(file, "--to", to, "--out", out)
        assert done.exit_code == 0, done.stderr
        written = sorted(f"written to {out.parent / name}" for name in os.listdir(out.parent))
        assert sorted(line for line in done.stderr.splitlines() if "written" in line) == written
        words = "warning: the run was interrupted at t = 8 s; the files have this status"
        assert words in done.stderr
        assert done.stdout == ""


def test_command_refuses_before_it_reads(cli_export, tmp_path):
    missing = tmp_path / "missing.h5"
    for arguments, message in (
        (["--to", "xlsx", "--out", "x.xlsx"], "the format must be one of"),
        (["--to", "csv", "--out", "x.sto"], "must be .csv"),
        (["--out", "x.doc"], "the extension must be one of"),
        (["--to", "csv", "--out", tmp_path / "x.csv"], "there is no such file"),
    ):
        done = cli_export(missing, *arguments)
        assert done.exit_code == 2 and message in done.stderr
    assert cli_export(missing).exit_code == 2


def test_command_tells_how_far_it_is(cli_export, tmp_path, monkeypatch):
    from fibermsk.cli.commands import export as module

    monkeypatch.setattr(module, "_SECONDS_BETWEEN_LINES", 0.0)
    file = save(make_result(4), tmp_path / "run.h5")
    done = cli_export(file, "--out", tmp_path / "x.csv")
    assert "x_fibers.csv: 100 %" in done.stderr


@pytest.fixture
def cli_export(monkeypatch, tmp_path):
    from typer.testing import CliRunner

    from fibermsk.cli.main import app

    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["export", *map(str, arguments)])


def test_arguments_of_the_wrong_kind_are_refused(tmp_path):
    with pytest.raises(ModelError, match="export: path = 3; must be a text or a path"):
        fm.export(make_result(), 3)
    with pytest.raises(ModelError, match="export: result = 3; must be a Result"):
        fm.export(3, tmp_path / "x.csv")
