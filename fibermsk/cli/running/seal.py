"""Seal that identifies this user's own runs: an HMAC with a key that only this user can read.

A checkpoint says which scene file to run and where to write. Whoever makes one up can put anything
there, with a digest of the scene file that fits, but not this mark.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PURPOSE = b"fibermsk job\n"
_BYTES = 32
_LEFT_OUT = ("seal", "start")
"""What the mark does not cover: itself, and what the run adds, which the scene is compared with."""


def sealed(job: dict[str, Any]) -> dict[str, Any]:
    """A job with the mark of this user; an empty mark where no key can be kept."""
    key = _read_key() or _make_key()
    return {**job, "seal": "" if key is None else _mark(key, job)}


def is_sealed(job: dict[str, Any]) -> bool:
    """Whether this user's program made a job, and nobody has changed it since."""
    key, seal = _read_key(), job.get("seal")
    return (
        key is not None
        and isinstance(seal, str)
        and seal.isascii()
        and hmac.compare_digest(seal, _mark(key, job))
    )


def _mark(key: bytes, job: dict[str, Any]) -> str:
    text = json.dumps({k: v for k, v in job.items() if k not in _LEFT_OUT}, sort_keys=True)
    return hmac.new(key, _PURPOSE + text.encode(), hashlib.sha256).hexdigest()


def _folders() -> Iterator[Path]:
    """Where the key may be: with the user's state, or where homes cannot be written, until boot."""
    with contextlib.suppress(RuntimeError):
        state = Path.home() / ".local" / "state"
        yield Path(os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or state)
    owner = os.getuid() if os.name == "posix" else "user"
    yield Path(tempfile.gettempdir()) / f"state-{owner}"


def _read_key() -> bytes | None:
    """The key, from a file that nobody else can read or put there."""
    for folder in _folders():
        try:
            file = folder / "fibermsk" / "key"
            if _is_private(file.parent, stat.S_ISDIR) and _is_private(file, stat.S_ISREG):
                key = file.read_bytes()
                if len(key) == _BYTES:
                    return key
        except OSError:
            continue
    return None


def _make_key() -> bytes | None:
    """The key, made if there is none yet."""
    for folder in _folders():
        try:
            place = folder / "fibermsk"
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = place / f".key.{secrets.token_hex(4)}"
            opened = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            try:
                with os.fdopen(opened, "wb") as file:
                    file.write(secrets.token_bytes(_BYTES))
                # whole from the first moment, and never over that of another process
                with contextlib.suppress(FileExistsError):
                    os.link(beside, place / "key")
            finally:
                beside.unlink()
        except OSError:
            continue
        key = _read_key()
        if key is not None:
            return key
    return None


def _is_private(path: Path, kind: Any) -> bool:
    """Whether a file or folder is this user's, and others can neither read nor write it."""
    found = path.lstat()
    if not kind(found.st_mode):
        return False
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
