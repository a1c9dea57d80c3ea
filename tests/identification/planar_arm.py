"""A planar arm with known parameters, and its recordings, by equations written once more."""

import math
from functools import cache

import numpy as np

import fibermsk as fm

H = 0.005  # s, interval of the samples
LEAD = 100  # samples of EMG before a motion
TRUTH = (-0.6 - 0.75, 0.6 * 0.75, 0.042, 0.012, 0.045)
CURVES = fm.MillardCurves(
    min_length=0.4327, transition_length=0.728, max_length=1.595, ascending_slope=0.4613,
    min_active_force=0.0, passive_strain=0.64, tendon_strain=0.033,
)  # fmt: skip

# origin and insertion (body, place), force, optimal length, pennation
MUSCLES = {
    "flexor": (("ground", (0.04, 0.02)), ("upper", (0.03, -0.12)), 500.0, 0.09, 0.1),
    "extensor": (("ground", (-0.05, 0.03)), ("upper", (-0.03, -0.10)), 450.0, 0.08, 0.0),
    "biarticular": (("ground", (0.05, 0.01)), ("lower", (0.035, -0.06)), 400.0, 0.16, 0.15),
    "deep": (("upper", (-0.03, -0.2)), ("lower", (-0.025, -0.05)), 350.0, 0.07, 0.0),
}


def arm(tendon="rigid", muscles=tuple(MUSCLES)):
    """Two links in the plane of x and y with springs, and muscles across shoulder and elbow."""
    model = fm.Model("planar_arm", gravity=(0.0, -9.81, 0.0))
    upper = model.add(fm.Body("upper", 1.8, (0.01, -0.13, 0.0), (0.012, 0.002, 0.012)))
    lower = model.add(fm.Body("lower", 1.0, (0.005, -0.11, 0.0), (0.007, 0.001, 0.007)))
    hand = model.add(fm.Body("hand", 0.5, (0.0, -0.05, 0.0), (6e-4, 2e-4, 6e-4)))
    held = [
        fm.Coordinate(name, forces=(fm.Spring(25.0, rest), fm.Damper(0.8)))
        for name, rest in (("shoulder", 0.2), ("elbow", 0.6))
    ]
    model.add(
        fm.Hinge("shoulder", model.ground, upper, (0, 0, 0), (0, 0, 1), coordinate=held[0]),
        fm.Hinge("elbow", upper, lower, (0, -0.3, 0), (0, 0, 1), coordinate=held[1]),
        fm.Weld(lower, hand, (0, -0.26, 0)),
    )
    bodies = {"ground": model.ground, "upper": upper, "lower": lower}
    law = fm.HillLaw(CURVES, tendon=tendon, damping=0.1)
    for name in muscles:
        (a, x), (b, y), force, fiber, angle = MUSCLES[name]
        points = [
            fm.PathPoint(end, bodies[body].at(*place, 0.0))
            for end, body, place in (("o", a, x), ("i", b, y))
        ]
        length = {"flexor": 0.14, "extensor": 0.13, "biarticular": 0.39, "deep": 0.155}[name]
        model.add(
            fm.LineMuscle(
                name, points, max_isometric_force=force, optimal_fiber_length=fiber,
                tendon_slack_length=length - 0.95 * fiber * math.cos(angle),
                pennation_angle=angle, max_contraction_velocity=10.0, law=law,
            )
        )  # fmt: skip
    return model


def after(a, u, t, rise, fall):
    """Activation after a time of constant excitation, by many small implicit steps' closed form."""
    k = 0.5 + 1.5 * u
    if a > u:
        x, E = a - u, math.exp(-k * t / fall)
        return u + k * x * E / (k + 1.5 * x * (1.0 - E))
    x, w = u - a, 0.0
    for _ in range(100):
        w -= (k * w - 1.5 * x * math.expm1(w) + t / rise) / (k - 1.5 * x * math.exp(w))
    return u - x * math.exp(w)


def late(e, k, d):
    """Sample k - d of a series, by Catmull and Rom."""
    i = math.floor(k - d)
    s = k - d - i
    a, b, c, g = (e[min(max(i + j, 0), len(e) - 1)] for j in (-1, 0, 1, 2))
    return b + 0.5 * s * (c - a + s * (2 * a - 5 * b + 4 * c - g + s * (3 * (b - c) + g - a)))


def activations(emg, common):
    """Activations (K, m) at the samples, of EMG (K, m)."""
    b1, b2, delay, rise, fall = common
    a = np.zeros_like(emg)
    for m, e in enumerate(emg.T):
        u1 = u2 = a[0, m] = e[0]
        for k in range(len(e) - 1):
            u = (1 + b1 + b2) * late(e, k, delay / H) - b1 * u1 - b2 * u2
            u1, u2 = u, u1
            a[k + 1, m] = after(a[k, m], min(max(u, 0.0), 1.0), H, rise, fall)
    return a


@cache
def recording(seed, duration=4.0, muscles=tuple(MUSCLES)):
    """Motion, EMG and lengths of fibers of one movement of the arm, exact."""
    rng, model = np.random.default_rng(seed), arm(muscles=muscles)
    skeleton = fm.skeleton(model)
    n = round(duration / H) + 1
    t = H * (np.arange(n + LEAD) - LEAD)
    emg = np.full((t.size, len(muscles)), 0.25)
    for m in range(len(muscles)):
        for f in rng.uniform(0.3, 2.5, 5):
            emg[:, m] += 0.08 * np.sin(2 * np.pi * f * t + rng.uniform(0, 2 * np.pi))
    emg = np.clip(emg, 0.02, 0.9)
    active = activations(emg, TRUTH)
    q, p, p_dot = np.zeros((3, n, 2))
    q[0] = 0.2, 0.6

    def force(k, q, p):
        lengths, arms = fm.MuscleGeometry(skeleton, model.muscles).at(q[None])
        total = np.zeros(2)
        for m, muscle in enumerate(model.muscles):
            v = -float(arms[0, m] @ p)
            found = muscle.law.describe(muscle, float(lengths[0, m]), v, float(active[k + LEAD, m]))
            total += arms[0, m] * found["fiber_force_along_tendon"]
        return skeleton.forward_dynamics(q, p, total)[0]

    for k in range(n):
        p_dot[k] = force(k, q[k], p[k])
        if k + 1 < n:  # any motion will do: what counts is that accelerations are its own
            middle = force(k, q[k] + 0.5 * H * p[k], p[k] + 0.5 * H * p_dot[k])
            q[k + 1] = q[k] + H * (p[k] + 0.5 * H * p_dot[k])
            p[k + 1] = p[k] + H * middle
    motion = {"time": H * np.arange(n)}
    for j, name in enumerate(("shoulder", "elbow")):
        motion |= {name: q[:, j], f"{name}/speed": p[:, j], f"{name}/acceleration": p_dot[:, j]}
    signals = {"time": t} | dict(zip(muscles, emg.T, strict=True))
    return motion, signals


def without(signals, *names):
    """Columns without some."""
    return {name: one for name, one in signals.items() if name not in names}
