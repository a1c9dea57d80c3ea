"""What the head of every page tells of the package: its versions and its repository."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

__all__ = ["repository", "versions"]


def versions(folder: Path, release: str) -> list[str]:
    """Versions of the package, newest first: the tags ``v1.2.3`` of its repository, and this one.

    Parameters
    ----------
    folder : Path
        Folder of the repository.
    release : str
        Version that is described.
    """
    found = set(re.findall(r"^v(\d+(?:\.\d+)*)$", _git(folder, "tag"), re.MULTILINE)) | {release}
    return sorted(found, key=_order, reverse=True)


def repository(folder: Path) -> str:
    """Public address of the repository, empty if it has none.

    That of `pyproject.toml`, else the one from which the folder was cloned.
    """
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project.get("urls", {}).get("Repository", "")
    address = named or _git(folder, "remote", "get-url", "origin").strip()
    address = re.sub(r"^git@([\w.-]+):", r"https://\1/", address).removesuffix(".git")
    return address if address.startswith("https://") and "@" not in address else ""


def _order(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def _git(folder: Path, *words: str) -> str:
    """What git prints, nothing where there is no repository."""
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""
