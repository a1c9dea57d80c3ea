"""All contact points of some candidate pairs, in sets by formulation and kind of law."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np

from fibermsk.system.contact.bone_sets import HalfPassBones, PotentialBones
from fibermsk.system.contact.broad_phase import BoneRuns, FiberRuns
from fibermsk.system.contact.partners import Partners
from fibermsk.system.contact.sets import Geometry, HalfPassFibers, PotentialFibers
from fibermsk.system.fibers.cables import Cables
from fibermsk.system.skeleton.tree import Tree

_AT_ONCE = 2**15
"""Number of points along elements whose penetration is found at once."""


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

    def copied(self) -> AllSets:
        """The same with new arrays."""
        return AllSets(*(tuple(part.copied() for part in sets) for sets in self))

    def beside(self, cables: Cables, partners: Partners) -> AllSets:
        """Contact points of the same runs, of other cables and laws; in the same arrays."""
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


def worst_along(
    fibers: FiberRuns,
    bones: BoneRuns,
    cables: Cables,
    partners: Partners,
    tree: Tree,
    at: Geometry,
) -> tuple[float, str]:
    """Least 1 + gamma g of the points of runs, at most 1, and the names of that pair.

    Their contact points are held some at a time.
    """
    no_fibers, no_bones = FiberRuns.none(), BoneRuns.none()
    parts = chain(
        ((own, no_bones) for own in fibers.parts(_AT_ONCE)),
        ((no_fibers, own) for own in bones.parts(_AT_ONCE)),
    )
    found = [(1.0, "")]
    for own, beside in parts:
        sets = AllSets.of(own, beside, cables, partners, tree)
        sets.evaluate(at)
        found.append(worst_of((*sets.fibers, *sets.bones)))
    return min(found)


def worst_of(sets: Iterable) -> tuple[float, str]:
    """Least 1 + gamma g of some sets, at most 1, and the names of that pair."""
    found = [(1.0, "")]
    for part in sets:
        left = part.admissibility
        point = int(np.argmin(left))
        found.append((float(left[point]), part.names(point)))
    return min(found)


def flawed(sets: Iterable, at: Geometry) -> str:
    """Names of a pair with a contact force that is not finite; empty if none."""
    for part in sets:
        bad = np.flatnonzero(~np.isfinite(part.forces(at)).all(axis=1))
        if bad.size:
            return part.names(int(bad[0]))
    return ""
