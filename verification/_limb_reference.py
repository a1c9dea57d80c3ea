"""Independent answers for the upper limb of scenes/upper_limb.py with eight elements a fiber.

- `MAX_256`, ...: the paper's level 1, backward Euler with 256 steps in 8 s, by the plain NumPy
  transcription in _numpy_limb.py, which shares no code with the package, with increments of
  Newton's method below 1e-10: ``march(8, 256, 256, 1e-10)``, a minute.
- `ANGLE`: the same equations of motion for vanishing steps, by scipy's Radau IIA of fifth order,
  with the attached ends eliminated by hand: ``solve(2.0)``, ten minutes or more. Shares the forces
  with the package (problem `numpy_limb` compares those), but no time stepping. Relative tolerance
  1e-5; with 1e-6 the first 0.25 s agree to 1e-9 rad.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import Radau

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.solvers import accelerations

EVERY = 1.0 / 32.0
"""Interval between entries of `ANGLE` [s]."""
# fmt: off
ANGLE = np.array([
    0.00000000, 0.01740283, 0.10876558, 0.28501951, 0.52180940, 0.76418721, 0.94336033, 1.01992681,
    1.00413588, 0.93914988, 0.87320510, 0.83854768, 0.84251862, 0.87235147, 0.90603679, 0.92515591,
    0.92219851, 0.90136716, 0.87300339, 0.84729999, 0.82982343, 0.82053957, 0.81569305, 0.81045234,
    0.80135667, 0.78738352, 0.76952451, 0.74980917, 0.72999657, 0.71090770, 0.69236623, 0.67356417,
    0.65345471, 0.63135224, 0.60682169, 0.57984246, 0.55072648, 0.51952273, 0.48671179, 0.45199730,
    0.41576830, 0.37767972, 0.33839350, 0.29781802, 0.25732539, 0.21713219, 0.17958788, 0.14642681,
    0.12166767, 0.10872376, 0.11097648, 0.13143943, 0.17114459, 0.23032962, 0.30733203, 0.39706535,
    0.49090251, 0.57860461, 0.65148285, 0.70541291, 0.74205599, 0.76728362, 0.78817474, 0.81020787,
    0.83533732,
])
# fmt: on
"""Elbow angle in the limit of small steps, every 1/32 s up to 2 s [rad]."""

MAX_256, END_256, STEPS_256 = 0.95113165411, 0.84720713702, (0.38526484292, 0.93154979209)
"""Level 1: largest and last elbow angle, and the angles after 3 and 8 steps [rad]."""


class Limb:
    """The limb as a system of first-order equations in its free positions and velocities."""

    def __init__(self) -> None:
        self.system = fm.build(find("upper_limb").make({"elements": 8}).model)
        self.start, _ = self.system.initial_state()
        self.attached = self.system.cables.attached_nodes
        self.free = np.ones(self.system.n, bool)
        for node in self.attached:
            self.free[6 * node : 6 * node + 3] = False
        self.m = int(self.free.sum())

    def full(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of all nodes, with the attached ends from their bodies."""
        y, v = self.start.copy(), np.zeros(self.system.n)
        y[self.free], v[self.free] = state[: self.m], state[self.m :]
        (nodes, q), (velocity, p) = self.system.split(y), self.system.split(v)
        c, C = self.system.attached.place(self.system.skeleton.at(q))
        nodes[self.attached, :3], velocity[self.attached, :3] = c, C @ p
        return y, v

    def rate(self, t: float, state: np.ndarray) -> np.ndarray:
        """Right-hand side."""
        y, v = self.full(state)
        return np.r_[v[self.free], accelerations(self.system, t, y, v)[self.free]]

    def jacobian(self, t: float, state: np.ndarray) -> np.ndarray:
        """Its derivative, for Radau's Newton iterations only: it does not affect the accuracy."""
        y, v = self.full(state)
        a = accelerations(self.system, t, y, v)

        def tangent(dv_dy: float, dvdot_dv: float) -> np.ndarray:
            x = self.system.evaluate(t, y, v, a, dv_dy, dvdot_dv).tangent
            whole = np.block([[x.A.tocsc().toarray(), x.B], [x.R, x.D]])
            return whole[np.ix_(self.free, self.free)]

        stiffness, damped = tangent(0.0, 0.0), tangent(1.0, 0.0)
        mass = tangent(1.0, 1.0) - damped
        slopes = np.linalg.solve(mass, np.hstack([stiffness, damped - stiffness]))
        upper = np.eye(self.m, 2 * self.m, self.m)
        return np.vstack([upper, -slopes])


def solve(t_end: float, tolerance: float = 1e-5) -> np.ndarray:
    """Elbow angle every 1/32 s up to t_end [rad]."""
    limb = Limb()
    start = np.r_[limb.start[limb.free], np.zeros(limb.m)]
    solver = Radau(
        limb.rate, 0.0, start, t_end, rtol=tolerance, atol=1e-2 * tolerance, jac=limb.jacobian,
        max_step=EVERY,
    )  # fmt: skip
    angles = [0.0]
    while solver.status == "running":
        message = solver.step()
        if solver.status == "failed":
            raise RuntimeError(f"Radau failed at {solver.t} s: {message}")
        while len(angles) * EVERY <= min(solver.t, t_end) + 1e-12:
            angles.append(float(solver.dense_output()(len(angles) * EVERY)[limb.m - 1]))
    return np.array(angles)
