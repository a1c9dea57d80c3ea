"""Generalized forces that give a motion, with the mass of muscles where it moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Described
from fibermsk.analysis.frame import ACTING, refuse_other_forces
from fibermsk.analysis.series import smooth
from fibermsk.errors import ModelError
from fibermsk.model import Model
from fibermsk.read import Signals
from fibermsk.read.motion import motion_of, warn_of
from fibermsk.system.build import build
from fibermsk.system.skeleton.free import free_model


@dataclass(frozen=True, repr=False)
class InverseDynamics(Described):
    """Generalized forces along a motion.

    Attributes
    ----------
    time : (k,) float array
        Times of the motion [s].
    force : dict of (k,) float array
        Generalized force by coordinate [N m, N for translations].
    units : dict of str
        Its unit, by coordinate.
    """

    time: Array
    force: dict[str, Array]
    units: dict[str, str]


def inverse_dynamics(
    model: Model,
    motion: str | PathLike[str] | Signals | Mapping[str, Any],
    *,
    muscle_mass: bool = True,
    passive: bool = True,
    lowpass: float | None = None,
    in_degrees: bool | None = None,
) -> InverseDynamics:
    """Find the generalized forces that give a motion of bodies and of the mass of muscles.

    Parameters
    ----------
    model : Model
        Bodies, joints and line muscles; these exert no force, but their mass moves (`MuscleMass`).
        External forces (`ExternalForce`, `read_external_loads`) act at the times of the motion,
        and springs, ligaments, bushings, formulas and contact of spheres.
    motion : str, path, Signals or mapping
        As for `drive`. Coordinates without a column keep their initial value.
    muscle_mass : bool
        Whether the mass of the muscles is included. It is not moved to the bodies.
    passive : bool
        Whether the passive forces of coordinates (springs, dampers, limits) act: then they are not
        part of what is found.
    lowpass : float, optional
        Cut-off frequency [Hz] of a Butterworth filter of third order, applied forward and backward
        to the motion, which must then be sampled at equal intervals.
    in_degrees : bool, optional
        As for `drive`.

    Returns
    -------
    found : InverseDynamics
        Forces M q'' + b - g of wang2022 (7), minus passive forces and those of elements.

    Raises
    ------
    ModelError
        If the model has fibers, contacts, constraints or elements with states or controllers, a
        coordinate is prescribed, an external force is unknown at a time of the motion, or an
        argument is refused.

    Warns
    -----
    ModelWarning
        If columns of the motion are not used, samples are missing, a free coordinate has no
        column, or values are far beyond a declared range.

    Notes
    -----
    Velocities and accelerations are those of a natural interpolating spline of fifth order. The
    motion is continued by reflection before it is filtered, by half its duration at both ends. Both
    as in OpenSim. An end where the third derivative is not zero has an error, of some percent for
    100 samples in a period, that falls by 0.42 from sample to sample.
    """
    owner = "inverse_dynamics"
    _check.instance(owner, "model", model, Model, "a Model")
    refuse_other_forces(model, "inverse dynamics", ACTING)
    for one in model.coordinates:
        if one.prescribed is not None:
            remedy = "leave the motion to inverse_dynamics"
            _check.refuse(f"coordinate {one.name!r}", "prescribed", one.prescribed, "be left out",
                          remedy=remedy)  # fmt: skip
    with_mass = _check.flag(owner, "muscle_mass", muscle_mass)
    passive = _check.flag(owner, "passive", passive)
    found = motion_of(model, motion, in_degrees=in_degrees)
    warn_of(model, found, whole=True)
    for load in model.elements:
        for _, signal in load.signals:
            for t in found.time[[0, -1]]:
                signal(float(t))
    free = free_model(model)
    carrying = [one for one in free.muscles if with_mass and one.mass is not None]
    rest = [one for one in free.muscles if one not in carrying]
    free = free.edit({one: {"law": None, "activation": None} for one in carrying}, remove=rest)
    system = build(free)
    skeleton = system.skeleton
    names = [one for one in found.values if one in skeleton.independent]
    entries = [skeleton.independent.index(one) for one in names]
    series = smooth(found, names, lowpass)
    q, (p, a) = skeleton.start.copy(), np.zeros((2, skeleton.n))
    force = np.empty((found.time.size, skeleton.n))
    for k, t in enumerate(found.time.tolist()):
        q[entries], p[entries] = series.value[k], series.speed[k]
        a[entries] = series.acceleration[k]
        try:
            force[k] = system.evaluate(t, q, p, a, tangent=False).residual[: skeleton.n]
        except ModelError as error:
            raise ModelError(f"at t = {t:g} s: {error}") from error
        if not passive:
            force[k] += skeleton.inverse_dynamics(q, p, a, passive=False)
            force[k] -= skeleton.inverse_dynamics(q, p, a)
    turns = {one.name: one.kind != "translation" for one in model.coordinates}
    return InverseDynamics(
        time=found.time,
        force=dict(zip(skeleton.independent, force.T.copy(), strict=True)),
        units={name: "N m" if turns[name] else "N" for name in skeleton.independent},
    )
