"""Interface between systems and solvers.

The equations are F(t, y, v, v_dot) = 0 with positions y, velocities v and their rates. Some entries
of y and v may depend on others (attached fiber ends follow the joint coordinates). The system keeps
them consistent in `retract` and `enforce`; the unknowns are increments of the independent entries.
"""

from __future__ import annotations

from typing import Protocol

from fibermsk._arrays import Array
from fibermsk.protocol.values import Evaluation, Frames, Tolerance
from fibermsk.results import Result


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
        """Next time after t, at most t_end, at which a signal is not smooth."""
        ...

    def initial_state(self) -> tuple[Array, Array]:
        """Initial positions y and velocities v, consistent with the attachments."""
        ...

    def retract(self, t: float, y: Array, increment: Array) -> Array:
        """Positions at time t after an increment of the unknowns; a new array."""
        ...

    def enforce(self, y: Array, v: Array, t: float | None = None, *, derive: bool = True) -> Array:
        """Velocities with the dependent entries set from the independent ones; a new array.

        Entries prescribed in time keep the given velocity if t is None. Without `derive` they also
        keep it if the model prescribes only their positions.
        """
        ...

    def enforce_rate(
        self, y: Array, v: Array, v_dot: Array, t: float | None = None, *, derive: bool = True
    ) -> Array:
        """Rates of v with the dependent entries set as in `enforce`; a new array."""
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

        Dependent entries of v are those of `enforce`. Those of v_dot are differences of v like all
        others, or with `rates` those of `enforce_rate`; the tangent is consistent with either.
        """
        ...

    def step_fraction(self, y: Array, increment: Array, keep: float) -> float:
        """Fraction in (0, 1] of an increment that keeps at least `keep` of every admissibility."""
        ...

    @property
    def fiber_names(self) -> tuple[str, ...]:
        """Names of the fibers."""
        ...

    def least_tension(self, t: float, y: Array, v: Array) -> tuple[Array, Array]:
        """Least axial force of each fiber (n_fibers,) [N], and its theta.

        Round-off counts as zero: a negative force is compression.
        """
        ...

    def suspects(self, t: float, y: Array, v: Array) -> list[str]:
        """Likely causes, with remedies, of a failed step from this state."""
        ...

    def error_size(self, dy: Array, dv: Array | None, tolerance: Tolerance) -> float:
        """Mesh-independent norm of errors of positions and velocities, relative to the tolerance.

        dv may be None if the tolerance has no speeds.
        """
        ...

    def drift(self, t: float, y: Array, v: Array) -> tuple[float, float]:
        """Constraint drift: largest error of the dependent entries of y [m] and of v [m/s]."""
        ...

    def memory(self) -> dict[str, Array]:
        """Internal state that affects the round-off of later evaluations; new arrays."""
        ...

    def restore(self, memory: dict[str, Array]) -> None:
        """Restore a `memory`, so that later evaluations are bitwise identical."""
        ...

    def identity(self, times: Array) -> dict[str, str]:
        """Fingerprint of each named part of the system; signals are sampled at the times [s]."""
        ...

    def observe(self, frames: Frames) -> Result:
        """Result of a run from its raw record."""
        ...

    def describe(self, unknown: int) -> str:
        """Name of an unknown for messages, such as "biceps_1 node 4, x"."""
        ...

    def check_inputs(self, times: Array) -> None:
        """Check all prescribed signals at the given times, before and after a run.

        Raises
        ------
        ModelError
            If a value leaves its range, or differs from that of an earlier call.
        """
        ...
