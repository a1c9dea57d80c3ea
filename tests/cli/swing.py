"""The scene of a pendulum that runs are stopped in, and its files."""

from pathlib import Path

SCENE = '''"""A pendulum on a fiber."""

import os

import fibermsk as fm


def scene(steps: int = 40, level: float = 0.3, scale: tuple[float, float] = (1.0, 1.0)) -> fm.Scene:
    model = fm.Model("swing")
    rod = model.add(fm.Body("rod", mass=1.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01)))
    model.add(fm.Hinge("hinge", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    tissue = fm.Tissue(1000.0, fm.KelvinVoigt(2e5, 500.0), prestress=5e4)
    ends = model.ground.at(0.1, 0, 0.2), rod.at(0.2, 0, 0)
    model.add(
        fm.Fiber("f", attach=ends, radius=5e-3, n_elements=3, tissue=tissue, activation=level)
    )
    return fm.Scene(model, duration=0.2 * scale[0], steps=steps, method="bdf2", tolerance=0.0)


if __name__ == "__main__":
    fm.run_scene(scene)
'''

OUT = Path("results/swing.h5")
CHECKPOINT = Path("results/swing.checkpoint.h5")
