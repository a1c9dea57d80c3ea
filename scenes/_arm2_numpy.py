"""The arm of the scene `arm2` in plain NumPy: skeleton, paths, muscles, activation, robot.

Written from the equations, without the package, as an independent answer. Frame of OpenSim: y is
up, z to the right. Numbers: Munoz-Pepi and others (2023), section III-E and F, and the code that
its authors published. Everything is a function of the pose (shoulder, elbow); brachialis comes
first, the medial head of the triceps second.
"""

from math import asinh, atan2, cos, exp, hypot, log, pi, sin, sqrt, tanh
from typing import NamedTuple

import numpy as np

GRAVITY = np.array([0.0, -9.81, 0.0])
SHOULDER = np.array([0.0, 0.8, 0.0]) + [-0.017545, -0.007, 0.17]
ELBOW = np.array([0.0061, -0.2904, -0.0123])  # in the humerus
WRIST = np.array([0.005, -0.265195, 0.06])  # in the forearm
AXES = np.array([[-0.05889802, 0.0023, 0.99826136], [0.04940001, 0.03660001, 0.99810825]])
RANGES = np.radians([[-90.0, 180.0], [0.0, 130.0]])
MASS = np.array([1.864572, 1.534315])  # humerus, forearm
COM = np.array([[0.0, -0.180496, 0.0], [0.0, -0.181479, 0.0]])
INERTIA = np.array([[0.01481, 0.004551, 0.013193], [0.019281, 0.001571, 0.020062]])
START = np.array([0.0, 0.349066])
START_ACTIVATION = np.array([0.5, 0.001])
PERIOD = 3.0

RADIUS = 0.016
CENTER = np.array([0.0028, -0.2919, -0.0069])  # of the cylinder, in the humerus
ANGLES = -0.14015, -0.00628319, 0.154985  # of the cylinder: about x, the new y, the new z


class Muscle(NamedTuple):
    """Numbers of a muscle; its points on the humerus and the last one on the forearm."""

    force: float  # N
    fiber: float  # optimal length, m
    tendon: float  # slack length, m
    pennation: float
    side: float  # +1: counter-clockwise about the cylinder
    points: np.ndarray
    excitation: tuple  # high, low


MUSCLES = (
    Muscle(
        987.26, 0.0858, 0.0535, 0.0, -1.0,
        np.array([[0.0068, -0.1739, -0.0036], [-0.0032, -0.0239, 0.0009]]),
        (0.90, 0.32),
    ),
    Muscle(
        624.30, 0.1138, 0.0908, 0.15707963, 1.0,
        np.array([
            [-0.00838, -0.13695, -0.00906],
            [-0.02601, -0.15139, -0.0108],
            [-0.03184, -0.22637, -0.01217],
            [-0.01743, -0.26757, -0.01208],
            [-0.0219, 0.01046, -0.00078],
        ]),
        (0.05, 0.15),
    ),
)  # fmt: skip
VELOCITY, DAMPING = 10.0, 0.1


def about(axis, angle):
    """Rotation about a unit axis."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + sin(angle) * cross + (1.0 - cos(angle)) * cross @ cross


def cylinder_axes(order="xyz"):
    """Axes of the cylinder in the humerus, from its three angles about moving axes."""
    R = np.eye(3)
    for axis in order:
        k = "xyz".index(axis)
        R = R @ about(np.eye(3)[k], ANGLES[k])
    return R


# skeleton


class Pose(NamedTuple):
    """The bones at one state: rotations, origins, joint axes, angular velocities, speeds."""

    R: list
    origin: list
    axis: np.ndarray
    omega: list
    speed: np.ndarray

    def point(self, bone, local):
        """Position (3,) and Jacobian (3, 2) of a point of a bone."""
        x = self.origin[bone] + self.R[bone] @ local
        return x, self.jacobian(bone, x)

    def jacobian(self, bone, x):
        """Jacobian (3, 2) of the velocity of a bone at a point of the ground frame."""
        J = np.zeros((3, 2))
        for k in range(bone + 1):
            J[:, k] = cross(self.axis[k], x - self.origin[k])
        return J


def cross(a, b):
    """Cross product; faster than NumPy's for single vectors."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


UNIT_AXES = AXES / np.linalg.norm(AXES, axis=1)[:, None]


def pose(q, p):
    """Bones at the angles q with the speeds p."""
    upper = about(UNIT_AXES[0], q[0])
    axis = np.array([UNIT_AXES[0], upper @ UNIT_AXES[1]])
    lower = upper @ about(UNIT_AXES[1], q[1])
    omega = p[0] * axis[0]
    omegas = [omega, omega + p[1] * axis[1]]
    return Pose([upper, lower], [SHOULDER, SHOULDER + upper @ ELBOW], axis, omegas, np.asarray(p))


def mass_and_bias(bones):
    """Mass matrix (2, 2), and inertial minus gravitational forces at zero accelerations."""
    M, bias = np.zeros((2, 2)), np.zeros(2)
    first, second = bones.omega
    turning = [np.zeros(3), cross(first, bones.axis[1]) * bones.speed[1]]
    arm = bones.origin[1] - bones.origin[0]
    carried = [np.zeros(3), cross(first, cross(first, arm))]
    for k in range(2):
        R, omega = bones.R[k], bones.omega[k]
        x, J = bones.point(k, COM[k])
        r = x - bones.origin[k]
        acceleration = carried[k] + cross(turning[k], r) + cross(omega, cross(omega, r))
        A = np.zeros((3, 2))
        A[:, : k + 1] = bones.axis[: k + 1].T
        inertia = R * INERTIA[k] @ R.T
        moment = inertia @ turning[k] + cross(omega, inertia @ omega)
        M += MASS[k] * J.T @ J + A.T @ inertia @ A
        bias += MASS[k] * J.T @ (acceleration - GRAVITY) + A.T @ moment
    return M, bias


def mechanical_energy(bones, M):
    """Kinetic energy and energy of the weight [J]."""
    heights = [bones.point(k, COM[k])[0] for k in range(2)]
    weight = -sum(m * GRAVITY @ x for m, x in zip(MASS, heights, strict=True))
    return 0.5 * bones.speed @ M @ bones.speed, weight


def passive_torque(q, p):
    """Torque of the joints' tissue (2,): spring, damper and quadratic limits."""
    over = np.maximum(q - RANGES[:, 1], 0.0)
    under = np.maximum(RANGES[:, 0] - q, 0.0)
    return -q - p - 1e4 * over**2 + 1e4 * under**2


def passive_energy(q):
    """Energy of the springs and the limits of the joints [J]."""
    beyond = np.maximum(q - RANGES[:, 1], 0.0) + np.maximum(RANGES[:, 0] - q, 0.0)
    return float(np.sum(0.5 * q**2 + 1e4 / 3.0 * beyond**3))


# paths


class Path(NamedTuple):
    """Length [m], its derivative in the angles (2,), and the wrap angle."""

    length: float
    slope: np.ndarray
    wrap: float


def wrapped(o, i, side, radius=RADIUS):
    """Path over a cylinder about z from o to i, in its axes.

    Returns the wrap angle, the length, tangent points P and Q and unit directions at both ends.
    """
    d_o, d_i = hypot(o[0], o[1]), hypot(i[0], i[1])
    a, b = sqrt(d_o**2 - radius**2), sqrt(d_i**2 - radius**2)
    at_o, at_i = atan2(o[1], o[0]), atan2(i[1], i[0])
    phi = side * (at_i - at_o) - atan2(a, radius) - atan2(b, radius)
    phi -= 2.0 * pi * round(phi / (2.0 * pi))
    first = at_o + side * atan2(a, radius)
    last = first + side * phi
    flat, rise = a + radius * phi + b, i[2] - o[2]
    length = hypot(flat, rise)

    def tangent(angle):
        return np.array([-side * flat * sin(angle), side * flat * cos(angle), rise]) / length

    P = np.array([radius * cos(first), radius * sin(first), o[2] + rise * a / flat])
    Q = np.array([radius * cos(last), radius * sin(last), i[2] - rise * b / flat])
    return phi, length, P, Q, tangent(first), tangent(last)


def path(muscle, bones, axes, material=True):
    """Path of a muscle around the cylinder with these axes in the humerus.

    With `material` the derivative uses the velocity of the humerus at the tangent points. Otherwise
    that of the center of the cylinder, as equations (11) and (13) of the paper, which is wrong.
    """
    points = muscle.points
    inner = sum(np.linalg.norm(b - a) for a, b in zip(points[:-2], points[1:-1], strict=True))
    o, J_o = bones.point(0, points[-2])
    i, J_i = bones.point(1, points[-1])
    center, J_c = bones.point(0, CENTER)
    R = bones.R[0] @ axes
    phi, length, P, Q, t_P, t_Q = wrapped(R.T @ (o - center), R.T @ (i - center), muscle.side)
    if phi <= 0.0:
        span = i - o
        length = sqrt(span @ span)
        return Path(inner + length, span @ (J_i - J_o) / length, phi)
    t_P, t_Q = R @ t_P, R @ t_Q
    J_P = bones.jacobian(0, center + R @ P) if material else J_c
    J_Q = bones.jacobian(0, center + R @ Q) if material else J_c
    return Path(inner + length, t_P @ (J_P - J_o) + t_Q @ (J_i - J_Q), phi)


# muscles

B = (
    (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
    (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
    (0.1, 1.0, 0.353553390593274, 0.0),
)
D = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912
K_TENDON, SOFT, LOW = log(6.0) / 0.049, 4.0 / 0.6, exp(4.0 * (0.2 - 1.0) / 0.6)


def active_curve(x):
    """Active force-length curve and its slope."""
    value = slope = 0.0
    for b1, b2, b3, b4 in B:
        width = b3 + b4 * x
        u = (x - b2) / width
        part = b1 * exp(-0.5 * u * u)
        value += part
        slope -= part * u * (1.0 - b4 * u) / width
    return value, slope


def passive_curve(x):
    """Passive force-length curve and its slope."""
    rise = exp(SOFT * (x - 1.0))
    return (rise - LOW) / (exp(4.0) - LOW), SOFT * rise / (exp(4.0) - LOW)


def velocity_curve(v):
    """Force-velocity curve and its slope."""
    d1, d2, d3, d4 = D
    y = d2 * v + d3
    return d1 * asinh(y) + d4, d1 * d2 / sqrt(1.0 + y * y)


def tendon_curve(x):
    """Force of the tendon and its slope, in its stretch; negative for a slack one."""
    rise = 0.2 * exp(K_TENDON * (x - 1.0))
    return rise - 0.2, K_TENDON * rise


def tendon_energy(muscle, x):
    """Energy of the tendon at a stretch [J]."""
    e = x - 1.0
    return muscle.force * muscle.tendon * (0.2 * (exp(K_TENDON * e) - 1.0) / K_TENDON - 0.2 * e)


def passive_fiber_energy(muscle, x):
    """Energy of the passive fibers at a normalized length, zero at the optimal one [J]."""
    rise = (exp(SOFT * (x - 1.0)) - 1.0) / SOFT
    return muscle.force * muscle.fiber * (rise - LOW * (x - 1.0)) / (exp(4.0) - LOW)


def cos_pennation(muscle, length):
    """Cosine of the pennation angle at a fiber length [m]."""
    return sqrt(1.0 - (muscle.fiber * sin(muscle.pennation) / length) ** 2)


def fiber_velocity(muscle, length, path_length, activation):
    """Normalized velocity at which fibers with damping balance the tendon, by Newton's method."""
    c, x = cos_pennation(muscle, length), length / muscle.fiber
    f_T = tendon_curve((path_length - length * c) / muscle.tendon)[0]
    active, passive = activation * active_curve(x)[0], passive_curve(x)[0]
    wanted = f_T / c - passive
    # the curve rises from nearly straight lines with the damping alone, so bracket before
    low, high = -1.0, 1.0
    while active * velocity_curve(low)[0] + DAMPING * low > wanted:
        low *= 2.0
    while active * velocity_curve(high)[0] + DAMPING * high < wanted:
        high *= 2.0
    v = 0.5 * (low + high)
    for _ in range(100):
        f, df = velocity_curve(v)
        error = active * f + DAMPING * v - wanted
        low, high = (v, high) if error < 0.0 else (low, v)
        step = v - error / (active * df + DAMPING)
        step = step if low < step < high else 0.5 * (low + high)
        if abs(step - v) < 1e-15 * (1.0 + abs(v)):
            return step
        v = step
    raise ArithmeticError(f"no fiber velocity at {length} m, {path_length} m, {activation}")


def rest_length(muscle, path_length, activation):
    """Fiber length of the isometric equilibrium [m], by bisection."""
    height = muscle.fiber * sin(muscle.pennation)
    low, high = 1.01 * height + 0.05 * muscle.fiber, hypot(path_length, height)
    for _ in range(200):
        length = 0.5 * (low + high)
        c, x = cos_pennation(muscle, length), length / muscle.fiber
        fiber = activation * active_curve(x)[0] * velocity_curve(0.0)[0] + passive_curve(x)[0]
        f_T = tendon_curve((path_length - length * c) / muscle.tendon)[0]
        low, high = (low, length) if fiber * c > f_T else (length, high)
    return 0.5 * (low + high)


def rigid_force(muscle, path_length, speed, activation, damping=DAMPING):
    """Force along a rigid tendon [N]."""
    along = path_length - muscle.tendon
    length = hypot(along, muscle.fiber * sin(muscle.pennation))
    c, x = along / length, length / muscle.fiber
    v = speed * c / (VELOCITY * muscle.fiber)
    force = activation * active_curve(x)[0] * velocity_curve(v)[0] + passive_curve(x)[0]
    return muscle.force * (force + damping * v) * c


def activation_rate(e, a):
    """Rate of an activation under an excitation [1/s]."""
    f, slow = 0.5 * tanh(0.1 * (e - a)), 0.5 + 1.5 * a
    return ((f + 0.5) / (0.015 * slow) + (0.5 - f) * slow / 0.060) * (e - a)


def excitation(muscle, t):
    """Trapezoid of the excitation: the first value on [0, 1] s, the second on [1.5, 2.5] s."""
    high, low = muscle.excitation
    return float(np.interp(t % PERIOD, (0.0, 1.0, 1.5, 2.5, 3.0), (high, high, low, low, high)))


# robot

ROBOT_LENGTH, ROBOT_MASS = np.array([1.0, 0.7]), np.array([0.3, 0.21])
ROBOT_COM = np.array([0.5, 0.35])  # below each joint at zero
ROBOT_INERTIA = ROBOT_MASS / 12.0 * (0.05**2 + ROBOT_LENGTH**2)  # about z
ROBOT_START = np.array([-0.75 * pi, 0.5 * pi])
ROBOT_GAINS, ROBOT_FRICTION = (50.0, 0.75), 3.0


def robot_torque(t, q, p):
    """Torque of the motors (2,), from a proportional-derivative law."""
    kp, kd = ROBOT_GAINS
    swing = 0.125 * pi
    error = np.array([swing * sin(t) - 0.75 * pi, 0.5 * pi]) - q
    return kp * error + kd * (np.array([swing * cos(t), 0.0]) - p)


def robot_acceleration(q, p, torque):
    """Accelerations of the joints (2,): a plane double pendulum about z."""
    (l1, _), (m1, m2), (c1, c2), (I1, I2) = ROBOT_LENGTH, ROBOT_MASS, ROBOT_COM, ROBOT_INERTIA
    coupled = m2 * l1 * c2 * cos(q[1])
    own = I2 + m2 * c2**2
    M = np.array([
        [I1 + m1 * c1**2 + m2 * l1**2 + own + 2.0 * coupled, own + coupled],
        [own + coupled, own],
    ])  # fmt: skip
    h = m2 * l1 * c2 * sin(q[1])
    bias = h * np.array([-p[1] * (2.0 * p[0] + p[1]), p[0] ** 2])
    low = m2 * c2 * sin(q[0] + q[1])
    weight = 9.81 * np.array([(m1 * c1 + m2 * l1) * sin(q[0]) + low, low])
    return np.linalg.solve(M, torque - ROBOT_FRICTION * p - bias - weight)


def robot_wrench(q, p, torque):
    """Tip of the robot, and the smallest wrench there with its joint torques: moment, force."""
    (l1, l2), turned = ROBOT_LENGTH, q[0] + q[1]
    elbow = l1 * np.array([sin(q[0]), -cos(q[0]), 0.0])
    tip = elbow + l2 * np.array([sin(turned), -cos(turned), 0.0])
    z = np.array([0.0, 0.0, 1.0])
    J = np.stack([np.r_[z, cross(z, tip)], np.r_[z, cross(z, tip - elbow)]], 1)
    wrench = np.linalg.pinv(J.T) @ (torque - ROBOT_FRICTION * p)
    return tip, wrench[:3], wrench[3:]


def wrench_on_arm(bones, tip, moment, force):
    """Generalized forces (2,) of a wrench at a point of the ground, acting on the forearm."""
    return bones.jacobian(1, tip).T @ force + bones.axis @ moment
