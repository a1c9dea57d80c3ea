"""Pictures of made-up results, compared with those in tests/data/pictures.

Each way to draw has pictures of its own. After a change that is meant to be seen, look at the
difference that a failing test writes, and renew the pictures by

    python tests/view/test_pictures.py
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))
from make_result import make_hanging_fiber, make_meshed_arm, make_result

from fibermsk.view.drawing import pieces
from fibermsk.view.drawing.stage import Stage
from fibermsk.view.pictures import opengl
from fibermsk.view.pictures.floor import Floor
from fibermsk.view.pictures.frames import FrameDrawer

FOLDER = Path(__file__).parents[1] / "data" / "pictures"
SIZE = (320, 240)
BLOCK = 4
"""Means over squares of so many pixels are compared, in which the smoothing of edges is lost."""
# The greatest difference of a square [gray values of 255], and how many squares may exceed it.
TOLERANCES = {
    # Nothing but rounding differs from one processor to another: on one it is zero.
    "processor": (4.0, 3),
    # Drivers place edges up to half a pixel apart and round shading as they like. OpenGL and the
    # processor, which share no code, are 21 squares apart in the picture of the arm.
    "opengl": (12.0, 30),
}
ARM = make_result(9)
CASES = {
    "arm": (ARM, {}, 8),
    "tissue": (ARM, {"color_by": "tissue", "envelope": True}, 5),
    "dark_with_arrows": (
        ARM,
        {"theme": "dark", "arrows": ("attachment", "contact"), "color_by": "stretch"},
        3,
    ),
    "meshed_arm": (make_meshed_arm(), {"color_by": "stress"}, 2),
    "hanging_fiber": (make_hanging_fiber(), {"color_by": "stretch"}, 4),
}
"""Result, how it is shown, and frame."""


def drawn(case, result=None):
    """Picture of a case without words, which fonts change; or of another result in its place."""
    given, settings, frame = CASES[case]
    # The camera and the colors are those of the case: a change must not hide behind them.
    stage = Stage(given, **({"color_by": "axial_force"} | settings))
    camera = stage.camera(SIZE, 0.17)
    if result is not None:
        limits = stage.limits
        stage = Stage(result, **({"color_by": "axial_force"} | settings), limits=limits)
    with FrameDrawer(stage, camera, SIZE, Floor(stage)) as drawer:
        return drawer.draw(frame)


def difference(one, other):
    """Greatest difference over the colors of each square of pixels, (rows, columns)."""
    height, width = one.shape[:2]
    apart = one.astype(float) - other
    squares = apart.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3).mean(axis=(1, 3))
    return np.abs(squares).max(axis=2)


def compare(picture, case, renderer, folder):
    """Fail where a picture is not the one on file, and write what differs."""
    path = FOLDER / f"{case}_{renderer}.png"
    assert path.is_file(), f"there is no {path}; write it by: python {__file__}"
    with Image.open(path) as image:
        expected = np.asarray(image.convert("RGB"))
    assert picture.shape == expected.shape
    limit, allowed = TOLERANCES[renderer]
    squares = difference(picture, expected)
    wrong = int(np.sum(squares > limit))
    if wrong > allowed:
        apart = np.kron(np.clip(4.0 * squares, 0.0, 255.0), np.ones((BLOCK, BLOCK)))
        apart = np.repeat(255 - apart.astype(np.uint8)[..., None], 3, axis=2)
        side_by_side = folder / f"{case}_{renderer}_expected_found_difference.png"
        Image.fromarray(np.hstack([expected, picture, apart])).save(side_by_side)
        pytest.fail(
            f"{case}: {wrong} of {squares.size} squares of {BLOCK} x {BLOCK} pixels differ by more "
            f"than {limit:g} (at most {allowed} may), the worst by {squares.max():.0f}; see "
            f"{side_by_side}; if this is meant: python {__file__}"
        )


@pytest.mark.parametrize("case", CASES)
def test_picture_is_the_one_on_file(case, renderer, tmp_path):
    compare(drawn(case), case, renderer, tmp_path)


def moved(millimeters):
    """The arm with its forearm shifted in x."""
    forearm = ARM.bodies["forearm"]
    shifted = replace(forearm, position=forearm.position + [1e-3 * millimeters, 0.0, 0.0])
    return replace(ARM, bodies=ARM.bodies | {"forearm": shifted})


def without(name):
    return replace(ARM, fibers={key: f for key, f in ARM.fibers.items() if key != name})


def thinner(part):
    fibers = {key: replace(f, radius=part * f.radius) for key, f in ARM.fibers.items()}
    return replace(ARM, fibers=fibers)


def weaker(part):
    one = ARM.fibers["biceps_1"]
    fiber = replace(one, axial_force=part * one.axial_force)
    return replace(ARM, fibers=ARM.fibers | {"biceps_1": fiber})


@pytest.mark.parametrize(
    "result",
    [moved(5.0), without("biceps_2"), thinner(0.85), weaker(0.9), make_result(9, fibers={})],
    ids=["forearm_5_mm_off", "fiber_missing", "fibers_thinner", "force_less", "no_fibers"],
)
def test_change_of_the_result_is_noticed(result, renderer, tmp_path):
    picture = drawn("arm", result)
    with pytest.raises(pytest.fail.Exception, match="squares"):
        compare(picture, "arm", renderer, tmp_path)
    with Image.open(tmp_path / f"arm_{renderer}_expected_found_difference.png") as image:
        assert image.size == (3 * SIZE[0], SIZE[1])


def test_small_change_is_noticed_by_the_processors_picture(monkeypatch, tmp_path):
    monkeypatch.setattr(opengl, "off_screen_works", lambda: False)
    for result in (moved(1.0), without("triceps_3"), weaker(0.97)):
        with pytest.raises(pytest.fail.Exception, match="squares"):
            compare(drawn("arm", result), "arm", "processor", tmp_path)


def test_change_of_color_is_noticed(renderer, monkeypatch, tmp_path):
    red, green, blue = pieces.BONE_COLOR
    monkeypatch.setattr(pieces, "BONE_COLOR", (red, 0.95 * green, 0.92 * blue))
    with pytest.raises(pytest.fail.Exception, match="squares"):
        compare(drawn("arm"), "arm", renderer, tmp_path)


def test_missing_arrows_are_noticed(renderer, monkeypatch, tmp_path):
    result, settings, frame = CASES["dark_with_arrows"]
    monkeypatch.setitem(
        CASES, "dark_with_arrows", (result, settings | {"arrows": ("attachment",)}, frame)
    )
    with pytest.raises(pytest.fail.Exception, match="squares"):
        compare(drawn("dark_with_arrows"), "dark_with_arrows", renderer, tmp_path)


def renew():
    """Write all pictures that this machine can draw."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    works = opengl.off_screen_works()
    for renderer in TOLERANCES:
        if renderer == "opengl" and not works:
            print("this machine has no OpenGL: its pictures stay as they are")
            continue
        opengl.off_screen_works = lambda found=renderer == "opengl": found
        for case in CASES:
            path = FOLDER / f"{case}_{renderer}.png"
            Image.fromarray(drawn(case)).save(path, optimize=True)
            print(f"written: {path}")


if __name__ == "__main__":
    renew()
