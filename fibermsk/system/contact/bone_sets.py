"""Contact points between fibers and bones: state, and contributions to residual and tangent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fibermsk._arrays import Array, Index
from fibermsk.kernels.contact import bone_passes
from fibermsk.kernels.contact_arrays import BoneAxes, BonePoints, BoneSums
from fibermsk.system.contact.broad_phase import BoneRuns
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.sets import Border, Geometry, PointSet
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree


class _BoneSet(PointSet):
    """Contact points of fiber-bone runs; attributes as of fibers."""

    def __init__(self, kind: int, cables: Cables, partners: Partners, tree: Tree) -> None:
        super().__init__(kind, cables, partners)
        self.tree = tree

    def allocate(self, runs: BoneRuns) -> None:
        """Set new runs and allocate their contact points."""
        self.runs, n = runs, int(runs.point_start[-1])
        self.points = BonePoints(np.empty((n, 3)), np.full((n, 6), np.inf), np.zeros((n, 3)))
        # an empty one makes the kernels take a potential
        self._jacobian = np.empty((0 if self.potential else n, 2, 3, 3))
        self._begin = runs.of_fibers(self.cables.fiber)
        n_tasks, n_q = self._begin.size - 1, self.tree.n
        self._moments, self._corners = np.empty((n_tasks, n_q)), np.empty((n_tasks, n_q, n_q))

    @property
    def touches(self) -> NDArray[np.bool_]:
        """As of all sets."""
        return self.points.state[:, 0] < self.points.state[:, 1] + self.points.state[:, 2]

    @property
    def admissibility(self) -> Array:
        """As of all sets."""
        return self.points.state[:, 3]

    def lengths(self, points: Index) -> Array:
        """As of all sets."""
        return self.points.state[points, 4]

    def radii(self) -> Array:
        """As of fibers."""
        return self.points.state[:, 1].copy()

    def evaluate(self, at: Geometry) -> tuple[float, float]:
        """Least 1 + gamma g, and the energy [J]: zero for half passes, which have no potential."""
        return self.kernels.bone_runs(
            at.fibers, self.runs, at.shapes, self.partners.laws, self.points, self._jacobian
        )

    def _axes(self, at: Geometry) -> BoneAxes:
        return BoneAxes(self.partners.shape_link, self.tree.moves, at.state.S)

    def _sums(self, out: Border) -> BoneSums:
        """The arrays that the runs of each fiber add to."""
        return BoneSums(out.residual, out.lines, out.B, out.R, self._moments, self._corners)

    def _add_shares(self, out: Border, tangent: bool) -> None:
        """Add the contributions of the fibers to the coordinates, in order."""
        out.residual_q[:] += self._moments.sum(axis=0)
        if tangent:
            out.D[:] += self._corners.sum(axis=0)

    def names(self, point: int) -> str:
        """Names of the pair at a contact point."""
        run = int(np.searchsorted(self.runs.point_start, point, side="right")) - 1
        a = self.cables.names[self.cables.fiber[self.runs.element[run]]]
        return f"fiber {a!r} and body {self.partners.shape_body[self.runs.shape[run]]!r}"


class HalfPassBones(_BoneSet):
    """The line force on the fiber, and its exact reaction on the bone."""

    def scatter(self, at: Geometry, out: Border, tangent: bool) -> None:
        """Add forces and tangent."""
        bone_passes.scatter_bones(
            self._begin, at.fibers, self.runs, self.partners.laws, self.points, self._jacobian,
            self._axes(at), tangent, self._sums(out),
        )  # fmt: skip
        self._add_shares(out, tangent)


class PotentialBones(_BoneSet):
    """One energy for each pair of fiber and bone."""

    potential = True

    def scatter(self, at: Geometry, out: Border, tangent: bool) -> None:
        """Add forces and tangent."""
        self.kernels.scatter_bone_potential(
            self._begin, at.fibers, self.runs, at.shapes, self.partners.laws, self.points,
            self._axes(at), tangent, self._sums(out),
        )  # fmt: skip
        self._add_shares(out, tangent)
