"""Time integrators step by step, and systems forced along a known motion."""

from typing import NamedTuple

import numpy as np

import fibermsk as fm

METHODS = {
    "backward_euler": fm.BackwardEuler(),
    "bdf2": fm.BDF2(),
    "sdirk2": fm.SDIRK2(),
    "alpha_0": fm.GeneralizedAlpha(0.0),
    "alpha_08": fm.GeneralizedAlpha(0.8),
    "alpha_1": fm.GeneralizedAlpha(1.0),
}
"""Measured methods by name in the results."""

UNEVEN = 1.6
"""Ratio of alternating steps."""


class Frame(NamedTuple):
    """State after a step, t [s], y, v (n,), and the pulls on the bones (n_points, 3) [N]."""

    t: float
    y: np.ndarray
    v: np.ndarray
    pull: np.ndarray


class Run(NamedTuple):
    """Frames at equal intervals, Newton iterations, and the largest constraint violation."""

    frames: list[Frame]
    iterations: int
    drift: float


def march(
    system, method, start, t_end, steps, *, frames=1, uneven=False, newton=None, drift=None
) -> Run:
    """Integrate in equal steps, or in steps of alternating length (short first).

    Parameters
    ----------
    system : System
        From `fibermsk.build`, or a `Forced` one.
    method : Method
        Time integrator.
    start : State
        Consistent initial state.
    t_end : float
        [s].
    steps : int
        Number of steps; a multiple of `frames`, and of 2 `frames` for uneven ones.
    frames : int
        Number of states to return, at equal intervals, the last at t_end.
    uneven : bool
        Whether step sizes alternate in the ratio `UNEVEN`.
    newton : Newton, optional
        By default with a tolerance far below the measured errors.
    drift : callable, optional
        (system, state) -> violation of the constraints, evaluated in every step.

    Raises
    ------
    ConvergenceError
        If a step fails; steps are not halved.
    """
    newton = newton or fm.Newton(tolerance=1e-9)
    share = 2.0 / (1.0 + UNEVEN) if uneven else 1.0
    h = (t_end - start.t) / steps
    memory, found, iterations, worst = method.start(system, start), [], 0, 0.0
    for i in range(steps):
        target = start.t + (i + share if i % 2 == 0 else i + 1) * h
        step = method.step(system, newton, memory, target - memory.state.t)
        iterations += sum(len(report.history) for report in step.reports)
        if step.evaluation is None or not step.reports[-1].converged:
            raise fm.ConvergenceError(
                f"{method!r}: step {i + 1} of {steps} failed: {step.reports[-1].reason}"
            )
        # the time is the target itself, without accumulated round-off
        memory = step.memory._replace(state=step.memory.state._replace(t=target))
        if drift is not None:
            worst = max(worst, drift(system, memory.state))
        if (i + 1) % (steps // frames) == 0:
            found.append(Frame(*memory.state, -step.evaluation.reactions))
    return Run(found, iterations, worst)


def attachment_drift(system, state) -> float:
    """Largest of |x_D - c(q)| [m] and |v_D - C(q) p| [m/s] over the ends attached to bodies."""
    (nodes, q), (velocity, p) = system.split(state.y), system.split(state.v)
    c, C = system.attached.place(system.skeleton.at(q))
    attached = system.cables.attached_nodes
    apart = np.abs(nodes[attached, :3] - c), np.abs(velocity[attached, :3] - C @ p)
    return float(max(part.max(initial=0.0) for part in apart))


class Forced:
    """A system with the load that makes a prescribed motion its exact solution.

    The load, a generalized force on each unknown, is the residual of the motion. The spatial
    discretization then does not contribute to the error.

    Parameters
    ----------
    system : FiberSystem
        From `fibermsk.build`.
    motion : callable
        t -> positions, velocities and accelerations (n,), all consistent with the attachments.
    """

    def __init__(self, system, motion):
        self._system, self._motion, self._load = system, motion, (np.nan, None)

    def __getattr__(self, name):
        return getattr(self._system, name)

    def exact(self, t: float) -> Frame:
        """The solution at time t [s]."""
        y, v, v_dot = self._motion(t)
        reactions = self._system.evaluate(t, y, v, v_dot, tangent=False).reactions
        return Frame(t, y, v, -reactions)

    def evaluate(self, t, y, v, v_dot, dv_dy=0.0, dvdot_dv=0.0, **options):
        """Residual of the system minus that of the motion."""
        if self._load[0] != t:
            self._load = t, self._system.evaluate(t, *self._motion(t), tangent=False).residual
        found = self._system.evaluate(t, y, v, v_dot, dv_dy, dvdot_dv, **options)
        return found._replace(residual=found.residual - self._load[1])


def rms_error(frames, exact, quantity) -> float:
    """Root mean square difference of a quantity, a function of a frame, over frames and entries."""
    pairs = zip(frames, exact, strict=True)
    return float(
        np.sqrt(np.mean([np.mean(np.subtract(quantity(a), quantity(b)) ** 2) for a, b in pairs]))
    )


def extrapolate(coarse: list[Frame], fine: list[Frame], order: int = 2) -> list[Frame]:
    """Extrapolated frames from those of a step and of half of it."""
    factor = 1.0 / (2.0**order - 1.0)
    return [
        Frame(b.t, *(y + factor * (y - x) for x, y in zip(a[1:], b[1:], strict=True)))
        for a, b in zip(coarse, fine, strict=True)
    ]
