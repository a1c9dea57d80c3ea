"""What a time integrator or a Newton solver may ask of a system, and nothing else.

The equations are F(t, y, v, v_dot) = 0 with positions y, velocities v and their rates. Some entries
of y and v may depend on others (attached fiber ends follow the joint coordinates); the system
itself keeps them consistent in `retract` and `enforce`, so the unknowns are increments of the
independent entries.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fibermsk.linalg import LineMatrix, Solver
from fibermsk.results import Result

__all__ = [
    "BorderedMatrix",
    "Collides",
    "Evaluation",
    "Frames",
    "Offloaded",
    "SolvesItself",
    "System",
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
        Sparse part; a matrix of lines is that of the evaluation last made with a tangent, and
        changes with the next.
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
        """Sparse part in compressed columns; that of a matrix of lines is made anew."""
        return self.A.tocsc() if isinstance(self.A, LineMatrix) else self.A

    def assembled(self) -> BorderedMatrix:
        """The same with a compressed sparse part of its own."""
        return BorderedMatrix(self.sparse, self.B, self.R, self.D)


@runtime_checkable
class SolvesItself(Protocol):
    """A matrix that knows best how to solve with it."""

    def solver(self) -> Solver:
        """Function that solves with it; see `fibermsk.solvers.linear.solver`.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the matrix is singular or not finite; the function does where it does not converge.
        """
        ...


Tangent = BorderedMatrix | Array | SolvesItself


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
        The term that is not finite, if any.
    imbalance : float
        Largest residual over the forces that it is the sum of; zero where nobody keeps account.
    """

    residual: Array
    tangent: Tangent | None
    admissibility: float
    reactions: Array
    flaw: str = ""
    imbalance: float = 0.0


class Frames(NamedTuple):
    """The raw record of a run, one entry a frame.

    Attributes
    ----------
    t : (n_frames,) float array
        [s].
    y, v : (n_frames, n) float array
        Positions and velocities.
    reactions : (n_frames, n_points, 3) float array
        Forces of the attachments on the fibers [N].
    step_size, newton_iterations, admissibility : (n_frames,) array
        Of the steps since the frame before.
    """

    t: Array
    y: Array
    v: Array
    reactions: Array
    step_size: Array
    newton_iterations: NDArray[np.int64]
    admissibility: Array


class Tolerance(NamedTuple):
    """How large an error may be, per kind of unknown.

    Attributes
    ----------
    relative : float
        Part of a fiber's length, and of 1 rad (1 m of a slider).
    length : float
        Added for positions of fibers [m].
    angle : float
        Added for coordinates [rad, m for sliders].
    speed : float or None
        Of fiber velocities [m/s]; None where they are not to be controlled.
    angular_speed : float or None
        Of the rates of coordinates [rad/s, m/s for sliders]; likewise.
    """

    relative: float
    length: float = 0.0
    angle: float = 0.0
    speed: float | None = None
    angular_speed: float | None = None


class Verdict(NamedTuple):
    """What is said of a motion from one state to the next.

    Attributes
    ----------
    reason : str
        Why it must not be, in words; empty if it may.
    refined : bool
        The system has become finer because of it: the same step is to be solved once more.
    admissibility : float
        Least 1 + gamma g that was found between the contact points, at most 1.
    """

    reason: str = ""
    refined: bool = False
    admissibility: float = 1.0


class System(Protocol):
    """Equations of motion in first-order residual form."""

    @property
    def n(self) -> int:
        """Number of unknowns, the length of y, v and of the residual."""
        ...

    @property
    def scale(self) -> Array:
        """Characteristic size of an increment of each unknown (n,), for norms."""
        ...

    def next_breakpoint(self, t: float, t_end: float) -> float:
        """Time after t, at most t_end, beyond which a signal is not smooth."""
        ...

    def initial_state(self) -> tuple[Array, Array]:
        """Positions y and velocities v at the start, consistent with the attachments."""
        ...

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """Positions at time t after an increment of the unknowns; a new array."""
        ...

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """Velocities with the dependent entries set from the independent ones; a new array.

        Entries that are prescribed in time keep the given velocity unless the time is given, and
        without `derive` unless the model gives more of the motion than positions.
        """
        ...

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """Rates of v with the dependent entries set likewise; a new array."""
        ...

    def evaluate(
        self,
        t: float,
        y: Array,
        v: Array,
        v_dot: Array,
        dv_dy: float = 0.0,
        dvdot_dv: float = 0.0,
        *,
        rates: bool = False,
        tangent: bool = True,
    ) -> Evaluation:
        """Residual and tangent, where dv = dv_dy dy and dv_dot = dvdot_dv dv.

        In dependent entries v is always that of `enforce`. There v_dot is a difference of v like
        everywhere else, or with `rates` that of `enforce_rate`; the tangent follows suit.
        """
        ...

    def step_fraction(self, y: Array, increment: Array, keep: float) -> float:
        """Part in (0, 1] of an increment that surely keeps a part `keep` of every admissibility."""
        ...

    @property
    def fiber_names(self) -> tuple[str, ...]:
        """Names of the fibers."""
        ...

    def least_tension(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """Least axial force of each fiber (n_fibers,) [N], and the theta where it is.

        Round-off counts as zero: a negative force is compression.
        """
        ...

    def suspects(self, t: float, y: Array, v: Array) -> list[str]:
        """Likely causes, with remedies, of a step that fails from this state."""
        ...

    def error_size(self, dy: Array, dv: Array | None, tolerance: Tolerance) -> float:
        """Size of an error of positions and velocities over its tolerance, whatever the mesh.

        dv may be None where the tolerance has no speeds.
        """
        ...

    def drift(self, t: float, y: Array, v: Array) -> tuple[float, float]:
        """How far the dependent entries are from where they belong, in y [m] and in v [m/s]."""
        ...

    def memory(self) -> dict[str, Array]:
        """What of the evaluations so far affects the round-off of later ones; new arrays."""
        ...

    def restore(self, memory: dict[str, Array]) -> None:
        """Go on from a `memory`, so that all that follows is the same to the bit."""
        ...

    def identity(self, times: Array) -> dict[str, str]:
        """Fingerprint of each named part of the system; signals are sampled at the times [s]."""
        ...

    def observe(self, frames: Frames) -> Result:
        """Everything that is reported of a run, from its raw record."""
        ...

    def describe(self, unknown: int) -> str:
        """Name of an unknown for messages, such as "biceps_1 node 4, x"."""
        ...

    def check_inputs(self, times: Array) -> None:
        """Check all prescribed signals at the given times, before and after a run.

        Raises
        ------
        ModelError
            If one leaves its range, or gives something else than it did in an earlier call.
        """
        ...


@runtime_checkable
class Collides(Protocol):
    """What a system has beside `System` if parts of it must not pass through each other.

    Solvers ask for a verdict on every motion that they accept, so that no step, however it was
    predicted, extrapolated or prescribed, ends on the wrong side.
    """

    def begin(self, t: float, y: Array) -> bool:
        """Be as fine as the state asks for, which is the start of a run; whether that is new.

        What earlier runs made finer is forgotten.

        Raises
        ------
        ModelError
            If parts of it are deeper in each other there than their contact laws allow.
        """
        ...

    def judge(self, before: tuple[float, Array], after: tuple[float, Array]) -> Verdict:
        """Verdict on the motion between two states, each a time [s] and positions (n,)."""
        ...

    def refine_along(self, t: float, y: Array) -> bool:
        """Become finer where an accepted state asks for it; whether it did."""
        ...


@runtime_checkable
class Offloaded(Protocol):
    """What a system has beside `System` if its vectors are not of NumPy, such as on a GPU.

    These vectors obey arithmetic, and NumPy's functions where they dispatch; its methods take such
    vectors, and where they serve reports those of NumPy too.
    """

    @property
    def host(self) -> System:
        """The same system with vectors of NumPy."""
        ...

    def to_host(self, array: Array) -> Array:
        """An array of NumPy with the contents of one of the device."""
        ...

    def from_host(self, array: Array) -> Array:
        """Copy of an array of NumPy, of the device."""
        ...
