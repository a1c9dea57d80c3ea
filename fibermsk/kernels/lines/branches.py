"""Branches of paths: windings around cylinders, and the feet and the order of chains."""

from __future__ import annotations

from fibermsk._compile import part


@part
def copy_branches(source, target):
    """Overwrite the branches of a target by those of a source: paths, or what has these arrays."""
    for s in range(target.reference.size):
        target.reference[s], target.touches[s] = source.reference[s], source.touches[s]
        for r in range(target.feet.shape[1]):
            target.feet[s, r] = source.feet[s, r]
    for w in range(target.rank.size):
        target.rank[w] = source.rank[w]
