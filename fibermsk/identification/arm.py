"""The arm of a MoBL-ARMS model: five free angles, sixteen muscles, bodies without phantoms."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._warn import warn
from fibermsk.errors import ModelWarning
from fibermsk.model import Body, Model

ANGLES = ("elv_angle", "shoulder_elv", "shoulder_rot", "elbow_flexion", "pro_sup")
"""Free coordinates: plane of elevation, elevation and axial rotation of the shoulder, and elbow."""

SUPERFICIAL = (
    "PECM1", "PECM2", "PECM3", "DELT1", "DELT2", "DELT3", "BIClong", "BICshort", "TRIlong",
    "TRIlat", "BRD",
)  # fmt: skip
"""Muscles whose EMG electrodes on the skin record."""

DEEP = ("INFSP", "SUBSC", "TRImed", "BRA", "PQ")
"""Muscles whose EMG they do not."""

_HELD = ("r_x", "r_y", "r_z", "t_x", "t_y", "t_z", "deviation", "flexion")
"""Coordinates that are locked, at their values in the file."""

_PHANTOM = 1.0
"""Radius of gyration [m] above which an inertia is none that a bone has."""


def phantoms_of(model: Model) -> tuple[Body, ...]:
    """Bodies with more inertia than any body of their mass has.

    Such are there to make the mass matrix of all coordinates regular; free coordinates need none.
    """
    return tuple(
        one for one in model.bodies
        if one.mass and np.trace(np.asarray(one.inertia)) > 2.0 * one.mass * _PHANTOM**2
    )  # fmt: skip


def is_mobl(model: Model) -> bool:
    """Whether a model has the coordinates and muscles of MoBL-ARMS."""
    coordinates = {one.name for one in model.coordinates}
    muscles = {one.name for one in model.muscles}
    return {*ANGLES, *_HELD} <= coordinates and {*SUPERFICIAL, *DEEP} <= muscles


def mobl_arm(
    path: str | PathLike[str], muscles: Sequence[str] = (*SUPERFICIAL, *DEEP)
) -> Model:  # fmt: skip
    """Read the arm of a MoBL-ARMS file, which is not part of the package.

    Parameters
    ----------
    path : str or path
        MOBL_ARMS_41.osim.
    muscles : sequence of str
        Muscles that are kept.

    Returns
    -------
    model : Model
        Five free angles, the muscles without forces, and bodies without phantom inertia.

    Raises
    ------
    ModelError
        If the file has no such coordinate or muscle.

    Warns
    -----
    ModelWarning
        That names the bodies whose phantom inertia was removed.
    """
    from fibermsk.read.osim.reader import read_osim

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = read_osim(path)
    owner = f"model {model.name!r}"
    muscles = _check.items(owner, "muscles", muscles, str, "a name", "names of muscles")
    known = [one.name for one in model.coordinates]
    for name in (*ANGLES, *_HELD):
        if name not in known:
            must = "be a coordinate of it, as in MOBL_ARMS_41.osim"
            _check.refuse(owner, "coordinate", name, must)
    kept = {model.muscle(name) for name in muscles}
    # also its ligaments: the arm is that of muscles alone
    removed: list[Any] = [one for one in model.muscles if one not in kept] + [*model.elements]
    phantoms = phantoms_of(model)
    changes: dict[Any, Any] = {model.coordinate(name): {"locked": True} for name in _HELD}
    none = {"mass": None, "com": (0.0, 0.0, 0.0), "inertia": None}
    changes |= dict.fromkeys(phantoms, none)
    names = tuple(one.name for one in phantoms)
    if names:
        text = (
            f"{owner}: mass and inertia of {', '.join(names)} were removed: no body has such "
            "inertia, and free coordinates do not need it"
        )
        warn(ModelWarning(text))
    return model.edit(changes, remove=removed)
