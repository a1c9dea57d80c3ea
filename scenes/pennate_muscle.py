"""A pennate muscle: oblique fibers between two aponeuroses turn as they shorten.

A layer of fibers, as of a gastrocnemius, runs obliquely from a deep aponeurosis, which hangs from a
bone, to a superficial one, which carries a weight. The aponeuroses are thin, stiff fibers that are
split where muscle fibers end (`fm.split_fiber`); a junction is a point without mass. Active fibers
shorten, thicken, press on each other and turn: the muscle shortens more than its fibers, and its
force is theirs times the cosine of their angle. Printed, and tested: pennation angle, gearing and
thickness, beside those of a Hill muscle of the same tissue, with fibers between planes at constant
distance, that lifts the same weight. New here: fibers that end on other fibers. Springs stand for
the layers on both sides, which keep this one plane.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import fibermsk as fm
from fibermsk.system.fibers.nodes import FiberNodes

LENGTH, ANGLE, RADIUS = 0.05, np.radians(30.0), 3.5e-3  # of the muscle fibers, at the start
ROOM = 1.02  # distance of neighbors over their diameter, at the start
TENDON, TENDON_RADIUS = 0.03, 1.5e-3  # m: free tendon at both ends, radius also of aponeuroses
STRESS, OPTIMUM = 3.0e5, 1.0  # N/m^2, stretch
SUPPORT = 5.0e3  # N/m for each node
DAMPING = 20.0  # N s/m of the weight's guide
REST = 0.1  # activation at the start
MUSCLE = fm.Tissue(
    density=1060.0,
    muscle=fm.KelvinVoigt(shear_modulus=4.0e3, viscosity=1.0e3),
    active=fm.HillStress(STRESS, optimal_stretch=OPTIMUM, max_velocity=6.0),
    stiffening=fm.Stiffening.of_muscle(STRESS, 0.3, optimal_stretch=OPTIMUM),
    prestress=5.0e3,
)


class Neighbors(NamedTuple):
    """The layers beside a fiber: springs across the plane, without which it would buckle out."""

    name: str
    fiber: str

    bodies, coordinates, signals = (), (), ()

    def contribute(self, configuration):
        """Create the contribution."""
        return _Springs(FiberNodes(configuration, self.fiber))


class _Springs:
    """Springs on the nodes of a fiber, along y."""

    def __init__(self, nodes):
        self._nodes, self._slope = nodes, np.zeros((nodes.n, 6, 6))
        self._slope[:, 1, 1] = -SUPPORT

    def add(self, at, sums):
        """Add forces and slopes."""
        x, _ = self._nodes.at(at)
        force = np.zeros_like(x)
        force[:, 1] = -SUPPORT * x[:, 1]
        self._nodes.push(sums, force, self._slope, 0.0 * self._slope)

    def fingerprint(self, times):
        """Its only number."""
        return {"the neighbors": [np.array([SUPPORT])]}


class Places(NamedTuple):
    """Where the fibers are at the start: bone, weight (3,); deep and superficial ends (n, 3)."""

    bone: np.ndarray
    weight: np.ndarray
    deep: np.ndarray
    superficial: np.ndarray


def places(fibers: int) -> Places:
    """Parallel fibers in a plane, turned so that the weight hangs below the bone."""
    apart = ROOM * 2.0 * RADIUS / np.sin(ANGLE)  # along the aponeuroses
    deep = np.column_stack([np.zeros(fibers), apart * np.arange(fibers)])
    superficial = deep + LENGTH * np.array([np.sin(ANGLE), np.cos(ANGLE)])
    bone, weight = deep[0] - (0.0, TENDON), superficial[-1] + (0.0, TENDON)
    along = (weight - bone) / np.linalg.norm(weight - bone)

    def placed(points):
        across, down = (points - bone) @ (along[1], -along[0]), (points - bone) @ along
        return np.stack([across, 0.0 * across, -down], axis=-1)

    return Places(*map(placed, (bone, weight, deep, superficial)))


def scene(
    fibers: int = 5,
    elements: int = 6,
    steps: int = 32,
    duration: float = 0.8,
    activation: float = 0.5,
    mass: float = 1.5,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    fibers : int
        Muscle fibers, 3 or more.
    elements : int
        Finite elements of each muscle fiber.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    activation : float
        Activation that all fibers reach, in [0, 1].
    mass : float
        Mass that the muscle lifts, for 5 fibers; proportional for other numbers [kg].
    """
    if fibers < 3:
        raise fm.ModelError(f"fibers = {fibers}; must be 3 or more")
    mass *= fibers / 5
    at = places(fibers)
    model = fm.Model("pennate_muscle")
    ball = np.cbrt(mass / 7800.0 / (4.0 / 3.0 * np.pi))  # of steel
    weight = model.add(
        fm.Body(
            "weight",
            mass=mass,
            com=(0.0, 0.0, -ball),
            inertia=np.full(3, 0.4 * mass * ball**2),
            shapes=fm.Capsule((0, 0, -ball), (0, 0, -ball), ball),
        )
    )
    model.add(fm.Slider("lift", model.ground, weight, at.weight, (0, 0, 1), damping=DAMPING))
    tendon = fm.Tissue(1060.0, fm.KelvinVoigt(shear_modulus=1.0e8, viscosity=1.0e4))
    sheet = {"radius": TENDON_RADIUS, "n_elements": fibers, "tissue": tendon}
    last = model.add(fm.Junction("deep_end", model.ground, at.deep[-1]))
    first = model.add(fm.Junction("superficial_end", model.ground, at.superficial[0]))
    ends = []
    for name, path, attach in (
        ("deep", [at.bone, *at.deep], (model.ground.at(at.bone), last)),
        ("superficial", [*at.superficial, at.weight], (first, weight.at(0, 0, 0))),
    ):
        corners = np.array([path[0], path[-1]])
        whole = fm.Fiber(name, corners, attach, muscle_fraction=0.0, **sheet)
        way = np.linalg.norm(np.array(path[1:-1]) - path[0], axis=1)
        split = fm.split_fiber(whole, way / np.linalg.norm(corners[1] - corners[0]), model.ground)
        model.add(*split.junctions, *split.pieces)
        ends.append(split.junctions)
    layer = [
        model.add(
            fm.Fiber(
                f"fiber_{k}",
                attach=(deep, superficial),
                radius=RADIUS,
                n_elements=elements,
                tissue=MUSCLE,
                activation=excited(activation),
            )
        )
        for k, (deep, superficial) in enumerate(
            zip((*ends[0], last), (first, *ends[1]), strict=True), start=1
        )
    ]
    model.add(*(Neighbors(f"beside {one.name}", one.name) for one in layer))
    law = fm.PenaltyContact(stiffness=5.0e3, limit=3.0)
    model.add(fm.Contact(layer, layer, law))
    return fm.Scene(model, duration=duration, steps=steps, start="equilibrium")


def excited(activation: float) -> fm.Ramp:
    """Activation of all fibers over time."""
    return fm.Ramp(REST, 0.5, activation)


class Shape(NamedTuple):
    """Architecture of the muscle, means of all fibers; arrays over the frames."""

    length: np.ndarray  # of the muscle, bone to weight [m]
    fiber: np.ndarray  # of the fibers [m]
    angle: np.ndarray  # of their chords to the line from bone to weight [rad]
    thickness: np.ndarray  # of the muscle: what the fibers span across that line [m]
    force: np.ndarray  # of the muscle [N]


def shape(result: fm.Result) -> Shape:
    """Measure the muscle."""
    layer = [fiber for name, fiber in result.fibers.items() if name.startswith("fiber_")]
    ways = np.array([fiber.position[:, -1] - fiber.position[:, 0] for fiber in layer])
    across, down = ways[..., 0], -ways[..., 2]
    return Shape(
        length=-result.bodies["weight"].position[:, 2],
        fiber=np.array([fiber.length for fiber in layer]).mean(axis=0),
        angle=np.arctan2(across, down).mean(axis=0),
        thickness=across.mean(axis=0),
        force=np.linalg.norm(result.fibers["deep_1"].force_origin, axis=1),
    )


class Hill(NamedTuple):
    """A Hill muscle of the same tissue and size, with a rigid tendon.

    Its architecture is that of the relaxed muscle, as an anatomist measures it.
    """

    fibers: int
    height: float  # distance of the planes [m]
    tendon: float  # what tendons and aponeuroses add to the fibers along the muscle [m]

    @classmethod
    def of_relaxed(cls, found: Shape, fibers: int) -> "Hill":
        """Its fibers have the mean length and span of those at the first frame."""
        height = float(found.thickness[0])
        along = np.sqrt(found.fiber[0] ** 2 - height**2)
        return cls(fibers, height, float(found.length[0] - along))

    def force(self, length, speed, activation):
        """Force [N] at a length of the muscle [m] and its rate [m/s]."""
        along = length - self.tendon
        fiber = np.hypot(along, self.height)
        rate = speed * along / fiber
        stress, *_ = MUSCLE.stress(fiber / LENGTH, rate / LENGTH, activation)
        return self.fibers * np.pi * RADIUS**2 * stress * along / fiber

    def lift(self, time, mass: float, activation: float) -> Shape:
        """Lift a weight from the equilibrium at the start; times [s]."""
        given, weight = excited(activation), 9.81 * mass

        def rates(t, state):
            length, speed = state
            force = self.force(length, speed, given(t))
            return speed, 9.81 - (force + DAMPING * speed) / mass

        low, high = (self.tendon + x * LENGTH for x in (0.3, 1.6))
        start = brentq(lambda one: self.force(one, 0.0, given(0.0)) - weight, low, high)
        found = solve_ivp(
            rates, time[[0, -1]], (start, 0.0), "Radau", time, rtol=1e-9, atol=1e-11, max_step=0.01
        )
        length, speed = found.y
        along = length - self.tendon
        states = zip(*found.y, time, strict=True)
        return Shape(
            length,
            np.hypot(along, self.height),
            np.arctan2(self.height, along),
            np.full_like(along, self.height),
            np.array([self.force(x, v, given(float(t))) for x, v, t in states]),
        )


def gearing(found: Shape) -> float:
    """Shortening of the muscle over that of its fibers."""
    return float(np.ptp(found.length[[0, -1]]) / np.ptp(found.fiber[[0, -1]]))


if __name__ == "__main__":
    result = fm.run_scene(scene)
    computed, own = shape(result), result.parameters
    muscle = Hill.of_relaxed(computed, own["fibers"])
    lifted = muscle.lift(result.time, own["mass"] * own["fibers"] / 5, own["activation"])
    for name, one in (("fibers that turn", computed), ("Hill muscle", lifted)):
        angles, thickness, fibers = np.degrees(one.angle), 1e3 * one.thickness, 1e3 * one.fiber
        print(
            f"{name}: fibers {fibers[0]:.1f} to {fibers[-1]:.1f} mm, angle {angles[0]:.1f} to "
            f"{angles[-1]:.1f} deg, thickness {thickness[0]:.1f} to {thickness[-1]:.1f} mm, "
            f"gearing {gearing(one):.3f}, lifted by {1e3 * (one.length[0] - one.length[-1]):.1f} mm"
        )
    same = muscle.force(computed.length[-1], -result.speeds["lift"][-1], own["activation"])
    print(f"at the final length and speed: {computed.force[-1]:.2f} N, Hill muscle {same:.2f} N")
