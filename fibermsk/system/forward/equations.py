"""Forward dynamics of a system of rigid bodies and line muscles, as one compiled loop.

It computes the same equations as the contributions, solved for the rates.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numba import types

from fibermsk._arrays import Array
from fibermsk._prepared import Open, Prepared, call_known
from fibermsk._ranges import starts
from fibermsk.kernels.forward.arrays import ForwardArrays, ForwardState
from fibermsk.kernels.forward.laws import ACTIVATION_LAWS, COORDINATE_LAWS
from fibermsk.kernels.forward.right_side import right_side
from fibermsk.kernels.forward.runge_kutta import Tableau
from fibermsk.kernels.lines.hill import hill_kernels
from fibermsk.kernels.skeleton.coordinate_map import Rows
from fibermsk.kernels.skeleton.rigid import TreeState
from fibermsk.model import Constant, Ramp, Table
from fibermsk.model.muscles.reflex import Reflex
from fibermsk.system.activation.states import ActivationStates
from fibermsk.system.forward.refusals import check_parts, kind_of, refuse
from fibermsk.system.forward.runs import ExplicitRun, ForwardRun, Settings, StiffRun
from fibermsk.system.lines.muscles import LineMuscles
from fibermsk.system.lines.paths import LinePaths

Method = tuple[Array, Array, Array, Array, float]
"""Fields of a `Tableau`."""


class ForwardMarch:
    """The equations of a system as arrays, and marches along them.

    Parameters
    ----------
    system : FiberSystem
        Rigid bodies, passive forces of coordinates, and line muscles.

    Raises
    ------
    ModelError
        If the system has anything else; names the first object that is one too many.
    """

    def __init__(self, system: Any) -> None:
        self._system = system
        model, skeleton = system.model, system.skeleton
        lines = next((x for x in system.contributions if isinstance(x, LineMuscles)), None)
        active = next((x for x in system.contributions if isinstance(x, ActivationStates)), None)
        check_parts(model, skeleton)
        self._paths = LinePaths(system.configuration, ()) if lines is None else lines.paths
        self._n = skeleton.n
        self._signals: dict[int, int] = {}
        self._knots: list[tuple[Array, Array]] = []
        self.arrays = self._arrays(model, skeleton, lines, active)
        self._spare: ForwardState | None = None

    def _arrays(
        self,
        model: Any,
        skeleton: Any,
        lines: LineMuscles | None,
        active: ActivationStates | None,
    ) -> ForwardArrays:
        tree, rows = skeleton.tree, skeleton.map_arrays
        laws = skeleton.passive.laws
        for _, law in laws:
            if type(law) not in COORDINATE_LAWS:
                name = next(c.name for c in model.coordinates if law in c.laws)
                refuse(f"coordinate {name!r}", f"its law {law!r} is not compiled")
        driver_row, drives = self._paths.axes.rows, self._paths.drives
        none = np.zeros(0, np.int64)
        hill, states, activated, signals = np.zeros((0, 1)), none, none, none
        kind, form = kind_of(lines)
        if lines is not None:
            states, activated = lines.state_of
            hill = np.concatenate([constants for _, constants in lines.hill.constants])
            signals = np.array(
                [
                    -1 if own >= 0 else self._signal(f"line muscle {muscle.name!r}",
                                                     muscle.activation)
                    for own, muscle in zip(activated, lines.muscles, strict=True)
                ],
                np.int64,
            )  # fmt: skip
        groups = () if active is None else active.groups
        for one in groups:
            if type(one.dynamics.law) not in ACTIVATION_LAWS:
                refuse(one.owner, f"its law of activation {one.dynamics.law!r} is not compiled")
        excitations = [self._signal(one.owner, one.dynamics.excitation) for one in groups]
        knots = self._knots
        return ForwardArrays(
            tree.parent, tree.kind, tree.axis, tree.joint_rotation, tree.joint_position,
            tree.moves, tree.bodies, rows, int(skeleton.axis_rows[0]),
            np.array([row for row, _ in laws], np.int64),
            np.array([COORDINATE_LAWS.index(type(law)) for _, law in laws], np.int64),
            _constants([law for _, law in laws]),
            self._paths.arrays, drives, driver_row, hill, _forces(kind, form), states, activated,
            signals,
            np.array([one.state for one in groups], np.int64),
            np.array(excitations, np.int64),
            np.array([ACTIVATION_LAWS.index(type(one.dynamics.law)) for one in groups], np.int64),
            _constants([one.dynamics.law for one in groups]),
            starts([time.size for time, _ in knots]),
            np.concatenate([np.zeros(0), *(time for time, _ in knots)]),
            np.concatenate([np.zeros(0), *(value for _, value in knots)]),
        )  # fmt: skip

    def _signal(self, owner: str, given: Any) -> int:
        """Number of a signal."""
        if id(given) in self._signals:
            return self._signals[id(given)]
        if isinstance(given, Constant):
            knots = np.zeros(1), np.array([given.value])
        elif isinstance(given, Ramp):
            knots = np.array([given.start, given.end]), np.array([0.0, given.value])
        elif isinstance(given, Table):
            knots = np.array(given.times, float), np.array(given.values, float)
        elif isinstance(given, int | float):
            knots = np.zeros(1), np.array([float(given)])
        else:
            what = "a reflex" if isinstance(given, Reflex) else f"a function, {given!r}"
            refuse(owner, f"is excited by {what}", "give it a number, a Ramp or a Table")
        self._signals[id(given)] = len(self._knots)
        self._knots.append(knots)
        return len(self._knots) - 1

    def memory(self) -> ForwardState:
        """Memory of evaluations, with the present branches of the paths: one that was given back.

        A run within a run, such as by its progress, has a memory of its own.
        """
        state, self._spare = self._spare, None
        if state is None:
            return self._new_memory()
        for kept, own in zip(state.placed, self._paths.branches.new_state(), strict=True):
            kept[...] = own
        return state

    def give_back(self, memory: ForwardState) -> None:
        """Let the next run have a memory, since preparing its kernels takes time."""
        self._spare = memory

    def _new_memory(self) -> ForwardState:
        skeleton, n = self._system.skeleton, self._n
        n_axes, rows = skeleton.tree.n, skeleton.map_arrays
        n_rows, m = rows.offset.size, self.arrays.hill.shape[0]
        n_drivers = self.arrays.driver_row.size
        n_u = n_axes + n_drivers
        links = TreeState(
            np.zeros((n_axes, 3, 3)), np.zeros((n_axes, 3)), *np.zeros((3, n_axes, 6))
        )
        placed, length, by_u = self._paths.branches.new_state(), np.zeros(m), np.zeros((m, n_u))
        return ForwardState(
            Rows(
                np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows), np.zeros((n_rows, n)),
                np.zeros((0, n)), np.zeros((0, n)), np.zeros((0, 1, 1)), np.zeros((0, 3, 3)),
            ),
            links, placed, np.zeros(n_axes), np.zeros((n_axes, n_axes)), np.zeros((n, n)),
            np.zeros((n, n)), np.zeros(n), length, *np.zeros((4, m)), by_u=by_u,
            hill=np.zeros((m, 2, 6)), driver=np.zeros(n_drivers),
            chains=self._paths.chains(
                links.S, placed, length, by_u, again=True, ready=self._paths.may_chain
            ),
        )  # fmt: skip

    def rates(self, t: float, y: Array, v: Array) -> tuple[int, Array]:
        """Status and rates (n + n_states + n,) of (q, p, s); only the independent v are used."""
        u = self.pack(y, v)
        f = np.zeros_like(u)
        return self.rates_at(t, u, f, self.memory()), f

    def rates_at(self, t: float, u: Array, f: Array, state: ForwardState) -> int:
        """Fill the rates f of u; returns the status."""
        return call_known(right_side, self.arrays, t, u, f, state)

    def pack(self, y: Array, v: Array) -> Array:
        """State u = (q, p, s) from positions and velocities of the system."""
        n = self._n
        return np.concatenate([y[:n], v[:n], y[n:]])

    def unpack(self, u: Array) -> tuple[Array, Array]:
        """Positions and velocities (..., n) of the system from states; NaN for rates of states."""
        n, states = self._n, u[..., 2 * self._n :]
        y = np.concatenate([u[..., :n], states], axis=-1)
        return y, np.concatenate([u[..., n : 2 * n], np.full_like(states, np.nan)], axis=-1)

    @property
    def scale(self) -> Array:
        """Characteristic size of each entry of u: 1 for coordinates and their rates."""
        own = self._system.scale
        return np.concatenate([np.ones(2 * self._n), own[self._n :]])

    def stops(self, times: Array) -> Array:
        """Times that steps end at between those of the frames, and the last of these [s]."""
        corners = self._system.breakpoints
        inside = corners[(corners > times[0]) & (corners < times[-1])]
        return np.append(inside, times[-1])

    def explicit_run(self, method: Method, settings: tuple[Any, ...]) -> ForwardRun:
        """Run with a Runge-Kutta method; see `fibermsk.kernels.forward.march.Tableau`."""
        return ExplicitRun(self, Tableau(*method), Settings(*settings))

    def stiff_run(self, method: Method, highest: int, settings: tuple[Any, ...]) -> ForwardRun:
        """Run with multistep formulas of orders up to `highest`, started by a Runge-Kutta step."""
        return StiffRun(self, Tableau(*method), highest, Settings(*settings))


def _constants(laws: list[Any]) -> Array:
    """Constants of laws, a row each."""
    rows = [[float(getattr(law, one.name)) for one in fields(law)] for law in laws]
    out = np.zeros((len(rows), max([8, *map(len, rows)])))
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


def _forces(kind: type | None, form: str) -> Prepared:
    """Kernel of the forces for a class of curves and a form of the tendon."""
    of_muscle, rows, out = Open(np.zeros(0)), Open(np.zeros((0, 1))), Open(np.zeros((0, 2, 6)))
    arguments = *(of_muscle,) * 5, rows, out
    if kind is None:
        return Prepared.absent(types.none, *arguments)  # no muscles
    return Prepared(hill_kernels(kind, form).forces, *arguments)
