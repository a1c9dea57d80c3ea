"""Splines that smooth their points, as OpenSim's GCVSpline with an error variance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import ask
from osim_text import AXES, LINE, axis, one_joint

import fibermsk as fm
from fibermsk.model.function import NaturalSpline
from fibermsk.read.smoothing_spline import roughness_root, smoothed_values

N = 25


def noisy(rng):
    x = np.sort(rng.uniform(-1.0, 2.0, N))
    return x, 0.5 * np.sin(2.0 * x) + rng.normal(0.0, 0.05, N)


def text_of(x, y, half, variance):
    numbers = [" ".join(map(repr, one.tolist())) for one in (x, y)]
    ones = " ".join(["1"] * x.size)
    return (
        f"<GCVSpline><half_order>{half}</half_order><error_variance>{variance}</error_variance>"
        f"<x>{numbers[0]}</x><weights>{ones}</weights><y>{numbers[1]}</y></GCVSpline>"
    )


def read(tmp_path, x, y, half, variance):
    """Function of a joint's translation."""
    inside = axis(AXES[0], "q", "1 0 0", LINE)
    inside += axis(AXES[3], "q", "1 0 0", text_of(x, y, half, variance))
    file = tmp_path / "spline.osim"
    transform = f"<SpatialTransform>{inside}</SpatialTransform>"
    file.write_text(one_joint("CustomJoint", ("q",), transform))
    model = fm.read_osim(file)
    found = [one for one in model.joints[0].axes if one.kind == "translation"]
    return file, model, found[0].pairs[0][1]


@pytest.mark.parametrize("half", [1, 2, 3, 4])
@pytest.mark.parametrize("variance", [1e-3, 2.5e-3, 0.01, 0.2, -1.0])
def test_smoothed_splines_are_those_of_opensim(tmp_path, rng, half, variance):
    x, y = noisy(rng)
    file, model, ours = read(tmp_path, x, y, half, variance)
    assert "are smoothed" in str(model.import_report)
    places = np.linspace(x[0] - 0.2, x[-1] + 0.2, 40)
    task = [[text_of(x, y, half, variance), places.tolist(), 1]]
    theirs = np.array(ask(tmp_path, file, functions=task)["functions"][0])
    pieces = ours.pieces()
    off = [np.abs(pieces(places, order) - theirs[:, order]).max() for order in (0, 1)]
    # OpenSim seeks the parameter to 1e-6; where all is taken for noise its criterion is flat
    tolerance = 1e-4 if variance == 0.2 else 1e-6
    assert off[0] < tolerance and off[1] < 10.0 * tolerance
    assert np.abs(ours.y - y).max() > 0.003


def test_without_error_variance_it_goes_through_its_points(tmp_path, rng):
    x, y = noisy(rng)
    _, model, ours = read(tmp_path, x, y, 3, 0.0)
    assert_allclose(ours.y, y, rtol=0.0, atol=0.0)
    assert "smoothed" not in str(model.import_report)


def test_it_is_written_through_its_smoothed_points(tmp_path, rng):
    x, y = noisy(rng)
    _, model, ours = read(tmp_path, x, y, 3, 0.01)
    again = fm.read_osim(fm.write_osim(model, tmp_path / "again.osim"))
    (one,) = [one for one in again.joints[0].axes if one.kind == "translation"]
    assert_allclose(one.pairs[0][1].y, ours.y, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_roughness_of_a_natural_spline(rng, m):
    """The integral of the square of its derivative, by many points; polynomials have none."""
    x = np.sort(rng.uniform(0.0, 1.0, 12))
    y = rng.normal(size=12)
    B = roughness_root(x, m)
    assert B.shape == (12 - m, 12)
    spline = NaturalSpline(x, y, 2 * m - 1).pieces()
    nodes, weights = np.polynomial.legendre.leggauss(8)
    h = np.diff(x)[:, None]
    at = x[:-1, None] + 0.5 * h * (1.0 + nodes)
    wanted = float(
        (0.5 * h * weights * np.asarray(spline(at.ravel(), m)).reshape(at.shape) ** 2).sum()
    )
    assert_allclose(float((B @ y) @ (B @ y)), wanted, rtol=1e-8)
    size = np.linalg.norm(B, 2)
    for power in range(m):
        assert np.abs(B @ x**power).max() < 1e-10 * size


def test_noise_is_taken_away(rng):
    """The smoothed values are nearer to the truth than measured ones; units do not matter."""
    x = np.linspace(0.0, 1.0, 200)
    truth = np.sin(7.0 * x)
    y = truth + rng.normal(0.0, 0.1, x.size)
    for variance in (0.01, None):
        found = smoothed_values(x, y, 5, variance)
        assert np.sqrt(np.mean((found - truth) ** 2)) < 0.03
        assert_allclose(smoothed_values(1e3 * x - 7.0, y, 5, variance), found, atol=1e-7)
    line = smoothed_values(x, y, 3, 1e6)  # all is noise: a straight line is left
    assert_allclose(line, np.polyval(np.polyfit(x, y, 1), x), atol=1e-4)


def test_too_many_points_are_refused(tmp_path):
    x = np.arange(2001.0)
    with pytest.raises(fm.ModelError, match="has 2001 points; must have 2000 or fewer"):
        read(tmp_path, x, np.sin(x), 2, 0.1)
