"""A ring of incompressible rubber around a rigid cylinder, as a solid body: finite elements.

Without code of the package and without cable theory: neo-Hookean sections (shear modulus 1) in
cylindrical coordinates, displacements quadratic and the pressure bilinear (Taylor and Hood),
incompressible; contact of the section with the cylinder is frictionless, and the section deforms
freely. It yields the axial force of a section under lateral contact pressure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve


class Ring(NamedTuple):
    """A ring in equilibrium on its cylinder.

    Attributes
    ----------
    stretch : float
        Stretch of the center line: current over reference radius.
    force : float
        Integral of the circumferential Cauchy stress over the section, relative to the shear
        modulus times the reference area.
    slenderness : float
        Radius of a circle of the section's area, relative to the distance of its center from the
        axis.
    energy, drum : float
        Energy per radian, relative to the shear modulus times the reference area, and radius of the
        cylinder; lengths are relative to the reference radius of the ring.
    """

    stretch: float
    force: float
    slenderness: float
    energy: float
    drum: float


def _disc(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (m, 2) of the unit disc and 9-node elements (n^2, 9), corners, sides, middle."""
    line = np.linspace(-1.0, 1.0, 2 * n + 1)
    x, z = np.meshgrid(line, line, indexing="ij")
    # squares on which the larger coordinate is constant become circles
    size, length = np.maximum(np.abs(x), np.abs(z)), np.hypot(x, z)
    share = np.divide(size, length, out=np.ones_like(size), where=length > 0)
    blend = size**2  # straight in the middle, round at the edge
    factor = (1.0 - blend) * (0.5 + 0.5 * share) + blend * share
    nodes = np.stack([x * factor, z * factor], axis=-1).reshape(-1, 2)
    at = np.arange((2 * n + 1) ** 2).reshape(2 * n + 1, -1)
    i, k = (g.ravel() for g in np.meshgrid(*[2 * np.arange(n)] * 2, indexing="ij"))
    places = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1), (1, 1))
    return nodes, np.stack([at[i + a, k + b] for a, b in places], axis=1)


def _shapes() -> tuple[np.ndarray, ...]:
    """Quadratic functions with derivatives and bilinear ones at 3 x 3 Gauss points; weights."""
    g = np.sqrt(0.6) * np.array([-1.0, 0.0, 1.0])
    w = np.array([5.0, 8.0, 5.0]) / 9.0
    a, b = (v.ravel() for v in np.meshgrid(g, g, indexing="ij"))

    def line(x):  # at -1, 0, 1
        values = 0.5 * x * (x - 1.0), 1.0 - x * x, 0.5 * x * (x + 1.0)
        return np.array(values), np.array([x - 0.5, -2.0 * x, x + 0.5])

    (fa, da), (fb, db) = line(a), line(b)
    places = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1), (1, 1))
    N = np.array([fa[i] * fb[k] for i, k in places])
    dN = np.array([[da[i] * fb[k], fa[i] * db[k]] for i, k in places])
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    Q = np.array([0.25 * (1 + i * a) * (1 + k * b) for i, k in corners])
    return N, dN, Q, np.outer(w, w).ravel()


def stretched(slenderness: float, stretch: float, n: int = 8) -> Ring:
    """Solve a ring that is stretched by a cylinder.

    Parameters
    ----------
    slenderness : float
        Reference radius of the section, relative to that of the ring.
    stretch : float
        Radius at which a circular section would touch the cylinder, relative to that of the ring.
    n : int
        Elements across the section.
    """
    disc, elements = _disc(n)
    X = slenderness * disc + [1.0, 0.0]
    N, dN, Q, w = _shapes()
    n_nodes = len(X)
    corner, of_corner = np.unique(elements[:, :4], return_inverse=True)
    pressure = 2 * n_nodes + of_corner.reshape(-1, 4)
    n_all = 2 * n_nodes + corner.size
    jac = np.einsum("eai,apg->egip", X[elements], dN)
    G = np.einsum("apg,egpi->egai", dN, np.linalg.inv(jac))  # derivatives in the reference position
    rho0 = np.einsum("ea,ag->eg", X[elements][..., 0], N)
    volume = w * np.linalg.det(jac) * rho0
    dof = np.stack([2 * elements, 2 * elements + 1], axis=-1)  # (e, 9, 2)
    edge = np.flatnonzero(np.isclose(np.hypot(*disc.T), 1.0))
    drum = stretch - slenderness / np.sqrt(stretch)
    # initial guess: a circle of the same volume
    x = np.empty_like(X)
    x[:, 0] = stretch + (X[:, 0] - 1.0) / np.sqrt(stretch)
    x[:, 1] = X[:, 1] / np.sqrt(stretch)
    p = np.full(corner.size, 1.0 / stretch)
    middle = np.flatnonzero(X[:, 1] == 0.0)  # symmetry: no axial displacement
    held = np.zeros(0, int)  # edge nodes on the cylinder
    for _ in range(60):
        F = np.einsum("eai,egaj->egij", x[elements], G)
        ring = np.einsum("ea,ag->eg", x[elements][..., 0], N) / rho0
        det = np.linalg.det(F)
        cof = np.empty_like(F)
        cof[..., 0, 0], cof[..., 1, 1] = F[..., 1, 1], F[..., 0, 0]
        cof[..., 0, 1], cof[..., 1, 0] = -F[..., 1, 0], -F[..., 0, 1]
        q = np.einsum("ea,ag->eg", p[of_corner.reshape(-1, 4)], Q)
        # energy (|F|^2 + ring^2) / 2 - q (det ring - 1), the factors of each variation
        D = np.einsum("egij,egaj->egai", cof, G)  # of det
        R = N.T[None] / rho0[..., None]  # of ring (e, g, a), radial displacements only
        J1 = D * ring[..., None, None]
        J1[..., 0] += det[..., None] * R
        first = np.einsum("egij,egaj->egai", F, G)
        first[..., 0] += ring[..., None] * R
        first -= q[..., None, None] * J1
        r = np.zeros(n_all)
        np.add.at(r, dof, np.einsum("eg,egai->eai", volume, first))
        np.add.at(r, pressure, -np.einsum("eg,eg,ag->ea", volume, det * ring - 1.0, Q))
        K = np.einsum("eg,egaj,egbj->eab", volume, G, G)
        K = np.einsum("eab,ik->eaibk", K, np.eye(2))
        K[:, :, 0, :, 0] += np.einsum("eg,ega,egb->eab", volume, R, R)
        # second derivatives of det: e_ij e_kl G_aj G_bl
        turn = np.einsum("eg,ega,egb->eab", volume * q * ring, G[..., 0], G[..., 1])
        K[:, :, 0, :, 1] -= turn - turn.transpose(0, 2, 1)
        K[:, :, 1, :, 0] += turn - turn.transpose(0, 2, 1)
        mixed = np.einsum("eg,egai,egb->eaib", volume * q, D, R)
        K[:, :, :, :, 0] -= mixed
        K[:, :, 0, :, :] -= mixed.transpose(0, 3, 1, 2)
        C = -np.einsum("eg,egai,bg->eaib", volume, J1, Q)
        m = len(elements)
        own, at = dof.reshape(m, 18), pressure
        rows = [np.repeat(own, 18, 1), np.repeat(own, 4, 1), np.tile(at, (1, 18))]
        columns = [np.tile(own, (1, 18)), np.tile(at, (1, 18)), np.repeat(own, 4, 1)]
        values = [K.reshape(m, -1), C.reshape(m, -1), C.reshape(m, -1)]
        flat = [
            np.concatenate([part.ravel() for part in parts]) for parts in (values, rows, columns)
        ]
        matrix = coo_matrix((flat[0], (flat[1], flat[2])), shape=(n_all, n_all)).tocsr()
        # the cylinder constrains penetrating nodes, with outward forces only
        new = edge[
            (x[edge, 0] < drum + 1e-13) & ((r[2 * edge] > 0.0) | (x[edge, 0] < drum - 1e-13))
        ]
        change = np.zeros(n_all)
        change[2 * new] = drum - x[new, 0]
        fixed = np.zeros(n_all, bool)
        fixed[2 * new], fixed[2 * middle + 1] = True, True
        free = ~fixed
        load = -(r + matrix @ change)
        change[free] = spsolve(matrix[free][:, free].tocsc(), load[free])
        x += change[: 2 * n_nodes].reshape(-1, 2)
        p += change[2 * n_nodes :]
        if np.abs(change).max() < 1e-12 and np.array_equal(new, held):
            break
        held = new
    else:
        raise RuntimeError("no equilibrium of the ring")
    area = volume / rho0
    size = area.sum()
    center = np.einsum("ea,ag,eg->", x[elements][..., 0], N, area) / size
    # circumferential Cauchy stress times the current area: (ring - q / ring) over that before
    force = np.einsum("eg,eg->", area, ring - q * det) / size
    now = np.einsum("eg,eg->", area, det) / np.pi
    energy = 0.5 * ((F**2).sum(axis=(2, 3)) + ring**2 - 3.0)
    energy = np.einsum("eg,eg->", volume, energy) / size
    return Ring(float(center), float(force), float(np.sqrt(now) / center), float(energy), drum)
