import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from make_result import make_hanging_fiber, make_result
from PIL import Image
from scipy.ndimage import minimum_filter
from web_server import HANGS

from fibermsk.errors import ModelError, WriteError
from fibermsk.io import save
from fibermsk.results.still import Still
from fibermsk.view import movie
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures import captions, movie_files, movies, scene
from fibermsk.view.pictures.floor import Floor
from fibermsk.view.pictures.frames import FrameDrawer, shrink
from fibermsk.view.pictures.framing import frame_camera

ARM = make_result()
SIZE = (320, 240)


def decoded(path):
    """What a player finds in an mp4: what the file says of itself, and its pictures."""
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path)]
    command += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    said = done.stderr.decode().partition("Output #0")[0]
    width, height = map(int, re.search(r", (\d+)x(\d+)", said).groups())
    hours, minutes, seconds = re.search(r"Duration: (\d+):(\d+):([\d.]+)", said).groups()
    about = {
        "duration": 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds),
        "size": (width, height),
        "fps": float(re.search(r"([\d.]+) fps", said)[1]),
        "codec": re.search(r"Video: (\w+)", said)[1],
        "colors": re.search(r"yuv\w+(\([^)]*\))?", said)[0],
    }
    return about, np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3)


def mean_difference(one, other):
    return np.mean(np.abs(one.astype(float) - other.astype(float)))


def test_mp4_has_the_pictures_of_the_run(tmp_path, renderer):
    path = movie(ARM, tmp_path / "new" / "arm.mp4", fps=10, speed=4.0, size=SIZE)
    about, pictures = decoded(path)
    # 8 s at four times real time are 2 s: a picture every 0.1 s, and one at the end.
    assert len(pictures) == 21
    assert about["fps"] == 10.0
    assert about["duration"] == pytest.approx(2.1)
    assert about["size"] == SIZE
    assert about["codec"] == "h264"
    # new versions of ffmpeg say "progressive" as well
    assert re.match(r"yuv420p\(tv, bt709[,)]", about["colors"])
    first, last = (scene.picture(ARM, time=t, size=SIZE, fit="run") for t in (0.0, 8.0))
    # Losses of the encoder: colors at half the resolution, which shows at edges alone. Half a gray
    # value is a tenth of what tells the first picture from the last.
    assert mean_difference(pictures[0], first) < 0.8
    assert mean_difference(pictures[-1], last) < 0.8
    assert mean_difference(first, last) > 4.0
    # In evenly colored areas nothing is lost but rounding: no color cast, white is white. The
    # encoder works in blocks of 16 pixels; those with an edge in them are left out.
    even = minimum_filter(np.all(first == 255, axis=2), 33)
    assert even.mean() > 0.2
    assert np.max(np.abs(pictures[0][even].astype(int) - 255)) <= 2


def test_mp4_can_be_played_before_it_is_loaded(tmp_path):
    path = movie(make_result(2), tmp_path / "arm.mp4", fps=1, speed=8.0, size=SIZE)
    content = path.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")


@pytest.mark.skipif(os.name != "posix", reason="the false encoder is a shell script")
def test_a_movie_that_ends_early_is_refused(tmp_path):
    """ffmpeg 4 leaves one behind where there is no room, and calls that a success."""
    path, whole = tmp_path / "arm.mp4", tmp_path / "whole.mp4"
    movie(make_result(3), whole, size=(120, 100))
    cut, encoder = tmp_path / "cut.mp4", tmp_path / "encoder"
    encoder.write_text(f'#!/bin/sh\nfor last; do :; done\ncat > /dev/null\ncp {cut} "$last"\n')
    encoder.chmod(0o755)
    pictures = [np.zeros((100, 120, 3), np.uint8)]
    content = whole.read_bytes()
    for n in (len(content) - 1, len(content) // 2, 40, 0):
        cut.write_bytes(content[:n])
        with pytest.raises(WriteError, match=f"ends early, with {n} bytes"):
            movie_files.write_mp4(path, pictures, (120, 100), 10.0, str(encoder))
    cut.write_bytes(content)
    movie_files.write_mp4(path, pictures, (120, 100), 10.0, str(encoder))


def test_mp4_of_odd_size_has_one_more_row_and_column(tmp_path):
    path = movie(make_result(2), tmp_path / "arm.mp4", fps=1, speed=8.0, size=(321, 201))
    about, pictures = decoded(path)
    assert about["size"] == (322, 202)
    expected = np.pad(
        scene.picture(make_result(2), size=(321, 201), fit="run"), ((0, 1), (0, 1), (0, 0)), "edge"
    )
    assert mean_difference(pictures[-1], expected) < 0.8


def test_gif_repeats_has_the_duration_and_does_not_flicker(tmp_path, renderer):
    path = movie(ARM, tmp_path / "arm.gif", fps=15, speed=8.0, size=SIZE)
    with Image.open(path) as gif:
        assert gif.info["loop"] == 0
        assert gif.size == SIZE
        durations, pictures = [], []
        for k in range(gif.n_frames):
            gif.seek(k)
            durations.append(gif.info["duration"])
            pictures.append(np.asarray(gif.convert("RGB")))
    # 1 s and the last picture; durations of hundredths of a second add up.
    assert len(pictures) == 16
    assert sum(durations) == pytest.approx(1000 * 16 / 15, abs=10)
    assert set(durations) <= {60, 70}
    frames = movies.movie_frames(ARM, 15, 8.0)
    true = [scene.picture(ARM, time=ARM.time[frame], size=SIZE, fit="run") for frame in frames]
    for k in (0, 8, 15):
        # 256 colors: shades of bones and fibers are a few gray values off
        assert mean_difference(pictures[k], true[k]) < 1.5
    still = np.all(np.array(true) == true[0], axis=(0, 3))
    assert still.mean() > 0.5
    assert np.all(np.array(pictures)[:, still] == pictures[0][still])
    white = np.all(true[0] == 255, axis=2)
    assert np.all(pictures[0][white] == 255)


def test_picture_of_each_time_is_the_nearest_frame():
    # Frames at 0, 1, 3 s; pictures every 0.5 s.
    run = replace(make_result(3), time=np.array([0.0, 1.0, 3.0]))
    np.testing.assert_array_equal(movies.movie_frames(run, 2, 1.0), [0, 0, 1, 1, 1, 2, 2])
    # What is left of an interval at the end is a picture of the last frame.
    np.testing.assert_array_equal(movies.movie_frames(run, 1, 2.0), [0, 1, 2])
    np.testing.assert_array_equal(movies.movie_frames(run, 1, 100.0), [0, 2])
    # Every frame once, whatever the rounding of times.
    run = make_result(256)
    np.testing.assert_array_equal(movies.movie_frames(run, 255 / 8.0, 1.0), np.arange(256))
    np.testing.assert_array_equal(movies.movie_frames(make_result(1), 30, 1.0), [0])


def test_frames_are_those_of_single_pictures(renderer):
    stage = Stage(ARM, "stretch", theme="dark", arrows=("attachment", "contact"))
    camera = frame_camera(stage, SIZE, floor=True)
    words = captions.Captions(stage, camera, SIZE)
    with FrameDrawer(stage, camera, SIZE, Floor(stage)) as drawer:
        for frame in (32, 0, 16):
            image = words.over(drawer.draw(frame), frame)
            expected = scene.picture(
                ARM,
                time=ARM.time[frame],
                color_by="stretch",
                size=SIZE,
                theme="dark",
                arrows=("attachment", "contact"),
                fit="run",
            )
            np.testing.assert_array_equal(image, expected)


def test_shrinking_averages():
    image = np.random.default_rng(1).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    expected = image.reshape(2, 2, 3, 2, 3).mean(axis=(1, 3))
    np.testing.assert_array_equal(shrink(image, 2), (expected + 0.5).astype(np.uint8))


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
@pytest.mark.parametrize(
    "result", [make_hanging_fiber(), make_result(1), make_result(2, fibers={})]
)
def test_results_with_little_in_them(tmp_path, suffix, result):
    path = movie(result, tmp_path / f"x{suffix}", fps=2, speed=4.0, size=SIZE, color_by="stretch")
    assert path.stat().st_size > 1000


def test_progress_counts_pictures(tmp_path):
    calls = []
    movie(
        make_result(5),
        tmp_path / "x.gif",
        fps=1,
        speed=2.0,
        size=SIZE,
        progress=lambda *call: calls.append(call),
    )
    assert calls == [(k, 5) for k in range(6)]


def test_same_frame_is_drawn_once(tmp_path, monkeypatch):
    drawn = []
    draw = FrameDrawer.draw
    monkeypatch.setattr(FrameDrawer, "draw", lambda self, k: drawn.append(k) or draw(self, k))
    movie(make_result(2), tmp_path / "x.mp4", fps=2, size=SIZE)
    assert drawn == [0, 1]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("x.avi", {}, r"x\.avi.*\*\.mp4 or \*\.gif"),
        ("x.mp4", {"fps": 0.0}, "fps = 0; must be 1 to 120"),
        ("x.gif", {"fps": 60.0}, "fps = 60 of a GIF; must be 1 to 50"),
        ("x.mp4", {"fps": float("nan")}, "fps = nan"),
        ("x.mp4", {"speed": -1.0}, "speed = -1; must be 0.0001 to 10000"),
        ("x.mp4", {"speed": 1e-4}, "2400001 pictures; at most 20000; use a higher speed"),
        ("x.mp4", {"size": (50, 400)}, r"size = \(50, 400\); .* 100 to 8192"),
        ("x.mp4", {"size": (400.5, 400)}, "size"),
        ("x.mp4", {"color_by": "taste"}, "'taste'.*stretch"),
        ("x.mp4", {"theme": "pink"}, "pink"),
        ("x.mp4", {"arrows": ("wind",)}, "wind"),
    ],
)
def test_bad_requests(tmp_path, name, settings, message):
    with pytest.raises(ModelError, match=message):
        movie(ARM, tmp_path / name, **settings)
    assert list(tmp_path.iterdir()) == []


def test_results_that_cannot_be_a_movie(tmp_path):
    empty = replace(make_result(1), time=np.zeros(0))
    with pytest.raises(ModelError, match="no frame"):
        movie(empty, tmp_path / "x.mp4")
    with pytest.raises(ModelError, match="Still without motion"):
        movie(Still(make_result(1)), tmp_path / "x.mp4")
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cannot write"):
        movie(ARM, tmp_path / "file" / "x.mp4", size=SIZE)


def test_missing_encoder_is_said_before_anything_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(FrameDrawer, "draw", lambda self, k: pytest.fail("drawn"))
    with pytest.raises(ModelError, match=r"imageio-ffmpeg is missing.*pip install.*\.gif"):
        movie(ARM, tmp_path / "x.mp4", size=SIZE)


@pytest.mark.skipif(os.name != "posix", reason="the false encoder is a shell script")
def test_what_a_failing_encoder_says_is_kept(tmp_path, monkeypatch):
    false = tmp_path / "ffmpeg"
    false.write_text("#!/bin/sh\necho 'disk is made of cheese' >&2\nexit 3\n")
    false.chmod(0o755)
    monkeypatch.setattr(movies, "find_encoder", lambda: str(false))
    out = tmp_path / "out" / "x.mp4"
    with pytest.raises(ModelError, match=r"status 3.*made of cheese"):
        movie(ARM, out, size=SIZE)
    monkeypatch.setattr(movies, "find_encoder", lambda: str(tmp_path / "nothing"))
    with pytest.raises(ModelError, match="does not start"):
        movie(ARM, out, size=SIZE)
    assert list(out.parent.iterdir()) == []


def test_encoder_is_named_by_its_variable(monkeypatch, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(tmp_path / "mine"))
    assert movie_files.find_encoder() == str(tmp_path / "mine")


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_failure_on_the_way_leaves_what_was_there(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_text("before")

    def fail(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        movie(ARM, path, size=SIZE, progress=fail)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="signals as of POSIX")
def test_interrupted_command_leaves_no_file(tmp_path):
    file = save(make_result(400), tmp_path / "run.h5")
    out = tmp_path / "out" / "x.mp4"
    command = [sys.executable, "-m", "fibermsk", "view", str(file), "--movie", str(out)]
    command += ["--speed", "0.05", "--size", "1200x900"]
    code = "from fibermsk.cli.main import main; main()"
    command[1:3] = ["-c", code]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        until = time.monotonic() + HANGS
        while not (out.parent.is_dir() and any(out.parent.glob(".x.mp4.*"))):
            assert running.poll() is None, running.stderr.read()
            assert time.monotonic() < until
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
        assert running.wait(HANGS) == 130 and "interrupted" in said, said
    assert list(out.parent.iterdir()) == []
    assert "Traceback" not in said


def test_command_writes_movies(tmp_path, capsys):
    from typer.testing import CliRunner

    from fibermsk.cli.main import app

    def cli(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    file = save(make_result(5), tmp_path / "run.h5")
    out = tmp_path / "x.gif"
    settings = ["--fps", 2, "--speed", 4, "--size", "200x150", "--color-by", "stretch"]
    settings += ["--theme", "dark", "--arrows", "contact"]
    done = cli("view", file, "--movie", out, *settings)
    assert done.exit_code == 0, done.stderr
    assert "written to" in done.stderr and done.stdout == ""
    with Image.open(out) as gif:
        assert gif.size == (200, 150) and gif.n_frames == 5
        assert max(gif.convert("RGB").getpixel((100, 1))) < 64
    for arguments, message in (
        (["--movie", out, "--size", "big"], "--size big: must be"),
        (["--movie", out, "--time", "1"], "--time does not apply"),
        (["--movie", out, "--screenshot", "x.png"], "only one at a time"),
        (["--fps", "3"], "--fps does not apply without --movie"),
        (["--screenshot", "x.png", "--speed", "3"], "--speed does not apply without --movie"),
        (["--size", "300x300"], "--size does not apply without --picture or --movie"),
    ):
        done = cli("view", file, *arguments)
        assert done.exit_code == 2 and message in done.stderr, done.stderr
