"""From raw frames to the fields that are reported: poses, stretch, forces along the fibers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fibermsk._plausible import RULES
from fibermsk._version import __version__
from fibermsk.elements import gauss_rule
from fibermsk.errors import ModelWarning
from fibermsk.kernels import cable
from fibermsk.model import Model
from fibermsk.protocol import Frames
from fibermsk.results import FiberHistory, Result
from fibermsk.system.axial import pressure_along
from fibermsk.system.cables import Cables, reference_speed, tissue_constants
from fibermsk.system.contact import ContactSearch
from fibermsk.system.partners import Partners
from fibermsk.system.records import body_motion, coordinate_units, is_seen, up
from fibermsk.system.skeleton import Skeleton

__all__ = ["observe", "stress_remark"]

Array = NDArray[np.float64]

_MUSCLE_STRESS = "muscle stress"
_MUSCLE = 0.9
"""More than this part of muscle counts as muscle."""

_SAMPLE_XI = gauss_rule(3)[0]
"""Where each element is sampled: cubic elements give the best stretch at three Gauss points."""


@dataclass(frozen=True)
class _Samples:
    """Sample points of all elements, `_SAMPLE_XI` on each, and the data of the stress law there."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    h: Array
    xi: Array
    theta: Array
    area: Array
    G0: Array
    law: Array
    fraction: Array


def _sample(model: Model, cables: Cables) -> _Samples:
    n, m = cables.h.size, _SAMPLE_XI.size
    theta = cables.theta[cables.elements[:, :1]] + cables.h[:, None] * _SAMPLE_XI
    fraction, law = np.empty((n, m)), np.empty((n, m, 9))
    for f, fiber in enumerate(model.fibers):
        own = slice(cables.element_start[f], cables.element_start[f + 1])
        inside = theta[own].clip(0.0, 1.0)
        fraction[own] = fiber.muscle_fraction_at(inside.ravel()).reshape(inside.shape)
        law[own] = tissue_constants(fiber.tissue, fraction[own])
    radius = cables.radius_poly @ np.vander(_SAMPLE_XI, 5, increasing=True).T
    return _Samples(
        first=cables.elements[:, 0].repeat(m),
        second=cables.elements[:, 1].repeat(m),
        h=cables.h.repeat(m),
        xi=np.tile(_SAMPLE_XI, n),
        theta=theta,
        area=np.pi * radius.ravel() ** 2,
        G0=reference_speed(cables.reference, cables.elements, cables.h, _SAMPLE_XI).ravel(),
        law=law.reshape(-1, 9),
        fraction=fraction,
    )


def observe(
    model: Model,
    skeleton: Skeleton,
    cables: Cables,
    partners: Partners,
    activations: Array,
    frames: Frames,
) -> Result:
    """Result of a run.

    Parameters
    ----------
    model, skeleton, cables, partners
        The system.
    activations : (n_frames, n_fibers) float array
        Activation of every fiber at every frame.
    frames : Frames
        Raw record.
    """
    n_frames, n_x = frames.t.size, 6 * cables.n_nodes
    samples = _sample(model, cables)
    n, m = cables.h.size, _SAMPLE_XI.size
    stretch, force = (np.empty((n_frames, n, m)) for _ in range(2))
    line_force = np.zeros((n_frames, n, m, 3))
    viscous = np.empty(n * m)
    poses = {
        body.name: (np.empty((n_frames, 3)), np.empty((n_frames, 3, 3)))
        for body in model.bodies
        if body is not model.ground or is_seen(body)
    }
    n_laws = partners.points.size
    search = ContactSearch(
        cables,
        replace(partners, points=np.full(n_laws, m), xi=np.tile(_SAMPLE_XI, (max(n_laws, 1), 1))),
        skeleton.tree,
    )
    values, rates = (np.empty((n_frames, len(skeleton.coordinates))) for _ in range(2))
    for i in range(n_frames):
        q, p = frames.y[i, n_x:], frames.v[i, n_x:]
        motion = skeleton.evaluate(q, p, np.zeros_like(q))
        values[i], rates[i] = skeleton.all_of(motion, q, p)
        state = motion.links
        for name, (position, rotation) in poses.items():
            rotation[i], position[i] = skeleton.tree.place(name, state)
        nodes, velocity = (part[i, :n_x].reshape(-1, 6) for part in (frames.y, frames.v))
        active = activations[i, cables.fiber].repeat(m)
        cable.sample_cable(
            nodes, velocity, samples.first, samples.second, samples.h, samples.xi, samples.area,
            samples.G0, samples.law, active, stretch[i].reshape(-1), force[i].reshape(-1), viscous,
        )  # fmt: skip
        search.evaluate(nodes, state)
        if n_laws:
            line_force[i] = search.line_forces()
            force[i] += pressure_along(search)

    fibers = {}
    for f, fiber in enumerate(model.fibers):
        node = slice(cables.node_start[f], cables.node_start[f + 1])
        nodes = frames.y[:, :n_x].reshape(n_frames, -1, 6)[:, node]
        pull = np.zeros((2, n_frames, 3))
        for point in np.flatnonzero(cables.point_fiber == f):
            pull[cables.point_end[point]] = -frames.reactions[:, point]
        lam = _own(stretch, cables, f)
        reference = np.sqrt(_own(samples.area.reshape(1, n, m), cables, f) / np.pi)
        fibers[fiber.name] = FiberHistory(
            node_theta=cables.theta[node].copy(),
            position=nodes[:, :, :3].copy(),
            tangent=nodes[:, :, 3:].copy(),
            theta=_own(samples.theta[None], cables, f)[0],
            muscle_fraction=_own(samples.fraction[None], cables, f)[0],
            stretch=lam,
            radius=reference / np.sqrt(lam),
            axial_force=_own(force, cables, f),
            contact_line_force=_own(line_force, cables, f),
            activation=activations[:, f].copy(),
            force_origin=pull[0],
            force_insertion=pull[1],
        )
    return Result(
        scene=model.name,
        parameters={},
        time=frames.t,
        coordinates={name: values[:, k].copy() for k, name in enumerate(skeleton.coordinates)},
        speeds={name: rates[:, k].copy() for k, name in enumerate(skeleton.coordinates)},
        bodies={
            body.name: body_motion(body, *poses[body.name])
            for body in model.bodies
            if body.name in poses
        },
        fibers=fibers,
        step_size=frames.step_size,
        newton_iterations=frames.newton_iterations,
        min_admissibility=frames.admissibility,
        version=__version__,
        up=up(model),
        coordinate_units=coordinate_units(model),
    )


def _own(field: Array, cables: Cables, fiber: int) -> Array:
    """Samples of one fiber in one row, (n_frames, n_samples) or (n_frames, n_samples, 3)."""
    own = field[:, cables.element_start[fiber] : cables.element_start[fiber + 1]]
    return own.reshape(len(own), -1, *own.shape[3:])


def stress_remark(model: Model, result: Result) -> ModelWarning | None:
    """The largest stress of a run in muscle, if it is hardly meant: fiber, time and place."""
    if _MUSCLE_STRESS in model.meant:
        return None
    worst = (0.0, "", 0.0, 0.0)
    for name, fiber in result.fibers.items():
        stress = fiber.axial_force / (np.pi * fiber.radius**2)
        stress = np.where(fiber.muscle_fraction > _MUSCLE, stress, 0.0)
        i, k = np.unravel_index(np.argmax(stress), stress.shape)
        worst = max(
            worst, (float(stress[i, k]), name, float(result.time[i]), float(fiber.theta[k]))
        )
    stress, name, time, theta = worst
    if not stress > RULES[_MUSCLE_STRESS].most:
        return None
    text = (
        f"fiber {name!r}: the stress in its muscle reaches {stress:.3g} N/m^2 at t = {time:.4g} s, "
        f"theta = {theta:.2f}; muscle makes 3e5 and tears below 1e7: is something in another unit, "
        f"or stretched too far? If it is meant: Model(meant=[{_MUSCLE_STRESS!r}])"
    )
    return ModelWarning(text, kind="plausibility", fiber=name, time=time)
