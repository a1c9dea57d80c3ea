"""Seal of this user's own runs: an HMAC with a key that only this user can read.

A checkpoint specifies which scene file to run and where to write; others cannot forge its seal.
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
"""Entries without seal: itself, and those added by the run, which are compared with the scene."""


def sealed(job: dict[str, Any]) -> dict[str, Any]:
    """A job with the seal of this user, empty if no key can be stored."""
    key = _read_key() or _make_key()
    return {**job, "seal": "" if key is None else _mark(key, job)}


def is_sealed(job: dict[str, Any]) -> bool:
    """Whether this user made a job, and it is unchanged."""
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
    """Folders for the key: the user's state, else a temporary folder, until reboot."""
    with contextlib.suppress(RuntimeError):
        state = Path.home() / ".local" / "state"
        yield Path(os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or state)
    owner = os.getuid() if os.name == "posix" else "user"
    yield Path(tempfile.gettempdir()) / f"state-{owner}"


def _read_key() -> bytes | None:
    """Key from a file that only this user can access."""
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
    """Key, created if there is none."""
    for folder in _folders():
        try:
            place = folder / "fibermsk"
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = place / f".key.{secrets.token_hex(4)}"
            opened = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            try:
                with os.fdopen(opened, "wb") as file:
                    file.write(secrets.token_bytes(_BYTES))
                # complete when it appears, and never replacing that of another process
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
    """Whether a file or folder belongs to this user, without access for others."""
    found = path.lstat()
    if not kind(found.st_mode):
        return False
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
