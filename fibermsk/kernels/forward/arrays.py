"""Arrays of a model of rigid bodies with line muscles, and the memory of one evaluation.

State ``u`` = (q, p, s): coordinates (n,), their rates, and the states of first order (n_states,).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk._prepared import Prepared
from fibermsk.kernels.lines.path_arrays import PathArrays, PathState
from fibermsk.kernels.skeleton.coordinate_map import MapArrays, Rows
from fibermsk.kernels.skeleton.rigid import TreeBodies, TreeState


class ForwardArrays(NamedTuple):
    """A model; nothing here changes in a run.

    Attributes
    ----------
    parent, kind, axis, joint_rotation, joint_position, moves, bodies
        The tree; see `fibermsk.kernels.skeleton.rigid`.
    map, first_axis : MapArrays, int
        Rows of the coordinates, and the first row of the axes.
    coordinate_row, coordinate_kind, coordinate_law : (k,), (k,) int and (k, m) float array
        Row, kind and constants of each passive force.
    paths, drives, driver_row : PathArrays, (n_points, n_drivers) bool, (n_drivers,) int array
        Paths of the muscles; see `fibermsk.kernels.lines.paths`.
    hill : (n_muscles, n_constants) float array
        Constants of the muscles.
    forces : Prepared
        `fibermsk.kernels.lines.hill.hill_forces` of their law, called by its address: all other
        code is the same for every law.
    muscle_state : (n_muscles,) int array
        State of each muscle; -1 without one.
    activated_by, signal_of : (n_muscles,) int array
        State that is the activation of each muscle, or -1; and then the signal that is.
    active_state, active_signal, active_kind, active_law : (k,) int and (k, m) float array
        Of each activation that is a state: state, signal of its excitation, kind and constants.
    knot_start, knot_time, knot_value : (n_signals + 1,) int and (n_knots,) float array
        Signals, linear between knots and constant outside.
    """

    parent: Index
    kind: Index
    axis: Array
    joint_rotation: Array
    joint_position: Array
    moves: NDArray[np.bool_]
    bodies: TreeBodies
    map: MapArrays
    first_axis: int
    coordinate_row: Index
    coordinate_kind: Index
    coordinate_law: Array
    paths: PathArrays
    drives: NDArray[np.bool_]
    driver_row: Index
    hill: Array
    forces: Prepared
    muscle_state: Index
    activated_by: Index
    signal_of: Index
    active_state: Index
    active_signal: Index
    active_kind: Index
    active_law: Array
    knot_start: Index
    knot_time: Array
    knot_value: Array


class ForwardState(NamedTuple):
    """Memory of one evaluation, overwritten by the next one.

    Attributes
    ----------
    rows, links, placed : Rows, TreeState, PathState
        Coordinates, bodies and paths.
    force, M : (n_axes,) and (n_axes, n_axes) float array
        Of the axes.
    whole, factor : (n, n) float array
        Mass matrix of the coordinates and its factors.
    push : (n,) float array
        Forces of the coordinates, and then their accelerations.
    length, speed, activation, state, rest : (n_muscles,) float array
        Of the muscles; `rest` is zero.
    by_u : (n_muscles, n_u) float array
        Derivatives of the lengths.
    hill : (n_muscles, 2, 6) float array
        Tendon forces and rows.
    driver : (n_drivers,) float array
        Values of the drivers.
    chains : Prepared
        `fibermsk.kernels.lines.chained.solve_chains` on these arrays, called by its address: it
        takes longer to compile than all else, and is there already.
    """

    rows: Rows
    links: TreeState
    placed: PathState
    force: Array
    M: Array
    whole: Array
    factor: Array
    push: Array
    length: Array
    speed: Array
    activation: Array
    state: Array
    rest: Array
    by_u: Array
    hill: Array
    driver: Array
    chains: Prepared
