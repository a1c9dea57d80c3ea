"""Scaling of a model to a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk._shown import Summarized, Summary
from fibermsk.analysis.frame import ACTING, HOLDING, refuse_other_forces
from fibermsk.analysis.scaling.elements import along_paths, as_muscle, left_elements, rest_of
from fibermsk.analysis.scaling.measurement import (
    Measurement,
    PairResidual,
    add_factor,
    distances_of,
    measured_distances,
)
from fibermsk.analysis.scaling.setup import read_setup, write_setup
from fibermsk.analysis.scaling.sized import sized
from fibermsk.analysis.scaling.start import closed_start
from fibermsk.errors import ModelError, PathError
from fibermsk.files import path_of
from fibermsk.forces import (
    ActivationActuator,
    ClutchedSpring,
    CoordinateActuator,
    CoordinateController,
    JointTorque,
)
from fibermsk.model import Model
from fibermsk.read.recordings.markers import Markers
from fibermsk.read.recordings.read_motion import read_motion
from fibermsk.system.lines.batch import MuscleGeometry
from fibermsk.system.skeleton.free import free_model
from fibermsk.system.skeleton.skeleton import Skeleton

_OWNER = "scale"
_MOST = 12
"""Most names that a summary lists."""

_DRIVING = (
    ActivationActuator, ClutchedSpring, CoordinateActuator, CoordinateController, JointTorque,
)  # fmt: skip
"""Elements on coordinates, which have no size, and along paths, with states."""


@dataclass(frozen=True, eq=False, repr=False)
class ScaledModel(Summarized):
    """A model that was scaled, and how.

    Attributes
    ----------
    model : Model
        The scaled model.
    factors : dict of (3,) float array
        Factors along the axes of each body; those that are all 1 are left out.
    residuals : tuple of PairResidual
        Distances of each pair of markers: before scaling, measured, and after it.
    masses : dict of float
        Mass of each body [kg].
    mass, mass_before : float
        Total mass after and before scaling [kg].
    muscles : dict of float
        Factor of the lengths of fiber and tendon, by muscle: that of its path in the start pose.
    elements : dict of float
        Factor of the rest or slack length, by spring and ligament along a path: that of this path.
    left : tuple of str
        Elements whose points and lengths are not scaled, as OpenSim leaves them, though their
        bodies are: springs, formulas and constraints between points, contacts, external forces.
    kept_distribution : bool
        Whether masses kept their proportions.
    """

    model: Model
    factors: dict[str, Array]
    residuals: tuple[PairResidual, ...]
    masses: dict[str, float]
    mass: float
    mass_before: float
    muscles: dict[str, float]
    elements: dict[str, float]
    left: tuple[str, ...]
    kept_distribution: bool

    def write(self, path: str | PathLike[str]) -> None:
        """Write factors and mass as a setup of OpenSim's ScaleTool (.xml), whole or not at all.

        `scale` with this file gives the same model.

        Raises
        ------
        ModelError
            If the name ends otherwise, or the file cannot be written.
        """
        file = path_of(path, "ScaledModel.write: path")
        _check.choice("ScaledModel.write", "ending", file.suffix.lower(), (".xml",))
        write_setup(file, self.model.name, self.factors, self.mass, self.kept_distribution)

    def _summary(self) -> Summary:
        rows = [(name, " ".join(f"{one:.5g}" for one in own)) for name, own in self.factors.items()]
        rows.append(("mass", f"{self.mass_before:.5g} kg to {self.mass:.5g} kg"))
        if self.muscles:
            low, high = min(self.muscles.values()), max(self.muscles.values())
            rows.append(("muscles", f"lengths times {low:.4g} to {high:.4g}"))
        if self.elements:
            low, high = min(self.elements.values()), max(self.elements.values())
            rows.append(("springs and ligaments", f"lengths times {low:.4g} to {high:.4g}"))
        if self.left:
            rows.append(("not scaled", _check.first_names(self.left, _MOST)))
        if self.residuals:
            worst = max(self.residuals, key=lambda one: abs(one.scaled - one.measured))
            off = 1e3 * (worst.scaled - worst.measured)
            pair = " to ".join(worst.pair)
            rows.append(("largest residual", f"{off:.3g} mm, {pair} of {worst.measurement}"))
        return Summary(f"Scaled model {self.model.name!r}", rows)


def scale(
    model: Model,
    factors: Mapping[str, Any] | str | PathLike[str] | None = None,
    *,
    static: str | PathLike[str] | Markers | None = None,
    measurements: Sequence[Measurement] = (),
    mass: float | None = None,
    keep_distribution: bool | None = None,
    begin: float | None = None,
    end: float | None = None,
) -> ScaledModel:
    """Create a model of another size, from measured distances or given factors.

    Points of joints, markers and muscle paths, centers of mass, wrap surfaces, contact shapes and
    meshes are stretched along the axes of their body, and translations of joints along those of
    their parent. Masses grow with the volume, inertias with mass and size, and the lengths of
    fibers and tendons with the path of their muscle in the start pose, as do rest lengths of
    springs and ligaments along paths. Frames of bushings and welds are stretched too; what OpenSim
    does not scale is left, and named in the result.

    Parameters
    ----------
    model : Model
        The model; it is not changed.
    factors : mapping of str to float or (3,) array_like, str or path, optional
        By body, one factor or those of its axes; in place of those of measurements. Or a setup of
        OpenSim's ScaleTool (.xml): its measurements, factors, static trial, times and masses, of
        which the other arguments replace those that are given.
    static : str, path or Markers, optional
        Markers of a person who stands, for the measurements without distances.
    measurements : sequence of Measurement
        What gives factors.
    mass : float, optional
        Total mass of the person [kg], to which all masses are scaled at last. By default it follows
        from the sizes.
    keep_distribution : bool
        Whether masses stay in the same proportions to each other, whatever the factors; by default
        not.
    begin, end : float, optional
        First and last instant of the static trial [s]; by default all.

    Returns
    -------
    scaled : ScaledModel
        The model, its factors, and residuals of the measurements.

    Raises
    ------
    ModelError
        If a body or marker does not exist, two measurements give a factor for the same axis, a pair
        is seen in no frame, a muscle has no path in the start pose, the model has fibers, contacts,
        elements of other classes than those of OpenSim, or muscles with mass, or an argument is
        refused.

    Warns
    -----
    ModelWarning
        If the constraints are not met near the start pose of the scaled model.

    Notes
    -----
    As OpenSim's `Model::scale` (4.6), also the inertia, which is that of a cylinder if factors
    differ. Two of its rules are not taken over: along an oblique axis of a joint it takes the sum
    of the components times factors, here their squares count, so that equal factors scale equally;
    and it leaves components of moving path points without a coordinate as they are. Markers are not
    moved to their measured places. A model with constraints starts at the closed pose nearest to
    its start values, as on import.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.make_scene("arm2").model
    >>> taller = fm.scale(model, {model.bodies[1].name: (1.0, 1.1, 1.0)}, mass=5.0)
    >>> round(taller.mass, 12)
    5.0
    """
    _check.instance(_OWNER, "model", model, Model, "a Model")
    if isinstance(factors, str | PathLike):
        said = read_setup(path_of(factors, f"{_OWNER}: factors"))
        factors = said.factors
        static = said.static if static is None else static
        measurements = said.measurements if not measurements else measurements
        mass = said.mass if mass is None else mass
        keep_distribution = said.keep if keep_distribution is None else keep_distribution
        begin = said.begin if begin is None else begin
        end = said.end if end is None else end
    keep_distribution = False if keep_distribution is None else keep_distribution
    keep = _check.flag(_OWNER, "keep_distribution", keep_distribution)
    refuse_other_forces(model, "scaling", (*ACTING, *HOLDING, *_DRIVING))
    for muscle in model.muscles:
        if muscle.mass is not None:
            must = "be left out: give muscles mass after scaling"
            _check.refuse(f"line muscle {muscle.name!r}", "mass", muscle.mass, must)
    what = "a Measurement"
    some = _check.items(_OWNER, "measurements", measurements, Measurement, what, f"{what}s")
    names = [one.name for one in some]
    if len(set(names)) < len(names):
        _check.refuse(_OWNER, "measurements", names, "have different names")
    total = None if mass is None else _check.positive(_OWNER, "mass", mass, "kg")
    found, pairs = _measured(model, some, static, begin, end)
    for name, own in _given(model, factors).items():
        found[name] = own
    found = {name: own for name, own in found.items() if not (own == 1.0).all()}
    masses = _masses(model, found, total, keep)
    new = sized(model, found, masses)
    new = closed_start(new)
    lengths, paths = _path_factors(model, new)
    changes: dict[Any, Any] = {
        new.muscle(name): {
            field: factor * getattr(model.muscle(name), field)
            for field in ("optimal_fiber_length", "tendon_slack_length")
        }
        for name, factor in lengths.items() if factor != 1.0
    }  # fmt: skip
    for name, factor in paths.items():
        if factor != 1.0:
            rest = rest_of(model.element(name))
            changes[new.element(name)] = {field: factor * own for field, own in rest.items()}
    new = new.edit(changes)
    after = distances_of(new, [one.pair for one in pairs]) if pairs else np.zeros(0)
    before = {one.name: one.mass for one in model.bodies if one.mass is not None}
    return ScaledModel(
        model=new,
        factors=found,
        residuals=tuple(one._replace(scaled=float(d)) for one, d in zip(pairs, after, strict=True)),
        masses={name: masses.get(name, own) for name, own in before.items()},
        mass=float(sum(masses.get(name, own) for name, own in before.items())),
        mass_before=float(sum(before.values())),
        muscles=lengths,
        elements={name: own for name, own in paths.items() if rest_of(model.element(name))},
        left=left_elements(model, found),
        kept_distribution=keep,
    )


def _measured(
    model: Model, some: Sequence[Measurement], static: Any, begin: Any, end: Any
) -> tuple[dict[str, Array], list[PairResidual]]:
    """Factors by body from measurements, and their pairs."""
    markers: Any = static
    if isinstance(static, str | PathLike):
        markers = read_motion(static)
    frames: Any = np.zeros(0, np.int64)
    if markers is not None:
        _check.instance(_OWNER, "static", markers, Markers, "Markers or a file of them (.trc)")
        first = -np.inf if begin is None else _check.number(_OWNER, "begin", begin, "s")
        last = np.inf if end is None else _check.number(_OWNER, "end", end, "s")
        frames = np.flatnonzero((markers.time >= first - 1e-9) & (markers.time <= last + 1e-9))
    factors, pairs = dict[str, Array](), list[PairResidual]()
    by = dict[tuple[str, str], str]()
    for one in some:
        owner = f"{_OWNER}: measurement {one.name!r}"
        modeled = distances_of(model, one.pairs)
        if (modeled == 0.0).any():
            k = int(np.flatnonzero(modeled == 0.0)[0])
            _check.refuse(owner, f"pairs[{k}]", one.pairs[k], "be apart in the model")
        if one.distances is not None:
            measured = np.asarray(one.distances)
            deviation = np.zeros(measured.size)
        elif markers is None:
            raise ModelError(f"{owner}: has no distances; must have them, or give static=")
        else:
            measured, deviation = measured_distances(markers, frames, one.pairs, owner)
        add_factor(owner, model, one, float(np.mean(measured / modeled)), factors, by)
        for pair, *numbers in zip(one.pairs, modeled, measured, deviation, strict=True):
            a, b, c = map(float, numbers)
            pairs.append(PairResidual(one.name, pair, a, b, np.nan, c))
    return factors, pairs


def _given(model: Model, factors: Any) -> dict[str, Array]:
    """Checked factors (3,) by body."""
    if factors is None:
        return {}
    _check.instance(_OWNER, "factors", factors, Mapping, "a dict of factors by body")
    found = dict[str, Array]()
    for body, value in factors.items():
        name = model.body(body).name
        owner = f"{_OWNER}: factors of {name!r}"
        if np.ndim(value) == 0 and not isinstance(value, str):
            found[name] = np.full(3, _check.positive(owner, "factor", value))
            continue
        own = _check.array(owner, "factors", value, (3,))
        for k, one in enumerate(own.tolist()):
            _check.positive(owner, f"factors[{k}]", one)
        found[name] = np.array(own)
    return found


def _masses(
    model: Model, factors: Mapping[str, Array], total: float | None, keep: bool
) -> dict[str, float]:
    """New masses by body, of those that have one."""
    found = {one.name: one.mass for one in model.bodies if one.mass is not None}
    if not keep:
        for name, own in factors.items():
            if name in found:
                found[name] *= float(np.prod(own))
    if total is not None:
        now = sum(found.values())
        if now == 0.0:
            _check.refuse(_OWNER, "mass", total, "be left out for a model without mass", unit="kg")
        found = {name: one * total / now for name, one in found.items()}
    return found


def _path_factors(model: Model, new: Model) -> tuple[dict[str, float], dict[str, float]]:
    """Length of each path in the start pose over that before, by muscle and by element."""
    muscles, elements = list(model.muscles.names), [one.name for one in along_paths(model)]
    if not muscles and not elements:
        return {}, {}
    lengths = list[Array]()
    for one, which in ((model, "the model"), (new, "the scaled model")):
        free = free_model(one)
        skeleton = Skeleton(free)
        items = [*free.muscles, *map(as_muscle, along_paths(free))]
        try:
            batch = MuscleGeometry(skeleton, items).at(skeleton.start[None])
        except PathError as error:
            must = "must have a path there, for the lengths along it"
            raise ModelError(
                f"{_OWNER}: start pose of {which}: {error.__cause__}; {must}"
            ) from error
        lengths.append(batch.length[0])
    ratio = (lengths[1] / lengths[0]).tolist()
    n = len(muscles)
    return dict(zip(muscles, ratio[:n], strict=True)), dict(zip(elements, ratio[n:], strict=True))
