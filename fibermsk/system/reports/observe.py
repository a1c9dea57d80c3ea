"""Results from raw frames: poses, stretch, forces along the fibers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fibermsk._arrays import Array, Short
from fibermsk._version import __version__
from fibermsk.errors import ModelWarning
from fibermsk.model import Model
from fibermsk.protocol import Frames
from fibermsk.results import FiberHistory, Result
from fibermsk.results.histories import state_histories
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.samples import ContactSamples
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.contribution import AtFrames
from fibermsk.system.fibers.cables import Cables, reference_speed
from fibermsk.system.fibers.equal_rows import without_equal
from fibermsk.system.fibers.stress_groups import sample, stress_groups
from fibermsk.system.optional import HasMuscles
from fibermsk.system.reports.cut_force import SAMPLE_XI, CutForces, packed_size, unpacked
from fibermsk.system.reports.element_fields import ElementFields
from fibermsk.system.reports.records import body_motion, coordinate_units, is_seen, up


@dataclass(frozen=True)
class _Samples:
    """Sample points of all elements, `SAMPLE_XI` on each, and the data of the stress law there."""

    theta: Array
    fraction: Array
    # rows, and the row of each element: see `fibermsk.system.fibers.equal_rows`
    area: Array
    G0: Array
    law: Array
    row_of: Short


def _sample(model: Model, cables: Cables) -> _Samples:
    n, m = cables.h.size, SAMPLE_XI.size
    theta = cables.theta[cables.elements[:, :1]] + cables.h[:, None] * SAMPLE_XI
    fraction, law = np.empty((n, m)), np.zeros((n, m, cables.rows.law.shape[2]))
    for f, fiber in enumerate(model.fibers):
        own = slice(cables.element_start[f], cables.element_start[f + 1])
        inside = theta[own].clip(0.0, 1.0)
        fraction[own] = fiber.muscle_fraction_at(inside.ravel()).reshape(inside.shape)
        constants = fiber.tissue.constants(fraction[own])
        law[own, :, : constants.shape[2]] = constants
    radius = cables.radius_poly @ np.vander(SAMPLE_XI, 5, increasing=True).T
    G0 = reference_speed(cables.reference, cables.elements, cables.h, SAMPLE_XI)
    (area, G0, law), row_of = without_equal(np.pi * radius**2, G0, law)
    return _Samples(theta, fraction, area, G0, law, row_of)


class Observation:
    """Results of consecutive parts of a run.

    Parameters
    ----------
    model, configuration
        The system.
    contributions : iterable of contribution
        All of them.
    elements : mapping of str to contribution
        Contributions of the elements of the model, by name.
    """

    def __init__(
        self,
        model: Model,
        configuration: Configuration,
        contributions: Iterable[object],
        elements: Mapping[str, object],
    ) -> None:
        self._model, self._configuration, self._elements = model, configuration, elements
        cables, tree = configuration.cables, configuration.skeleton.tree
        self._samples, self._groups = _sample(model, cables), stress_groups(cables)
        self._contact: ContactSamples | None = None
        if cables.h.size:
            self._contact = ContactSamples(cables, configuration.partners, tree, SAMPLE_XI)
        self._tables = [x.muscle_reports() for x in contributions if isinstance(x, HasMuscles)]
        if model.idle_muscles:
            from fibermsk.system.lines.idle import idle_reports  # compiles only where it is used

            self._tables += idle_reports(model.idle_muscles, configuration.skeleton)
        self._cut: tuple[ContactSearch, CutForces] | None = None
        self._without_path: list[tuple[float, str]] = []  # times [s] of frames, and why

    def part(self, activations: Array, frames: Frames) -> Result:
        """Result of the next frames, with activations (n_frames, n_fibers)."""
        model, configuration, samples = self._model, self._configuration, self._samples
        skeleton, cables = configuration.skeleton, configuration.cables
        n_frames, n_x = frames.t.size, 6 * cables.n_nodes
        n, m = cables.h.size, SAMPLE_XI.size
        stretch, tissue_force = (np.empty((n_frames, n, m)) for _ in range(2))
        line_force, carried = np.empty((n_frames, n, m, 3)), np.empty((n_frames, n, m))
        poses = {
            body.name: (np.empty((n_frames, 3)), np.empty((n_frames, 3, 3)))
            for body in model.bodies
            if body is not model.ground or is_seen(body)
        }
        reported = ElementFields(self._elements, n_frames, configuration.states)
        every = _at_frames(configuration, frames)
        values, rates = skeleton.all_of(every.motion, every.q, every.p)
        unknown = np.full(configuration.n, np.nan)
        for i, (t, y, v) in enumerate(zip(frames.t, frames.y, frames.v, strict=True)):
            if self._contact is None and not reported.histories:
                break  # neither fibers nor elements
            at = configuration.kinematics(float(t), y, v, unknown, motion=every.motion.frame(i))
            for error in reported.put(i, at, frames.multipliers[i]):
                self._without_path.append((float(t), str(error)))
            if self._contact is None:
                continue
            state = at.motion.links
            activation = activations[i, cables.fiber]
            stretch[i], tissue_force[i] = sample(
                self._groups, SAMPLE_XI, samples.area, samples.G0, samples.law,
                samples.row_of, at.nodes, at.velocity, activation,
            )  # fmt: skip
            for other in configuration.axial_forces:
                tissue_force[i] += other(at.nodes, at.points[0], SAMPLE_XI)
            self._contact.evaluate(at.nodes, state)
            line_force[i] = self._contact.line_forces()
            pressure, carried[i] = self._contact.axial_forces()
            tissue_force[i] += pressure
        for table in self._tables:
            failed = table.solve(every)
            self._without_path += [(float(frames.t[i]), str(error)) for i, error in failed]
        links = every.motion.links
        for name, (position, rotation) in poses.items():
            rotation[:], position[:] = skeleton.tree.place_by(name, links.rotation, links.position)
        states = np.array(frames.y[:, configuration.n - configuration.states.n :])
        cut_force, inside = unpacked(cables, self._cuts(activations, frames))
        axial_force = inside - carried

        radius, fibers = np.sqrt(samples.area[samples.row_of] / np.pi).reshape(1, n, m), {}
        for f, fiber in enumerate(model.fibers):
            node = slice(cables.node_start[f], cables.node_start[f + 1])
            nodes = frames.y[:, :n_x].reshape(n_frames, -1, 6)[:, node]
            pull = np.zeros((2, n_frames, 3))
            for point in np.flatnonzero(cables.point_fiber == f):
                pull[cables.end_side[point]] = -frames.reactions[:, point]
            lam = _own(stretch, cables, f)
            reference = _own(radius, cables, f)
            fibers[fiber.name] = FiberHistory(
                node_theta=cables.theta[node].copy(),
                position=nodes[:, :, :3].copy(),
                tangent=nodes[:, :, 3:].copy(),
                theta=_own(samples.theta[None], cables, f)[0],
                muscle_fraction=_own(samples.fraction[None], cables, f)[0],
                stretch=lam,
                radius=reference / np.sqrt(lam),
                cut_force=cut_force[:, node],
                axial_force=_own(axial_force, cables, f),
                tissue_force=_own(tissue_force, cables, f),
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
                body.name: body_motion(model, body, *poses[body.name])
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
            states=state_histories(configuration.states.records(states)),
            elements=reported.histories,
            muscles={name: one for table in self._tables for name, one in table.histories.items()},
        )

    def remarks(self) -> list[ModelWarning]:
        """Warning of frames in which a path has no solution."""
        if not self._without_path:
            return []
        time, reason = min(self._without_path, key=lambda frame: frame[0])
        text = (
            f"{len(self._without_path)} frames of the result, the first at t = {time:.6g} s, have "
            "NaN for what is reported of paths: a path that the steps of the run followed to there "
            f"is not found from the frame before; {reason}; use a shorter dt"
        )
        return [ModelWarning(text, kind="line_muscles", time=time)]

    def _cuts(self, activations: Array, frames: Frames) -> Array:
        """Forces through cuts: as recorded, or computed with other contact points."""
        configuration, cables = self._configuration, self._configuration.cables
        size = packed_size(cables)
        if frames.cuts.shape == (frames.t.size, size):
            return frames.cuts
        if not size:
            return np.empty((frames.t.size, 0))
        if self._cut is None:
            search = ContactSearch(cables, configuration.partners, configuration.tree)
            search.spacing.restore(configuration.contact.spacing.memory())
            self._cut = search, CutForces(self._model, configuration, search)
        (search, forces), rows = self._cut, np.empty((frames.t.size, size))
        for i, (t, y, v) in enumerate(zip(frames.t, frames.y, frames.v, strict=True)):
            at = configuration.kinematics(float(t), y, v)
            search.evaluate(at.nodes, at.motion.links)
            rows[i] = forces.packed(at, activations[i, cables.fiber], frames.reactions[i])
        return rows


def observe(
    model: Model,
    configuration: Configuration,
    contributions: Iterable[object],
    elements: Mapping[str, object],
    activations: Array,
    frames: Frames,
) -> Result:
    """Result of frames with activations (n_frames, n_fibers); for the others see `Observation`."""
    return Observation(model, configuration, contributions, elements).part(activations, frames)


def _at_frames(configuration: Configuration, frames: Frames) -> AtFrames:
    """Kinematics of the bodies in all frames; accelerations are NaN, since none are recorded."""
    n_x, n = 6 * configuration.cables.n_nodes, configuration.skeleton.n
    q, p = (one[:, n_x : n_x + n] for one in (frames.y, frames.v))
    free = slice(n_x + n, n_x + n + configuration.states.n_free)
    motion = configuration.skeleton.evaluate_frames(q, p, np.full_like(p, np.nan))
    return AtFrames(frames.t, q, p, frames.y[:, free], frames.v[:, free], motion)


def _own(field: Array, cables: Cables, fiber: int) -> Array:
    """Samples of one fiber in one row, (n_frames, n_samples) or (n_frames, n_samples, 3)."""
    own = field[:, cables.element_start[fiber] : cables.element_start[fiber + 1]]
    return own.reshape(len(own), -1, *own.shape[3:])
