"""Inverse dynamics of a leg in which mass moves from the shank to its muscles.

Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022), section 4.5, with
chosen numbers: hip, knee and ankle are hinges about one axis and swing as in a step of 0.5 s. A
fraction kappa of the 3.5 kg of the shank moves to soleus (0.5 of it), tibialis (0.2, through a via
point) and gastrocnemius (0.3), 20 points each (`fm.with_muscle_mass`). The center of mass and the
radii of gyration of the shank stay. Torques are those of exact speeds and accelerations.

- `hip_off`, `knee_off`, `ankle_off`: largest difference, at 12 instants and kappa = 0.8, to plain
  NumPy, which has positions of bodies and points only: accelerations are differences in time,
  Jacobians complex steps. Over the largest torque.
- `not_affine`: largest distance of the torques at kappa = 0, 0.1 ... 0.8 from the line through the
  first and the last.
- `massless_off`: torques at kappa = 0 minus those without muscles.
- `ankle_change`: largest change of the ankle's torque from kappa = 0 to 0.8, over its peak at 0, at
  401 instants. `ankle_change_coarse` is the same at 11 instants, 50 ms apart, which miss the peak
  of 3.77 N m by 6 %.

The condyle, a cylinder on the shank around which the gastrocnemius may pass on the side of the
sense +1, is never touched: its origin lies behind the knee, and the knee bends.
"""

import numpy as np

import fibermsk as fm
from fibermsk.verify import Expected

NAMES = ("hip", "knee", "ankle")
BODIES = (
    ("thigh", 8.0, (0.0, -0.19, 0.0), 0.43),
    ("shank", 3.5, (0.0, -0.18, 0.0), 0.42),
    ("foot", 1.2, (0.05, -0.04, 0.0), None),
)
"""Name, mass [kg], center of mass and length [m]."""
PATHS = {
    "soleus": (0.5, [(1, (-0.02, -0.15)), (2, (-0.055, -0.03))]),
    "tibialis": (0.2, [(1, (0.02, -0.16)), (1, (0.03, -0.38)), (2, (0.08, -0.01))]),
    "gastrocnemius": (0.3, [(0, (-0.02, -0.38)), (2, (-0.055, -0.03))]),
}
"""Share of the mass, and points on the bodies [m]."""
FOOT_INERTIA, POINTS, MOST = 0.005, 20, 0.8
GRAVITY, PERIOD = 9.81, 0.5


def leg(kappa: float, muscles: bool = True) -> fm.Model:
    """Leg with a fraction of the shank's mass in its muscles."""
    model = fm.Model("leg", gravity=(0.0, -GRAVITY, 0.0), meant=("mass",))
    bodies, below, at = [], model.ground, 0.0
    for (name, mass, com, length), joint in zip(BODIES, NAMES, strict=True):
        I_z = FOOT_INERTIA if length is None else mass * length**2 / 12.0
        inertia = (0.001, I_z, I_z) if length is None else (I_z, 1e-3 * mass, I_z)
        body = model.add(fm.Body(name, mass, com, inertia=inertia))
        model.add(fm.Hinge(joint, below, body, (0.0, at, 0.0), (0.0, 0.0, 1.0)))
        bodies.append(body)
        below, at = body, -(length or 0.0)
    if not muscles:
        return model
    condyle = fm.WrapCylinder("condyle", bodies[1], (-0.005, -0.03, 0.0), radius=0.02, length=0.2)
    for name, (_, points) in PATHS.items():
        path = [
            fm.PathPoint(f"{name}_{k}", bodies[b].at(*x, 0.0)) for k, (b, x) in enumerate(points)
        ]
        wraps = [fm.PathWrap(condyle, side=1)] if name == "gastrocnemius" else []
        model.add(
            fm.LineMuscle(
                name, path, wraps=wraps, max_isometric_force=1.0, optimal_fiber_length=0.05,
                tendon_slack_length=0.1,
            )
        )  # fmt: skip
    masses = {
        name: fm.MuscleMass(kappa * BODIES[1][1] * share, points=POINTS)
        for name, (share, _) in PATHS.items()
    }
    moved = fm.with_muscle_mass(
        model, masses=masses, bodies=dict.fromkeys(masses, "shank"), keep="mass"
    )
    return moved.model


def motion(t):
    """Angles, speeds and accelerations of the joints, each (3, ...)."""
    w = 2.0 * np.pi / PERIOD
    parts = ((0.35, 0.45, 0.5 * w, -0.6), (-1.0, -0.7, w, 0.0), (0.1, 0.3, w, 0.4))
    return tuple(
        np.array([
            (m if order == 0 else 0.0)
            + a * v**order * np.sin(v * t + phase + 0.5 * np.pi * order)
            for m, a, v, phase in parts
        ])
        for order in range(3)
    )  # fmt: skip


def torques(model: fm.Model, times) -> np.ndarray:
    """Torques of the joints (n, 3) by this package [N m]."""
    system = fm.build(model)
    return np.array(
        [system.evaluate(t, *motion(t), tangent=False).residual[:3].copy() for t in times]
    )


def _on_body(k, q, x):
    """Point x (2,) of a body, in the ground."""
    at, angle = np.zeros(2, q.dtype), 0.0
    for joint in range(k + 1):
        if joint:
            length = BODIES[joint - 1][3]
            at = at + length * np.array([np.sin(angle), -np.cos(angle)])
        angle = angle + q[joint]
    c, s = np.cos(angle), np.sin(angle)
    return at + np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])


def _masses(kappa):
    """Masses [kg] with their positions as functions of the angles."""
    for k, (name, mass, com, _) in enumerate(BODIES):
        own = mass * (1.0 - kappa) if name == "shank" else mass
        yield own, lambda q, k=k, com=com: _on_body(k, q, com)
    for share, points in PATHS.values():

        def along(q, alpha, points=points):
            x = [_on_body(k, q, point) for k, point in points]
            lengths = [np.sqrt(((b - a) ** 2).sum()) for a, b in zip(x, x[1:], strict=False)]
            left = alpha * sum(lengths)
            for a, b, length in zip(x, x[1:], lengths, strict=False):
                if left.real <= length.real:
                    return a + left / length * (b - a)
                left = left - length
            return x[-1]

        for alpha in (np.arange(POINTS) + 0.5) / POINTS:
            mass = kappa * BODIES[1][1] * share / POINTS
            yield mass, lambda q, alpha=alpha, along=along: along(q, alpha)


def plain_torques(kappa: float, times, h: float = 1e-3) -> np.ndarray:
    """Torques (n, 3) in plain NumPy [N m]."""
    weights = {4: -9, 3: 128, 2: -1008, 1: 8064, 0: -14350}
    found = np.zeros((len(times), 3))
    for row, t in zip(found, times, strict=True):
        q, _, a = motion(t)
        for mass, place in _masses(kappa):
            second = sum(
                w * (place(motion(t + k * h)[0]) + (place(motion(t - k * h)[0]) if k else 0.0))
                for k, w in weights.items()
            ) / (5040.0 * h * h)
            J = np.stack([place(q + 1e-30j * e).imag / 1e-30 for e in np.eye(3)], 1)
            row += mass * J.T @ (second + [0.0, GRAVITY])
        for k, (name, mass, _, length) in enumerate(BODIES):
            own = mass * (1.0 - kappa) if name == "shank" else mass
            I_z = FOOT_INERTIA if length is None else own * length**2 / 12.0
            row[: k + 1] += I_z * a[: k + 1].sum()
    return found


def run() -> dict[str, float]:
    """Differences relative to the largest torques."""
    times = 0.04 * np.arange(12)  # no point passes the via point within 4 ms
    heavy, exact = torques(leg(MOST), times), plain_torques(MOST, times)
    off = np.abs(heavy - exact).max(0) / np.abs(exact).max(0)
    values = {f"{name}_off": float(one) for name, one in zip(NAMES, off, strict=True)}
    none, worst = torques(leg(0.0), times), 0.0
    for kappa in np.arange(1, 8) / 10.0:
        line = none + kappa / MOST * (heavy - none)
        apart = np.abs(torques(leg(kappa), times) - line).max(0)
        worst = max(worst, float((apart / np.abs(line).max(0)).max()))
    values["not_affine"] = worst
    values["massless_off"] = float(np.abs(none - torques(leg(0.0, muscles=False), times)).max())
    for name, n in (("ankle_change", 401), ("ankle_change_coarse", 11)):
        instants = np.linspace(0.0, PERIOD, n)
        light, loaded = (torques(leg(kappa), instants)[:, 2] for kappa in (0.0, MOST))
        values[name] = float(np.abs(loaded - light).max() / np.abs(light).max())
    return values


def expected() -> dict[str, Expected]:
    """Plain NumPy, and identities."""
    values = {
        f"{name}_off": Expected(
            0.0, 1e-8, "differences of eighth order in time", kind="independent",
            source="positions in plain NumPy", scale=1.0,
        )
        for name in NAMES
    }  # fmt: skip
    law = {"kind": "consistency", "source": "mass moves linearly", "scale": 1.0}
    values["not_affine"] = Expected(0.0, 1e-12, "round-off", **law)
    values["massless_off"] = Expected(0.0, 0.0, "none: the same operations", **law)
    return values


def study(fine: bool = False) -> dict:
    """Largest torques against kappa."""
    times = np.linspace(0.0, PERIOD, 201)
    kappas = np.arange(5) / 5.0
    curves = np.array([torques(leg(kappa), times) for kappa in kappas])
    rows = []
    for kappa, own in zip(kappas, curves, strict=True):
        change = np.abs(own - curves[0]).max(0) / np.abs(curves[0]).max(0)
        rows.append([kappa, *np.abs(own).max(0), *change])
    columns = [
        "kappa",
        *(f"{name} [N m]" for name in NAMES),
        *(f"change, {name}" for name in NAMES),
    ]
    return {
        "tables": {"Largest torques": {"columns": columns, "rows": rows}},
        "time": times, "kappas": kappas, "curves": curves,
    }  # fmt: skip


def plot(numbers: dict):
    """Torques over time."""
    from _pictures import COLORS, finish, new_figure

    figure = new_figure(10.0, 3.2)
    for axes, k, name in zip(figure.subplots(1, 3), range(3), NAMES, strict=True):
        for kappa, own, color in zip(numbers["kappas"], numbers["curves"], COLORS, strict=False):
            axes.plot(numbers["time"], own[:, k], color=color, label=f"{100 * kappa:.0f} %")
        finish(axes, name, "time [s]", "torque [N m]")
    return figure
