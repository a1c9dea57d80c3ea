"""Inertia and weight of the mass of line muscles."""

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk._ranges import starts
from fibermsk.elements.gauss import lobatto_rule
from fibermsk.errors import ModelError, PathError
from fibermsk.kernels.lines.material.columns import Movers, Ways
from fibermsk.kernels.lines.section import CHAIN
from fibermsk.model import LineMuscle, Model, WrapCylinder, WrapLevelSet, WrapSphere
from fibermsk.model.muscles.line_muscle import by_network, mass_of
from fibermsk.model.muscles.mass import MuscleMass
from fibermsk.system.configuration import Configuration
from fibermsk.system.contribution import At, Sums
from fibermsk.system.lines.chained import blends
from fibermsk.system.lines.frames import PathsOfFrames
from fibermsk.system.lines.paths import LinePaths
from fibermsk.system.lines.reports import PathReports
from fibermsk.system.lines.touching import Touching

_ON_LINES, _ON_ARCS, _ON_NETWORKS = 3, 8, 12
"""Places of the quadratures on lines, where three are exact, on arcs, and on paths by networks
between knots of the density."""


def check_surfaces(muscle: LineMuscle, mass: MuscleMass) -> None:
    """Refuse a mass on surfaces around which its points lack derivatives, or cannot switch.

    Raises
    ------
    ModelError
        If a surface is a level set of the user, or one without closed form of exact switching.
    """
    if mass.wrapping == "network":
        return
    for wrap in muscle.wraps:
        if not wrap.shape.active or isinstance(wrap.shape, WrapCylinder | WrapSphere):
            continue
        found = f"{wrap.shape.name!r}, a {type(wrap.shape).__name__}"
        if isinstance(wrap.shape, WrapLevelSet):
            raise ModelError(
                f"line muscle {muscle.name!r}: has mass and wraps around {found}; must be another "
                "surface, since the level has no third derivatives; give the muscle no mass, or "
                "replace the surface by an ellipsoid, a torus or via points"
            )
        if not mass.blend > 0.0:
            raise ModelError(
                f"line muscle {muscle.name!r}: its mass switches (blend = 0) around {found}; must "
                "be a cylinder or a sphere, where the moment of touching is located; use "
                "wrapping='blend'"
            )


def over_several(muscle: LineMuscle) -> PathError:
    """Error of a muscle whose mass switches, a section of which touches several surfaces."""
    return PathError(
        f"line muscle {muscle.name!r}: its path touches several surfaces between two path points; "
        "mass that switches (blend = 0) must touch one; use wrapping='blend', or put a via point "
        "between them"
    )


def fixed_masses(mass: MuscleMass) -> tuple[Array, Array]:
    """Fractions and masses [kg] of points that stand for a mass on a smooth path."""
    knots, densities = mass.fractions, mass.weights
    if mass.points is not None:
        return knots, densities
    place, weight = lobatto_rule(_ON_NETWORKS)
    width = np.diff(knots)[:, None]
    fractions = (knots[:-1, None] + width * place).ravel()
    return fractions, (width * weight).ravel() * np.interp(fractions, knots, densities)


class MuscleMasses:
    """Contribution of the mass of all line muscles that have one.

    Parameters
    ----------
    model, configuration
        Of the system.
    paths
        Of the muscles with a law, solved once if these are the ones with a mass.
    """

    def __init__(
        self, model: Model, configuration: Configuration, paths: LinePaths | None = None
    ) -> None:
        self.muscles = model.massive_muscles
        for muscle in self.muscles:
            check_surfaces(muscle, mass_of(muscle))
        if paths is None or paths.muscles != self.muscles:
            paths = LinePaths(configuration, self.muscles)
        self.paths = paths
        self.touching = Touching(self.paths)
        masses = [mass_of(one) for one in self.muscles]
        by = [by_network(one) for one in self.muscles]
        self._by_network = [
            (self.paths.networks.paths[k], *fixed_masses(masses[k]), *self._columns(k, True)[::2])
            for k in np.flatnonzero(by).tolist()
        ]
        self._others = np.flatnonzero(np.logical_not(by))
        others, none = [masses[k] for k in self._others], np.zeros(0)
        places, moving = (
            [mass.fractions for mass in others],
            [self._columns(k, False) for k in self._others.tolist()],
        )
        self._knot_start = starts([own.size for own in places])
        self._knots = np.concatenate([*places, none])
        self._densities = np.concatenate([*(mass.weights for mass in others), none])
        self._at_points = np.array([mass.points is not None for mass in others], bool)
        axes, columns = [own for own, _, _ in moving], [own for _, _, own in moving]
        whole = np.array([n for _, n, _ in moving], np.int64)
        none = np.zeros(0, np.int64)
        self._movers = Movers(
            starts([own.size for own in axes]), np.concatenate([*axes, none]), whole,
            starts([own.size for own in columns]), np.concatenate([*columns, none]),
        )  # fmt: skip
        if any(by):  # refuses a start outside the range of a network
            q, p = configuration.start()
            self.paths.at(configuration.kinematics(0.0, q, 0.0 * p))
        start = self.paths.arrays.start
        self._owner = np.repeat(np.arange(len(self.muscles)), np.diff(start))
        self._rules = lobatto_rule(_ON_LINES), lobatto_rule(_ON_ARCS)
        self._gravity = np.array(configuration.skeleton.tree.bodies.gravity)

    def _columns(self, k: int, network: bool) -> tuple[Index, int, Index]:
        """Axes, number of those that move all, and columns of muscle k; see `Movers`."""
        of = self.paths.axes
        axes, whole = self.paths.moving_axes(k)
        whole = 0 if network else whole
        return axes, whole, np.concatenate([axes[:whole], of.n + of.coordinates_of(axes[whole:])])

    def _forces(
        self, at: At, ways: Ways, gravity: Array, second: bool
    ) -> tuple[Array, list[Array], tuple[float, float]]:
        """Forces, their derivatives by rate, position and speed, energies.

        Forces are those on the axes and drivers, and then those on the coordinates.
        """
        placed, paths = self.paths.at(at), self.paths
        on_chains = np.zeros(len(self.muscles), bool)
        for k in self._owner[placed.state.wrapped == CHAIN].tolist():
            if not on_chains[k] and not blends(paths.arrays, k):
                raise over_several(self.muscles[k])
            on_chains[k] = True
        over_chains = on_chains[self._others]
        rate = paths.axes.rates(at)
        size = sum(ways.J.shape)
        r, slopes = np.zeros(size), [np.zeros((size, size) if second else (0, 0)) for _ in range(3)]
        S, moves, state, speed = at.motion.links.S, paths.moves, placed.state, placed.speed_u
        kinetic, potential = 0.0, 0.0
        # two compiled kernels: that of chains is slower for muscles without one
        for chained, own in ((None, ~over_chains), (True, over_chains)):
            if not own.any():
                continue
            from fibermsk.kernels.lines.material.mass import (
                fill_masses,  # compiles only where it is used
            )

            found = fill_masses(
                paths.arrays, S, moves, state, self._others, np.flatnonzero(own), chained,
                self._knot_start, self._knots, self._densities, self._at_points, *self._rules,
                speed, rate, gravity, self._movers, ways, r, *slopes,
            )  # fmt: skip
            kinetic, potential = kinetic + found[0], potential + found[1]
        for one, fractions, weights, axes, columns in self._by_network:
            from fibermsk.kernels.lines.material.network_paths import fill_network_mass

            found = fill_network_mass(
                paths.arrays, S, moves, state, one.network, one.k, one.j, one.w, fractions,
                weights, speed, rate, gravity, axes, columns, ways, r, *slopes,
            )  # fmt: skip
            kinetic, potential = kinetic + found[0], potential + found[1]
        return r, slopes, (kinetic, potential)

    def add(self, at: At, sums: Sums) -> None:
        """Add inertia and weight."""
        axes = self.paths.axes
        ways = axes.ways(at.motion)
        r, slopes, _ = self._forces(at, ways, self._gravity, sums.slopes is not None)
        sums.force[:] += axes.collect(ways, r)
        if sums.slopes is not None:
            M, dq, dp = slopes
            sums.corner[:] += axes.follow(at.motion, ways, sums.slopes, dq, dp, M, r)

    def add_inertia(self, at: At, inertia: Sums, applied: Sums) -> None:
        """Add inertia, and gravity to the applied forces."""
        ways, gravity = self.paths.axes.ways(at.motion), self._gravity
        whole, free = (self._forces(at, ways, g, False)[0] for g in (gravity, 0.0 * gravity))
        inertia.force[:] += self.paths.axes.collect(ways, free)
        applied.force[:] += self.paths.axes.collect(ways, whole - free)

    def energy(self, at: At) -> dict[str, float]:
        """Kinetic and gravitational energy [J]."""
        ways = self.paths.axes.ways(at.motion)
        kinetic, gravity = self._forces(at, ways, self._gravity, False)[2]
        return {"kinetic": kinetic, "gravity": gravity}

    def muscle_reports(self) -> PathReports:
        """Table of what results report of the muscles without a law."""
        own = [k for k, muscle in enumerate(self.muscles) if muscle.law is None]
        return PathReports(PathsOfFrames(self.paths), own)

    def memory(self) -> dict[str, Array]:
        """Branches of the paths."""
        return self.paths.branches.memory()

    def restore(self, memory: dict[str, Array]) -> None:
        """Return to a `memory`."""
        self.paths.restore(memory)

    def fingerprint(self, times: Array) -> dict[str, list[Any]]:
        """Paths and masses."""
        own = [self._knot_start, self._knots, self._densities, self._at_points]
        own += [part for _, *parts in self._by_network for part in parts]
        return {"the mass of the line muscles": [*own, *self.paths.fingerprint]}
