"""Which parameters a quantity of a scene depends on, and how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fibermsk import _check
from fibermsk._shown import Described
from fibermsk.gradients.apart import prepared
from fibermsk.gradients.changes.entries import Entry, size_of
from fibermsk.gradients.gradient import RunGradient, differentiated
from fibermsk.gradients.quantity import Quantity, check_quantity, quantity_of
from fibermsk.gradients.simulation import Simulation
from fibermsk.model import Scene
from fibermsk.results import Progress
from fibermsk.solvers.newton.stage import Method
from fibermsk.system import FiberSystem

_ROUND_OFF = 1e-11
"""Largest change that is round-off, over the size of the quantity: of parameters without effect,
those by one percent are found to be up to 1e-12."""


@dataclass(frozen=True, repr=False)
class Sensitivities(Described):
    """Derivatives of a quantity of a run.

    Attributes
    ----------
    quantity, unit : str
        Its name, as it was asked for, and its unit.
    found : RunGradient
        Value, derivatives, parameters and the run.
    one_percent : tuple of float
        For each parameter one percent of it, or, where it is zero or nearly so, of a size that is
        usual for its unit: of 1 cm for lengths, of 1 rad for angles.
    """

    quantity: str
    unit: str
    found: RunGradient
    one_percent: tuple[float, ...]

    @property
    def relative(self) -> dict[str, float]:
        """By parameter: relative change of the quantity over that of the parameter.

        NaN where the quantity or the parameter is zero.
        """
        value = self.found.value
        pairs = zip(self.found.parameters, self.found.gradient.tolist(), strict=True)
        return {
            one.name: one.value * slope / value if value and one.value else math.nan
            for one, slope in pairs
        }

    @property
    def by_one_percent(self) -> dict[str, float]:
        """By parameter: change of the quantity by `one_percent` of the parameter."""
        names = [one.name for one in self.found.parameters]
        changes = (self.found.gradient * self.one_percent).tolist()
        return dict(zip(names, changes, strict=True))

    @property
    def round_off(self) -> tuple[str, ...]:
        """Parameters whose effect is not larger than the round-off of the derivatives."""
        changes = {name: abs(change) for name, change in self.by_one_percent.items()}
        series = max(float(np.abs(one).max()) for one in self.found.run.samples.values())
        least = _ROUND_OFF * max(series, *changes.values())
        return tuple(name for name, change in changes.items() if change <= least)

    def columns(self) -> dict[str, list[Any]]:
        """Table, the largest change by one percent of a parameter first; without `round_off`."""
        changes, relative, slopes = self.by_one_percent, self.relative, self.found.by_name
        left_out = set(self.round_off)
        steps = zip(self.found.parameters, self.one_percent, strict=True)
        own = [(one, step) for one, step in steps if one.name not in left_out]
        own.sort(key=lambda pair: -abs(changes[pair[0].name]))
        return {
            "parameter": [one.name for one, _ in own],
            "value": [one.value + 0.0 for one, _ in own],  # of -0.0 too
            "unit": [one.unit for one, _ in own],
            "derivative": [slopes[one.name] for one, _ in own],
            "one_percent": [step for _, step in own],
            "by_one_percent": [changes[one.name] for one, _ in own],
            "relative": [relative[one.name] for one, _ in own],
        }


def sensitivity(
    scene: Scene,
    of: str,
    to: str | Iterable[str],
    *,
    method: str | Method | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Sensitivities:
    """Differentiate a quantity of a scene's run in parameters of its model.

    Parameters
    ----------
    scene : Scene
        The scene, run with its own steps.
    of : str
        Quantity: what an `Objective` reads by name, with ``_max``, ``_min``, ``_end`` or ``_mean``
        over the frames: a coordinate, ``"elbow_flexion_max"``, its rate,
        ``"elbow_flexion/speed_end"``, a state, a length, ``"biceps/length_min"``, a force,
        ``"biceps/tendon_force_max"``, ``"biceps_1/tissue_force_max"``, or ``"energy_end"``;
        ``"angle_max"`` where there is one angle.
    to : str or several
        Paths or patterns of parameters, as in `gradient`.
    method : str or Method, optional
        Implicit method in place of the scene's.
    progress : callable, optional
        Called with a `Progress` after each step of the run, and of the sweep back.

    Returns
    -------
    found : Sensitivities
        Value and derivatives.

    Raises
    ------
    ModelError
        If an argument is refused, or the run has no derivative; see `gradient`.
    ConvergenceError
        If the run fails.

    Notes
    -----
    The largest value of a run is that in its frames; where it passes from one frame to another the
    derivative has a small jump.

    Parameters are ranked by how much one percent of each changes the quantity. Of those that are
    zero, such as places and rotations, it is one percent of a usual size, which the table has.

    Examples
    --------
    >>> import fibermsk as fm
    >>> scene = fm.make_scene("two_bones", duration=0.05, steps=10)
    >>> found = fm.sensitivity(scene, "q1_end", "first/mass")
    >>> found.unit, sorted(found.relative)
    ('rad', ['first/mass'])
    """
    _check.instance("sensitivity", "scene", scene, Scene, "a Scene")
    _check.function("sensitivity", "progress", progress)
    # building a system may compile for a minute
    check_quantity(scene.model, of)
    simulation = Simulation.of_scene(scene, method=method)
    system, entries = prepared(simulation, to)
    quantity: Quantity = quantity_of(system, of)
    found = differentiated(simulation, system, quantity.objective, entries, progress)
    steps = tuple(_one_percent(system, one) for one in entries)
    return Sensitivities(quantity.name, quantity.unit, found, steps)


def _one_percent(system: FiberSystem, entry: Entry) -> float:
    """One percent of a number, or of its size where that is larger."""
    size = max(abs(entry.value), size_of(system, entry))
    return 0.01 * (-size if entry.value < 0.0 else size)
