"""What of a result is in the page, before any browser reads it."""

import base64
import dataclasses
import json
import zlib

import numpy as np
import pytest
from make_result import make_result

from fibermsk.errors import ModelError
from fibermsk.view import write_page
from fibermsk.view.page.content import content, kept_frames
from fibermsk.view.page.packing import MISSING, Packer, quantize
from fibermsk.view.page.write import page_text

ARM = make_result()


def unpack(text):
    """Head and bytes, read without the package."""
    raw = zlib.decompress(base64.b64decode(text))
    size = int.from_bytes(raw[:4], "little")
    return json.loads(raw[4 : 4 + size]), raw[4 + size :]


def decode(raw, note):
    count = int(np.prod(note["shape"]))
    low, high = (
        np.frombuffer(raw, np.uint8, count, note["at"] + k * count).astype(np.uint16)
        for k in (0, 1)
    )
    codes = np.cumsum((low + (high << 8)).reshape(note["shape"]), axis=0) % 65536
    return np.where(codes == MISSING, np.nan, note["low"] + note["step"] * codes)


def test_numbers_are_rounded_to_half_a_step(rng):
    values = rng.normal(size=(40, 7))
    codes, low, step = quantize(values)
    assert codes.dtype == np.uint16 and codes.max() < MISSING
    assert step == pytest.approx(np.ptp(values) / 65534)
    # a part in 1e9 for the rounding of the sum itself
    assert np.max(np.abs(low + step * codes - values)) <= 0.5 * step * (1 + 1e-9)


def test_numbers_that_are_none_and_those_all_alike(rng):
    values = np.array([1.0, np.nan, 3.0, np.inf])
    codes, low, step = quantize(values)
    assert list(codes) == [0, MISSING, 65534, MISSING]
    assert quantize(np.full(3, 7.5))[1:] == (7.5, 0.0)
    assert np.all(quantize(np.full(3, np.nan))[0] == MISSING)


def test_series_come_back(rng):
    packer = Packer()
    packer.plain([1.0, 2.0, 3.0], "f8")
    values = np.cumsum(rng.normal(size=(50, 4, 3)), axis=0)
    values[7, 2] = np.nan
    note = packer.series(values)
    head, raw = unpack(packer.text({"a": "é</script>"}))
    assert head == {"a": "é</script>"}
    found = decode(raw, note)
    assert np.array_equal(np.isnan(found), np.isnan(values))
    assert np.nanmax(np.abs(found - values)) <= 0.5 * note["step"] * (1 + 1e-9)
    assert np.frombuffer(raw, np.float64, 3, 0).tolist() == [1.0, 2.0, 3.0]


def test_centerlines_stay_within_the_stated_error(rng):
    settings = {"color_by": "stress", "arrows": (), "labels": False, "time": None}
    packed = content(ARM, **settings, autoplay=False, max_frames=None)
    head, raw = unpack(packed.text)
    worst = 0.0
    theta = np.linspace(0.0, 1.0, 101)
    for note, fiber in zip(head["fibers"], ARM.fibers.values(), strict=True):
        rounded = dataclasses.replace(
            fiber, position=decode(raw, note["position"]), tangent=decode(raw, note["tangent"])
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
    _, data = page_text(ARM, max_frames=9)
    assert (data.n_frames, data.n_all) == (9, 33)
    head, _ = unpack(data.text)
    assert head["n_all"] == 33 and head["time"]["shape"] == [9]
    # of the whole run, so that pages of one run compare
    whole, _ = unpack(page_text(ARM)[1].text)
    assert head["fields"] == whole["fields"]


def test_a_page_is_small():
    text, _ = page_text(make_result(257))
    assert len(text) < 1e6


def test_nothing_of_a_name_is_written_as_html(tmp_path):
    evil = '</script><img src=x onerror="document.title=1">'
    fibers = {evil: next(iter(ARM.fibers.values()))}
    page = write_page(make_result(scene=evil, fibers=fibers), tmp_path / "x.html").read_text()
    assert "<img" not in page and 'onerror="' not in page
    assert page.count("</script>") == 2


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
