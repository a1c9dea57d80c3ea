"""Contact forces on bones, in the coordinates that move the bone.

A contact point exerts the force f on the fiber at x, and -f on the bone.
When coordinate j moves the bone, x recedes by V_j(x) = v_j + w_j x x in the bone's frame, and f
turns with the bone. Links, ``S`` and ``moves`` as in `fibermsk.kernels.skeleton.rigid`.

Points of one task add to ``moments`` (n_tasks, n) and ``corners`` (n_tasks, n, n), its
contributions to residual and matrix of the coordinates, with the sign of a residual.
"""

from __future__ import annotations

from fibermsk._compile import body


@body
def crossed(a, b):
    """Vector product of two arrays or tuples, as a tuple."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@body
def moves_bone(link, j, moves):
    """Whether a coordinate moves a bone."""
    return link >= 0 and moves[link, j]


@body
def velocity_field(S, j, x):
    """V_j(x), as a tuple."""
    t = crossed(S[j], x)
    return S[j, 3] + t[0], S[j, 4] + t[1], S[j, 5] + t[2]


@body
def line_block(node, a, b):
    """Node and kind of the block of an element's node a (rows) and node b (columns) in the lines.

    node: the element's first; a, b: 0 or 1; see `fibermsk.linalg.lines`.
    """
    if a == b:
        return node + a, 0
    return node, 1 if b > a else 2


@body
def clear_shares(task, tangent, moments, corners):
    """Clear the contributions of a task to the coordinates."""
    for i in range(moments.shape[1]):
        moments[task, i] = 0.0
        if tangent:
            for j in range(moments.shape[1]):
                corners[task, i, j] = 0.0


@body
def add_moment(task, j, x, force, S, moments):
    """Add the contribution of a force [N] on x to coordinate j; return V_j(x)."""
    V = velocity_field(S, j, x)
    moments[task, j] += force[0] * V[0] + force[1] * V[1] + force[2] * V[2]
    return V


@body
def add_to_corner(task, link, j, x, force, change, S, moves, corners):
    """Add the derivative in coordinate j of the contributions of a force on x.

    change: derivative of the force itself.
    """
    for i in range(corners.shape[1]):
        if not moves[link, i]:
            continue
        V = velocity_field(S, i, x)
        value = change[0] * V[0] + change[1] * V[1] + change[2] * V[2]
        if i != j and moves[i, j]:
            # the field of coordinate i turns with j: that of the bracket [S_j, S_i]
            a, b = S[j], S[i]
            turn = crossed(a, b)
            first, second = crossed(a, b[3:]), crossed(a[3:], b)
            t = crossed(turn, x)
            for r in range(3):
                value += force[r] * (t[r] + first[r] + second[r])
        corners[task, i, j] += value
