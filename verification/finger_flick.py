"""A flicked finger with and without the mass of its muscles: inertia, and who bursts.

Wang, Verheul, Yeo, Kalantari and Sueda, ACM Transactions on Graphics 41 (2022), section 4.4: a
force pushes the tip of a finger (`scenes/finger_flick.py`) for two steps of 1 ms. Its long flexors,
200 g each, raise the diagonal of the mass matrix at the start. The paper concludes from bursts of
the light finger that the mass of muscles makes simulations stable. A finger bursts here if its
energy exceeds four times that at release within 0.2 s.

- `ratio_1`, `_2`, `_3`: diagonal of the mass matrix with muscles over that without, by plain NumPy.
- `semi_implicit_bare_N`, `semi_implicit_muscles_N`: least force, of those in `FORCES`, after
  which the finger bursts, by semi-implicit Euler with steps of 1 ms. Of larger ones not all do.
- `runge_kutta_bare`, `runge_kutta_muscles`: whether it bursts after 60 N, by the classical method
  of Runge and Kutta with the same steps: now the finger *with* muscles does, the other not.
- `energy_error`: largest change of the energy after 60 N, over the energy, with adaptive steps.

So it depends on integrator and step which finger bursts, and neither does if steps are adaptive.

Needs myohand_body.xml of MyoSuite, from the folder FIBERMSK_MODELS.
"""

from itertools import pairwise

import numpy as np

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.solvers import accelerations
from fibermsk.verify import Expected, Unavailable

STEP, END, RELEASED = 1e-3, 0.2, 2
FORCES = {
    False: range(8, 21),
    True: (60, 70, 80, *range(84, 96)),
}
"""Forces to try without and with muscles [N]."""
HARD = 60.0


def made(**options) -> fm.Scene:
    """The scene."""
    try:
        return find("finger_flick").make(options)
    except fm.ModelError as error:
        if "must be the path of" in str(error):
            raise Unavailable(str(error)) from error
        raise


def bursts(method, muscles: bool, force: float) -> bool:
    """Whether the energy grows to four times that at release."""
    system = fm.build(made(muscles=muscles, force=force).model)
    q, p = (one.copy() for one in system.initial_state())
    released = np.inf
    for k in range(round(END / STEP)):
        # the force of a step is that of its start
        q, p = method(lambda q, p, t=k * STEP: accelerations(system, t, q.copy(), p.copy()), q, p)
        if not np.isfinite(p).all():
            return True
        kinetic = system.energy(q.copy(), p.copy()).kinetic
        if k + 1 == RELEASED:
            released = kinetic
        if kinetic > 4.0 * released:
            return True
    return False


def semi_implicit(rate, q, p):
    """A step of semi-implicit Euler."""
    p = p + STEP * rate(q, p)
    return q + STEP * p, p


def runge_kutta(rate, q, p):
    """A step of the classical method of fourth order."""
    slopes, total = (p, rate(q, p)), [0.0, 0.0]
    for weight, ahead in ((1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)):
        total = [a + weight / 6.0 * b for a, b in zip(total, slopes, strict=True)]
        if ahead:
            there = q + ahead * STEP * slopes[0], p + ahead * STEP * slopes[1]
            slopes = there[1], rate(*there)
    return q + STEP * total[0], p + STEP * total[1]


def burst_from(muscles: bool) -> float:
    """Least force after which the finger bursts [N]."""
    forces = (float(force) for force in FORCES[muscles])
    return next((force for force in forces if bursts(semi_implicit, muscles, force)), np.nan)


def masses(system) -> np.ndarray:
    """Diagonal of the mass matrix at the start."""
    y, v = system.initial_state()
    still = [system.evaluate(1.0, y, 0.0 * v, a, tangent=False).residual for a in np.eye(4, 3, -1)]
    return np.array([still[k + 1][k] - still[0][k] for k in range(3)])


def plain_masses(model) -> tuple[np.ndarray, np.ndarray]:
    """Inertia about each joint of the bodies, and of the muscles' points, in plain NumPy.

    Positions of points are functions of the angles, with complex steps as derivatives.
    """
    joints, bodies = model.joints, model.bodies[1:]
    start = [one.value for one in model.coordinates]

    def turn(axis, angle):
        axis = np.asarray(axis) / np.linalg.norm(axis)
        K = np.cross(np.eye(3), axis)
        return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K

    def place(k, q, x):
        for joint, angle in list(zip(joints, q, strict=True))[: k + 1][::-1]:
            x = np.asarray(joint.at) + turn(joint.axis, angle) @ x
        return x

    def slope(at, k):
        q = np.array(start, complex)
        q[k] += 1e-30j
        return at(q).imag / 1e-30

    def axis_of(k, e):
        return lambda q: place(k, q, e) - place(k, q, 0.0 * e)

    bones, own = np.zeros(3), np.zeros(3)
    index = {model.ground: -1} | {body: k for k, body in enumerate(bodies)}
    for j in range(3):
        for k, body in enumerate(bodies):
            v = slope(lambda q, k=k, body=body: place(k, q, np.asarray(body.com)), j)
            axes = [slope(axis_of(k, e), j) for e in np.eye(3)]
            # second moments of the rod turn with its axes
            S = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
            bones[j] += body.mass * v @ v + np.einsum("ab,ai,bi->", S, axes, axes)
    for muscle in model.muscles:
        points = [
            (index[point.body], np.asarray(point.station.position)) for point in muscle.points
        ]

        def along(q, alpha, points=points):
            x = [place(k, q, at) for k, at in points]
            lengths = [np.sqrt(((b - a) ** 2).sum()) for a, b in pairwise(x)]
            left = alpha * sum(lengths)
            for (a, b), length in zip(pairwise(x), lengths, strict=True):
                if left.real <= length.real:
                    return a + left / length * (b - a)
                left = left - length
            return x[-1]

        for alpha, mass in zip(muscle.mass.fractions, muscle.mass.weights, strict=True):
            for j in range(3):
                v = slope(lambda q, alpha=alpha, along=along: along(q, alpha), j)
                own[j] += mass * v @ v
    return bones, own


def run() -> dict[str, float]:
    """Ratios of inertia, forces of bursts, change of the energy."""
    with_muscles, bare = made(force=0.0).model, made(force=0.0, muscles=False).model
    ratio = masses(fm.build(with_muscles)) / masses(fm.build(bare))
    values = {f"ratio_{k}": float(one) for k, one in enumerate(ratio, 1)}
    for name, muscles in (("bare", False), ("muscles", True)):
        values[f"semi_implicit_{name}_N"] = burst_from(muscles)
        values[f"runge_kutta_{name}"] = float(bursts(runge_kutta, muscles, HARD))
    scene = made(muscles=False, force=HARD)
    result, system = fm.simulate_scene(scene), fm.build(scene.model)
    names = tuple(result.coordinates)
    energies = [
        system.energy(*(np.array([own[name][k] for name in names]) for own in pair)).kinetic
        for pair in [(result.coordinates, result.speeds)]
        for k in np.flatnonzero(result.time > 1.5 * RELEASED * STEP)
    ]
    values["energy_error"] = float(np.ptp(energies) / energies[0])
    return values


def expected() -> dict[str, Expected]:
    """Plain NumPy, forces of an independent computation, conservation of energy."""
    bones, own = plain_masses(made(force=0.0).model)
    values = {
        f"ratio_{k}": Expected(
            float(1.0 + b / a), 1e-9, "round-off", kind="independent",
            source="complex steps of positions in plain NumPy",
        )
        for k, (a, b) in enumerate(zip(bones, own, strict=True), 1)
    }  # fmt: skip
    given = {"kind": "comparison", "source": "another computation of the same definition"}
    why = "near the limit some forces burst and larger ones do not"
    values["semi_implicit_bare_N"] = Expected(14.0, 1.0, why, **given)
    values["semi_implicit_muscles_N"] = Expected(89.0, 3.0, why, **given)
    values["energy_error"] = Expected(
        0.0,
        1e-4,
        "tolerance of the steps",
        scale=1.0,
        kind="consistency",
        source="conservation of energy",
    )
    return values
