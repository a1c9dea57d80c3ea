"""Forward runs with the controls that were found: by the discrete equations, and by `simulate`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import casadi as ca
import numpy as np
from scipy.interpolate import CubicHermiteSpline

from fibermsk._arrays import Array
from fibermsk.control.interval import Intervals
from fibermsk.control.mechanics.discrete import Node, newton
from fibermsk.control.plant import Plant
from fibermsk.errors import ModelWarning
from fibermsk.forces import CoordinateActuator, JointTorque
from fibermsk.model import ActivationDynamics, Model, PiecewiseConstant
from fibermsk.parameters import with_activations
from fibermsk.results import Result
from fibermsk.solvers import SDIRK4, AdaptiveSteps, FixedSteps, simulate
from fibermsk.system import build

FINE = 5e-3
"""Length of the steps of the run, at most [s]."""

_TOLERANCE = 1e-7
"""Tolerance of steps between nodes that are not even."""

_FEWEST = 2
"""Least number of its steps in an interval."""


def marched(
    intervals: Intervals, start: Node, states: Array, p: Array, controls: Array, h: Array,
    near: list[Node],
) -> list[Node]:  # fmt: skip
    """Nodes of the discrete motion from a start, step by step.

    Parameters
    ----------
    intervals : Intervals
        Functions of an interval.
    start : Node
        First pose, balls centered.
    states : (n_states,) float array
        Activations and lengths of fibers there.
    p : (degrees,) float array
        Momenta there.
    controls, h : (n, n_controls) and (n,) float array
        Controls and lengths of the intervals.
    near : list of Node
        Poses near which those of the motion are.
    """
    plant, at = intervals.plant, intervals.layout
    step, held = _forward(intervals), plant.discrete.held
    node, z, nodes = start, np.concatenate([start.s, states]), [start]
    for n, (c, dt) in enumerate(zip(controls, h, strict=True)):
        R = near[n + 1].references
        rest = partial(_rest, step, at.n_node, (z, node.references), (R, c, dt, p))
        guess = np.concatenate([near[n + 1].s, z[at.s.stop :], np.zeros(held)])
        message = f"step {n} of {dt:g} s has no solution near that of the optimum"
        new = newton(rest, guess, message)[: at.n_node]
        p = np.array(intervals.step(z, node.references, new, R, c, dt)[1]).ravel()
        node, z = Node(new[at.s], R), new
        nodes.append(node)
    return nodes


def _rest(step: Any, n_node: int, before: Any, after: Any, x: Array) -> Any:
    """What a step leaves, and its derivative, at a new node and multipliers x."""
    return step(*before, x[:n_node], *after, x[n_node:])


def _forward(intervals: Intervals) -> Any:
    """What a step leaves of its equations, and the derivative in the new node and multipliers."""
    plant, at = intervals.plant, intervals.layout
    given = intervals.step.mx_in()
    p = ca.MX.sym("p", plant.tree.degrees)
    held = ca.MX.sym("held", plant.discrete.held)
    before, _, rules = intervals.step(*given)
    z0, R0, z1, R1 = given[:4]
    pull = plant.discrete.closure(z0[at.s], R0, held)[1]
    opening = plant.discrete.closure(z1[at.s], R1, ca.MX(plant.discrete.held, 1))[0]
    paths = plant.path_equations(z1[at.s], R1, z1[at.g])[0]
    left = ca.vertcat(before - p - pull, rules, paths, opening)
    slope = ca.horzcat(ca.jacobian(left, z1), ca.jacobian(left, held))
    return ca.Function("forward", [*given, p, held], [left, slope])


def started_model(plant: Plant, values: Mapping[str, float], speeds: Mapping[str, float]) -> Model:
    """The model with other coordinates and rates at its start."""
    model = plant.model
    changed = {
        one: {"value": values[one.name], "speed": speeds[one.name]}
        for joint in model.joints for one in joint.coordinates if one.name in values
    }  # fmt: skip
    return model.edit(changed)


def driven_model(
    plant: Plant, time: Array, start: Mapping[str, Array], activations: Mapping[str, Array],
    controls: Mapping[str, Array], speeds: Mapping[str, float],
) -> Model:  # fmt: skip
    """The model with the controls as functions of time, at the start of a solution.

    Parameters
    ----------
    plant : Plant
        The model.
    time : (n + 1,) float array
        Nodes [s].
    start, activations : mapping of str to (n + 1,) float array
        Coordinates and activations at the nodes, of which the first is the start.
    controls : mapping of str to (n,) float array
        Excitations and torques by name.
    speeds : mapping of str to float
        Rates of the coordinates at the start.
    """
    model = started_model(plant, {name: float(one[0]) for name, one in start.items()}, speeds)
    driven: dict[str, Any] = {}
    for muscle in model.acting_muscles:
        own: Any = muscle.activation
        chosen = controls.get(muscle.name)
        signal = None if chosen is None else PiecewiseConstant(time, np.clip(chosen, 0.0, 1.0))
        if isinstance(own, ActivationDynamics):
            first = float(np.clip(activations[muscle.name][0], 0.0, 1.0))
            excitation = own.excitation if signal is None else signal
            own = replace(own, excitation=excitation, start=first, name=muscle.name)
        elif signal is not None:
            own = signal
        driven[muscle.name] = own
    model = with_activations(model, driven)
    joints = {one.name: one for one in model.joints}
    for drive in plant.drives:
        values = [PiecewiseConstant(time, controls[label]) for label in drive.labels]
        if len(values) == 1:
            model.add(CoordinateActuator(f"control {drive.name}", drive.name, values[0]))
        else:
            joint: Any = joints[drive.name]
            model.add(JointTorque(f"control {drive.name}", joint, _Together(values)))
    return model


class _Together:
    """Three functions of time as one."""

    def __init__(self, parts: list[PiecewiseConstant]) -> None:
        self._parts, self.breakpoints = parts, parts[0].breakpoints

    def __call__(self, t: float) -> Array:
        """Evaluate at a time [s]."""
        return np.array([float(one(t)) for one in self._parts])


def simulated(model: Model, time: Array) -> Result:
    """Run of a model whose steps end at the nodes (n + 1,); frames are there if they are even."""
    h, t_end = np.diff(time), float(time[-1])
    control: Any = FixedSteps(max(_FEWEST, int(np.ceil(h.max() / FINE))))
    dt = t_end / h.size
    if np.ptp(h) > 1e-9 * dt:
        control, dt = AdaptiveSteps(_TOLERANCE), 0.25 * dt
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return simulate(
            build(model), t_end=t_end, dt=dt, method=SDIRK4(), control=control, throw=False
        )


def at_nodes(result: Result, time: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    """Coordinates of a run and their rates at nodes (n + 1,), by name."""
    curves = {
        name: CubicHermiteSpline(result.time, values, result.speeds[name])
        for name, values in result.coordinates.items()
    }
    return (
        {name: one(time) for name, one in curves.items()},
        {name: one(time, 1) for name, one in curves.items()},
    )
