"""Two fibers slide over each other: contact without friction, action and reaction.

Two equal fibers cross at a right angle. Their ends are pulled past each other, so that each bends
the other, and then sideways, so that the crossing travels along both. New here: contact between
fibers, prescribed motion of ends. The contact force is normal to both fibers, without friction: the
forces on the four ends cancel, and the motion of each fiber mirrors that of the other (both are
tested). Color by contact force to see the crossing travel.
"""

import numpy as np

import fibermsk as fm

LENGTH, RADIUS = 0.10, 3.0e-3  # m
START, DEEP, ASIDE = 1.3 * RADIUS, 6.0e-3, 0.022  # m: height at the start, depth, travel
# Right, forward and up directions of the pair, rotated towards the viewer.
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.8, 0.6], [0.0, -0.6, 0.8]])
PRESSED, ARRIVED = 0.5, 2.5  # s: the ends have passed each other; they have reached the other side


def ease(t, start, end):
    """Smooth step from 0 at the start to 1 at the end [s]."""
    x = np.clip((t - start) / (end - start), 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


class Held:
    """Position of one end of the upper fiber, or mirrored of the lower one.

    The fiber is pressed down, and then moved sideways along the other fiber.

    Parameters
    ----------
    side : {-1, 1}
        Which end.
    up : {1, -1}
        The upper fiber, or the lower one.
    """

    def __init__(self, side, up):
        self.side, self.up = side, up

    def __call__(self, t):
        """Position at time t [s]."""
        height = START - (START + DEEP) * ease(t, 0.0, PRESSED)
        across = ASIDE * (2.0 * ease(t, PRESSED, ARRIVED) - 1.0)
        along = 0.5 * self.side * LENGTH
        first, second = (along, across) if self.up > 0 else (across, along)
        right, ahead = (first + second) / np.sqrt(2.0), (first - second) / np.sqrt(2.0)
        return np.array([right, ahead, self.up * height]) @ AXES


def scene(
    elements: int = 20,
    steps: int = 150,
    duration: float = 3.0,
    prestress: float = 3.0e4,
    bending: float = 1.0,
    stiffness: float = 2.0e3,
) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    elements : int
        Finite elements of each fiber.
    steps : int
        Time steps.
    duration : float
        Simulated time [s].
    prestress : float
        Stress that keeps the fibers taut [N/m^2].
    bending : float
        Bending stiffness relative to that of solid circular cross-sections.
    stiffness : float
        Penalty stiffness of the contact [N/m].
    """
    # no weight: the two fibers are mirror images of each other
    model = fm.Model("sliding_fibers", gravity=(0.0, 0.0, 0.0))
    tissue = fm.Tissue(
        density=1060.0,
        muscle=fm.KelvinVoigt(shear_modulus=2.0e4, viscosity=500.0),
        prestress=prestress,
        bending=bending,
    )
    fibers = [
        model.add(
            fm.Fiber(
                name,
                attach=[fm.MovingPoint(Held(side, up)) for side in (-1, 1)],
                radius=RADIUS,
                n_elements=elements,
                tissue=tissue,
            )
        )
        for name, up in (("upper", 1), ("lower", -1))
    ]
    model.add(fm.Contact(*fibers, fm.PenaltyContact(stiffness, limit=3.0)))
    # the motion is slow: equal steps of BDF2 damp the vibrations of the fibers, unresolved
    return fm.Scene(model, duration=duration, steps=steps, method="bdf2", tolerance=0.0)


if __name__ == "__main__":
    result = fm.run_scene(scene)
    upper, lower = result.fibers["upper"], result.fibers["lower"]
    pull = [fiber.force_origin + fiber.force_insertion for fiber in (upper, lower)]
    print(f"force of the upper fiber on its ends at last: {np.round(pull[0][-1], 4)} N")
    print(f"force of the lower fiber on its ends at last: {np.round(pull[1][-1], 4)} N")
