"""`fibermsk view --html`."""

import pytest
from make_result import make_result
from test_view_model import MODEL

from fibermsk.io import save


@pytest.fixture
def file(tmp_path):
    return save(make_result(9), tmp_path / "arm.h5")


def test_writes_a_page_and_says_how_large_it_is(cli, file, tmp_path):
    out = tmp_path / "new" / "arm.html"
    done = cli("view", file, "--html", out, "--color-by", "stretch", "--time", "4")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.startswith(f"written to {out} (0.") and done.stderr.endswith(" MB)\n")
    assert out.read_text().startswith("<!DOCTYPE html>")


def test_says_which_frames_it_leaves_out(cli, file, tmp_path):
    done = cli("view", file, "--html", tmp_path / "arm.html", "--max-frames", "4")
    assert done.exit_code == 0 and "; 4 of 9 frames, evenly spaced)" in done.stderr


def test_page_of_a_model(cli, tmp_path):
    (tmp_path / "leg.osim").write_text(MODEL)
    out = tmp_path / "leg.html"
    done = cli("view", tmp_path / "leg.osim", "--html", out, "--labels")
    assert done.exit_code == 0, done.stderr
    assert "<title>leg - fibermsk</title>" in out.read_text()


def test_page_of_two_results(cli, file, tmp_path):
    other, out = save(make_result(5), tmp_path / "coarse.h5"), tmp_path / "both.html"
    done = cli("view", file, other, "--html", out, "--compare", "overlay", "--max-frames", "4")
    assert done.exit_code == 0, done.stderr
    assert "<title>arm, coarse - fibermsk</title>" in out.read_text()
    assert "; 8 of 14 frames, evenly spaced)" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--html", "x.png"), "name it *.html"),
        (("--html", "x.html", "--color-by", "taste"), "there are: "),
        (("--html", "x.html", "--time", "99"), "from 0 s to 8 s"),
        (("--html", "x.html", "--max-frames", "1"), "at least 2"),
        (("--html", "x.html", "--screenshot", "x.png"), "leave one out"),
        (("--html", "x.html", "--arrows", "wind"), "there are: attachment, contact"),
        (("--html", "x.html", "--theme", "pink"), "must be one of auto, light, dark"),
        (("arm.h5", "--html", "x.html", "--compare", "beside"), "side-by-side or overlay"),
        (("--html", "x.html", "--measure", "elbow"), "no measure 'elbow'"),
        (("--max-frames", "9"), "--max-frames does not apply"),
    ],
)
def test_bad_requests(cli, file, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    done = cli("view", file, *options)
    assert done.exit_code == 2
    assert words in done.stderr
    assert not (tmp_path / "x.html").exists()
