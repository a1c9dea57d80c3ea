"""The robot of the scene `arm2`: two motors whose wrench at the tip also acts on the forearm."""

from dataclasses import dataclass

import numpy as np

import fibermsk as fm
from fibermsk.results import Field
from fibermsk.system.ports import BodyPoints, CoordinatePort

LENGTH, THICKNESS, MASS = (1.0, 0.7), (0.05, 0.02), (0.3, 0.21)
START = -0.75 * np.pi, 0.5 * np.pi
FRICTION = 3.0  # N m s/rad
SPAN = 0.1  # of the points of the forearm through which a wrench acts, m


def add_robot(model, forearm):
    """Two links that hang from the ground's origin, with the coordinates robot_1 and robot_2."""
    below, at = model.ground, (0.0, 0.0, 0.0)
    for k, (length, mass, start) in enumerate(zip(LENGTH, MASS, START, strict=True), 1):
        wide, thin = THICKNESS
        link = model.add(
            fm.Body(
                f"robot_link_{k}",
                mass=mass,
                com=(0.0, -0.5 * length, 0.0),
                inertia=mass / 12.0 * np.array(
                    [thin**2 + length**2, wide**2 + thin**2, wide**2 + length**2]
                ),
                shapes=fm.Capsule((0, 0, 0), (0, -length, 0), 0.5 * thin),
            )
        )  # fmt: skip
        coordinate = fm.Coordinate(f"robot_{k}", value=start, forces=fm.Damper(FRICTION))
        joint = fm.Hinge(f"robot_{k}", below, link, at, (0, 0, 1), coordinate=coordinate)
        model.add(joint)
        below, at = link, (0.0, -length, 0.0)
    model.add(Robot("robot", forearm))


@dataclass(frozen=True, eq=False)
class Robot:
    """Control of the robot, and its wrench on a body.

    The motors follow a target with proportional-derivative control. Their torques without friction
    are those of a wrench at the tip, of which the smallest is taken. It acts on the body, at the
    same place; the robot feels nothing of it.
    """

    name: str
    body: fm.Body

    coordinates, signals = ("robot_1", "robot_2"), ()

    @property
    def bodies(self):
        """The body on which the wrench acts."""
        return (self.body,)

    def contribute(self, configuration):
        """Create the contribution."""
        return _Coupling(self, configuration)


def torque(t, q, p):
    """Torques of the motors (2,), and their derivatives in each angle and speed."""
    swing = 0.125 * np.pi
    target = np.array([swing * np.sin(t) + START[0], START[1]])
    rate = np.array([swing * np.cos(t), 0.0])
    return 50.0 * (target - q) + 0.75 * (rate - p), -50.0, -0.75


def wrench(t, q, p):
    """Tip, moment and force (9,) for real or complex angles and speeds."""
    (l1, l2), turned, zero = LENGTH, q[0] + q[1], 0.0 * q[0]
    elbow = l1 * np.array([np.sin(q[0]), -np.cos(q[0])])
    tip = elbow + l2 * np.array([np.sin(turned), -np.cos(turned)])
    # twist of the tip by the joints: rotation about z, and velocity in the plane
    J = np.array(
        [[1.0 + zero, -tip[1], tip[0]], [1.0 + zero, elbow[1] - tip[1], tip[0] - elbow[0]]]
    )
    # smallest wrench with J @ wrench = torque
    found = J.T @ np.linalg.solve(J @ J.T, torque(t, q, p)[0] - FRICTION * p)
    return np.array([tip[0], tip[1], zero, zero, zero, found[0], found[1], found[2], zero])


def wrench_slopes(t, q, p):
    """Derivatives of `wrench` in angles and speeds (9, 4), by complex steps."""
    step, columns = 1e-30, []
    for move in np.eye(4) * 1j * step:
        columns.append(wrench(t, q + move[:2], p + move[2:]).imag / step)
    return np.array(columns).T


def matrix(a):
    """Matrix of the cross product with a."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


class _Coupling:
    """Contribution of the robot."""

    reports = (
        Field("tip", "m", "robot's tip", "where the wrench acts, in ground", (3,)),
        Field("moment", "N m", "robot's moment", "on the forearm about the tip, in ground", (3,)),
        Field("force", "N", "robot's force", "on the forearm at the tip, in ground", (3,)),
    )

    def __init__(self, robot, configuration):
        self._robot = robot
        self._motors = [CoordinatePort(configuration, name) for name in robot.coordinates]
        # a wrench as four forces: at the body's origin, and one on each axis
        points = [robot.body.at(SPAN * point) for point in np.vstack([np.zeros(3), np.eye(3)])]
        self._points = BodyPoints(configuration, points)

    def _motion(self, at):
        q, p = zip(*(motor.at(at) for motor in self._motors), strict=True)
        return np.array(q), np.array(p)

    def fields(self, at):
        """Wrench on the forearm."""
        found = wrench(at.t, *self._motion(at))
        return {"tip": found[:3], "moment": found[3:6], "force": found[6:]}

    def add(self, at, sums):
        """Add the torques of the motors, and the wrench on the forearm."""
        q, p = self._motion(at)
        drive, by_q, by_p = torque(at.t, q, p)
        for motor, one in zip(self._motors, drive, strict=True):
            motor.push(at, sums, one, by_q, by_p)

        placed, own = self._points.at(at), wrench(at.t, q, p)
        tip, moment, force = own[:3], own[3:6], own[6:]
        arms = placed.x[1:] - placed.x[0]
        total = moment + np.cross(tip - placed.x[0], force)  # about the body's origin
        # the sum of e_k x (M x e_k) is 2 M
        pulls = np.cross(total, arms) / (2.0 * SPAN**2)
        forces = np.vstack([force - pulls.sum(axis=0), pulls])

        # derivatives of the total moment and of the force
        of_moment, of_force = np.zeros((3, 12)), np.zeros((3, 12))
        of_moment[:, :3] = matrix(force)
        by_x = self._slopes(arms, of_moment, of_force)
        for k in range(3):
            turned = matrix(total) / (2.0 * SPAN**2)
            row, column = slice(3 * k + 3, 3 * k + 6), slice(3 * k + 3, 3 * k + 6)
            by_x[row, column] += turned
            by_x[row, :3] -= turned
            by_x[:3, column] -= turned
            by_x[:3, :3] += turned
        self._points.push(at, placed, sums, forces, by_x, 0.0 * by_x)

        if sums.slopes is None:
            return
        d = wrench_slopes(at.t, q, p)
        arm = matrix(tip - placed.x[0])
        by_robot = self._slopes(arms, d[3:6] - matrix(force) @ d[:3] + arm @ d[6:], d[6:])
        follows = [motor.follow(at, sums.slopes) for motor in self._motors]
        moved = np.vstack([*(x for x, _ in follows), *(v for _, v in follows)])
        X, _ = self._points.follow(at, placed, sums.slopes)
        sums.corner[...] -= X.T @ by_robot @ moved

    @staticmethod
    def _slopes(arms, of_moment, of_force):
        """Derivatives of the four forces (12, m) from those of moment and force (3, m)."""
        pulls = [-matrix(arm) @ of_moment / (2.0 * SPAN**2) for arm in arms]
        return np.vstack([of_force - sum(pulls), *pulls])

    def fingerprint(self, times):
        """The robot's numbers are those of this file."""
        return {"the robot": [self._robot.name, self._robot.body.name, START, FRICTION]}
