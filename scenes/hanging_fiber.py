"""A hanging fiber: one elastic fiber between two walls sags under its own weight.

The first scene: a fiber, its tissue, two attachments. The start is the static equilibrium, so
nothing moves; the sag of the middle is that of the exact elastic cable (compared in the tests and
printed at the end).
"""

import fibermsk as fm


def scene(elements: int = 16, steps: int = 10, duration: float = 0.1) -> fm.Scene:
    """Describe the scene.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    """
    model = fm.Model("hanging_fiber")
    tissue = fm.Tissue(density=1060.0, muscle=fm.KelvinVoigt(shear_modulus=2.0e4, viscosity=1.0e3))
    ends = model.ground.at(0.0, 0.0, 0.0), model.ground.at(0.3, 0.0, 0.0)
    model.add(fm.Fiber("fiber", attach=ends, radius=6e-3, n_elements=elements, tissue=tissue))
    return fm.Scene(model, duration=duration, steps=steps, start="equilibrium")


if __name__ == "__main__":
    result = fm.run_scene(scene)
    middle = result.fibers["fiber"].centerline([0.5], frame=-1)[0]
    print(f"sag of the middle: {-1e3 * middle[2]:.3f} mm")
