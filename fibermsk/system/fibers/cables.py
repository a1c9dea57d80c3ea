"""Fibers as arrays: nodes, elements, quadrature data and attachments."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fibermsk._arrays import Array, Index, Short
from fibermsk._ranges import sizes, starts
from fibermsk.elements import gauss_rule, mesh_fiber
from fibermsk.elements.hermite import hermite_d1
from fibermsk.elements.mesh import FiberMesh, spline_through
from fibermsk.errors import ModelError
from fibermsk.kernels.fibers import cable, shape
from fibermsk.kernels.fibers.attachment import AttachedEnds
from fibermsk.laws.layout import StressLayout
from fibermsk.laws.stress import bending_stiffness
from fibermsk.model import Fiber, Model, MovingPoint, Station
from fibermsk.model.muscles.fiber import End
from fibermsk.system.fibers.equal_rows import ElementRows, without_equal
from fibermsk.system.skeleton.tree import Tree, TreeState

ATTACHMENT_FIELDS = "point_link", "point_local", "end_element", "end_side", "point_fiber"
"""Arrays of `Cables` for attached ends."""

N_POINTS = 5
"""Gauss points per element of mass, internal force and loads."""

ATTACHMENT_TOLERANCE = 1e-6
"""Distance between a path's end and its attachment, over the path's length, that counts as
round-off."""

# Fields of a fiber that its mesh, its radius and its stress law depend on.
_GEOMETRY = frozenset({"path", "attach", "nodes"})
_SECTION = frozenset({"radius"})
_MATERIAL = frozenset({"tissue", "muscle_fraction"})

# A path is degenerate or turns back where its speed falls below this fraction of the mean.
_LEAST_SPEED = 1e-6

# The reference radius is a quartic in xi on each element, through its values at these points.
_RADIUS_XI = np.linspace(0.0, 1.0, 5)
_RADIUS_FIT = np.linalg.inv(np.vander(_RADIUS_XI, increasing=True))


@dataclass(frozen=True)
class Cables:
    """Arrays of all fibers, numbered one after the other."""

    names: tuple[str, ...]  # of the fibers
    node_start: Index  # first node of each fiber (n_fibers + 1,)
    element_start: Index  # first element
    theta: Array  # material coordinate of the nodes (n_nodes,)
    reference: Array  # position and theta-tangent (n_nodes, 6) in the reference configuration
    elements: Index  # node numbers (n_elements, 2)
    fiber: Index  # fiber of each element (n_elements,)
    h: Array  # length in theta (n_elements,)
    end_flag: Short  # (n_elements,): 1 for the first, 2 for the last of a fiber, 3 for both
    xi: Array  # quadrature points in [0, 1]
    rows: ElementRows  # data of the elements; equal ones share a row
    row_of: Short  # row of each element (n_elements,)
    layouts: tuple[StressLayout, ...]  # meaning of the columns of `law`, by kind of stress law
    layout: Index  # index in `layouts` of each fiber (n_fibers,)
    density: Array  # of the tissue of each fiber (n_fibers,) [kg/m^3]
    bent: Index  # elements with bending stiffness (n_bent,)
    # reference radius (n_shapes, 5) and centerline (n_shapes, 4, 3) in powers of xi, without its
    # position: zero in the first; and the row of each element (n_elements,)
    radius_rows: Array
    reference_rows: Array
    shape_of: Short
    length: Array  # reference length (n_fibers,) [m]
    # attached ends (n_points,): link, and position (n_points, 3) in the link frame
    point_link: Index
    point_local: Array
    end_element: Index  # element of the end node
    end_side: Index  # its place there, 0 for an origin and 1 for an insertion
    point_fiber: Index  # its fiber

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all fibers."""
        return self.reference.shape[0]

    @property
    def weight(self) -> Array:
        """Quadrature weights times h (n_elements, n_points); a new array."""
        return self.rows.weight[self.row_of]

    @property
    def area(self) -> Array:
        """Reference area A0 (n_elements, n_points) [m^2]; a new array."""
        return self.rows.area[self.row_of]

    @property
    def G0(self) -> Array:
        """|X,theta| (n_elements, n_points) [m]; a new array."""
        return self.rows.G0[self.row_of]

    @property
    def modulus(self) -> Array:
        """Shear modulus at small strain (n_elements, n_points) [N/m^2]; a new array."""
        return self.rows.moduli[self.row_of]

    @property
    def mass(self) -> Array:
        """Element mass matrices (n_elements, 4, 4) [kg]; a new array."""
        return self.rows.mass[self.row_of]

    @property
    def radius_poly(self) -> Array:
        """Reference radius in powers of xi (n_elements, 5); a new array."""
        return self.radius_rows[self.shape_of]

    @property
    def line_density(self) -> Array:
        """Mass per theta (n_elements, n_points) [kg]; a new array."""
        return self.density[self.fiber, None] * self.area * self.G0

    @cached_property
    def attached_nodes(self) -> Index:
        """Node of each attached end."""
        return self.elements[self.end_element, self.end_side]

    @cached_property
    def fiber_of_node(self) -> Index:
        """Fiber of each node (n_nodes,)."""
        return np.repeat(np.arange(len(self.names)), sizes(self.node_start))

    @cached_property
    def ends(self) -> AttachedEnds:
        """Attached ends, by point and by node."""
        at_node = np.full(self.n_nodes, -1)
        at_node[self.attached_nodes] = np.arange(self.end_element.size)
        return AttachedEnds(self.attached_nodes, self.end_side, self.point_fiber, at_node)

    def end_inertia(self, acceleration: Array) -> Array:
        """Inertia (n_points, 3) at the attached ends [N] of accelerations (n_nodes, 6)."""
        own = acceleration[self.elements[self.end_element]].reshape(-1, 4, 3)
        rows = self.rows.mass[self.row_of[self.end_element], 2 * self.end_side]
        found: Array = np.einsum("ma,mar->mr", rows, own)
        return found

    @cached_property
    def section_factors(self) -> Array:
        """r0 sqrt(|A1|) at the start, the middle and the end of each element, (3, n_elements)."""
        xi = np.array([0.0, 0.5, 1.0])
        r0 = self.radius_poly @ np.vander(xi, 5, increasing=True).T
        speed = reference_speed(self.reference, self.elements, self.h, xi)
        return np.ascontiguousarray((r0 * np.sqrt(speed)).T)

    @cached_property
    def node_widths(self) -> tuple[Array, Array]:
        """Mean length in theta of the elements at each node, and its share of the fiber."""
        ends = self.elements.ravel()
        total = np.zeros(self.n_nodes)
        np.add.at(total, ends, np.repeat(self.h, 2))
        return total / np.bincount(ends, minlength=self.n_nodes), 0.5 * total

    def describe(self, node: int, component: int) -> str:
        """Name of an unknown of a node, such as "biceps_1 node 4, x"."""
        fiber = int(np.searchsorted(self.node_start, node, side="right")) - 1
        kind = ("x", "y", "z", "tangent x", "tangent y", "tangent z")[component]
        return f"{self.names[fiber]} node {node - self.node_start[fiber]}, {kind}"


def build_cables(
    model: Model,
    tree: Tree,
    state: TreeState,
    before: tuple[Cables, Sequence[Collection[str]]] | None = None,
) -> Cables:
    """Mesh all fibers of a model with its bodies in their initial state.

    `before`: arrays of the same model with other parameters, and the changed fields of each fiber.
    """
    old, changed = before if before is not None else (None, [()] * len(model.fibers))
    xi, weights = gauss_rule(N_POINTS)
    meshes, ends = [], []
    for f, fiber in enumerate(model.fibers):
        points = [_locate(station, tree, state) for station in fiber.ends]
        mesh = None
        if old is not None and _GEOMETRY.isdisjoint(changed[f]):
            mesh = _known_mesh(old, f, points)
        meshes.append(mesh or mesh_fiber(_path(fiber, points), np.asarray(fiber.nodes)))
        for side, (station, point) in enumerate(zip(fiber.ends, points, strict=True)):
            if station is not None and point is not None:
                nodes = meshes[-1].nodes
                _snap(fiber, station, side, nodes, point)
                link, local = -1, point
                if isinstance(station, Station):
                    link, rotation, position = tree.frames[station.body.name]
                    local = position + rotation @ np.asarray(station.position)
                ends.append((f, side, link, local))
    n_elements = np.array([fiber.n_elements for fiber in model.fibers], np.int64)
    element_start = starts(n_elements)
    node_start = starts(n_elements + 1)
    first = np.concatenate(
        [np.zeros(0, np.int64), *(node_start[f] + np.arange(n) for f, n in enumerate(n_elements))]
    )
    elements = np.stack([first, first + 1], axis=1)
    fiber_of = np.repeat(np.arange(n_elements.size), n_elements)
    theta = np.concatenate([np.zeros(0), *(mesh.theta for mesh in meshes)])
    reference = np.concatenate([np.zeros((0, 6)), *(mesh.nodes for mesh in meshes)])
    h = theta[elements[:, 1]] - theta[elements[:, 0]]
    end_flag = np.zeros(elements.shape[0], np.int32)
    end_flag[element_start[:-1]] += 1
    end_flag[element_start[1:] - 1] += 2
    power = np.empty((elements.shape[0], 4, 3))
    shape.power_coefficients(reference, elements, h, power)
    power[:, 0] = 0.0

    G0 = reference_speed(reference, elements, h, xi)
    radius_poly = np.empty((elements.shape[0], 5))
    tissue_layouts = [fiber.tissue.layout for fiber in model.fibers]
    layouts = tuple(dict.fromkeys(tissue_layouts)) or (StressLayout(),)
    law = np.zeros((elements.shape[0], N_POINTS, max(layout.size for layout in layouts)))
    modulus, share = np.empty(law.shape[:2]), np.empty((elements.shape[0], 1))
    for f, fiber in enumerate(model.fibers):
        own = slice(element_start[f], element_start[f + 1])
        start = theta[elements[own, 0], None]
        if old is not None and _SECTION.isdisjoint(changed[f]):
            radius_poly[own] = old.radius_rows[old.shape_of[own]]
        else:
            at = start + h[own, None] * _RADIUS_XI
            radius_poly[own] = fiber.radius_at(at.ravel()).reshape(at.shape) @ _RADIUS_FIT.T
        if old is not None and _MATERIAL.isdisjoint(changed[f]):
            known = old.row_of[own]
            law[own], modulus[own] = old.rows.law[known], old.rows.moduli[known]
        else:
            at = start + h[own, None] * xi
            fraction = fiber.muscle_fraction_at(at.ravel()).reshape(at.shape)
            constants = fiber.tissue.constants(fraction)
            law[own, :, : constants.shape[2]] = constants
            modulus[own] = fiber.tissue.modulus(fraction)
        share[own] = fiber.tissue.bending
        tangents = np.linalg.norm(meshes[f].nodes[:, 3:], axis=1)
        speed = np.r_[G0[own].ravel(), tangents]
        if not speed.min() > _LEAST_SPEED * speed.mean():
            raise ModelError(
                f"fiber {fiber.name!r}: |dX/dtheta| = {speed.min():g} m; must be positive; the "
                "path turns back on itself within an element: give it more elements or a smoother "
                "path"
            )
    radius = radius_poly @ np.vander(xi, 5, increasing=True).T
    if not (radius > 0.0).all():
        e = int(np.argmin(radius.min(axis=1)))
        raise ModelError(
            f"fiber {model.fibers[fiber_of[e]].name!r}: radius = {radius.min():g} m on element "
            f"{e - element_start[fiber_of[e]]}; must be positive where the elements follow it with "
            "quartics; use more elements or a smoother radius"
        )
    area = np.pi * radius**2
    weight = h[:, None] * weights
    density = np.array([fiber.tissue.density for fiber in model.fibers], float)
    mass = np.empty((elements.shape[0], 4, 4))
    cable.cable_mass(elements, h, xi, weight, density[fiber_of, None] * area * G0, mass)
    bending = bending_stiffness(share, modulus, radius) / G0
    rows, row_of = without_equal(weight, area, G0, modulus, bending, law, mass)
    (radius_rows, reference_rows), shape_of = without_equal(radius_poly, power)
    return Cables(
        names=tuple(fiber.name for fiber in model.fibers),
        node_start=node_start,
        element_start=element_start,
        theta=theta,
        reference=reference,
        elements=elements,
        fiber=fiber_of,
        h=h,
        end_flag=end_flag,
        xi=xi,
        rows=ElementRows(*rows),
        row_of=row_of,
        layouts=layouts,
        layout=np.array([layouts.index(layout) for layout in tissue_layouts], np.int64),
        density=density,
        bent=np.flatnonzero(share),
        radius_rows=radius_rows,
        reference_rows=reference_rows,
        shape_of=shape_of,
        length=per_fiber(np.add, (weight * G0).sum(axis=1), element_start),
        point_link=np.array([end[2] for end in ends], np.int64),
        point_local=np.array([end[3] for end in ends], float).reshape(-1, 3),
        end_element=np.array(
            [element_start[f] if side == 0 else element_start[f + 1] - 1 for f, side, *_ in ends],
            np.int64,
        ),
        end_side=np.array([end[1] for end in ends], np.int64),
        point_fiber=np.array([end[0] for end in ends], np.int64),
    )


def per_fiber(operation: np.ufunc, values: Array, start: Index) -> Array:
    """Reduce values of elements to one value per fiber."""
    return operation.reduceat(values, start[:-1]) if values.size else np.zeros(start.size - 1)


def reference_speed(nodes: Array, elements: Index, h: Array, xi: Array) -> Array:
    """|x,theta| at points xi (n_points,) of every element, (n_elements, n_points) [m]."""
    grid = (h.size, xi.size)
    d1 = np.stack([np.broadcast_to(d, grid) for d in hermite_d1(xi[None, :], h[:, None])])
    control = nodes[elements].reshape(-1, 4, 3)
    return np.linalg.norm(np.einsum("aek,eai->eki", d1, control), axis=2)


def _locate(station: End, tree: Tree, state: TreeState) -> Array | None:
    """Ground position of an attachment at the start."""
    if station is None:
        return None
    if isinstance(station, MovingPoint):
        return station.position_at(0.0)
    rotation, position = tree.place(station.body.name, state)
    return position + rotation @ np.asarray(station.position)


def _path(fiber: Fiber, points: list[Array | None]):
    """Path of a fiber as a function of theta."""
    if fiber.path is None:
        origin, insertion = points
        assert origin is not None and insertion is not None  # Fiber.__post_init__
        if not np.linalg.norm(insertion - origin) > 0.0:
            raise ModelError(
                f"fiber {fiber.name!r}: length = 0 m; must be positive; both attachments lie at "
                f"{np.round(origin, 6).tolist()} m at the start: move one of them or give a path"
            )
        return spline_through(np.array([origin, insertion]))
    return fiber.path if callable(fiber.path) else spline_through(np.asarray(fiber.path))


def _known_mesh(old: Cables, f: int, points: list[Array | None]) -> FiberMesh | None:
    """Previous mesh of a fiber, if its ends have not moved."""
    own = slice(old.node_start[f], old.node_start[f + 1])
    nodes = old.reference[own]
    ends = zip(points, nodes[[0, -1], :3], strict=True)
    if all(point is None or np.array_equal(point, was) for point, was in ends):
        return FiberMesh(old.theta[own], nodes)
    return None


def _snap(
    fiber: Fiber, station: Station | MovingPoint, side: int, nodes: Array, point: Array
) -> None:
    """Check that the path ends at its attachment, and move the end node exactly there."""
    length = np.linalg.norm(np.diff(nodes[:, :3], axis=0), axis=1).sum()
    end = -side
    distance = float(np.linalg.norm(nodes[end, :3] - point))
    if distance > ATTACHMENT_TOLERANCE * length:
        which = ("origin", "insertion")[side]
        to = station.body.name if isinstance(station, Station) else "moving point"
        raise ModelError(
            f"fiber {fiber.name!r}: the path's {which} lies {distance:g} m from its attachment on "
            f"{to!r}; must coincide with it at the start, where the "
            f"attachment is at {np.round(point, 6).tolist()} m"
        )
    nodes[end, :3] = point
