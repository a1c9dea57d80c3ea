"""Which parameters a quantity of a scene depends on, and how much."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fibermsk import _check
from fibermsk.gradients.apart import prepared
from fibermsk.gradients.gradient import RunGradient, differentiated
from fibermsk.gradients.quantity import Quantity, quantity_of
from fibermsk.gradients.simulation import Simulation
from fibermsk.model import Scene
from fibermsk.solvers.newton.stage import Method


@dataclass(frozen=True)
class Sensitivities:
    """Derivatives of a quantity of a run.

    Attributes
    ----------
    quantity, unit : str
        Its name, as it was asked for, and its unit.
    found : RunGradient
        Value, derivatives, parameters and the run.
    """

    quantity: str
    unit: str
    found: RunGradient

    @property
    def relative(self) -> dict[str, float]:
        """By parameter: relative change of the quantity over that of the parameter.

        NaN where the quantity is zero.
        """
        value = self.found.value
        pairs = zip(self.found.parameters, self.found.gradient.tolist(), strict=True)
        return {one.name: one.value * slope / value if value else math.nan for one, slope in pairs}

    def columns(self) -> dict[str, list[Any]]:
        """Table, the largest change by a percent of a parameter first."""
        own, relative = self.found.parameters, self.relative
        by_percent = {
            one.name: 0.01 * one.value * slope
            for one, slope in zip(own, self.found.gradient.tolist(), strict=True)
        }
        order = sorted(own, key=lambda one: -abs(by_percent[one.name]))
        return {
            "parameter": [one.name for one in order],
            "value": [one.value for one in order],
            "unit": [one.unit for one in order],
            "derivative": [self.found.by_name[one.name] for one in order],
            "by_one_percent": [by_percent[one.name] for one in order],
            "relative": [relative[one.name] for one in order],
        }


def sensitivity(
    scene: Scene, of: str, to: str | Iterable[str], *, method: str | Method | None = None
) -> Sensitivities:
    """Differentiate a quantity of a scene's run in parameters of its model.

    Parameters
    ----------
    scene : Scene
        The scene, run with its own steps.
    of : str
        Quantity: a coordinate, its rate or a state, with ``_max``, ``_min``, ``_end`` or ``_mean``
        over the frames: ``"elbow_flexion_max"``, ``"elbow_flexion/speed_end"``; ``"angle_max"``
        where there is one angle.
    to : str or several
        Paths or patterns of parameters, as in `gradient`.
    method : str or Method, optional
        Implicit method in place of the scene's.

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

    Examples
    --------
    >>> import fibermsk as fm
    >>> scene = fm.make_scene("two_bones", duration=0.05, steps=10)
    >>> found = fm.sensitivity(scene, "q1_end", "first/mass")
    >>> found.unit, sorted(found.relative)
    ('rad', ['first/mass'])
    """
    _check.instance("sensitivity", "scene", scene, Scene, "a Scene")
    simulation = Simulation.of_scene(scene, method=method)
    system, entries = prepared(simulation, to)
    quantity: Quantity = quantity_of(system, of)
    found = differentiated(simulation, system, quantity.objective, entries)
    return Sensitivities(quantity.name, quantity.unit, found)
