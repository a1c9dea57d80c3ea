"""Numbering of coordinates: the state, and dependent coordinates and axes as its functions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.laws.own import CoordinateLaw
from fibermsk.model import Axis, Coordinate, Linear, Model, Scaled
from fibermsk.model.function import Function
from fibermsk.model.skeleton.coupling import Coupling
from fibermsk.model.skeleton.joint import Joint
from fibermsk.system.skeleton.coordinate_map import CoordinateMap, MapBuilder
from fibermsk.system.skeleton.products import coupling_terms


class Numbers(NamedTuple):
    """Numbered coordinates."""

    names: tuple[str, ...]  # of all coordinates
    independent: tuple[str, ...]  # coordinates of the state
    start: Array  # initial state (n,)
    start_speed: Array  # and its rates
    # from the state to coordinates, constraints and axes; None if the axes are the state
    map: CoordinateMap | None
    row: NDArray[np.int64]  # row of each coordinate (n_coordinates,)
    first_axis: int  # row of the first axis
    turned: list[int]  # first of the three axes of each quaternion
    laws: list[tuple[int, CoordinateLaw]]  # row of a coordinate, and a force on it
    quaternions: NDArray[np.int64]  # entries of the state (n_turns, 4)
    held: list[tuple[int, Function]]  # entries of the state that are prescribed in time
    # row and dependent entry of the state of each coupling with a multiplier
    kept: list[tuple[int, int]]


def number_coordinates(model: Model, moving: list[tuple[Joint, list[Axis | None]]]) -> Numbers:
    """Number the coordinates of a model whose axes are numbered.

    Raises
    ------
    ModelError
        If a coordinate moves no axis.
    """
    coordinates = [c for joint, _ in moving for c in joint.coordinates]
    _check_used(model, coordinates)
    follows = {c.dependent: c for c in model.couplings}
    state = [
        c
        for c in coordinates
        if not c.locked and (c.name not in follows or follows[c.name].enforce == "multiplier")
    ]
    index = {c.name: k for k, c in enumerate(state)}
    builder, row = MapBuilder(len(state)), dict(index)
    for c in coordinates:
        if c.locked:
            row[c.name] = builder.add([], c.value)

    def place(name: str) -> int:
        """Row of a coordinate, after those that it depends on."""
        if name not in row:
            coupling = follows[name]
            row[name] = builder.add(coupling_terms(builder, coupling, place))
        return row[name]

    for c in coordinates:
        place(c.name)
    kept: dict[str, int] = {}
    for c in model.couplings:
        if c.enforce == "multiplier":
            terms = coupling_terms(builder, c, place)
            negative = [(source, Scaled(function, -1.0)) for source, function in terms]
            kept[c.dependent] = builder.add([(row[c.dependent], Linear()), *negative])
    axes: list[int] = []
    turned: list[int] = []
    for joint, own in moving:
        for axis in own:
            if axis is not None:
                terms = [(row[name], function) for name, function in axis.pairs]
                axes.append(builder.add(terms, axis.offset))
        if None in own:  # the last three
            first = builder.add_turn([index[name] for name in getattr(joint, "quaternion", ())])
            turned.append(len(axes))
            axes += [first, first + 1, first + 2]
    plain = not kept and not turned and _is_plain(coordinates, state, moving)
    the_map = None if plain else builder.build()
    q, p = _start(state, index, kept, the_map, follows, coordinates)
    return Numbers(
        names=tuple(c.name for c in coordinates),
        independent=tuple(c.name for c in state),
        start=q,
        start_speed=p,
        map=the_map,
        row=np.array([row[c.name] for c in coordinates], np.int64),
        first_axis=axes[0] if axes else len(state),
        turned=turned,
        laws=[(row[c.name], law) for c in coordinates for law in c.laws],
        quaternions=np.zeros((0, 4), np.int64) if the_map is None else the_map.arrays.states,
        held=[(index[c.name], c.prescribed) for c in state if c.prescribed is not None],
        kept=[(own, index[name]) for name, own in kept.items()],
    )


def _check_used(model: Model, coordinates: list[Coordinate]) -> None:
    """Check that every coordinate of an added joint moves an axis."""
    known = {c.name for c in coordinates}
    for c in model.coordinates:
        if c.name not in known:
            raise ModelError(
                f"coordinate {c.name!r}: moves no axis; must move one; leave it out, or give it an "
                "axis that is not constant"
            )


def _is_plain(
    coordinates: list[Coordinate],
    state: list[Coordinate],
    moving: list[tuple[Joint, list[Axis | None]]],
) -> bool:
    """Whether each axis is the coordinate of the same number."""
    axes = [axis for _, own in moving for axis in own]
    if not len(axes) == len(state) == len(coordinates):
        return False
    return all(
        axis is not None
        and axis.offset == 0.0
        and len(axis.pairs) == 1
        and axis.pairs[0][0] == c.name
        and axis.pairs[0][1] == Linear()
        for axis, c in zip(axes, state, strict=True)
    )


def _start(
    state: list[Coordinate],
    index: dict[str, int],
    kept: dict[str, int],
    the_map: CoordinateMap | None,
    follows: dict[str, Coupling],
    coordinates: list[Coordinate],
) -> tuple[Array, Array]:
    """Initial state and rates, with consistent dependent coordinates."""
    q = np.array([c.value for c in state], float)
    p = np.array([c.speed for c in state], float)
    for c in state:
        if c.prescribed is not None:
            pieces = c.prescribed.pieces()
            q[index[c.name]], p[index[c.name]] = pieces(0.0), pieces(0.0, 1)

    def settle(name: str) -> None:
        """Set a dependent coordinate from those that it depends on, recursively."""
        coupling = follows.get(name)
        if coupling is None or the_map is None:
            return
        for one in coupling.independents:
            settle(one)
        if name in kept:
            # the row is the coordinate less what it follows
            rows = the_map.evaluate(q, p, np.zeros_like(q), False)
            q[index[name]] -= rows.x[kept[name]]
            p[index[name]] -= rows.x_dot[kept[name]]

    for c in coordinates:
        settle(c.name)
    return q, p
