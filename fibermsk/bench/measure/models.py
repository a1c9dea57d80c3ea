"""Published models, which the package does not ship."""

from __future__ import annotations

import os
from pathlib import Path

_PLACES = ".", "opensim-models", "opensim-core"


def find_model(name: str) -> Path | None:
    """A model's file, if the environment variable FIBERMSK_MODELS leads to it."""
    folder = os.environ.get("FIBERMSK_MODELS", "")
    tried = [Path(folder) / place / name for place in _PLACES]
    return next((path for path in tried if folder and path.is_file()), None)
