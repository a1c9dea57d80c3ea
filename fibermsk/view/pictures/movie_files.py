"""Encoding of pictures as mp4 or GIF."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fibermsk._extras import remedy as how_to_install
from fibermsk.errors import ModelError, WriteError

Image = NDArray[np.uint8]

GIF_RATE = 50.0
"""Largest frame rate of a GIF: browsers slow down faster ones."""

_CRF = 18
"""Constant rate factor of H.264, 0 (lossless) to 51; 18 is visually lossless."""
_MESSAGE_LENGTH = 600


def find_encoder() -> str:
    """Path of the ffmpeg program, from imageio-ffmpeg or ``IMAGEIO_FFMPEG_EXE``."""
    remedy = f"install it ({how_to_install('view')}), or write a *.gif"
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError as error:
        raise ModelError(f"cannot write an mp4: imageio-ffmpeg is missing; {remedy}") from error
    try:
        return get_ffmpeg_exe()
    except RuntimeError as error:
        raise ModelError(f"cannot write an mp4: no ffmpeg was found ({error}); {remedy}") from error


def write_mp4(
    path: Path, pictures: Iterable[Image], size: tuple[int, int], fps: float, encoder: str
) -> None:
    """Encode RGB pictures as H.264, padded to even sides; errors quote ffmpeg.

    A `WriteError` means that there is no room for the file.
    """
    width, height = (n + n % 2 for n in size)
    command = [
        encoder, "-y", "-loglevel", "error", "-nostdin",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:.6f}",
        "-i", "pipe:0", "-an",
        # players assume BT.709 colors; without them reds shift
        "-vf", "scale=out_color_matrix=bt709:out_range=tv,"
        "setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709",
        "-c:v", "libx264", "-preset", "medium", "-crf", str(_CRF), "-pix_fmt", "yuv420p",
        # ffmpeg 4 ignores those of the filter
        "-color_range", "tv", "-color_primaries", "bt709", "-color_trc", "bt709",
        "-colorspace", "bt709",
        # index first, so that browsers play during loading
        "-movflags", "+faststart", "-f", "mp4", str(path),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as said:
        try:
            # its own session: Ctrl-C reaches this program only, which then ends ffmpeg
            running = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            raise ModelError(f"cannot write an mp4: {encoder} does not start: {error}") from error
        assert running.stdin is not None
        broken = False
        try:
            for picture in pictures:
                padding = ((0, height - picture.shape[0]), (0, width - picture.shape[1]), (0, 0))
                whole = np.pad(picture, padding, mode="edge") if any(map(any, padding)) else picture
                try:
                    running.stdin.write(np.ascontiguousarray(whole).data)
                except OSError:
                    broken = True
                    break
            try:
                running.stdin.close()
            except OSError:
                broken = True
            status = running.wait()
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()
            with contextlib.suppress(OSError):
                running.stdin.close()
        if status != 0 or broken:
            said.seek(0)
            words = said.read().decode(errors="replace").strip() or "it said nothing"
            message = f"ffmpeg failed (status {status}): {words[-_MESSAGE_LENGTH:]}"
            raise (WriteError if _no_room(status, words) else ModelError)(
                f"cannot write an mp4: {message}"
            )
    if not _is_whole(path):  # old versions report no error
        raise WriteError(
            f"cannot write an mp4: the file ends early, with {path.stat().st_size} bytes, as it "
            "does where there is no room: No space left on device"
        )


def _is_whole(path: Path) -> bool:
    """Whether an mp4 file consists of whole boxes, with an index (moov) and pictures (mdat)."""
    size, at, kinds = path.stat().st_size, 0, set()
    with path.open("rb") as file:
        while at + 8 <= size:
            file.seek(at)
            length, kind = struct.unpack(">I4s", file.read(8))
            if length == 1:  # a 64-bit length follows
                length = struct.unpack(">Q", file.read(8).rjust(8, b"\0"))[0]
            if length < 8:
                return False
            kinds.add(kind)
            at += length
    return at == size and {b"moov", b"mdat"} <= kinds


def _no_room(status: int, words: str) -> bool:
    """Whether a program failed because its file could not be written."""
    names = ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS")
    codes = [getattr(errno, name) for name in names if hasattr(errno, name)]
    too_large = getattr(signal, "SIGXFSZ", None)
    ended_by_limit = too_large is not None and status == -too_large
    return ended_by_limit or any(os.strerror(code) in words for code in codes)


def write_gif(
    path: Path, pictures: Iterable[Image], samples: Sequence[Image], fps: float, n_pictures: int
) -> None:
    """Write pictures, at most `GIF_RATE` a second, as a repeating GIF.

    All share the palette of the samples and are not dithered, so that constant areas stay constant.
    """
    from PIL import Image as pil

    colors = _colors(samples)
    palette = pil.new("P", (1, 1))
    palette.putpalette(colors.tobytes())

    def fewer(picture: Image) -> pil.Image:
        quantized = pil.fromarray(picture).quantize(palette=palette, dither=pil.Dither.NONE)
        index = np.array(quantized)
        # Pillow does not always find the nearest color: white would be gray
        index[np.all(picture == colors[0], axis=2)] = 0
        exact = pil.fromarray(index)
        exact.putpalette(colors.tobytes())
        return exact

    few = map(fewer, pictures)
    # whole hundredths of a second with the correct sum
    ends = np.round(100.0 * np.arange(n_pictures + 1) / fps).astype(int)
    durations = [int(10 * n) for n in np.diff(ends)]
    first = next(few)
    # Pillow would not close its own file when interrupted
    with path.open("wb") as file:
        first.save(
            file,
            format="GIF",
            save_all=True,
            append_images=few,
            duration=durations,
            loop=0,
            optimize=False,
            disposal=1,
        )


def _colors(samples: Sequence[Image]) -> Image:
    """Palette (n, 3) of at most 256 colors for some pictures, with the exact background first."""
    from PIL import Image as pil

    pixels = np.concatenate([sample.reshape(-1, 3) for sample in samples])
    code = pixels.astype(np.int32) @ np.array([65536, 256, 1], dtype=np.int32)
    found, counts = np.unique(code, return_counts=True)
    common = found[np.argmax(counts)]
    background = np.array([[common >> 16, common >> 8 & 255, common & 255]], dtype=np.uint8)
    others = pixels[code != common]
    if len(others) == 0:
        return background
    row = pil.fromarray(others[None])
    fewer = row.quantize(255, pil.Quantize.MEDIANCUT, kmeans=1)
    colors = np.array((fewer.getpalette() or [])[: 3 * 255], dtype=np.uint8).reshape(-1, 3)
    return np.concatenate([background, colors])
