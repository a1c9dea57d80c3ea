"""Inverse dynamics of a result: whether the reported forces make the reported motion.

From the stored positions alone follow velocities and accelerations, and with them the forces that
the motion needs: of every joint coordinate by inverse dynamics of the bodies, of every fiber by the
rate of its linear momentum. They are compared with what the result and the model say is applied:
the reported pulls of the fibers, contact recomputed from the stored centerlines, weight, line
loads, joint damping. Newton's method, stress law, tangents and the integrator's own rates take no
part.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk import _check
from fibermsk.elements.hermite import hermite
from fibermsk.errors import ModelError
from fibermsk.guard import guarded
from fibermsk.model import Model
from fibermsk.results import Result
from fibermsk.system.contact import ContactSearch
from fibermsk.system.contact_sets import PotentialFibers
from fibermsk.system.contributions import Sums

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem

__all__ = ["FEWEST_FRAMES", "ForceCheck", "Mismatch", "check"]

Array = NDArray[np.float64]

_REACH = 2
FEWEST_FRAMES = 2 * _REACH + 1
"""Frames of one difference in time, which is centered on the frame it is taken at."""


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
        Root mean square of the applied forces, their sizes added up, to compare with.
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
    """Compare the forces that a result reports with those that its motion needs.

    Parameters
    ----------
    system : FiberSystem
        What was simulated, from `fibermsk.build`.
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
    frames are not judged, so that no derivative reaches across the release at t = 0, where
    velocities and forces may jump; the transient after it is in the motion, and is judged.

    The mismatch of a correct result falls with the time step at the order of its integrator, as far
    as the motion is smooth between frames. At a contact change, a corner of an activation, or with
    vibrations faster than the frames it does not: differences in time show what frames resolve.
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
    nodes = np.zeros((time.size, cables.n_nodes, 6))
    pulls = np.zeros((time.size, len(cables.names), 2, 3))
    for f, name in enumerate(cables.names):
        own, fiber = slice(cables.node_start[f], cables.node_start[f + 1]), result.fibers[name]
        nodes[:, own, :3], nodes[:, own, 3:] = fiber.position, fiber.tangent
        pulls[:, f, 0], pulls[:, f, 1] = fiber.force_origin, fiber.force_insertion
    contact = _contact(system, q[frames], nodes[frames])
    first, second = _derivatives(time, q)
    off_q, size_q = _coordinates(system, q[frames], first, second, pulls[frames], contact.wrenches)
    by_elements = _elements(system, time, nodes, (q[frames], first, second))
    off_q -= by_elements.on_coordinates
    size_q += by_elements.sizes
    moment, mass = _first_moments(system, nodes)
    _, rate = _derivatives(time, moment)
    loads = np.array([_line_loads(system, float(t)) for t in time[frames]])
    weight = mass[:, None] * system.tree.gravity
    off_f = rate - weight - loads - contact.on_fibers + pulls[frames].sum(axis=2)
    off_f -= by_elements.on_fibers
    size_f = np.linalg.norm(weight, axis=1) + np.linalg.norm(loads, axis=2) + contact.sizes
    size_f += np.linalg.norm(pulls[frames], axis=3).sum(axis=2)
    kinds = {c.name: c.kind for c in system.model.coordinates}
    units = ["N" if kinds[name] == "translation" else "N m" for name in names]
    at = time[frames]
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


def _coordinates(
    system: FiberSystem, q: Array, p: Array, p_dot: Array, pulls: Array, wrenches: Array
) -> tuple[Array, Array]:
    """Needed minus applied force of every coordinate, and the sizes of the applied ones added up.

    q, p, p_dot (n_frames, n); pulls (n_frames, n_fibers, 2, 3) on the bodies; wrenches (n_frames,
    n_shapes, 6). Returns two (n_frames, n) arrays.
    """
    skeleton, cables, tree = system.skeleton, system.cables, system.tree
    link = system.partners.shape_link
    moved = tree.moves[link] & (link >= 0)[:, None] if tree.n else np.zeros((link.size, 0), bool)
    off, size = np.zeros_like(q), np.zeros_like(q)
    for i in range(q.shape[0]):
        motion = skeleton.evaluate(q[i], p[i], p_dot[i])
        state = motion.links
        # without passive forces, which are applied
        needed = skeleton.inverse_dynamics(q[i], p[i], p_dot[i], passive=False)
        at_rest = skeleton.bias(q[i], 0.0 * p[i])
        C = system.attached.jacobian(motion, system.attached.place(motion))
        by_pull = np.einsum("mrj,mr->mj", C, pulls[i, cables.point_fiber, cables.point_end])
        wrench = wrenches[i]
        by_shape = moved * (wrench[:, 3:] @ state.S[:, :3].T + wrench[:, :3] @ state.S[:, 3:].T)
        by_shape = skeleton.from_axes(motion, by_shape.T).T
        passive = skeleton.passive.forces(motion.rows, q[i], p[i])
        off[i] = needed - by_pull.sum(axis=0) - by_shape.sum(axis=0) - passive
        size[i] = np.abs(by_pull).sum(axis=0) + np.abs(by_shape).sum(axis=0)
        size[i] += np.abs(at_rest) + np.abs(passive)
        # what holds a coordinate takes its mismatch, and a coupling hands it on
        skeleton.constraints.settle(motion.rows, off[i])
    return off, size


class _Elements(NamedTuple):
    """Forces of a model's elements over frames: on coordinates, their sizes, and on fibers."""

    on_coordinates: Array
    sizes: Array
    on_fibers: Array


def _elements(
    system: FiberSystem, time: Array, nodes: Array, motion: tuple[Array, Array, Array]
) -> _Elements:
    """What the elements of the model do.

    time (n_frames,) and nodes of all frames; motion: coordinates and their rates at inner frames.
    """
    skeleton, cables = system.skeleton, system.cables
    inner = slice(_REACH, time.size - _REACH)
    n_frames = motion[0].shape[0]
    found = _Elements(
        np.zeros((n_frames, skeleton.n)),
        np.zeros((n_frames, skeleton.n)),
        np.zeros((n_frames, len(cables.names), 3)),
    )
    if not system.elements:
        return found
    moved = nodes[inner], *_derivatives(time, nodes)
    for i in range(n_frames):
        y, v, v_dot = (
            np.r_[of_nodes[i].ravel(), of_coordinates[i]]
            for of_nodes, of_coordinates in zip(moved, motion, strict=True)
        )
        at, _ = system.configuration.at(float(time[inner][i]), y, v, v_dot)
        for one in system.elements:
            sums = Sums.zero(skeleton, at.motion, np.zeros_like(at.nodes), np.zeros(0), None)
            one.add(at, sums)
            force = -(skeleton.from_axes(at.motion, sums.axes.force) + sums.force)
            found.on_coordinates[i] += force
            found.sizes[i] += np.abs(force)
            np.subtract.at(found.on_fibers[i], cables.fiber_of_node, sums.nodes[:, :3])
    system.forget()
    return found


class _Contact(NamedTuple):
    """Contact over frames: on fibers (n_frames, n_fibers, 3), sizes of its parts, on shapes."""

    on_fibers: Array
    sizes: Array
    wrenches: Array


def _contact(system: FiberSystem, q: Array, nodes: Array) -> _Contact:
    """Contact forces from centerlines and coordinates, by a search of its own."""
    cables, tree = system.cables, system.tree
    search = ContactSearch(cables, system.partners, tree)
    # contact points as the system has them since its last run
    search.spacing.restore(system.contact.spacing.memory())
    partners = search.partners
    shape = (q.shape[0], len(cables.names))
    found = _Contact(
        np.zeros((*shape, 3)), np.zeros(shape), np.zeros((q.shape[0], partners.shape_link.size, 6))
    )
    for i in range(q.shape[0]):
        search.evaluate(nodes[i], system.skeleton.at(q[i]).links)
        found.wrenches[i] = search.bone_wrenches()
        for part in (*search.fiber_sets, *search.bone_sets):
            runs = part.runs
            run = np.repeat(np.arange(runs.element.size), partners.points[runs.law])
            weight = partners.weight[runs.law[run], np.arange(run.size) - runs.slot_start[run]]
            force = (weight * cables.h[runs.element[run]])[:, None] * part.force
            owner = cables.fiber[runs.element[run]]
            np.add.at(found.on_fibers[i], owner, force)
            np.add.at(found.sizes[i], owner, np.linalg.norm(force, axis=1))
            if isinstance(part, PotentialFibers):  # a pair potential pushes the partner back
                np.subtract.at(found.on_fibers[i], cables.fiber[part.element], force)
                np.add.at(found.sizes[i], cables.fiber[part.element], np.linalg.norm(force, axis=1))
    return found


def _compare_names(system: FiberSystem, result: Result) -> None:
    """Refuse a result of another model."""
    counts = np.diff(system.cables.node_start)
    wanted = {
        f"fiber {name!r}": int(n) for name, n in zip(system.cables.names, counts, strict=True)
    }
    wanted |= {f"coordinate {name!r}": 0 for name in system.skeleton.coordinates}
    found = {f"fiber {name!r}": f.node_theta.size for name, f in result.fibers.items()}
    found |= {f"coordinate {name!r}": 0 for name in result.coordinates}
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


def _first_moments(system: FiberSystem, nodes: Array) -> tuple[Array, Array]:
    """Mass times centroid of each fiber (n_frames, n_fibers, 3) [kg m], and masses (n_fibers,)."""
    cables = system.cables
    shapes = np.stack(np.broadcast_arrays(*hermite(cables.xi, cables.h[:, None])))
    density = cables.weight * cables.line_density
    control = np.einsum("aek,ek->ea", shapes, density).reshape(-1, 2, 2)
    n_fibers = len(cables.names)
    moment, mass = np.zeros((n_fibers, nodes.shape[0], 3)), np.zeros(n_fibers)
    ends = nodes[:, cables.elements].reshape(nodes.shape[0], -1, 2, 2, 3)
    np.add.at(moment, cables.fiber, np.einsum("esa,fesai->efi", control, ends))
    np.add.at(mass, cables.fiber, density.sum(axis=1))
    return moment.swapaxes(0, 1), mass


def _line_loads(system: FiberSystem, t: float) -> Array:
    """Sum of the line load on each fiber without its weight, (n_fibers, 3) [N]."""
    cables = system.cables
    total = np.zeros((len(cables.names), 3))
    for f in range(len(cables.names)):
        own = slice(cables.element_start[f], cables.element_start[f + 1])
        load = system.loads.line_load(f, t).reshape(-1, 3)
        total[f] = (cables.weight[own] * cables.G0[own]).ravel() @ load
    return total


def _mismatch(time: Array, off: Array, size: Array, unit: str) -> Mismatch:
    worst = int(np.argmax(off))
    return Mismatch(
        rms=float(np.sqrt(np.mean(off**2))),
        largest=float(off[worst]),
        time=float(time[worst]),
        applied=float(np.sqrt(np.mean(size**2))),
        unit=unit,
    )
