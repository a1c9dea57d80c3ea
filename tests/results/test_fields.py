"""The table of fields: names that files and users rely on stay; states and elements are told."""

from dataclasses import fields, replace

import h5py
import numpy as np
import pytest
from make_result import make_meshed_arm, make_reporting_arm, make_result

import fibermsk as fm
from fibermsk.errors import ModelError
from fibermsk.io import describe, save
from fibermsk.results import (
    BodyMotion,
    FiberHistory,
    Result,
    ShapeRecord,
    StateRecord,
    fields as table,
)
from fibermsk.results.histories import state_histories
from fibermsk.view.plots import plot, plot_names

FIBER = {
    "node_theta": "1", "position": "m", "tangent": "m", "cut_force": "N", "theta": "1",
    "muscle_fraction": "1", "stretch": "1", "radius": "m", "axial_force": "N", "tissue_force": "N",
    "contact_line_force": "N/m", "activation": "1", "force_origin": "N", "force_insertion": "N",
    "contact_force_density": "N/m",
}  # fmt: skip
BODY = {"position": "m", "rotation": "1"}
SHAPES = {"kind": None, "start": "m", "end": "m", "radius": "m"}
MESH = {"vertices": "m", "faces": "1"}
SOLVER = {"step_size": "s", "newton_iterations": "1", "min_admissibility": "1"}
ALONG = ("stretch", "radius", "axial_force", "tissue_force", "stress", "contact_force_density")
XYZ = "x", "y", "z"


def of(item):
    """Names in a group, in their order, with the units of datasets."""
    return {name: one.attrs.get("units") for name, one in item.items()}


def test_files_have_the_names_units_and_order_that_they_had(tmp_path):
    with h5py.File(save(make_meshed_arm(4), tmp_path / "run.h5")) as file:
        assert set(file) == {"time", "coordinates", "speeds", "bodies", "fibers", "solver"}
        assert file["time"].attrs["units"] == "s"
        assert of(file["coordinates"]) == {"elbow_flexion": "rad"}
        assert of(file["speeds"]) == {"elbow_flexion": "rad/s"}
        for fiber in file["fibers"].values():
            assert list(of(fiber).items()) == list(FIBER.items())
        arm, forearm = file["bodies/upper_arm"], file["bodies/forearm"]
        assert of(arm) == BODY | {"shapes": None} and of(arm["shapes"]) == SHAPES
        assert of(forearm) == BODY | {"shapes": None, "visuals": None}
        assert of(forearm["shapes"]) == SHAPES | {"mesh_1": None}
        assert of(forearm["shapes/mesh_1"]) == of(forearm["visuals/mesh_0"]) == MESH
        assert list(of(file["solver"]).items()) == list(SOLVER.items())
        whole = set()
        file.visititems(lambda n, one: whole.add(n) if getattr(one, "dtype", "") == "i8" else None)
        assert {name.rpartition("/")[2] for name in whole} == {"newton_iterations", "faces"}
        texts = {"scene", "parameters", "fibermsk_version", "method", "status", "message", "stats"}
        assert set(file.attrs) == texts | {"slack", "softening", "up", "units", "ranges"}
        extra = []
        file.visititems(lambda _, one: extra.extend(set(one.attrs) - {"units"}))
        assert extra == []


def test_heads_of_tables_are_what_they_were(tmp_path):
    def head(what, kind="csv"):
        lines = (tmp_path / f"run_{what}.{kind}").read_text().splitlines()
        if kind == "csv":
            return next(line for line in lines if line[0] != "#").split(",")
        return lines[lines.index("endheader") + 1].split("\t")

    fibers = {name: one for name, one in make_result(3).fibers.items() if name == "biceps_1"}
    result = make_result(3, fibers=fibers)
    fm.export(result, tmp_path / "run.csv")
    fm.export(result, tmp_path / "run.sto")
    ends = [f"biceps_1.{end}_{i} [N]" for end in ("force_origin", "force_insertion") for i in XYZ]
    assert head("time") == [
        "time [s]", "elbow_flexion [rad]", "elbow_flexion.speed [rad/s]",
        "biceps_1.activation [1]", "biceps_1.length [m]", "biceps_1.axial_force [N]", *ends,
        "step_size [s]", "newton_iterations [1]", "min_admissibility [1]",
    ]  # fmt: skip
    places = ["time [s]", "fiber", "theta [1]", "x [m]", "y [m]", "z [m]"]
    assert head("fibers") == [
        *places, "muscle_fraction [1]", "stretch [1]", "radius [m]", "axial_force [N]",
        "tissue_force [N]", "stress [Pa]", "contact_force_density [N/m]",
        *(f"contact_line_force_{i} [N/m]" for i in XYZ),
    ]  # fmt: skip
    assert head("nodes") == [
        *places, *(f"tangent_{i} [m]" for i in XYZ), *(f"cut_force_{i} [N]" for i in XYZ),
    ]  # fmt: skip
    assert head("bodies") == [
        "time [s]", "body", "x [m]", "y [m]", "z [m]",
        *(f"rotation_{i}{j} [1]" for i in XYZ for j in XYZ),
    ]  # fmt: skip
    for what in ("activations", "forces", "lengths"):
        assert head(what, "sto") == ["time", "biceps_1"]
    assert {path.name for path in tmp_path.glob("*.sto")} == {
        f"run_{what}.sto"
        for what in (
            "coordinates", "speeds", "activations", "forces", "lengths", "attachments",
        )
    }  # fmt: skip


def test_plots_and_colors_are_what_they_were():
    shown = [f"{name}{more}" for name in ALONG for more in ("", "_over_time", "_map")]
    shown += [
        "muscle_fraction", "activation", "length", "muscle_force", "power", "attachment_forces",
        "insertion_forces", "coordinates", "speeds", "body_position", "body_rotation", "solver",
    ]  # fmt: skip
    names = plot_names(make_result(4))
    assert list(names) == shown
    others = "states elements muscles controls optimum convergence sparsity".split()
    assert set(plot_names()) == {*shown, *others}
    assert names["stress_map"] == (
        "axial stress (force / current area) over time and along a fiber, as colors"
    )
    assert table.COLORINGS == ("muscle_fraction", *ALONG, "activation")
    labels = [table.FIBER_FIELDS[name].axis_label for name in table.COLORINGS]
    assert labels == [
        "muscle fraction [-]", "stretch [-]", "radius [m]", "axial force [N]",
        "force of the tissue [N]", "axial stress [Pa]", "net contact force [N/m]", "activation [-]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        (FiberHistory, table.FIBER_FIELDS),
        (BodyMotion, table.BODY_FIELDS),
        (ShapeRecord, table.SHAPE_FIELDS | table.MESH_FIELDS),
    ],
)
def test_classes_have_what_the_table_says(kind, known):
    given = [name for name, field in known.items() if not field.derived]
    assert [one.name for one in fields(kind) if one.name not in ("shapes", "visuals")] == given
    for name, field in known.items():
        assert field.description and (not field.derived or isinstance(vars(kind)[name], property))


def test_a_result_over_some_frames():
    result = make_reporting_arm(6)
    part = result.at_frames(slice(1, 5, 2))
    for one in fields(Result):
        whole, cut = getattr(result, one.name), getattr(part, one.name)
        if isinstance(whole, np.ndarray):
            np.testing.assert_array_equal(cut, whole[1:5:2], err_msg=one.name)
    fiber, cut = result.fibers["biceps_2"], part.fibers["biceps_2"]
    for name, field in table.FIBER_FIELDS.items():
        rows = slice(1, 5, 2) if field.varies else slice(None)
        np.testing.assert_allclose(getattr(cut, name), getattr(fiber, name)[rows], rtol=1e-14)
    turns = part.bodies["forearm"].rotation, result.bodies["forearm"].rotation[1:5:2]
    np.testing.assert_array_equal(*turns)
    assert part.coordinate("elbow_flexion").shape == part.elements["band"]["tension"].shape == (2,)


def test_states_and_elements_in_files(tmp_path):
    result = make_reporting_arm()
    path = save(result, tmp_path / "run.h5")
    with h5py.File(path) as file:
        assert file["states/tendon/force"].shape == (5,)
        assert file["states/tendon/open_part"].shape == (5, 2)
        assert dict(file["elements/load/force"].attrs) == {
            "units": "N",
            "label": "external force",
            "description": "force on the body, in ground",
        }
    shown = {item["path"]: item for item in describe(path)["datasets"]}
    assert shown["/elements/band/tension"]["max"] == 4.0
    assert shown["/states/tendon/force"]["units"] == "N"
    back = fm.load(path)
    assert back.states["tendon"].fields["open_part"].label == "open part"
    with pytest.raises(KeyError, match="no field 'pull'; there are: tension"):
        back.elements["band"]["pull"]
    short = result.elements["band"].at_frames(slice(3))
    with pytest.raises(ModelError, match=r"/elements/band/tension has the shape \(3,\); must be"):
        save(replace(result, elements={"band": short}), path)


def test_states_and_elements_in_tables(tmp_path):
    result = make_reporting_arm()
    states, load = result.states["tendon"], result.elements["load"]["force"]
    muscle = result.states["brachialis"]
    expected = {
        "tendon.force": states["force"],
        "tendon.open_part_1": states["open_part"][:, 0],
        "tendon.open_part_2": states["open_part"][:, 1],
        "brachialis.excited": muscle["excited"],
        # also reported of the muscle: once in a table of all
        "brachialis.tendon_force": muscle["tendon_force"],
        "band.tension": result.elements["band"]["tension"],
        **{f"load.force_{axis}": load[:, k] for k, axis in enumerate(XYZ)},
    }
    files = {file.name: file for file in fm.export(result, tmp_path / "run.sto")}
    fm.export(result, tmp_path / "run.csv")
    found = {}
    for name in ("run_states.sto", "run_elements.sto"):
        found |= fm.read_signals(files[name]).values
    assert list(found) == list(expected)
    signals = fm.read_signals(tmp_path / "run_time.csv")
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)
        np.testing.assert_array_equal(signals.signal(name), values)
    assert signals.units["tendon.open_part_1"] == "1" and signals.units["band.tension"] == "N"
    pytest.importorskip("xarray", reason="needs xarray")
    data = result.to_xarray()
    assert data["load.force"].dims == ("time", "axis")
    np.testing.assert_array_equal(data["tendon.open_part"], states["open_part"])
    assert data["band.tension"].attrs["units"] == "N"


def test_states_and_elements_in_plots():
    result = make_reporting_arm()
    names = plot_names(result)
    assert names["band.tension"] == "spring tension of band over time: positive if it pulls"
    own = ["tendon.force", "tendon.open_part", "brachialis.excited", "brachialis.tendon_force"]
    own += ["band.tension", "load.force"]
    own += [f"brachialis.{name}" for name in result.muscles["brachialis"] if name != "tendon_force"]
    assert list(names)[-len(own) :] == own and {"states", "elements"} <= set(names)
    load = result.elements["load"]["force"]
    lines = plot(result, "load.force").axes[0].get_lines()
    assert [line.get_label() for line in lines] == list(XYZ)
    for line, values in zip(lines, load.T, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), values)
    axes = plot(result, "elements").axes
    assert [one.get_ylabel() for one in axes] == [
        "spring tension [N]", "external force, magnitude [N]",
    ]  # fmt: skip
    np.testing.assert_array_equal(axes[1].get_lines()[0].get_ydata(), np.linalg.norm(load, axis=1))
    mean = plot(result, "states").axes[1].get_lines()[0].get_ydata()
    np.testing.assert_array_equal(mean, result.states["tendon"]["open_part"].mean(axis=1))


def test_states_of_one_owner_from_several_records():
    values = np.arange(6.0).reshape(2, 3)
    found = state_histories(
        [
            StateRecord("muscle", ("fiber_length",), ("m",), values[:, :1]),
            StateRecord("muscle", ("titin", "titin"), ("1", "1"), values[:, 1:]),
        ]
    )
    assert list(found) == ["muscle"] and list(found["muscle"]) == ["fiber_length", "titin"]
    np.testing.assert_array_equal(found["muscle"]["fiber_length"], [0.0, 3.0])
    np.testing.assert_array_equal(found["muscle"]["titin"], values[:, 1:])
    assert found["muscle"].fields["fiber_length"].axis_label == "fiber length [m]"
