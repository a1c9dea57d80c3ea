"""Markers, orientations and their treatment."""

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

import fibermsk as fm

TRC = (
    "PathFileType\t4\t(X/Y/Z)\twalk.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\t"
    "OrigNumFrames\n"
    "100.00\t100.00\t3\t2\tmm\t100.00\t1\t3\n"
    "Frame#\tTime\tR.ASIS\t\t\tL.Heel\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.00\t100\t200\t300\t1\t2\t3\n"
    "2\t0.01\t101\t201\t301\t\t\t\n"
    "3\t0.02\t102\t202\t302\tnan\tNaN\tnan\n"
)


def write(folder, text, name="walk.trc"):
    (folder / name).write_text(text)
    return folder / name


def test_markers_with_units_rates_and_gaps(tmp_path):
    markers = fm.read_motion(write(tmp_path, TRC))
    assert isinstance(markers, fm.Markers)
    assert (markers.names, markers.rate, markers.units) == (("R.ASIS", "L.Heel"), 100.0, "mm")
    np.testing.assert_allclose(markers.position("R.ASIS")[1], [0.101, 0.201, 0.301], rtol=1e-15)
    assert not markers.position("R.ASIS").flags.writeable
    (gap,) = markers.gaps()
    assert (gap.marker, gap.first, gap.last, gap.duration) == ("L.Heel", 1, 2, np.inf)
    with pytest.raises(fm.ModelError, match="no marker 'R.Asis'.*R.ASIS"):
        markers.position("R.Asis")


@pytest.mark.parametrize("unit, factor", [("m", 1.0), ("cm", 1e-2), ("Millimeters", 1e-3)])
def test_units_of_length(tmp_path, unit, factor):
    text = TRC.replace("\tmm\t", f"\t{unit}\t")
    found = fm.read_motion(write(tmp_path, text)).position("R.ASIS")[0, 0]
    assert abs(found - 100.0 * factor) < 1e-13


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("PathFileType", "Path", "line 1: begins otherwise; must begin with PathFileType"),
        ("\tmm\t", "\tyd\t", "line 3: Units = 'yd'; must be one of mm, cm, dm, m"),
        ("100.00\t3\t2", "100.00\t4\t2", "line 3: NumFrames = 4, found 3 rows"),
        ("100.00\t3\t2", "100.00\t3\t5", "line 3: NumMarkers = 5, found 2 names"),
        ("L.Heel", "R.ASIS", "line 4: 'R.ASIS' is named twice"),
        ("L.Heel", "", None),
        ("X1\tY1", "A1\tY1", "line 5: names no axes"),
        ("1\t2\t3\n", "1\t\t3\n", "line 7: marker 'L.Heel' has 2 numbers; must have three"),
        ("1\t2\t3\n", "1\t2\n", "line 7: has 7 cells; must have 8"),
        ("300", "3oo", "line 7: R.ASIS = '3oo'; must be a number"),
        ("0.02", "0.01", "line 9: time = 0.01 after 0.01; must increase"),
        ("100.00\t100.00", "-1\t100.00", "line 3: DataRate = -1; must be positive"),
    ],
)
def test_wrong_files_are_refused(tmp_path, old, new, words):
    with pytest.raises(fm.ModelError, match=words or "NumMarkers = 2, found 1 names"):
        fm.read_motion(write(tmp_path, TRC.replace(old, new, 1)))


def test_markers_at_the_origin_are_missing(tmp_path):
    with pytest.warns(fm.ModelWarning, match=r"exactly at the origin.*L.Heel \(1\)"):
        markers = fm.read_motion(write(tmp_path, TRC.replace("\t1\t2\t3\n", "\t0\t0.0\t0\n")))
    assert np.isnan(markers.position("L.Heel")).all()


def test_other_kinds_and_one_door(tmp_path):
    with pytest.raises(fm.ModelError, match=r"must be one of .mot, .sto, .csv, .trc"):
        fm.read_motion(tmp_path / "walk.c3d")
    table = write(tmp_path, "time,a\n0,1\n1,2\n", "a.csv")
    assert isinstance(fm.read_motion(table), fm.Signals)


def test_what_is_written_is_read_again(tmp_path, rng):
    position = rng.normal(size=(5, 3))
    position[3:] = np.nan
    markers = fm.Markers("walk", np.arange(5) / 7.0, {"a": position, "b": 1.0 + position})
    markers.write(tmp_path / "out.trc")
    again = fm.read_motion(tmp_path / "out.trc")
    np.testing.assert_array_equal(again.time, markers.time)
    for name in "ab":
        np.testing.assert_allclose(again.position(name), markers.position(name), rtol=1e-15)
    with pytest.raises(fm.ModelError, match="without blanks"):
        fm.Markers("x", [0.0], {"a b": [[0.0, 0.0, 1.0]]}).write(tmp_path / "x.trc")
    with pytest.raises(fm.ModelError, match=r"'.c3d'; must be '.trc'|must be one of"):
        markers.write(tmp_path / "x.c3d")


def test_filter_of_butterworth_forward_and_backward(rng):
    """Far from the ends the filter is that of SciPy; a slow wave passes, a fast one does not."""
    t = np.arange(400) / 100.0
    slow, fast = np.sin(2.0 * np.pi * t), np.sin(2.0 * np.pi * 40.0 * t)
    signals = fm.Signals("s", t, {"both": slow + 0.3 * fast})
    found = signals.filtered(6.0)
    inner = slice(100, -100)
    plain = sosfiltfilt(butter(3, 6.0 / 50.0, output="sos"), slow + 0.3 * fast)
    np.testing.assert_allclose(found.signal("both")[inner], plain[inner], atol=1e-6)
    assert np.abs(found.signal("both") - slow)[inner].max() < 1e-3
    (done,) = found.treatment
    assert done.what == "low-pass filter" and done.settings["order"] == 3
    assert done.settings["cutoff"] == "6 Hz" and signals.treatment == ()
    # the same in markers, by the runs between gaps
    one = np.stack([slow + 0.3 * fast, t, 0.0 * t], axis=1)
    one[200] = np.nan
    markers = fm.Markers("m", t, {"a": one}).filtered(6.0)
    assert np.isnan(markers.position("a")[200]).all()
    alone = fm.Signals("s", t[:200], {"x": one[:200, 0]}).filtered(6.0).signal("x")
    np.testing.assert_allclose(markers.position("a")[:200, 0], alone, atol=1e-14)
    for cutoff, words in ((60.0, "below half the sampling rate, 50 Hz"), (-1.0, "be positive")):
        with pytest.raises(fm.ModelError, match=words):
            signals.filtered(cutoff)
    uneven = fm.Signals("s", [0.0, 1.0, 3.0], {"a": [0.0, 1.0, 2.0]})
    with pytest.raises(fm.ModelError, match="equal intervals"):
        uneven.filtered(0.1)


def test_splines_between_samples_and_over_gaps():
    t = np.linspace(0.0, 1.0, 51)
    new = np.linspace(0.05, 0.95, 77)
    for order, error in ((3, 2e-6), (5, 1e-8)):
        found = fm.Signals("s", t, {"a": np.sin(3.0 * t)}).resampled(new, order=order)
        inner = (new > 0.3) & (new < 0.7)
        assert np.abs(found.signal("a") - np.sin(3.0 * new))[inner].max() < error
        assert found.treatment[0].settings["order"] == order
    position = np.stack([np.sin(3.0 * t), np.cos(3.0 * t), t], axis=1)
    gappy = position.copy()
    gappy[20:24] = gappy[40:] = np.nan
    markers = fm.Markers("m", t, {"a": gappy})
    assert [gap.first for gap in markers.gaps()] == [20, 40]
    filled = markers.filled(0.11)
    assert [gap.first for gap in filled.gaps()] == [40]
    assert np.abs(filled.position("a")[:40] - position[:40]).max() < 1e-4
    assert [gap.first for gap in markers.filled(0.09).gaps()] == [20, 40]
    between = markers.resampled([0.2, 0.42, 0.6])
    assert np.isnan(between.position("a")[1]).all()
    np.testing.assert_allclose(between.position("a")[2], [np.sin(1.8), np.cos(1.8), 0.6], atol=1e-5)
    with pytest.raises(fm.ModelError, match=r"must lie in \[0, 1\] s"):
        markers.resampled([0.5, 1.5])


def test_other_axes():
    up = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
    found = fm.Markers("m", [0.0], {"a": [[1.0, 2.0, 3.0]]}).rotated(up)
    np.testing.assert_array_equal(found.position("a"), [[1.0, 3.0, -2.0]])


QUATERNIONS = (
    "DataRate=100.0\nDataType=Quaternion\nversion=3\nOpenSimVersion=4.6\nendheader\n"
    "time\tpelvis_imu\n0\t1,0,0,0\n0.01\t0.70710678,0,0,0.70710678\n"
)


def test_orientations_of_sensors(tmp_path):
    found = fm.read_motion(write(tmp_path, QUATERNIONS, "imu.sto"))
    assert isinstance(found, fm.Orientations) and found.names == ("pelvis_imu",)
    turned = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    np.testing.assert_allclose(found.rotation("pelvis_imu")[1], turned, atol=1e-15)
    for old, new, words in (
        ("1,0,0,0", "1,0,0", "line 7: pelvis_imu = '1,0,0'; must be four numbers"),
        ("1,0,0,0", "1,1,0,0", "be a quaternion of length one"),
    ):
        with pytest.raises(fm.ModelError, match=words):
            fm.read_motion(write(tmp_path, QUATERNIONS.replace(old, new, 1), "imu.sto"))


@pytest.mark.filterwarnings("ignore::fibermsk.ModelWarning")
@pytest.mark.parametrize("name, text", [("a.trc", TRC), ("a.sto", QUATERNIONS)])
def test_damaged_files_are_refused_or_read(tmp_path, rng, name, text):
    read = 0
    for _ in range(600):
        k = int(rng.integers(len(text)))
        new = str(rng.choice([*"\t\n 0-x,e9", "nan", "1e999", ""]))
        try:
            found = fm.read_motion(write(tmp_path, text[:k] + new + text[k + 1 :], name))
        except fm.ModelError:
            continue
        assert isinstance(found, fm.Markers | fm.Orientations | fm.Signals)
        read += 1
    assert 0 < read < 600
