"""What systems and solvers hand to each other: values without behavior."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fibermsk._arrays import Array
from fibermsk.linalg import Condensed, LineMatrix, Solver


class BorderedMatrix(NamedTuple):
    """The matrix [[A, B], [R, D]] with a sparse A (n, n) and a thin dense border.

    A `LineMatrix` shares memory with the system and is overwritten by the next evaluation with a
    tangent. States at quadrature points follow as further unknowns, already eliminated from A, B, R
    and D.
    """

    A: csc_array | LineMatrix
    B: Array  # border columns (n, m)
    R: Array  # border rows (m, n)
    D: Array  # corner (m, m)
    points: Condensed | None = None  # states at quadrature points

    @property
    def sparse(self) -> csc_array:
        """Sparse part in compressed columns; a new array if A is a `LineMatrix`."""
        return self.A.tocsc() if isinstance(self.A, LineMatrix) else self.A

    @property
    def T(self) -> BorderedMatrix:
        """The transposed matrix; of a `LineMatrix` with arrays of its own."""
        A = self.A.T if isinstance(self.A, LineMatrix) else csc_array(self.A.T)
        B, R = (np.ascontiguousarray(one.T) for one in (self.R, self.B))
        points = None if self.points is None else self.points.T
        return BorderedMatrix(A, B, R, np.ascontiguousarray(self.D.T), points)

    def transposed_product(self, x: Array) -> Array:
        """Product of the transposed matrix with a vector (n,), without a copy of the border."""
        if self.points is not None:
            return self.T @ x
        n = self.B.shape[0]
        inner, border = x[:n], x[n:]
        on_border = inner @ self.B + border @ self.D
        return np.concatenate([self.A.T @ inner + border @ self.R, on_border])

    def __matmul__(self, x: Array) -> Array:
        """Product with a vector (n,), or with columns (n, m) if the sparse part is csc."""
        n = self.B.shape[0]
        if self.points is not None:
            m, diagonal = n + self.D.shape[0], self.points.diagonal
            whole = x[m:] + self.points.rows(x[:m], n) / diagonal
            others = self._replace(points=None) @ x[:m] + self.points.columns(whole, n)
            return np.concatenate([others, diagonal * whole])
        inner = self.A @ x[:n]
        if self.D.size == 0:
            return inner
        return np.concatenate([inner + self.B @ x[n:], self.R @ x[:n] + self.D @ x[n:]])


@runtime_checkable
class SolvesItself(Protocol):
    """A matrix with a solver of its own."""

    def solver(self, *, spend: bool = False) -> Solver:
        """Return a function that solves with the matrix; see `fibermsk.solvers.newton.linear`.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the matrix is singular or not finite; raised by the function if it fails to converge.
        """
        ...


Tangent = BorderedMatrix | Array | SolvesItself


NO_MULTIPLIERS = np.zeros(0)
"""Multipliers of a system without constraints, or of a state without forces."""


class Evaluation(NamedTuple):
    """Residual and tangent at one state."""

    residual: Array  # F (n,); zero in dependent entries
    tangent: Tangent | None  # dF with respect to an increment of the unknowns
    # least 1 + gamma g of closed contacts, or 1; not positive where F is undefined
    admissibility: float
    reactions: Array  # forces (n_points, 3) of the attachments on the fibers [N]
    flaw: str = ""  # term that is NaN or infinite; empty if none is
    imbalance: float = 0.0  # largest residual relative to the forces it sums; zero if not computed
    multipliers: Array = NO_MULTIPLIERS  # (m,) of the constraints on the coordinates


NO_CUTS = np.zeros((0, 0))
"""Forces through cuts in a record without them."""


class Followers(NamedTuple):
    """How dependent entries of positions and velocities follow others, to first order.

    dy[entries] = by_position dy[on], dv[entries] = by_position dv[on] + by_speed dy[on]. Where
    constraints take the place of equations F[held], these are added to others, by the multipliers:
    F[on] += shares^T F[held].
    """

    entries: NDArray[np.int64]  # dependent entries (m,), such as positions of attached ends
    on: NDArray[np.int64]  # entries (k,) that they follow
    by_position: Array  # (m, k)
    by_speed: Array  # (m, k), at the velocities of the state
    fixed: NDArray[np.int64]  # entries that are prescribed in time
    held: NDArray[np.int64] = np.zeros(0, np.int64)  # entries (c,) with constraints in their rows
    shares: Array = NO_MULTIPLIERS  # (c, k)


class ProjectionSlopes(NamedTuple):
    """Derivatives of a projection onto constraints, in the entries (k,) that it moves.

    dy'[on] = position dy[on], dv'[on] = speed dy[on] + rate dv[on]; dependent entries follow.
    """

    on: NDArray[np.int64]
    position: Array  # (k, k)
    speed: Array  # (k, k)
    rate: Array  # (k, k)


class Frames(NamedTuple):
    """Raw record of a run, one entry per frame; three of them of the steps before it."""

    t: Array  # (n_frames,) [s]
    y: Array  # positions (n_frames, n)
    v: Array  # velocities (n_frames, n)
    reactions: Array  # forces (n_frames, n_points, 3) of the attachments on the fibers [N]
    multipliers: Array  # (n_frames, m) of constraints; m is 0 in a record without forces
    step_size: Array
    newton_iterations: NDArray[np.int64]
    admissibility: Array
    cuts: Array = NO_CUTS  # (n_frames, m) of `HasCuts`; m is 0 for other systems


class StateBlock(NamedTuple):
    """Block of m unknowns of first order."""

    owner: str  # name of the element that has them
    names: tuple[str, ...]  # of each entry
    units: tuple[str, ...]  # of each entry
    scale: Array  # characteristic sizes (m,)
    start: Array  # initial values (m,)
    field: str = ""  # of states at quadrature points: name of the array that they form
    shape: tuple[int, ...] = ()  # its shape, elements and points


class Tolerance(NamedTuple):
    """Error tolerance for each kind of unknown; speeds are not controlled if None."""

    relative: float  # to a fiber's length, to 1 rad (1 m for sliders), and to the scale of a state
    length: float = 0.0  # added for positions of fibers [m]
    angle: float = 0.0  # added for coordinates [rad, m for sliders]
    speed: float | None = None  # of fiber velocities [m/s]
    angular_speed: float | None = None  # of the rates of coordinates [rad/s, m/s for sliders]
    state: float = 0.0  # added for first-order states, relative to their scale


class Verdict(NamedTuple):
    """Result of the collision check of a motion between two states."""

    reason: str = ""  # why the motion is rejected; empty if it is accepted
    refined: bool = False  # whether contact points were added, so that the step must be repeated
    admissibility: float = 1.0  # least 1 + gamma g between the contact points, at most 1
