"""`fibermsk run --picture --movie`."""

import json

import numpy as np
import pytest
from make_result import make_result
from swing import OUT

from fibermsk import view
from fibermsk.cli.running.drawn import farthest_time
from fibermsk.errors import ModelError
from fibermsk.io import load


def test_a_run_ends_in_a_picture_of_its_farthest_moment(cli, swing_file, monkeypatch):
    drawn, screenshot = [], view.screenshot
    monkeypatch.setattr(
        view, "screenshot", lambda *a, **k: drawn.append(k) or screenshot(*a, **k), raising=False
    )
    done = cli("run", swing_file, "--picture", "there/swing.png", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["picture"] == "there/swing.png" and report["movie"] is None
    picture = swing_file.parent / "there" / "swing.png"
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000
    result = load(OUT)
    angle = np.abs(result.coordinate("hinge") - result.coordinate("hinge")[0])
    assert drawn[0]["time"] == result.time[np.argmax(angle)] > 0.0


def test_a_run_ends_in_a_movie_with_names(cli, swing_file, monkeypatch):
    looks, movie = [], view.movie
    monkeypatch.setattr(
        view, "movie", lambda *a, **k: looks.append(k["labels"]) or movie(*a, **k), raising=False
    )
    done = cli("run", swing_file, "--movie", "swing.gif", "--labels")
    assert done.exit_code == 0, done.output
    assert looks == [True]
    assert (swing_file.parent / "swing.gif").read_bytes().startswith(b"GIF8")
    assert "drawn in swing.gif" in done.stderr


def test_names_need_a_picture(cli, swing_file):
    done = cli("run", swing_file, "--labels")
    assert done.exit_code == 2 and "without --picture or --movie" in done.stderr
    assert not OUT.exists()


@pytest.mark.parametrize(
    "option, file, message",
    [
        ("--picture", "a.jpg", "--picture a.jpg; must end with one of: .png"),
        ("--movie", "a.avi", "--movie a.avi; must end with one of: .mp4, .gif"),
        ("--picture", "swing.py/a.png", "swing.py is a file, not a folder"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_the_run(
    cli,
    swing_file,
    option,
    file,
    message,
):
    done = cli("run", swing_file, option, file)
    assert done.exit_code == 2 and message in done.stderr.replace("\n", " ")
    assert not OUT.exists()


def test_a_stopped_run_is_not_drawn(cli, swing_file, stopped):
    assert cli("run", swing_file, "--picture", "a.png").exit_code == 130
    assert not (swing_file.parent / "a.png").exists()


def test_a_result_outlives_a_picture_that_fails(cli, swing_file, monkeypatch):
    def failing(*_, **__):
        raise ModelError("the disk is full")

    monkeypatch.setattr(view, "screenshot", failing, raising=False)
    done = cli("run", swing_file, "--picture", "a.png")
    assert done.exit_code == 1 and load(OUT).status == "success"
    assert "error: the result is written, but not drawn: the disk is full" in done.stderr


def test_the_farthest_moment():
    result = make_result(5)
    (name,) = result.coordinates
    result.coordinates[name][:] = [0.0, 1.0, -2.0, 1.5, 0.0]
    assert farthest_time(result) == result.time[2]
    result.coordinates[name][:] = 0.0
    ways = [
        np.linalg.norm(fiber.position - fiber.position[0], axis=2).max(axis=1)
        for fiber in result.fibers.values()
    ]
    assert farthest_time(result) == result.time[np.argmax(np.max(ways, axis=0))]
    for fiber in result.fibers.values():
        fiber.position[:] = fiber.position[0]
    assert farthest_time(result) == result.time[-1]
