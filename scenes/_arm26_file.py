"""Where the file of OpenSim's arm26 is, for the scenes with this arm."""

import os
from pathlib import Path

import fibermsk as fm

FILE = "arm26.osim"


def find(scene, model, geometry):
    """Paths of the model's file and of the folder with its meshes, for a scene of that name."""
    folder = os.environ.get("FIBERMSK_MODELS", "")
    tried = [Path(model)] if model else []
    if not model and folder:
        tried = [Path(folder) / FILE, Path(folder) / "opensim-models" / FILE]
    path = next((path for path in tried if path.is_file()), None)
    if path is None:
        where = ", ".join(map(str, tried)) or "nothing: no path was given"
        raise fm.ModelError(
            f"{scene}: model = {model!r}; must be the path of {FILE} (looked at {where}). It "
            "comes with OpenSim, in Models/Arm26, and on "
            "https://github.com/opensim-org/opensim-models, with its meshes in Geometry: give "
            f"model=path/to/{FILE} and geometry=path/to/Geometry, or set FIBERMSK_MODELS to a "
            "folder that holds both"
        )
    return path, Path(geometry) if geometry else path.parent / "Geometry"
