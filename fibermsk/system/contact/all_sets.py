"""All contact points of some candidate pairs, in sets by formulation and kind of law."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.sets import (
    Geometry,
    HalfPassBones,
    HalfPassFibers,
    PotentialBones,
    PotentialFibers,
)
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree


class AllSets(NamedTuple):
    """Sets with contact points; half passes first, then pair potentials.

    Attributes
    ----------
    fibers, bones : tuple
        Contact points between fibers, and between fibers and bones; sets without any are left out.
    """

    fibers: tuple[HalfPassFibers | PotentialFibers, ...] = ()
    bones: tuple[HalfPassBones | PotentialBones, ...] = ()

    @classmethod
    def of(
        cls, fibers: FiberRuns, bones: BoneRuns, cables: Cables, partners: Partners, tree: Tree
    ) -> AllSets:
        """Allocate the contact points of runs."""
        points = partners.points
        on_fibers = [
            kind_of(k, cables, partners)
            for kind_of in (HalfPassFibers, PotentialFibers)
            for k in partners.kinds_of(kind_of.potential)
            if fibers.element.size
        ]
        on_bones = [
            kind_of(k, cables, partners, tree)
            for kind_of in (HalfPassBones, PotentialBones)
            for k in partners.kinds_of(kind_of.potential)
            if bones.element.size
        ]
        for part in on_fibers:
            part.allocate(fibers.select(part.own[fibers.law], points))
        for part in on_bones:
            part.allocate(bones.select(part.own[bones.law], points))
        return cls(
            tuple(part for part in on_fibers if part.runs.element.size),
            tuple(part for part in on_bones if part.runs.element.size),
        )

    def beside(self, cables: Cables, partners: Partners) -> AllSets:
        """Contact points of the same runs, of other cables and laws; new arrays."""
        return AllSets(
            tuple(part.beside(cables, partners) for part in self.fibers),
            tuple(part.beside(cables, partners) for part in self.bones),
        )

    def evaluate(self, at: Geometry) -> tuple[float, tuple[float, float]]:
        """Find closest points and forces.

        Returns the least 1 + gamma g, at most 1, and the energies between fibers, and between
        fibers and bones [J].
        """
        found = [[part.evaluate(at) for part in sets] for sets in self]
        fibers, bones = (sum((energy for _, energy in each), 0.0) for each in found)
        return min([1.0, *(least for each in found for least, _ in each)]), (fibers, bones)


def worst_of(sets: Iterable) -> tuple[float, str]:
    """Least 1 + gamma g of some sets, at most 1, and the names of that pair."""
    found = [(1.0, "")]
    for part in sets:
        point = int(np.argmin(part.points.state[:, 3]))
        found.append((float(part.points.state[point, 3]), part.names(point)))
    return min(found)


def flawed(sets: Iterable) -> str:
    """Names of a pair with a contact force that is not finite; empty if none."""
    for part in sets:
        bad = np.flatnonzero(~np.isfinite(part.points.force).all(axis=1))
        if bad.size:
            return part.names(int(bad[0]))
    return ""
