"""What systems and solvers hand to each other: values without behavior."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fibermsk.linalg import LineMatrix, Solver

__all__ = [
    "BorderedMatrix",
    "Evaluation",
    "Frames",
    "SolvesItself",
    "StateBlock",
    "Tangent",
    "Tolerance",
    "Verdict",
]

Array = NDArray[np.float64]


class BorderedMatrix(NamedTuple):
    """The matrix [[A, B], [R, D]] with a sparse A and a thin dense border.

    Attributes
    ----------
    A : (n, n) csc_array or LineMatrix
        Sparse part; a `LineMatrix` shares memory with the system and is overwritten by the next
        evaluation with a tangent.
    B : (n, m) float array
        Border columns.
    R : (m, n) float array
        Border rows.
    D : (m, m) float array
        Corner.
    """

    A: csc_array | LineMatrix
    B: Array
    R: Array
    D: Array

    @property
    def sparse(self) -> csc_array:
        """Sparse part in compressed columns; a new array if A is a `LineMatrix`."""
        return self.A.tocsc() if isinstance(self.A, LineMatrix) else self.A

    def __matmul__(self, x: Array) -> Array:
        """Product with a vector (n,), or with columns (n, m) if the sparse part is csc."""
        n = self.B.shape[0]
        inner = self.A @ x[:n]
        if self.D.size == 0:
            return inner
        return np.concatenate([inner + self.B @ x[n:], self.R @ x[:n] + self.D @ x[n:]])

    def assembled(self) -> BorderedMatrix:
        """Copy with the sparse part in compressed columns."""
        return BorderedMatrix(self.sparse, self.B, self.R, self.D)


@runtime_checkable
class SolvesItself(Protocol):
    """A matrix with a solver of its own."""

    def solver(self) -> Solver:
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
    """Residual and tangent at one state.

    Attributes
    ----------
    residual : (n,) float array
        F; zero in dependent entries.
    tangent : BorderedMatrix or (n, n) float array or SolvesItself or None
        dF with respect to an increment of the unknowns.
    admissibility : float
        Least 1 + gamma g over the closed contacts, 1 where none is closed; not positive where the
        state cannot be evaluated.
    reactions : (n_points, 3) float array
        Forces of the attachments on the fibers [N].
    flaw : str
        Term that is NaN or infinite; empty if none is.
    imbalance : float
        Largest residual relative to the forces it sums; zero if not computed.
    multipliers : (m,) float array
        Of the constraints on the coordinates.
    """

    residual: Array
    tangent: Tangent | None
    admissibility: float
    reactions: Array
    flaw: str = ""
    imbalance: float = 0.0
    multipliers: Array = NO_MULTIPLIERS


class Frames(NamedTuple):
    """Raw record of a run, one entry per frame.

    Attributes
    ----------
    t : (n_frames,) float array
        [s].
    y, v : (n_frames, n) float array
        Positions and velocities.
    reactions : (n_frames, n_points, 3) float array
        Forces of the attachments on the fibers [N].
    multipliers : (n_frames, m) float array
        Of the constraints on the coordinates; m is 0 in a record without forces.
    step_size, newton_iterations, admissibility : (n_frames,) array
        Of the steps since the previous frame.
    """

    t: Array
    y: Array
    v: Array
    reactions: Array
    multipliers: Array
    step_size: Array
    newton_iterations: NDArray[np.int64]
    admissibility: Array


class StateBlock(NamedTuple):
    """Block of m unknowns of first order.

    Attributes
    ----------
    owner : str
        Name of the element that has them.
    names, units : tuple of m str
        Of each entry.
    scale, start : (m,) float array
        Characteristic sizes and initial values.
    """

    owner: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    scale: Array
    start: Array


class Tolerance(NamedTuple):
    """Error tolerance for each kind of unknown.

    Attributes
    ----------
    relative : float
        Relative to a fiber's length, to 1 rad (1 m for sliders), and to the scale of a first-order
        state.
    length : float
        Added for positions of fibers [m].
    angle : float
        Added for coordinates [rad, m for sliders].
    speed : float or None
        Of fiber velocities [m/s]; None if not controlled.
    angular_speed : float or None
        Of the rates of coordinates [rad/s, m/s for sliders]; None if not controlled.
    state : float
        Added for first-order states, relative to their scale.
    """

    relative: float
    length: float = 0.0
    angle: float = 0.0
    speed: float | None = None
    angular_speed: float | None = None
    state: float = 0.0


class Verdict(NamedTuple):
    """Result of the collision check of a motion between two states.

    Attributes
    ----------
    reason : str
        Why the motion is rejected; empty if it is accepted.
    refined : bool
        Whether contact points were added, so that the step must be repeated.
    admissibility : float
        Least 1 + gamma g between the contact points, at most 1.
    """

    reason: str = ""
    refined: bool = False
    admissibility: float = 1.0
