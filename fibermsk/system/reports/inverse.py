"""Inverse dynamics of a result: whether the reported forces make the reported motion.

From the stored positions alone follow velocities and accelerations, and with them the forces that
the motion needs: of every joint coordinate by inverse dynamics of the bodies, of every fiber by the
rate of its linear momentum. They are compared with what is applied: the reported pulls of the
fibers, and all forces that contributions find anew from the stored positions, such as contact,
weight and joint damping. Newton's method, stress law, tangents and the integrator's own rates take
no part.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.errors import ModelError
from fibermsk.guard import guarded
from fibermsk.model import Model
from fibermsk.protocol import StateBlock
from fibermsk.results import Result
from fibermsk.system.contribution import Sums
from fibermsk.system.optional import HasInertia

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem


_REACH = 2
FEWEST_FRAMES = 2 * _REACH + 1
"""Frames of one difference in time, which is centered on the frame it is taken at."""

_NO_LINES = np.empty((0, 3, 6, 6))


@dataclass(frozen=True)
class Mismatch:
    """Needed minus applied force of one coordinate or fiber, over the frames that are judged.

    Attributes
    ----------
    rms, largest : float
        Root mean square and largest size of the mismatch.
    time : float
        When it is largest [s].
    applied : float
        Root mean square of the applied forces, to compare with: sizes added up of the pulls and of
        what each contribution applies, on fibers node by node.
    unit : str
        ``"N"`` or ``"N m"``.
    """

    rms: float
    largest: float
    time: float
    applied: float
    unit: str


@dataclass(frozen=True)
class ForceCheck:
    """What `check` finds.

    Attributes
    ----------
    coordinates : dict of Mismatch
        By coordinate.
    fibers : dict of Mismatch
        By fiber; sizes are those of vectors.
    start, end : float
        First and last time that is judged [s].
    """

    coordinates: dict[str, Mismatch]
    fibers: dict[str, Mismatch]
    start: float
    end: float

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries and numbers."""
        return asdict(self)


@guarded
def check(system: FiberSystem, result: Result) -> ForceCheck:
    """Compare the forces that a result reports with those that its motion requires.

    Parameters
    ----------
    system : FiberSystem
        The simulated system, from `fibermsk.build`; `fibermsk.check` also takes its `Model`.
    result : Result
        Of `simulate`, or loaded; at least five frames.

    Returns
    -------
    mismatch : ForceCheck
        For every coordinate and every fiber.

    Raises
    ------
    ModelError
        If the result is of another model or has fewer than five frames.

    Notes
    -----
    Each frame's derivatives are those of the polynomial through it and the two frames on each side,
    whatever their intervals: of fourth order where they are equal. The first two and the last two
    frames are not compared, so that no derivative includes the release at t = 0, where
    velocities and forces may jump; the transient after it is part of the motion, and is compared.

    The mismatch of a correct result decreases with the order of its integrator in the time step, if
    the motion is smooth between frames. At a contact change, a corner of an activation, or with
    vibrations faster than the frames it does not: it represents only what the frames resolve.
    """
    if not isinstance(getattr(system, "model", None), Model):
        remedy = "fm.build(model) makes one"
        _check.refuse("check", "system", system, "be the system that was simulated", remedy=remedy)
    _check.instance("check", "result", result, Result, "a Result")
    _compare_names(system, result)
    time = result.time
    if time.size < FEWEST_FRAMES:
        raise ModelError(
            f"check: result has {time.size} frames; must have {FEWEST_FRAMES} or more, to take "
            "derivatives in time; use more steps"
        )
    cables, names = system.cables, system.skeleton.independent
    frames = np.arange(_REACH, time.size - _REACH)
    q = np.reshape([result.coordinates[name] for name in names], (len(names), time.size)).T
    z = np.hstack(
        [
            result.states[one.owner][name].reshape(time.size, -1)
            for one in system.states
            for name in _state_names(one)
        ]
        or [np.zeros((time.size, 0))]
    )
    nodes = np.zeros((time.size, cables.n_nodes, 6))
    pulls = np.zeros((time.size, len(cables.names), 2, 3))
    for f, name in enumerate(cables.names):
        own, fiber = slice(cables.node_start[f], cables.node_start[f + 1]), result.fibers[name]
        nodes[:, own, :3], nodes[:, own, 3:] = fiber.position, fiber.tangent
        pulls[:, f, 0], pulls[:, f, 1] = fiber.force_origin, fiber.force_insertion
    of_nodes = nodes[frames], *_derivatives(time, nodes)
    of_rest = np.hstack([q, z])
    of_rest = of_rest[frames], *_derivatives(time, of_rest)
    states = [
        np.hstack([x.reshape(frames.size, -1), rest])
        for x, rest in zip(of_nodes, of_rest, strict=True)
    ]
    at = time[frames]
    system.contact.release()  # contact is found anew
    each = zip(at, *states, pulls[frames], strict=True)
    found = [_balance(system, float(t), *state) for t, *state in each]
    system.forget()
    off_q, size_q, off_f, size_f = (np.array(part) for part in zip(*found, strict=True))
    kinds = {c.name: c.kind for c in system.model.coordinates}
    units = ["N" if kinds[name] == "translation" else "N m" for name in names]
    return ForceCheck(
        coordinates={
            name: _mismatch(at, np.abs(off_q[:, k]), size_q[:, k], units[k])
            for k, name in enumerate(names)
        },
        fibers={
            name: _mismatch(at, np.linalg.norm(off_f[:, k], axis=1), size_f[:, k], "N")
            for k, name in enumerate(cables.names)
        },
        start=float(at[0]),
        end=float(at[-1]),
    )


def _balance(
    system: FiberSystem, t: float, y: Array, v: Array, v_dot: Array, pulls: Array
) -> tuple[Array, Array, Array, Array]:
    """Needed minus applied forces, and the sizes of the applied ones added up.

    On coordinates two (n,), on fibers (n_fibers, 3) and (n_fibers,); at a time [s] and a state (n,)
    with its rates, with pulls (n_fibers, 2, 3) on bodies.
    """
    skeleton, cables = system.skeleton, system.cables
    at, _ = system.configuration.at(t, y, v, v_dot)
    C = system.attached.jacobian(at.motion, at.ends)
    by_pull = np.einsum("mrj,mr->mj", C, pulls[cables.point_fiber, cables.end_side])
    off_q, size_q = -by_pull.sum(axis=0), np.abs(by_pull).sum(axis=0)
    off_f, size_f = pulls.sum(axis=1), np.linalg.norm(pulls, axis=2).sum(axis=1)
    for one in system.contributions:
        inertia, applied = (
            Sums.zero(skeleton, at, np.zeros_like(at.nodes), _NO_LINES, None) for _ in range(2)
        )
        if isinstance(one, HasInertia):
            one.add_inertia(at, inertia, applied)
        else:
            one.add(at, applied)
        for sums in (inertia, applied):
            on_q = skeleton.from_axes(at.motion, sums.axes.force) + sums.force
            off_q += on_q
            np.add.at(off_f, cables.fiber_of_node, sums.nodes[:, :3])
        size_q += np.abs(on_q)
        on_nodes = np.linalg.norm(applied.nodes[:, :3], axis=1)
        np.add.at(size_f, cables.fiber_of_node, on_nodes)
    # what holds a coordinate takes its mismatch, and a coupling hands it on
    system.multipliers.settle(at, off_q)
    return off_q, size_q, off_f, size_f


def _state_names(block: StateBlock) -> tuple[str, ...]:
    """Names of the states of a block in a result."""
    return (block.field,) if block.field else block.names


def _compare_names(system: FiberSystem, result: Result) -> None:
    """Refuse a result of another model."""
    counts = np.diff(system.cables.node_start)
    wanted = {
        f"fiber {name!r}": int(n) for name, n in zip(system.cables.names, counts, strict=True)
    }
    wanted |= {f"coordinate {name!r}": 0 for name in system.skeleton.coordinates}
    wanted |= {
        f"state {one.owner}: {name}": 0 for one in system.states for name in _state_names(one)
    }
    found = {f"fiber {name!r}": f.node_theta.size for name, f in result.fibers.items()}
    found |= {f"coordinate {name!r}": 0 for name in result.coordinates}
    found |= {f"state {one}: {name}": 0 for one in result.states for name in result.states[one]}
    for what in wanted.keys() | found.keys():
        if wanted.get(what) != found.get(what):
            raise ModelError(
                f"check: {what} has {_nodes(found, what)} in the result; must have "
                f"{_nodes(wanted, what)} as in the system; build the model that was simulated"
            )


def _nodes(table: dict[str, int], what: str) -> str:
    return "no place" if what not in table else f"{table[what]} nodes" if table[what] else "a place"


def _derivatives(time: Array, values: Array) -> tuple[Array, Array]:
    """First and second derivative in time at each inner frame, (n_inner, ...)."""
    frames = np.arange(_REACH, time.size - _REACH)
    window = frames[:, None] + np.arange(-_REACH, _REACH + 1)
    offset = time[window] - time[frames, None]
    size = np.abs(offset).max(axis=1)
    fit = np.linalg.inv((offset / size[:, None])[:, :, None] ** np.arange(FEWEST_FRAMES))
    weights = fit[:, 1] / size[:, None], 2.0 * fit[:, 2] / size[:, None] ** 2
    first, second = (np.einsum("fw,fw...->f...", one, values[window]) for one in weights)
    return first, second


def _mismatch(time: Array, off: Array, size: Array, unit: str) -> Mismatch:
    worst = int(np.argmax(off))
    return Mismatch(
        rms=float(np.sqrt(np.mean(off**2))),
        largest=float(off[worst]),
        time=float(time[worst]),
        applied=float(np.sqrt(np.mean(size**2))),
        unit=unit,
    )
