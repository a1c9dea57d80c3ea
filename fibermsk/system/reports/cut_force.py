"""Force through cuts of the fibers at their nodes, from equilibrium.

The nodal rows of the weak form are balances of forces: the shape functions of the positions sum to
1. On the nodes of one element alone, stress, bending, contact and loads therefore give the force
through a cut at each of its ends, exactly as the discrete motion has it; see `docs/theory.md`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fibermsk._arrays import Array
from fibermsk.kernels.fibers import bending
from fibermsk.model import Model
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.contribution import At
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.fibers.stress_groups import stress_groups


class CutForces:
    """Forces through the fibers at their nodes.

    It has contact points of its own, spaced as those of the configuration.
    """

    def __init__(self, model: Model, configuration: Configuration) -> None:
        cables = self._cables = configuration.cables
        # the same elements, without common nodes
        self._apart = replace(
            cables,
            elements=np.arange(2 * cables.h.size).reshape(-1, 2),
            theta=cables.theta[cables.elements].ravel(),
            reference=cables.reference[cables.elements].reshape(-1, 6),
        )
        self._groups = stress_groups(self._apart)
        self._loads = Loads(model, self._apart, configuration.tree.bodies.gravity)
        self._search = ContactSearch(cables, configuration.partners, configuration.tree)
        self._search.spacing.restore(configuration.contact.spacing.memory())
        # masses that an element has at its nodes, where it moves without rotation
        at_first = cables.mass[:, 0, 0] + cables.mass[:, 0, 2]
        at_second = cables.mass[:, 2, 0] + cables.mass[:, 2, 2]
        self._before = np.flatnonzero(cables.end_flag < 2)  # elements with a next one
        both = at_second[self._before] + at_first[self._before + 1]
        self._share = (at_second[self._before] / both)[:, None]

    def at(self, at: At, activation: Array, reactions: Array) -> Array:
        """Forces (n_nodes, 3) of the part beyond a cut on the part before it, in ground [N].

        Parameters
        ----------
        at : At
            State; accelerations are not read.
        activation : (n_elements,) float array
            In [0, 1].
        reactions : (n_points, 3) float array
            Forces of the attachments on the fibers [N].
        """
        cables, force = self._cables, np.zeros((self._cables.n_nodes, 3))
        first, second = self._residuals(at, activation)
        before, share = self._before, self._share
        # What two elements at a node do not balance is its inertia, and shared like its mass.
        inner = (1.0 - share) * second[before] - share * first[before + 1]
        force[cables.elements[before, 1]] = inner
        sign = np.where(cables.end_side == 0, -1.0, 1.0)
        force[cables.attached_nodes] = sign[:, None] * reactions
        return force

    def _residuals(self, at: At, activation: Array) -> tuple[Array, Array]:
        """Minus the forces (n_elements, 3) on both nodes of each element alone; no inertia."""
        apart = self._apart
        nodes, velocity = (part[self._cables.elements].reshape(-1, 6) for part in at[1:3])
        residual = -self._loads.external(at.t)
        rest = np.zeros_like(nodes)
        for of in self._groups:
            of.kernels.cable_residual(
                of.element_start, nodes, velocity, rest, of.cable, activation[of.inside], residual
            )
        if apart.bent.size:
            bending.bending_residual(
                apart.element_start, nodes, apart.elements, apart.h, apart.xi, apart.weight,
                apart.bending, residual,
            )  # fmt: skip
        self._search.evaluate(at.nodes, at.motion.links)
        self._search.add_to_elements(apart.elements, residual)
        found = residual.reshape(-1, 2, 6)[:, :, :3]
        return found[:, 0], found[:, 1]


def axial_from_cuts(
    cables: Cables, nodes: Array, cut_force: Array, carried: Array, xi: Array
) -> Array:
    """Axial force of the section at points of all elements, (n_elements, n_points) [N].

    Linear between the nodes, where it is the tangential part of the force through a cut, without
    what the contacts carry beside the section.

    Parameters
    ----------
    cables : Cables
        Fibers.
    nodes : (n_nodes, 6) float array
        Configuration.
    cut_force : (n_nodes, 3) float array
        Forces from `CutForces`.
    carried : (n_elements, n) float array
        See `fibermsk.system.reports.axial.contact_along`; at the first and the second node of each
        element in the first and the last column.
    xi : (n_points,) float array
        On [0, 1].
    """
    tangent = nodes[:, 3:] / np.linalg.norm(nodes[:, 3:], axis=1, keepdims=True)
    along = np.sum(cut_force * tangent, axis=1)[cables.elements] - carried[:, [0, -1]]
    return along[:, :1] * (1.0 - xi) + along[:, 1:] * xi
