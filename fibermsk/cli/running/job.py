"""Entries of a checkpoint about its run, and their validation."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import shlex
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from fibermsk.cli.running.seal import is_sealed, sealed
from fibermsk.errors import ModelError, ModelWarning
from fibermsk.scene_files import is_packaged

_KINDS: dict[str, type | tuple[type, ...]] = {
    "scene": str,
    "function": str,
    "source": str,
    "settings": list,
    "numbers": list,
    "parameters": dict,
    "method": (str, type(None)),
    "check": bool,
    "out": str,
    "before": str,
    "checkpoint_every": (int, float),
    "run": str,
}
"""Fields of a job. ``source`` is the digest of the scene file, ``before`` that of the file that
the result may replace, ``run`` a random identifier of the run."""


def make_job(out: Path, **said: Any) -> dict[str, Any]:
    """Sealed job with the entries `said`, whose result may replace the present file at `out`.

    The random identifier ``run`` is new unless given.
    """
    return sealed(
        {"run": secrets.token_hex(8), **said, "out": str(out.absolute()), "before": digest(out)}
    )


def check_job(job: Any, file: Path) -> dict[str, Any]:
    """Job of a checkpoint file; refused if not written by `fibermsk run`."""
    if not isinstance(job, dict) or "scene" not in job:
        raise ModelError(
            f"cannot resume {file}: a script wrote it, not fibermsk run; must be resumed there, "
            "with resume_from"
        )
    for name, kind in _KINDS.items():
        if not isinstance(job.get(name, ...), kind):
            raise ModelError(
                f"cannot resume {file}: its entry {name!r} is missing or of another version; run "
                "from the start"
            )
    if not all(isinstance(text, str) for text in (*job["settings"], *job["numbers"])):
        raise ModelError(f"cannot resume {file}: its settings are not texts; run from the start")
    return job


def note_result(checkpoint: Path, job: dict[str, Any], out: Path) -> None:
    """Store in the checkpoint of a run that the file at `out` is its result."""
    _note(checkpoint, job, before=digest(out))


def note_partial(checkpoint: Path, job: dict[str, Any], partial: Path) -> None:
    """Store in the checkpoint of a run that a file has its first frames, beside another result."""
    _note(checkpoint, job, partial=[str(partial.absolute()), digest(partial)])


def remove_partial(job: dict[str, Any]) -> None:
    """Remove the file with the first frames of a run that is complete now, if it is as noted."""
    noted = job.get("partial")
    if not (isinstance(noted, list) and len(noted) == 2 and is_sealed(job)):
        return
    file = Path(str(noted[0]))
    with contextlib.suppress(OSError, ModelError):
        if digest(file) == noted[1] != "":
            file.unlink()


def _note(checkpoint: Path, job: dict[str, Any], **entries: Any) -> None:
    from fibermsk.io import load_checkpoint, save_checkpoint

    try:
        taken = load_checkpoint(checkpoint)
        if taken.job.get("run") == job["run"]:
            noted = sealed({**taken.job, **entries})
            save_checkpoint(replace(taken, job=noted), checkpoint)
    except ModelError as error:
        if checkpoint.exists():
            warnings.warn(
                f"to resume this run, --out will be needed: {error}", ModelWarning, stacklevel=2
            )


def resume_command(job: dict[str, Any], file: Path) -> str:
    """Command that resumes a run, with all options that an unsealed job requires."""
    words = ["fibermsk", "resume", str(file)]
    if not is_sealed(job):
        if not is_packaged(job["scene"]):
            words += ["--scene", job["scene"]]
        words += ["--out", job["out"]]
        for option, texts in (("--set", job["settings"]), ("--param", job["numbers"])):
            words += [option, *texts] if texts else []
    return " ".join(shlex.quote(word) if word.isprintable() else repr(word) for word in words)


def digest(path: Path) -> str:
    """SHA-256 of a file; empty without a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}; move it away") from error
