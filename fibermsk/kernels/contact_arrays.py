"""Groups of arrays of the contact kernels, with named columns.

Kernels on the host and on a device take the same groups. Each array of a group costs time in every
call from Python: groups are built when their arrays are allocated, and hold what most kernels need.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class FiberShapes(NamedTuple):
    """Centerlines and radii of all elements.

    Attributes
    ----------
    power : (n_elements, 4, 3) float array
        Current centerlines in powers of xi.
    shape_of : (n_elements,) int array
        Row of each element in the two following arrays; equal elements share one.
    reference : (n_shapes, 4, 3) float array
        Reference centerlines in powers of xi, without their positions: zero in the first.
    radius_poly : (n_shapes, 5) float array
        Reference radius in powers of xi.
    h : (n_elements,) float array
        Length in theta.
    elements : (n_elements, 2) int array
        Nodes.
    fiber : (n_elements,) int array
        Fiber of each element.
    end_flag : (n_elements,) int array
        1 for the first, 2 for the last element of a fiber, 3 for both, 0 inside.
    """

    power: Any
    shape_of: Any
    reference: Any
    radius_poly: Any
    h: Any
    elements: Any
    fiber: Any
    end_flag: Any

    @classmethod
    def of(cls, cables: Any, power: Any) -> FiberShapes:
        """Collect the arrays of cables, on the host or on a device."""
        return cls(
            power, cables.shape_of, cables.reference_rows, cables.radius_rows, cables.h,
            cables.elements, cables.fiber, cables.end_flag,
        )  # fmt: skip


class ContactLaws(NamedTuple):
    """Contact laws and their quadrature on [0, 1].

    Attributes
    ----------
    constants : (n_laws, n_constants) float array
        The second one is the limit gamma.
    n_points : (n_laws,) int array
        Quadrature points per element.
    xi, weight : (n_laws, most points) float array
        Quadrature points and weights.
    """

    constants: Any
    n_points: Any
    xi: Any
    weight: Any


class QuadraturePoints(NamedTuple):
    """Quadrature points of elements with a contact law, shared by the runs of an element.

    Attributes
    ----------
    of_run : (n_runs,) int array
        Index of each run's element and law.
    start : (n_fibers + 1,) int array
        First index of each fiber; of length 0 for half passes on the host.
    element, law : (n,) int array
        Element and law of each index.
    values : (n, most points, 8) float array
        Position, tangent, radius and |a1|; see `fibermsk.kernels.closest.rows`.
    shares : (n, most points, N_SHARE) or, without tangent, (n, most points, N_FORCE) float array
        See `fibermsk.kernels.contact.shares`; of length 0 for half passes, and except where forces
        are added.
    """

    of_run: Any
    start: Any
    element: Any
    law: Any
    values: Any
    shares: Any


class FiberPoints(NamedTuple):
    """Contact points with other fibers.

    Attributes
    ----------
    element, xi : (n_points,) array
        Partner's point.
    state : (n_points, 3) float array
        d, the sum R of both radii, and |y,theta|; radius and |a1| of the integrated fiber are those
        of the quadrature point, and 1 + gamma g follows.
    force : (n_points, 3) float array
        Force on the integrated fiber per theta; of length 0 for potentials on the host, which
        compute it when it is asked for.
    frozen : (n_points,) bool array
        Whether the partner's point stays as it is, instead of the closest one.
    """

    element: Any
    xi: Any
    state: Any
    force: Any
    frozen: Any


class BonePoints(NamedTuple):
    """Contact points with bones.

    Attributes
    ----------
    x : (n_points, 3) float array
        Position.
    state : (n_points, 6) float array
        d, r_x, radius of the bone, 1 + gamma g, |a1| and 1.
    force : (n_points, 3) float array
        As of `FiberPoints`.
    """

    x: Any
    state: Any
    force: Any


class BoneShapes(NamedTuple):
    """Shapes of bones; see `fibermsk.kernels.bones.bone_shape`."""

    place: Any
    field: Any
    kind: Any
    grids: Any


class PairGroups(NamedTuple):
    """Pairs of fibers in contact (n,), sorted by group; no two of a group share a fiber."""

    order: Any
    start: Any


class PairRows(NamedTuple):
    """First fiber of each pair, and its rows of blocks; see `fibermsk.linalg.couplings`."""

    first: Any
    row_start: Any
    row_node: Any
    column: Any
    block_start: Any


class BoneAxes(NamedTuple):
    """Link of each shape (n_shapes,), and the joint axes that move links.

    ``moves`` and ``S``: see `fibermsk.kernels.skeleton.rigid`.
    """

    link: Any
    moves: Any
    S: Any


class BoneSums(NamedTuple):
    """Residual and matrix that contact with bones adds to.

    Attributes
    ----------
    residual, lines
        Of the nodes.
    B, R
        Border of the matrix; see `fibermsk.kernels.contact.bone_passes`.
    moments, corners : (n_tasks, n_q) and (n_tasks, n_q, n_q) float array
        See `fibermsk.kernels.contact.bone_border`.
    """

    residual: Any
    lines: Any
    B: Any
    R: Any
    moments: Any
    corners: Any


class FiberUpdate(NamedTuple):
    """Update of the fibers.

    Attributes
    ----------
    nodes : (n_nodes, 6) float array
        Of the nodes.
    hull : (n_elements, 4, 3) float array
        Of the Bezier control points.
    remainder : (n_elements,) float array
        Bound of the deviation of control points from it, because attachments move on curves [m].
    """

    nodes: Any
    hull: Any
    remainder: Any


class BoneMotion(NamedTuple):
    """Update of the joint axes, and bounds of the motion of the bones.

    Attributes
    ----------
    update : (n_q,) float array
        Of the axes.
    position : (n_q, 3) float array
        Of the links [m].
    steepest : (n_shapes,) float array
        Bound of the gradient of each distance.
    chain_length : (n_links,) float array
        Distance along the chain from a link to its first joint [m].
    """

    update: Any
    position: Any
    steepest: Any
    chain_length: Any
