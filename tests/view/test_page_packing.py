"""What of a result is in the page, before any browser reads it."""

import dataclasses
import json
import zlib
from itertools import pairwise

import numpy as np
import pytest
from make_result import make_result

from fibermsk.errors import ModelError
from fibermsk.view import write_page
from fibermsk.view.browser.content import kept_frames, pack
from fibermsk.view.browser.packing import MISSING, Frames, Packer, quantize, scale
from fibermsk.view.browser.write import page_text

ARM = make_result()


def unpack(part):
    """Head and bytes of the first part, read without the package."""
    raw = zlib.decompress(part)
    size = int.from_bytes(raw[:4], "little")
    return json.loads(raw[4 : 4 + size]), raw[4 + size :]


def decode(frames, note):
    """Numbers of one array over the frames, of all parts."""
    found = []
    for part, (first, end) in enumerate(pairwise(frames.bounds)):
        raw, at = zlib.decompress(frames.part(part)), 0
        for _, other in frames._arrays[: note["nth"]]:
            at += (end - first) * int(np.prod(other["shape"])) * int(other["kind"][1:])
        shape = (end - first, *note["shape"])
        count = int(np.prod(shape))
        if note["kind"] != "u2":
            found.append(np.frombuffer(raw, note["kind"], count, at).reshape(shape))
            continue
        low, high = (
            np.frombuffer(raw, np.uint8, count, at + k * count).astype(np.uint16) for k in (0, 1)
        )
        codes = np.cumsum((low + (high << 8)).reshape(shape), axis=0) % 65536
        found.append(np.where(codes == MISSING, np.nan, note["low"] + note["step"] * codes))
    return np.concatenate(found)


def test_numbers_are_rounded_to_half_a_step(rng):
    values = rng.normal(size=(40, 7))
    low, step = scale(values)
    codes = quantize(values, low, step)
    assert codes.dtype == np.uint16 and codes.max() < MISSING
    assert step == pytest.approx(np.ptp(values) / 65534)
    # a part in 1e9 for the rounding of the sum itself
    assert np.max(np.abs(low + step * codes - values)) <= 0.5 * step * (1 + 1e-9)


def test_numbers_that_are_none_and_those_all_alike():
    values = np.array([1.0, np.nan, 3.0, np.inf])
    assert list(quantize(values, *scale(values))) == [0, MISSING, 65534, MISSING]
    assert scale(np.full(3, 7.5)) == (7.5, 0.0)
    assert scale(np.full(3, np.nan)) == (0.0, 0.0)
    assert np.all(quantize(np.full(3, np.nan), 0.0, 0.0) == MISSING)


def test_arrays_come_back(rng, monkeypatch):
    packer = Packer()
    packer.add([1.0, 2.0, 3.0], "f8")
    head, raw = unpack(packer.bytes(json.dumps({"a": "é</script>"})))
    assert head == {"a": "é</script>"}
    assert np.frombuffer(raw, np.float64, 3, 0).tolist() == [1.0, 2.0, 3.0]

    values = np.cumsum(rng.normal(size=(100, 4, 3)), axis=0)
    values[14, 2] = np.nan
    plain = rng.normal(size=(100, 2))
    kept = np.arange(0, 100, 2)
    for room, n_parts in ((4_000_000, 1), (400, 9), (1, 50)):
        monkeypatch.setattr("fibermsk.view.browser.packing._PART", room)
        frames = Frames(kept)
        notes = [frames.add(values), frames.add(plain, "f8"), frames.add(values)]
        assert len(frames.bounds) == n_parts + 1
        assert frames.bounds[0] == 0 and frames.bounds[-1] == 50
        found = decode(frames, notes[2])
        assert np.array_equal(np.isnan(found), np.isnan(values[kept]))
        worst = np.nanmax(np.abs(found - values[kept]))
        assert worst <= 0.5 * notes[2]["step"] * (1 + 1e-9)
        assert np.array_equal(decode(frames, notes[1]), plain[kept])


def test_centerlines_stay_within_the_stated_error():
    packed = pack(ARM)
    head, _ = unpack(packed.part(0))
    frames = packed._places[0][0]
    worst = 0.0
    theta = np.linspace(0.0, 1.0, 101)
    for note, fiber in zip(head["runs"][0]["fibers"], ARM.fibers.values(), strict=True):
        rounded = dataclasses.replace(
            fiber,
            position=decode(frames, note["position"]),
            tangent=decode(frames, note["tangent"]),
        )
        for frame in (0, 13, 32):
            change = rounded.centerline(theta, frame) - fiber.centerline(theta, frame)
            worst = max(worst, float(np.max(np.abs(change))))
    assert 0.05 * packed.error < worst <= packed.error < 5e-6


def test_frames_are_left_out_only_when_asked():
    assert kept_frames(257, None).size == kept_frames(257, 300).size == 257
    kept = kept_frames(257, 100)
    assert kept.size == 100 and kept[0] == 0 and kept[-1] == 256
    assert set(np.diff(kept)) <= {2, 3}
    head, _ = unpack(pack(ARM, max_frames=9).part(0))
    run = head["runs"][0]
    assert run["n_all"] == 33 and run["time"]["shape"] == [9] == head["time"]["shape"]
    # of the whole run, so that pages of one run compare
    whole, _ = unpack(pack(ARM).part(0))
    assert head["fields"] == whole["fields"]


def test_several_results_have_common_times_and_scales():
    longer = make_result(65, time=np.linspace(0.0, 10.0, 65))
    packed = pack([ARM, longer], names=["a", "b"], compare="overlay", time=10.0)
    head, raw = unpack(packed.part(0))
    times = np.frombuffer(raw, np.float64, head["time"]["shape"][0], head["time"]["at"])
    assert np.array_equal(times, np.union1d(ARM.time, longer.time))
    assert head["start"] == 10.0 and head["overlay"] and packed.title == "a, b"
    assert [run["opacity"] == 1.0 for run in head["runs"]] == [True, False]
    assert [run["first_part"] for run in head["runs"]] == [1, 2] and packed.n_parts == 3
    with pytest.raises(ModelError, match="5 results; a viewer shows from 1 to 4"):
        pack([ARM] * 5)
    with pytest.raises(ModelError, match="time = 11.0 s; the run goes from 0 s to 10 s"):
        pack([ARM, longer], time=11.0)


def test_fibers_whose_numbers_are_not_finite_are_counted():
    fiber = ARM.fibers["biceps_1"]
    radius = fiber.radius.copy()
    radius[7:9] = np.nan
    flawed = make_result(
        fibers=ARM.fibers | {"biceps_1": dataclasses.replace(fiber, radius=radius)}
    )
    head, _ = unpack(pack(flawed).part(0))
    assert np.flatnonzero(head["runs"][0]["flawed"]).tolist() == [7, 8]
    assert unpack(pack(ARM).part(0))[0]["runs"][0]["flawed"] == []


def test_a_page_is_small():
    text = page_text(make_result(257))
    assert len(text) < 1e6


def test_nothing_of_a_name_is_written_as_html(tmp_path):
    evil = '</script><img src=x onerror="document.title=1">'
    fibers = {evil: next(iter(ARM.fibers.values()))}
    page = write_page(make_result(scene=evil, fibers=fibers), tmp_path / "x.html").read_text()
    assert "<img" not in page and 'onerror="' not in page
    assert page.count("</script>") == 3


def test_bad_requests(tmp_path):
    path = tmp_path / "x.html"
    for changes, words in (
        ({"color_by": "taste"}, "'taste' .* there are: .*stretch"),
        ({"theme": "pink"}, "'pink'; must be one of auto, light, dark"),
        ({"arrows": ("wind",)}, "'wind'; there are: attachment, contact"),
        ({"max_frames": 1}, "max_frames = 1; must be at least 2"),
        ({"time": 9.0}, "from 0 s to 8 s"),
    ):
        with pytest.raises(ModelError, match=words):
            write_page(ARM, path, **changes)
    with pytest.raises(ModelError, match="name it"):
        write_page(ARM, tmp_path / "x.png")
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cannot write"):
        write_page(ARM, tmp_path / "file" / "x.html")
    with pytest.raises(ModelError, match="no frame"):
        write_page(make_result(1, time=np.empty(0)), path)
    assert not path.exists()
