"""Figure of the guide: architecture of the pennate muscle beside that of a Hill muscle."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fibermsk as fm

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "scenes"))
from pennate_muscle import Hill, scene, shape  # noqa: E402

BLUE, ORANGE = "#0072B2", "#D55E00"


def main() -> None:
    """Draw the figure."""
    result = fm.simulate_scene(scene())
    found = shape(result)
    figure, (left, right) = plt.subplots(
        1, 2, width_ratios=(1, 2.2), figsize=(5.6, 4.4), layout="constrained"
    )
    for frame, color in ((0, "0.6"), (-1, BLUE)):
        for name, fiber in result.fibers.items():
            x = 1e3 * fiber.centerline(np.linspace(0.0, 1.0, 30), frame)
            wide = 3.0 if name.startswith("fiber_") else 1.0
            left.plot(x[:, 0], x[:, 2], color=color, lw=wide, solid_capstyle="round")
    left.set(aspect="equal", xlabel="x [mm]", ylabel="z [mm]", xticks=(-10, 10))
    lifted = Hill.of_relaxed(found, 5).lift(result.time, 1.5, 0.5)
    for one, color, name in (
        (found, BLUE, "fibers that turn"),
        (lifted, ORANGE, "Hill muscle"),
    ):
        shortening = 1e3 * (one.fiber[0] - one.fiber)
        right.plot(shortening, np.degrees(one.angle), color=color, label=name)
    right.set(xlabel="shortening of the fibers [mm]", ylabel="angle of the fibers [deg]")
    right.legend()
    figure.savefig(HERE / "pennate_muscle.png", dpi=150)


if __name__ == "__main__":
    main()
