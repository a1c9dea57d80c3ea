"""What a time integrator or a Newton solver may ask of a system, and nothing else.

The equations are F(t, y, v, v_dot) = 0 with positions y, velocities v and their rates. Some entries
of y and v may depend on others (attached fiber ends follow the joint coordinates); the system
itself keeps them consistent in `retract` and `enforce`, so the unknowns are increments of the
independent entries.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fibermsk.results import Result

__all__ = ["BorderedMatrix", "Evaluation", "Frames", "System"]

Array = NDArray[np.float64]


class BorderedMatrix(NamedTuple):
    """The matrix [[A, B], [R, D]] with a sparse A and a thin dense border.

    Attributes
    ----------
    A : (n, n) csc_array
        Sparse part.
    B : (n, m) float array
        Border columns.
    R : (m, n) float array
        Border rows.
    D : (m, m) float array
        Corner.
    """

    A: csc_array
    B: Array
    R: Array
    D: Array


class Evaluation(NamedTuple):
    """Residual and tangent at one state.

    Attributes
    ----------
    residual : (n,) float array
        F; zero in dependent entries.
    tangent : BorderedMatrix or (n, n) float array or None
        dF with respect to an increment of the unknowns.
    admissibility : float
        Least 1 + gamma g over the closed contacts, 1 where none is closed; not positive where the
        state cannot be evaluated.
    reactions : (n_points, 3) float array
        Forces of the attachments on the fibers [N].
    """

    residual: Array
    tangent: BorderedMatrix | Array | None
    admissibility: float
    reactions: Array


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

    @property
    def is_coordinate(self) -> NDArray[np.bool_]:
        """Which unknowns are joint coordinates (n,); the others are positions and tangents."""
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

    def enforce(self, y: Array, v: Array) -> Array:
        """Velocities with the dependent entries set from the independent ones; a new array."""
        ...

    def enforce_rate(self, y: Array, v: Array, v_dot: Array) -> Array:
        """Rates of v with the dependent entries set from the independent ones; a new array."""
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
        tangent: bool = True,
    ) -> Evaluation:
        """Residual and tangent, where dv = dv_dy dy and dv_dot = dvdot_dv dv."""
        ...

    def step_fraction(self, y: Array, increment: Array, keep: float) -> float:
        """Part in (0, 1] of an increment that surely keeps a part `keep` of every admissibility."""
        ...

    def drift(self, t: float, y: Array, v: Array) -> tuple[float, float]:
        """How far the dependent entries are from where they belong, in y [m] and in v [m/s]."""
        ...

    def observe(self, frames: Frames) -> Result:
        """Everything that is reported of a run, from its raw record."""
        ...

    def describe(self, unknown: int) -> str:
        """Name of an unknown for messages, such as "biceps_1 node 4, x"."""
        ...

    def check_inputs(self, times: Array) -> None:
        """Check all prescribed signals at the given times before anything is computed."""
        ...
