"""Motions and EMG of the arm of MoBL-ARMS, by a forward simulation with known numbers."""

import math
import os
from pathlib import Path

import numpy as np
from scipy.optimize import lsq_linear

import fibermsk as fm

FILE = "MOBL_ARMS_41.osim"
RATE = 200.0  # samples of EMG and motion per second
LEAD = 0.5  # s of EMG before a motion
AHEAD = 0.095  # s from the EMG to the torque, about: delay, filter and activation

# Of each coordinate in the order of the arm; two movements, and a third one to predict.
AMPLITUDE = np.deg2rad([22.0, 20.0, 22.0, 24.0, 32.0])
CENTERS = np.deg2rad([[50, 65, 15, 55, 0], [42, 74, 20, 52, -6], [47, 69, 17, 54, -3]])
FREQUENCY, WEIGHT = np.array([0.17, 0.37, 0.71, 1.13]), np.array([1.0, 0.8, 0.45, 0.2]) / 1.6
STIFFNESS, DAMPING = np.array([25.0, 25.0, 8.0, 8.0, 0.8]), np.array([1.0, 1.0, 0.3, 0.3, 0.02])
LEAST, MOST = 0.01, 0.98  # EMG


def find(model):
    """Path of the file, which is not part of this package."""
    folder = os.environ.get("FIBERMSK_MODELS", "")
    tried = [Path(model)] if model else []
    if not model and folder:
        tried = [Path(folder) / FILE, Path(folder) / "MoBL-ARMS_noncommercial" / FILE]
    path = next((path for path in tried if path.is_file()), None)
    if path is None:
        where = ", ".join(map(str, tried)) or "nothing: no path was given"
        raise fm.ModelError(
            f"identify_arm: model = {model!r}; must be the path of {FILE} (looked at {where}). Get "
            "it from https://simtk.org/projects/upexdyn (not for commercial use), and give "
            f"model=path/to/{FILE}, or set FIBERMSK_MODELS to a folder that holds it"
        )
    return path


class Path5:
    """Reference path: four sines of each coordinate."""

    def __init__(self, center, rng):
        self.center = center
        self.omega = 2.0 * np.pi * FREQUENCY * rng.uniform(0.85, 1.15, (5, 4))
        self.phase = rng.uniform(0.0, 2.0 * np.pi, (5, 4))

    def at(self, t):
        """Values, rates and accelerations (5,)."""
        angle, size = self.omega * t + self.phase, AMPLITUDE[:, None] * WEIGHT
        return (
            self.center + (size * np.sin(angle)).sum(axis=1),
            (size * self.omega * np.cos(angle)).sum(axis=1),
            -(size * self.omega**2 * np.sin(angle)).sum(axis=1),
        )


def delayed(e, k, d):
    """Samples k - d (m,) of EMG (k + 1, m), by Catmull and Rom; the first value before the record.

    d is two samples or more.
    """
    i = int(np.floor(k - d))
    s = k - d - i
    a, b, c, d = (e[max(i + j, 0)] for j in (-1, 0, 1, 2))
    return b + 0.5 * s * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)))


def after(a, u, t, rise, fall):
    """Activation after a time t of constant excitation u, exact."""
    k = 0.5 + 1.5 * u
    if a > u:
        x, E = a - u, math.exp(-k * t / fall)
        return u + k * x * E / (k + 1.5 * x * (1.0 - E))
    x = u - a
    w = -t / (rise * (k - 1.5 * x))
    for _ in range(12):
        w -= (k * w - 1.5 * x * math.expm1(w) + t / rise) / (k - 1.5 * x * math.exp(w))
    return u - x * math.exp(w)


class Brain:
    """EMG, excitation and activation of the muscles, sample by sample.

    The EMG is the smallest deviation from an irregular pattern that gives the torque of the
    reference path a while ahead, and torques of springs and dampers toward the path.
    """

    def __init__(self, skeleton, muscles, path, truth, duration, rng):
        self.h, self.lead, self.path, self.truth = 1.0 / RATE, round(LEAD * RATE), path, truth
        n, m = self.lead + round(duration * RATE) + 1, len(muscles)
        times = (np.arange(n) - self.lead) * self.h
        ahead = [path.at(t + AHEAD) for t in times]
        lengths, arms = fm.MuscleGeometry(skeleton, muscles).at(
            [q for q, _, _ in ahead], follow=True
        )
        active, passive = np.zeros((n, m)), np.zeros((n, m))
        for k in range(n):
            speeds = -arms[k] @ ahead[k][1]
            for j, muscle in enumerate(muscles):
                found = muscle.law.describe(muscle, float(lengths[k, j]), float(speeds[j]), 1.0)
                cosine = np.cos(found["pennation_angle"])
                active[k, j] = max(found["active_fiber_force"], 0.0) * cosine
                passive[k, j] = found["passive_fiber_elastic_force"] * cosine
        self.torque = np.array([skeleton.inverse_dynamics(*one) for one in ahead])
        self.torque -= np.einsum("kmn,km->kn", arms, passive)
        self.arms = np.einsum("kmn,km->knm", arms, active)
        rates, phases = rng.uniform(0.25, 2.45, (5, m)), rng.uniform(0.0, 2.0 * np.pi, (5, m))
        sines = np.sin(2.0 * np.pi * rates * times[:, None, None] + phases).sum(axis=1)
        self.pattern = np.clip(0.16 + 0.06 * sines, LEAST, MOST)
        self.emg, self.excitation, self.activation = np.zeros((3, n + 1, m))
        self.k = -1
        for _ in range(self.lead + 1):
            self.sample(np.zeros(5))

    def sample(self, feedback):
        """EMG of the next sample, its excitation, and the activation at its end."""
        k = self.k = self.k + 1
        strength = 1e3
        rows = np.vstack([np.eye(self.pattern.shape[1]), strength * self.arms[k]])
        target = np.r_[self.pattern[k], strength * (self.torque[k] + feedback)]
        wanted = lsq_linear(rows, target, (LEAST, MOST), method="bvls").x
        e, u, a = self.emg, self.excitation, self.activation
        e[k] = e[k - 1] + 0.2 * (wanted - e[k - 1]) if k else wanted
        if k == 0:
            a[0] = e[0]
        b1, b2, delay, rise, fall = self.truth
        first, second = (u[k - j] if k >= j else e[0] for j in (1, 2))
        u[k] = (1.0 + b1 + b2) * delayed(e, k, delay / self.h) - b1 * first - b2 * second
        for m in range(a.shape[1]):
            a[k + 1, m] = after(float(a[k, m]), float(u[k, m]), self.h, rise, fall)

    def of(self, m):
        """Activation of a muscle in the present sample, as a function of the time since then."""

        def activation(t):
            a, u = float(self.activation[self.k, m]), float(self.excitation[self.k, m])
            return after(a, u, max(t, 0.0), *self.truth[3:])

        return activation


def record(model, truth, center, duration, rng, progress=None):
    """Recording of one movement of a model whose muscles have laws with rigid tendons.

    Accelerations are those of the equations of motion, not of the integrator.
    """
    skeleton, path = fm.skeleton(model), Path5(center, rng)
    brain = Brain(skeleton, model.muscles, path, truth, duration, rng)
    acting = {one: {"activation": brain.of(k)} for k, one in enumerate(model.muscles)}
    system, n = fm.build(model.edit(acting)), round(duration * RATE) + 1
    q, p, p_dot = np.empty((3, n, skeleton.n))
    q[0], p[0], _ = path.at(0.0)
    settings = {"t_end": brain.h, "dt": brain.h, "method": fm.SDIRK2(), "time_error": False}
    for k in range(n):
        if k > 0:
            found = fm.simulate(system, (q[k - 1], p[k - 1]), control=fm.FixedSteps(), **settings)
            for j, name in enumerate(skeleton.independent):
                q[k, j], p[k, j] = found.coordinates[name][-1], found.speeds[name][-1]
            wanted, speed, _ = path.at(k * brain.h)
            brain.sample(STIFFNESS * (wanted - q[k]) + DAMPING * (speed - p[k]))
        force = system.evaluate(0.0, q[k], p[k], 0.0 * q[k], tangent=False).residual
        p_dot[k] = np.linalg.solve(skeleton.mass_matrix(q[k]), -force)
        if progress is not None and k % 100 == 0:
            progress(k * brain.h)
    names = [one.name for one in model.muscles]
    emg = {"time": (np.arange(brain.lead + n) - brain.lead) * brain.h}
    emg |= dict(zip(names, brain.emg[: emg["time"].size].T, strict=True))
    motion = {"time": np.arange(n) * brain.h}
    for j, name in enumerate(skeleton.independent):
        motion |= {name: q[:, j], f"{name}/speed": p[:, j], f"{name}/acceleration": p_dot[:, j]}
    return fm.Recording(motion, emg, _fibers(skeleton, model, q, p, motion["time"]))


def _fibers(skeleton, model, q, p, time):
    """Lengths of the fibers and their rates, of rigid tendons."""
    lengths, arms = fm.MuscleGeometry(skeleton, model.muscles).at(q, follow=True)
    found = {"time": time}
    for m, muscle in enumerate(model.muscles):
        along = lengths[:, m] - muscle.tendon_slack_length
        height = muscle.optimal_fiber_length * np.sin(muscle.pennation_angle)
        found[muscle.name] = np.hypot(along, height)
        speed = -np.einsum("kn,kn->k", arms[:, m], p)
        found[f"{muscle.name}/speed"] = speed * along / found[muscle.name]
    return found
