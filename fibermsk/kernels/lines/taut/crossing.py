"""Where a path over surfaces passes through another one: arcs, and free lines from inside."""

from __future__ import annotations

from fibermsk._compile import inner
from fibermsk.kernels._scratch import scratch
from fibermsk.kernels.lines.section import to_ground, to_local
from fibermsk.kernels.lines.taut.depth import deepest_on_arc
from fibermsk.kernels.lines.taut.string import first_of, lean
from fibermsk.kernels.lines.taut.surfaces import level, settle

DEPTH = 1e-9
"""Depth of a free line inside a touched surface, of its least radius, that is rounding."""


@inner
def same(kind, size, R, p, k, j):
    """Whether numbers k and j list the same surface, which is touched in two places."""
    return first_of(kind, size, R, p, k) == first_of(kind, size, R, p, j)


@inner
def ends_inside(kind, size, R, p, a, b):
    """Whether an end of the line from a to b lies inside a surface."""
    local, g, H = scratch(3), scratch(3), scratch((3, 3))
    for end in range(2):
        to_local(R, p, a if end == 0 else b, local)
        if level(kind, size, local, g, H) < 0.0:
            return True
    return False


@inner
def divide_arcs(kind, size, R, p, foot, active, lifted):
    """Number of a surface, not touched, that an arc enters; -1 if there is none.

    Its foot is where the arc is deepest in it, and the arc is shortened to the part on its side.
    """
    there, ground, ahead = scratch(7), scratch(3), scratch(3)
    g, H = scratch(3), scratch((3, 3))
    for k in range(kind.size):
        for j in range(kind.size if not active[k] and lifted[k] < 3 else 0):
            if not active[j] or same(kind, size, R, p, k, j):
                continue
            if not deepest_on_arc(
                kind[j], size[j], R[j], p[j], foot[j], kind[k], size[k], R[k], p[k], there
            ) < -DEPTH:  # fmt: skip
                continue
            to_ground(R[j], p[j], there, ground)
            to_local(R[k], p[k], ground, foot[k, :3])
            if not settle(kind[k], size[k], foot[k, :3], g, H):
                continue
            for r in range(3):
                ahead[r] = p[k, r]
                for c in range(3):
                    ahead[r] += R[j, r, c] * there[3 + c]
            to_local(R[k], p[k], ahead, foot[k, 3:6])
            lean(g, foot[k, 3:6])
            foot[k, 6] = 0.0
            if k > j:
                foot[j, 6] -= there[6]
            else:
                for r in range(7):
                    foot[j, r] = there[r]
            return k
    return -1
