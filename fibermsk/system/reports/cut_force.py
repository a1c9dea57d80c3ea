"""Force through cuts of the fibers at their nodes, from equilibrium.

The nodal rows of the weak form are balances of forces: the shape functions of the positions sum to
1. On the nodes of one element alone, stress, bending, other forces of elements, contact and loads
therefore give the force through a cut at each of its ends, exactly as the discrete motion has it;
see `docs/theory.md`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from fibermsk._arrays import Array
from fibermsk.elements import gauss_rule
from fibermsk.kernels.contact.cuts import begin_cuts, fill_along, join_elements, subtract_loads
from fibermsk.kernels.fibers import bending
from fibermsk.model import Model
from fibermsk.system.configuration import Configuration
from fibermsk.system.contact.loads import point_loads
from fibermsk.system.contact.search import ContactSearch
from fibermsk.system.contribution import At
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.fibers.loads import Loads
from fibermsk.system.fibers.stress_groups import stress_groups
from fibermsk.system.friction.forces import FrictionForces, has_friction

SAMPLE_XI = gauss_rule(3)[0]
"""Sample points of each element: the stretch of cubics is most accurate at three Gauss points."""


def packed_size(cables: Cables) -> int:
    """Size of the rows of `CutForces.packed`."""
    return 3 * cables.n_nodes + cables.h.size * SAMPLE_XI.size


def unpacked(cables: Cables, cuts: Array) -> tuple[Array, Array]:
    """Arrays (n_frames, n_nodes, 3) and (n_frames, n_elements, n_points) of packed rows."""
    n, n_nodes, n_elements = len(cuts), cables.n_nodes, cables.h.size
    through, inside = np.split(cuts, [3 * n_nodes], axis=1)
    return through.reshape(n, n_nodes, 3), inside.reshape(n, n_elements, SAMPLE_XI.size)


class CutForces:
    """Forces through the fibers at their nodes.

    Parameters
    ----------
    model, configuration
        The system.
    contact : ContactSearch
        Contact, evaluated at each state before its forces are asked for.
    """

    def __init__(self, model: Model, configuration: Configuration, contact: ContactSearch) -> None:
        cables = self._cables = configuration.cables
        self._others = configuration.element_forces
        # the same elements, without common nodes; of their reference only the number is asked for
        apart = replace(
            cables,
            elements=np.arange(2 * cables.h.size).reshape(-1, 2),
            theta=cables.theta[cables.elements].ravel(),
            reference=np.broadcast_to(np.nan, (2 * cables.h.size, 6)),
        )
        self._elements, self._groups = apart.elements, stress_groups(apart)
        gravity, no_states = configuration.tree.bodies.gravity, np.full(len(cables.names), -1)
        loads = Loads(model, apart, gravity, no_states)
        self._loads = loads if loads.varies else None
        # constant ones (2 n_elements, 3) [N]
        self._constant = loads.external(0.0)[: 0 if loads.varies else None, :3].copy()
        self._contact = contact
        self._friction = None
        if has_friction(configuration.partners):
            self._friction = FrictionForces(configuration, contact)
        # What two elements at a node do not balance is its inertia, and shared like its mass:
        # masses that an element has at its nodes, where it moves without rotation
        mass = cables.mass
        at_first, at_second = mass[:, 0, 0] + mass[:, 0, 2], mass[:, 2, 0] + mass[:, 2, 2]
        self._before = np.flatnonzero(cables.end_flag < 2)  # elements with a next one
        first, second = at_first[self._before + 1], at_second[self._before]
        massless = first + second == 0.0
        self._share = np.where(massless, 0.5, second / np.where(massless, 1.0, first + second))

    def packed(self, at: At, activation: Array, reactions: Array) -> Array:
        """Both `at` and `inside`, in one row for `fibermsk.protocol.Frames`."""
        through = self.at(at, activation, reactions)
        return np.concatenate([through.ravel(), self.inside(at, through).ravel()])

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
        residual = self._residuals(at, activation)
        join_elements(residual, cables.elements, self._before, self._share, force)
        sign = np.where(cables.end_side == 0, -1.0, 1.0)
        force[cables.attached_nodes] = sign[:, None] * reactions
        return force

    def _residuals(self, at: At, activation: Array) -> Array:
        """Minus the forces (n_elements, 2, 6) on both nodes of each element; no inertia."""
        cables = self._cables
        nodes, velocity = (part[cables.elements].reshape(-1, 6) for part in at[1:3])
        rest, residual = np.zeros_like(nodes), np.zeros_like(nodes)
        loads = self._loads
        residual[:, :3] -= self._constant if loads is None else loads.external(at.t)[:, :3]
        for of in self._groups:
            of.kernels.cable_residual(
                of.element_start, nodes, velocity, rest, of.cable, activation[of.inside], residual
            )
        if cables.bent.size:
            bending.bending_residual(
                cables.element_start, nodes, self._elements, cables.h, cables.xi, cables.row_of,
                cables.rows.weight, cables.rows.bending, residual,
            )  # fmt: skip
        for add in self._others:
            add(at, nodes, self._elements, residual)
        del nodes, velocity, rest  # contact needs memory, but none of them
        self._contact.add_to_elements(self._elements, residual)
        if self._friction is not None:
            self._friction.add_to_elements(at, self._elements, residual)
        return residual.reshape(-1, 2, 6)

    def inside(self, at: At, cut_force: Array) -> Array:
        """Tangential part of the force through cuts at the sample points of all elements [N].

        (n_elements, n_points), after `at`. Contact enters where its points lie, each spread over
        its part of the element; all other loads are spread evenly.
        """
        cables, xi = self._cables, SAMPLE_XI
        n = cables.h.size
        force, rest, along = np.empty((n, xi.size, 3)), np.empty((n, 3)), np.empty((n, xi.size))
        begin_cuts(cables.elements, cut_force, force, rest)
        rubbed = () if self._friction is None else self._friction.point_loads(at)
        for element, low, high, load in chain(point_loads(self._contact), rubbed):
            subtract_loads(element, low, high, load, xi, force, rest)
        fill_along(at.nodes, cables.elements, cables.h, xi, force, rest, along)
        return along
