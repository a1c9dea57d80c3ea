"""Signals from files of every form, and from broken ones."""

import json
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from opensim_peer import python_of_opensim

import fibermsk as fm

STORAGE = (
    "controls\nversion=1\nnRows=3\nnColumns=3\ninDegrees=no\nendheader\n"
    "time\tTRImed\tBRA\n0\t0.1\t0.9\n0.01\t0.2\t0.5\n0.02\t0.3\t1e-1\n"
)
TABLE = "time [s],biceps [mV],triceps\n0,0.1,-2\n0.001,0.2,3e-1\n"


@pytest.fixture
def write(tmp_path):
    def to_file(name, text, encoding="utf-8"):
        data = text if isinstance(text, bytes) else text.encode(encoding)
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return to_file


def test_storage(write):
    signals = fm.read_signals(write("a.sto", STORAGE))
    assert signals.name == "controls" and not signals.in_degrees
    assert list(signals.values) == ["TRImed", "BRA"]
    np.testing.assert_array_equal(signals.time, [0.0, 0.01, 0.02])
    np.testing.assert_array_equal(signals.signal("BRA"), [0.9, 0.5, 0.1])
    assert not signals.signal("BRA").flags.writeable
    assert signals.units == {"TRImed": "", "BRA": ""}


HEADERS = {
    "of_version_3": (
        "states\ninDegrees=yes\nnColumns=3\nnRows=3\nDataType=double\nversion=3\n"
        "OpenSimVersion=4.4--\nendheader\n", "states", True,
    ),
    "without_a_name": ("DataType=double\nversion=3\nendheader\n", "file", False),
    "with_remarks": (
        "Length\nversion=1\nnRows=3\nnColumns=3\ninDegrees=no\n\nUnits are S.I. units (second)\n"
        "If the header above contains a line with 'inDegrees', this tells\n\nendheader\n",
        "Length", False,
    ),
    "of_simm": ("name walk one\ndatacolumns 3\ndatarows 3\nrange 0 0.02\nendheader\n",
                "walk one", True),
    "of_both": (
        "inverse\nnRows=3\nnColumns=3\n\n# SIMM Motion File Header:\nname inverse\n"
        "datacolumns 3\ndatarows 3\notherdata 1\nrange 0.0 0.02\nendheader\n", "inverse", True,
    ),
    "with_empty_cells_behind": ("a\t\t\t\nversion=1\t\t\nnRows=3\t\t\nendheader\t\t\n", "a", False),
}  # fmt: skip


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("blanks", ["tabs", "spaces", "padded", "windows"])
def test_headers_and_blanks(write, header, blanks):
    head, name, degrees = HEADERS[header]
    body = STORAGE.partition("endheader\n")[2]
    if blanks == "spaces":
        body = body.replace("\t", "   ")
    elif blanks == "padded":
        body = body.replace("\t", "\t      ").replace("\n", "\t\n") + "\n\n"
    elif blanks == "windows":
        head, body = head.replace("\n", "\r\n"), body.replace("\n", "\r\n")
    signals = fm.read_signals(write("file.mot", head + body))
    assert (signals.name, signals.in_degrees) == (name, degrees)
    np.testing.assert_array_equal(signals.signal("TRImed"), [0.1, 0.2, 0.3])


def test_degrees_are_taken_as_opensim_takes_them(write, tmp_path):
    """A .mot file without a version is in degrees unsaid, a .sto file is not."""
    python = python_of_opensim()
    if python is None:
        pytest.skip("no opensim: pip install opensim, or set FIBERMSK_OPENSIM_PYTHON")
    body = STORAGE.partition("endheader\n")[2]
    # OpenSim crashes on old headers without counts, and overrules inDegrees=no without a version
    heads = [head for head, _, _ in HEADERS.values() if "\t" not in head]
    heads += [
        "nm\nnRows=3\nnColumns=3\n", "nm\nversion=1\ndatacolumns 3\ndatarows 3\n",
        "nm\nversion=1\nnRows=3\nnColumns=3\n",
    ]  # fmt: skip
    files = []
    for k, head in enumerate(heads):
        head = head.replace("endheader\n", "")
        files += [write(f"f{k}.{end}", head + "endheader\n" + body) for end in ("sto", "mot")]
    code = (
        "import json, sys, opensim\nopensim.Logger.setLevelString('off')\n"
        "found = [opensim.Storage(p).isInDegrees() for p in sys.argv[2:]]\n"
        "json.dump(found, open(sys.argv[1], 'w'))"
    )
    out = tmp_path / "answer.json"
    done = subprocess.run(
        [python, "-c", code, out, *files], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ours = [fm.read_signals(file).in_degrees for file in files]
    assert ours == json.loads(out.read_text())
    assert any(ours) and not all(ours)


def test_table(write):
    signals = fm.read_signals(write("emg.csv", TABLE))
    assert signals.name == "emg" and signals.units == {"biceps": "mV", "triceps": ""}
    np.testing.assert_array_equal(signals.time, [0.0, 0.001])
    np.testing.assert_array_equal(signals.signal("triceps"), [-2.0, 0.3])


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace(",", ";"),
        TABLE.replace(",", "\t"),
        "# status: failed\n\n  # more\n" + TABLE,
        TABLE.replace("\n", "\r\n").replace("time [s]", '"time [s]"'),
        TABLE.replace("\n", ",,\n"),
        TABLE.replace("time [s]", "time [ms]").replace("\n0.001", "\n1"),
        "\ufeff" + TABLE.replace("time", "Time") + "\n , ,\n",
        TABLE.replace("time [s]", "Time (s)").replace("[mV]", "(mV)"),
        TABLE.replace("time [s]", "t(ms)").replace("[mV]", "(mV)").replace("\n0.001", "\n1"),
    ],
    ids=[
        "semicolons",
        "tabs",
        "comments",
        "quoted",
        "spreadsheet",
        "milliseconds",
        "marked",
        "round",
        "round_ms",
    ],
)
def test_dialects_of_tables(write, text):
    signals = fm.read_signals(write("emg.csv", text))
    np.testing.assert_allclose(signals.time, [0.0, 0.001], rtol=1e-15)
    np.testing.assert_array_equal(signals.signal("biceps"), [0.1, 0.2])
    assert signals.units["biceps"] == "mV"


def test_round_brackets_hold_units_or_a_part_of_the_name(write):
    units = {"a": "mV", "b": "µV", "c": "%", "d": "deg/s", "e": "N m", "EMG (left)": "",
             "EMG (1)": "", "(m)": ""}  # fmt: skip
    heads = [f"{name} ({unit})" if unit else name for name, unit in units.items()]
    text = f"Time (s),{','.join(heads)}\n" + "".join(f"{t},{'1,' * 7}1\n" for t in (0, 1))
    assert fm.read_signals(write("emg.csv", text)).units == units
    with pytest.raises(fm.ModelError, match=r"line 1: time in 'min'; must be in s or ms"):
        fm.read_signals(write("emg.csv", text.replace("(s)", "(min)")))
    with pytest.raises(fm.ModelError, match=r"the first column is 'Timer \(s\)'|'Timer'"):
        fm.read_signals(write("emg.csv", text.replace("Time", "Timer")))


def test_activation(write):
    signals = fm.read_signals(write("a.sto", STORAGE))
    table = signals.activation("TRImed")
    assert isinstance(table, fm.Table)
    assert table(0.015) == pytest.approx(0.25) and table(9.0) == 0.3
    percent = fm.Signals("p", [0.0, 1.0], {"a": [0.0, 80.0]})
    assert percent.activation("a", scale=0.01)(0.5) == pytest.approx(0.4)


def test_activation_out_of_range_is_never_clipped():
    signals = fm.Signals("emg", [0.0, 0.5, 1.0], {"a": [0.0, 2.0, 4.0], "b": [0.0, -0.1, 0.2]})
    with pytest.raises(fm.ModelError, match=r"a at t = 0.5 s = 2.0; .*2 of 3.*scale.*1 / 4"):
        signals.activation("a")
    with pytest.raises(fm.ModelError, match="b at t = 0.5 s = -0.1; .*rectify"):
        signals.activation("b")
    with pytest.raises(fm.ModelError, match="no 'c'; they have: a, b"):
        signals.activation("c")
    with pytest.raises(fm.ModelError, match="scale = 0; must be positive"):
        signals.activation("a", scale=0)
    with pytest.raises(fm.ModelError, match="two or more"):
        fm.Signals("one", [0.0], {"a": [0.5]}).activation("a")


def test_signals_check_themselves():
    with pytest.raises(fm.ModelError, match=r"time\[1\] = 0.0 s; must be later"):
        fm.Signals("s", [0.0, 0.0], {"a": [1.0, 2.0]})
    with pytest.raises(fm.ModelError, match=r"values\['a'\]"):
        fm.Signals("s", [0.0, 1.0], {"a": [1.0]})
    with pytest.raises(fm.ModelError, match="finite"):
        fm.Signals("s", [0.0, 1.0], {"a": [1.0, np.nan]})


BROKEN = {
    "no_endheader": ("a.sto", STORAGE.replace("endheader\n", ""), "no line endheader"),
    "few": ("a.sto", STORAGE.replace("0.01\t0.2\t", "0.01\t"), "line 9: has 2 values; must have 3"),
    "many": ("a.sto", STORAGE.replace("\t0.5", "\t0.5\t7"), "line 9: has 4 values; must have 3"),
    "rows": ("a.sto", STORAGE.replace("nRows=3", "nRows=4"), "line 3: .*nRows = 4, found 3 rows"),
    "columns": ("a.sto", STORAGE.replace("nColumns=3", "nColumns=2"), "line 4: .*found 3 columns"),
    "cut": ("a.sto", STORAGE[: STORAGE.index("0.02")], "nRows = 3, found 2 rows"),
    "nan": ("a.sto", STORAGE.replace("0.5", "nan"), "line 9: BRA = 'nan'; must be a finite"),
    "huge_number": ("a.sto", STORAGE.replace("0.5", "1e999"), "line 9: BRA = '1e999'"),
    "word": ("a.sto", STORAGE.replace("0.5", "x"), "line 9: BRA = 'x'"),
    "underscore": ("a.sto", STORAGE.replace("0.5", "1_0"), "line 9: BRA = '1_0'"),
    "time": ("a.sto", STORAGE.replace("0.02", "0.01"), "line 10: time = 0.01 after 0.01"),
    "twice": ("a.sto", STORAGE.replace("BRA", "TRImed"), "line 7: 'TRImed' is named twice"),
    "first": ("a.sto", STORAGE.replace("time\t", "angle\t"), "line 7: the first column is 'angle'"),
    "degrees": ("a.sto", STORAGE.replace("=no", "=maybe"), "line 5: inDegrees=maybe"),
    "contradiction": (
        "a.sto", STORAGE.replace("inDegrees=no", "nRows=9"), "line 5: says .*to line 3",
    ),
    "vectors": (
        "a.sto", STORAGE.replace("version=1", "DataType=Vec3"), "line 2: DataType=Vec3; .*double",
    ),
    "names": ("a.sto", STORAGE.partition("time")[0], "no names of columns after .* line 6"),
    "no_rows": ("a.sto", STORAGE.partition("\n0\t")[0], "no rows of numbers after line 7"),
    "only_time": ("a.csv", "time\n0\n1\n", "names no column besides time"),
    "empty": ("a.csv", " \n\n", "is empty"),
    "comments": ("a.csv", "# a\n# b\n", "has only comments"),
    "binary": ("a.sto", STORAGE.encode() + b"\0\1", "line 11: has zero bytes"),
    "latin": ("a.csv", TABLE.replace("mV", "µV").encode("latin-1"), "line 1: is not UTF-8 text"),
    "wide": ("a.csv", TABLE.encode("utf-16"), "UTF-16"),
    "comma": ("a.csv", "time;a\n0;0,5\n1;0,6\n", "line 2: '0,5' has a decimal comma"),
    "minutes": ("a.csv", TABLE.replace("[s]", "[min]"), "line 1: time in 'min'; must be in s or"),
    "unnamed": ("a.csv", "time,,b\n0,1,2\n", "line 1: column 2 has no name"),
    "gap": ("a.csv", "time,a\n0,1\n1,\n", "line 3: a = ''"),
    "quote": ("a.csv", 'time,a\n0,"1\n', "cannot be read: unexpected end"),
    "ending": ("a.xlsx", TABLE, "extension = '.xlsx'; must be one of .csv, .mot, .sto"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_named_with_their_line(write, case):
    name, text, message = BROKEN[case]
    with pytest.raises(fm.ModelError, match=f"signal file .*{name}.*{message}"):
        fm.read_signals(write(name, text))


def test_missing_folder_and_large_files(tmp_path, monkeypatch):
    with pytest.raises(fm.ModelError, match="gone.sto'.*not found"):
        fm.read_signals(tmp_path / "gone.sto")
    (tmp_path / "d.sto").mkdir()
    with pytest.raises(fm.ModelError, match="d.sto'.*is a folder"):
        fm.read_signals(tmp_path / "d.sto")
    with pytest.raises(fm.ModelError, match="path = 3"):
        fm.read_signals(3)
    # a file with a hole: large, and quickly made
    with (tmp_path / "huge.sto").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(fm.ModelError, match="size = 1099511627776; must be at most"):
        fm.read_signals(tmp_path / "huge.sto")


def test_published_files(shared_models):
    files = [p for end in ("sto", "mot") for p in sorted(shared_models.rglob(f"*.{end}"))]
    if not files:
        pytest.skip(f"no .sto or .mot files below {shared_models}")
    for file in files:
        signals = fm.read_signals(file)
        last = file.read_text().split("\n")
        last = [float(word) for word in [line for line in last if line.strip()][-1].split()]
        read = [signals.time[-1], *(column[-1] for column in signals.values.values())]
        np.testing.assert_array_equal(read, last)


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1).filter(
    "time".__ne__
)  # the first column
numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow,
          HealthCheck.function_scoped_fixture])  # fmt: skip
@given(data=st.data())
def test_what_is_written_is_read(tmp_path, data):
    labels = data.draw(st.lists(names, min_size=1, max_size=4, unique=True))
    times = sorted(data.draw(st.lists(numbers, min_size=1, max_size=5, unique=True)))
    rows = [[t, *(data.draw(numbers) for _ in labels)] for t in times]
    lines = ["endheader", "\t".join(["time", *labels])]
    lines += ["\t".join(repr(x) for x in row) for row in rows]
    (tmp_path / "x.sto").write_text("\n".join(lines), encoding="utf-8", newline="")
    signals = fm.read_signals(tmp_path / "x.sto")
    assert list(signals.values) == labels
    np.testing.assert_array_equal(np.column_stack([signals.time, *signals.values.values()]), rows)


@settings(max_examples=150, deadline=None, suppress_health_check=[
          HealthCheck.function_scoped_fixture])  # fmt: skip
@given(
    name=st.sampled_from(["x.sto", "x.mot", "x.csv"]),
    base=st.sampled_from([STORAGE, TABLE, "# c\n" + TABLE, HEADERS["of_both"][0] + "time a\n0 1"]),
    edits=st.lists(
        st.tuples(
            st.integers(0, 400), st.integers(0, 9),
            st.sampled_from([b"", b"\n", b"\t", b",", b'"', b"=", b"\0", b"\xff", b"nan", b"1e400",
                             b"-", b"[", b"endheader\n", b"nRows=", b"\r", b"\x0b", b"\xc2\x85"])
            | st.binary(max_size=4),
        ), max_size=6,
    ),
)  # fmt: skip
def test_random_damage_gives_signals_or_a_named_error(tmp_path, name, base, edits):
    data = base.encode()
    for at, cut, new in edits:
        data = data[:at] + new + data[at + cut :]
    (tmp_path / name).write_bytes(data)
    try:
        signals = fm.read_signals(tmp_path / name)
    except fm.ModelError as error:
        assert name in str(error)
    else:
        assert np.isfinite(list(signals.values.values())).all()
        assert (np.diff(signals.time) > 0.0).all()
