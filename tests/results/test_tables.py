"""A result as labelled arrays and tables."""

import importlib
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from make_result import make_fiber, make_hanging_fiber, make_result

from fibermsk.errors import ModelError
from fibermsk.results import curves, tables


def two_sizes(n_frames=4):
    """The arm with one fiber that has fewer nodes and samples than the others."""
    result = make_result(n_frames)
    origin = np.tile([0.0, 0.0, 0.1], (n_frames, 1))
    short = make_fiber(
        origin, origin - [0.0, 0.0, 0.2], np.ones((n_frames, 1)), n_nodes=4, n_samples=7
    )
    return replace(result, fibers=result.fibers | {"short": short})


def test_xarray_has_labels_units_and_every_number():
    pytest.importorskip("xarray", reason="needs xarray")
    result = make_result(5)
    data = result.to_xarray()
    assert data.axial_force.dims == ("time", "fiber", "theta")
    assert data.contact_line_force.dims == ("time", "fiber", "theta", "axis")
    assert data.position.dims == ("time", "fiber", "node_theta", "axis")
    for name, fiber in result.fibers.items():
        one = data.sel(fiber=name)
        for key in ("stretch", "radius", "axial_force", "contact_line_force", "position", "tangent",
                    "force_origin", "force_insertion", "activation", "muscle_fraction",
                    "contact_force_density"):  # fmt: skip
            np.testing.assert_array_equal(one[key], getattr(fiber, key), err_msg=key)
        np.testing.assert_allclose(
            one.stress, fiber.axial_force / (np.pi * fiber.radius**2), rtol=1e-14
        )
        np.testing.assert_array_equal(one.theta, fiber.theta)
    np.testing.assert_array_equal(
        data.coordinates.sel(coordinate="elbow_flexion"), result.coordinate("elbow_flexion")
    )
    np.testing.assert_array_equal(
        data.body_rotation.sel(body="forearm"), result.bodies["forearm"].rotation
    )
    assert data.axial_force.attrs["units"] == "N" and data.stress.attrs["units"] == "Pa"
    assert data.coordinates.attrs["units"] == "rad" and data.speeds.attrs["units"] == "rad/s"
    assert data.time.attrs["units"] == "s"
    assert all("units" in data[key].attrs for key in data.data_vars)
    assert data.attrs["status"] == "success" and json.loads(data.attrs["parameters"])
    # what is done to the dataset does not reach the result
    data.radius.values[:] = 7.0
    data.min_admissibility.values[0] = 7.0
    assert result.min_admissibility[0] == 1.0
    assert (result.fibers["biceps_1"].radius < 1.0).all()


def test_xarray_of_fibers_with_different_samples():
    pytest.importorskip("xarray", reason="needs xarray")
    result = two_sizes()
    data = result.to_xarray()
    assert data.stretch.dims == ("time", "fiber", "sample")
    assert data.theta.dims == ("fiber", "sample") and data.node_theta.dims == ("fiber", "node")
    for name, fiber in result.fibers.items():
        n, nodes = fiber.theta.size, fiber.node_theta.size
        one = data.sel(fiber=name)
        np.testing.assert_array_equal(one.theta[:n], fiber.theta)
        np.testing.assert_array_equal(one.stretch[:, :n], fiber.stretch)
        np.testing.assert_array_equal(one.position[:, :nodes], fiber.position)
        assert np.isnan(one.stretch[:, n:]).all() and np.isnan(one.theta[n:]).all()
        assert np.isnan(one.muscle_fraction[n:]).all() and np.isnan(one.position[:, nodes:]).all()


def test_coordinates_of_different_units():
    pytest.importorskip("xarray", reason="needs xarray")
    history = np.linspace(0.0, 1.0, 3)
    both = {"turn": history, "slide": 2.0 * history}
    result = make_result(3, coordinates=both, speeds=both, coordinate_units={"slide": "m"})
    data = result.to_xarray()
    assert data.coordinate_units.sel(coordinate="slide") == "m"
    assert data.coordinate_units.sel(coordinate="turn") == "rad"
    assert data.coordinates.attrs["units"] == "see coordinate_units"
    units = {column.name: column.unit for column in tables.table(result, "time")}
    assert units["slide"] == "m" and units["slide.speed"] == "m/s" and units["turn"] == "rad"


def test_xarray_survives_a_file(tmp_path):
    xarray = pytest.importorskip("xarray", reason="needs xarray")
    pytest.importorskip("scipy", reason="needs scipy, which writes netCDF")
    data = two_sizes().to_xarray()
    data.to_netcdf(tmp_path / "x.nc", engine="scipy")
    with xarray.open_dataset(tmp_path / "x.nc", engine="scipy") as back:
        np.testing.assert_array_equal(back.stretch, data.stretch)
        assert list(back.fiber.values) == list(data.fiber.values)
        assert back.attrs["scene"] == "upper_limb"


@pytest.mark.parametrize(
    "result", [make_result(3), two_sizes(), make_hanging_fiber(), make_result(1)]
)
@pytest.mark.parametrize("what", tables.TABLES)
def test_dataframes_hold_what_the_tables_hold(result, what):
    pytest.importorskip("pandas", reason="needs pandas")
    frame = result.to_dataframe(what)
    columns = tables.table(result, what)
    assert frame.attrs["units"] == {column.name: column.unit for column in columns}
    assert frame.attrs["status"] == "success"
    frame = frame.reset_index() if what == "time" else frame
    for column in columns:
        np.testing.assert_array_equal(frame[column.name].to_numpy(), column.values)


def test_rows_of_long_tables_are_found_by_name():
    pytest.importorskip("pandas", reason="needs pandas")
    result = two_sizes()
    frame = result.to_dataframe("fibers")
    assert len(frame) == 4 * (5 * 21 + 7)
    for name, fiber in result.fibers.items():
        for k, time in enumerate(result.time):
            rows = frame[(frame.fiber == name) & (frame.time == time)]
            np.testing.assert_array_equal(rows.theta, fiber.theta)
            np.testing.assert_array_equal(rows.axial_force, fiber.axial_force[k])
            np.testing.assert_array_equal(rows.muscle_fraction, fiber.muscle_fraction)
            np.testing.assert_array_equal(
                rows[[f"contact_line_force_{i}" for i in "xyz"]], fiber.contact_line_force[k]
            )
            np.testing.assert_allclose(
                rows[["x", "y", "z"]], fiber.centerline(fiber.theta, k), atol=1e-15
            )
    bodies = result.to_dataframe("bodies")
    last = bodies[bodies.body == "forearm"].iloc[-1]
    turn = result.bodies["forearm"].rotation[-1]
    assert last.rotation_xz == turn[0, 2] and last.rotation_zx == turn[2, 0]


def test_frames_can_be_taken_in_parts():
    result = two_sizes()
    for what in tables.TABLES:
        whole = tables.table(result, what)
        parts = [tables.table(result, what, slice(k, k + 1)) for k in range(4)]
        for k, column in enumerate(whole):
            joined = np.concatenate([part[k].values for part in parts])
            np.testing.assert_array_equal(joined, column.values, err_msg=column.name)


def test_wrong_tables_and_names_that_meet():
    with pytest.raises(ModelError, match="what = 'fibres'; must be one of: time, fibers"):
        make_result(2).to_dataframe("fibres")
    result = make_result(2)
    clash = {"biceps_1.activation": np.zeros(2)}
    with pytest.raises(ModelError, match=r"two columns are named 'biceps_1.activation'"):
        tables.table(replace(result, coordinates=clash), "time")


@pytest.mark.parametrize(("package", "method"), [("xarray", "to_xarray"),
                                                 ("pandas", "to_dataframe")])  # fmt: skip
def test_missing_package_is_named(monkeypatch, package, method):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelError, match=rf'{package} .*pip install -e "\.\[data\]"'):
        getattr(make_result(2), method)()


def test_results_alone_load_no_package():
    import subprocess

    code = "import sys, fibermsk.results.labelled; print({'pandas', 'xarray'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


def test_length_of_a_curve_with_a_known_one():
    """Cubic x = s, z = s^2 is a parabola: arc length is known, and exact in the elements."""
    theta = np.array([0.0, 0.3, 1.0])
    fiber = make_result(1).fibers["biceps_1"]
    nodes = np.stack([theta, 0.0 * theta, theta**2], axis=1)[None]
    slopes = np.stack([1.0 + 0.0 * theta, 0.0 * theta, 2.0 * theta], axis=1)[None]
    curve = replace(fiber, node_theta=theta, position=nodes, tangent=slopes)
    exact = 0.5 * np.sqrt(5.0) + 0.25 * np.arcsinh(2.0)
    # five Gauss points an element
    np.testing.assert_allclose(curve.length, [exact], rtol=1e-5)
    places = np.linspace(0.0, 1.0, 11)
    points = curves.centerlines(curve, places)
    np.testing.assert_allclose(points[0], np.stack([places, 0 * places, places**2], 1), atol=1e-15)


def test_values_between_samples():
    fiber = replace(
        make_result(1).fibers["biceps_1"], theta=np.array([0.1, 0.5, 0.9]),
        axial_force=np.array([[1.0, 3.0, np.inf]]),
    )  # fmt: skip
    found = curves.along(fiber, fiber.axial_force, np.array([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]))
    np.testing.assert_array_equal(found, [[1.0, 1.0, 2.0, 3.0, np.inf, np.inf]])
    mean = curves.mean_along(fiber, np.array([[1.0, 3.0, 5.0], [2.0, 2.0, 2.0]]))
    np.testing.assert_allclose(mean, [1.0 * 0.3 + 3.0 * 0.4 + 5.0 * 0.3, 2.0], rtol=1e-15)


def test_module_names_stay():
    assert importlib.import_module("fibermsk.results.tables").TABLES == (
        "time", "fibers", "nodes", "bodies",
    )  # fmt: skip
