"""Fibers that other fibers end on: an aponeurosis, a tendon with several heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fibermsk import _check
from fibermsk._arrays import Array
from fibermsk.elements.mesh import spline_through
from fibermsk.model import Body, Fiber, Junction, Model, Station
from fibermsk.results import Result

_NEAREST = 0.35
"""Least distance of a node from a junction, over the mean length of the elements in theta."""


class SplitFiber(NamedTuple):
    """A fiber in pieces that share junctions; `split_fiber` makes it.

    Attributes
    ----------
    pieces : tuple of Fiber
        From theta = 0 to theta = 1, named ``name_1``, ``name_2``, ...
    junctions : tuple of Junction
        Between them, named ``name_at_1``, ``name_at_2``, ...
    """

    pieces: tuple[Fiber, ...]
    junctions: tuple[Junction, ...]


def split_fiber(fiber: Fiber, theta: ArrayLike, ground: Body) -> SplitFiber:
    """Split a fiber at points of its centerline, so that other fibers may end there.

    Add the junctions to the model before the pieces and before the fibers that end there.

    Parameters
    ----------
    fiber : Fiber
        The whole fiber, with a path; not part of a model.
    theta : (m,) array_like
        Points in (0, 1), increasing; one or more.
    ground : Body
        The ground of the model.

    Returns
    -------
    split : SplitFiber
        Pieces with path, radius, muscle fraction, load and activation of the whole, and about as
        many elements; a node lies at each point.

    Raises
    ------
    ModelError
        If the fiber has no path, or a point is not inside it or not beyond the one before.

    Notes
    -----
    The force along a fiber jumps where another one pulls on it, and a string has a kink there. A
    piece may have both at its ends. Inside a fiber its tangent and its stretch are continuous, and
    elements of any order would only approximate them.

    Examples
    --------
    >>> import fibermsk as fm
    >>> model = fm.Model("two heads")
    >>> tissue = fm.Tissue(1060, fm.KelvinVoigt(1e5, 1e2), prestress=1e4)
    >>> whole = fm.Fiber(
    ...     "tendon",
    ...     [(0, 0, 0), (0.1, 0, 0)],
    ...     (model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)),
    ...     radius=2e-3,
    ...     n_elements=8,
    ...     tissue=tissue,
    ... )
    >>> tendon = fm.split_fiber(whole, [0.5], model.ground)
    >>> added = model.add(*tendon.junctions, *tendon.pieces)
    >>> ends = model.ground.at(0, 0, 0.05), tendon.junctions[0]
    >>> head = model.add(fm.Fiber("head", attach=ends, radius=2e-3, n_elements=4, tissue=tissue))
    """
    _check.instance("split_fiber", "fiber", fiber, Fiber, "a Fiber")
    owner = f"fiber {fiber.name!r}"
    at = _check.array(owner, "theta", theta, ("m",))
    if at.size == 0 or not (np.diff(np.r_[0.0, at, 1.0]) > 1e-6).all():
        _check.refuse(owner, "theta", at, "increase, between 0 and 1; one point or more")
    if fiber.path is None:
        remedy = "give the two points, path=[(x, y, z), (x, y, z)]"
        _check.refuse(owner, "path", None, "be given for a fiber that is split", remedy=remedy)
    path: Any = fiber.path if callable(fiber.path) else spline_through(np.asarray(fiber.path))
    points = np.asarray(path(at))
    junctions = tuple(
        Junction(f"{fiber.name}_at_{k}", ground, x) for k, x in enumerate(points, start=1)
    )
    ends = [fiber.attach[0], *(one.station for one in junctions), fiber.attach[1]]
    cuts = np.r_[0.0, at, 1.0]
    pieces = tuple(
        _piece(fiber, path, f"{fiber.name}_{k + 1}", (ends[k], ends[k + 1]), cuts[k], cuts[k + 1])
        for k in range(cuts.size - 1)
    )
    return SplitFiber(pieces, junctions)


def _piece(fiber: Fiber, path: Any, name: str, attach: Any, a: float, b: float) -> Fiber:
    """Part of a fiber between two thetas."""
    nodes = np.asarray(fiber.nodes)
    least = _NEAREST / fiber.n_elements
    inside = nodes[(nodes > a + least) & (nodes < b - least)]
    own = np.r_[0.0, (inside - a) / (b - a), 1.0]
    load: Any = fiber.line_load
    if callable(load):
        load = partial(_load_within, load, a, b)
    return replace(
        fiber,
        name=name,
        path=partial(_within, path, a, b),
        attach=attach,
        radius=_profile(fiber.radius, fiber.radius_at, a, b),
        muscle_fraction=_profile(fiber.muscle_fraction, fiber.muscle_fraction_at, a, b),
        line_load=load,
        n_elements=own.size - 1,
        nodes=own,
    )


def _profile(value: Any, function: Callable[[Array], Array], a: float, b: float) -> Any:
    """Profile along a piece; a number stays one, with its parameter path."""
    return (
        value if not callable(value) and np.ndim(value) == 0 else partial(_within, function, a, b)
    )


def _within(function: Callable[[Array], Array], a: float, b: float, theta: Array) -> Array:
    """Function of the whole fiber at theta (n,) of a piece, clipped to [0, 1] at round-off."""
    return function(np.clip(a + (b - a) * np.asarray(theta), 0.0, 1.0))


def _load_within(load: Any, a: float, b: float, theta: Array, t: float) -> Array:
    """Load of the whole fiber at theta (n,) of a piece."""
    return load(np.clip(a + (b - a) * np.asarray(theta), 0.0, 1.0), t)


def junction_forces(model: Model, result: Result, junction: str) -> dict[str, Array]:
    """Forces of the fibers on a junction over the frames of a result.

    Parameters
    ----------
    model : Model
        The model.
    result : Result
        A result of it.
    junction : str
        Name of the junction.

    Returns
    -------
    forces : dict of (n_frames, 3) float array
        Force on the junction, ground frame, by fiber [N]. Their sum is zero without mass, and
        mass times (acceleration - gravity) otherwise.

    Raises
    ------
    ModelError
        If the model has no such junction, or the result lacks a fiber.
    """
    _check.instance("junction_forces", "model", model, Model, "a Model")
    _check.instance("junction_forces", "result", result, Result, "a Result")
    bodies = {body.name: body for body in model.junctions}
    _check.choice("junction_forces", "junction", junction, list(bodies))
    found: dict[str, Array] = {}
    for fiber in model.fibers:
        for side, end in enumerate(fiber.attach):
            if isinstance(end, Station) and end.body is bodies[junction]:
                _check.choice("junction_forces", "fiber", fiber.name, list(result.fibers))
                history = result.fibers[fiber.name]
                force = (history.force_origin, history.force_insertion)[side]
                found[fiber.name] = found.get(fiber.name, 0.0) + force
    return found
