"""Energies of a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fibermsk.kernels import bending, cable, rigid

if TYPE_CHECKING:
    from fibermsk.system.system import FiberSystem

__all__ = ["Energy", "energy"]

Array = NDArray[np.float64]


class Energy(NamedTuple):
    """Energies of a state [J]: kinetic, elastic, gravity, contact.

    Elastic is that of the fibers (passive, prestress, bending) and of the coordinates' springs and
    limits.
    """

    kinetic: float
    elastic: float
    gravity: float
    contact: float

    @property
    def total(self) -> float:
        """Sum of all [J]."""
        return self.kinetic + self.elastic + self.gravity + self.contact


def energy(system: FiberSystem, y: Array, v: Array) -> Energy:
    """Energies of positions y and velocities v; contact is evaluated there."""
    cables, tree = system.cables, system.tree
    (nodes, q), (velocity, p) = system.split(y), system.split(v)
    motion = system.skeleton.evaluate(q, p, np.zeros_like(q))
    state = motion.links
    kinetic, gravity = rigid.kinetic_and_potential(
        state.V, state.rotation, state.position, tree.body_link, tree.mass, tree.com, tree.inertia,
        tree.gravity,
    )  # fmt: skip
    local = velocity[cables.elements].reshape(-1, 4, 3)
    kinetic += 0.5 * float(np.einsum("eab,eai,ebi->", cables.mass, local, local))
    elastic = cable.cable_energy(
        nodes, cables.elements, cables.h, cables.xi, cables.weight, cables.area, cables.G0,
        cables.law,
    )  # fmt: skip
    elastic += bending.bending_energy(
        nodes, cables.bent, cables.elements, cables.h, cables.xi, cables.weight, cables.bending
    )
    elastic += system.skeleton.passive.energy(motion.rows, q, p)
    system.contact.evaluate(nodes, state)
    gravity -= float((system.loads.weight * nodes).sum())
    return Energy(kinetic, elastic, gravity, system.contact.energy)
