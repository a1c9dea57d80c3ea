"""Figure of the guide: the spline knee, its swing against a hinge's, and what becomes of energy."""

import importlib.util
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fibermsk as fm
from fibermsk.solvers.newton.stage import State
from fibermsk.view.pictures.scene import picture

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("knee", HERE.parents[1] / "scenes/spline_knee.py")
KNEE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(KNEE)

BLUE, ORANGE = "#0072B2", "#D55E00"


def energy_change(steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Time [s], and energy at every step less that at the start [J]."""
    scene = KNEE.scene()
    system, method = fm.build(scene.model), fm.GeneralizedAlpha()
    y, v = system.initial_state()
    memory = method.start(system, State(0.0, y, v))
    total = [system.energy(y, v).total]
    for _ in range(steps):
        step = method.step(system, fm.Newton(tolerance=1e-9), memory, scene.duration / steps)
        memory = step.memory
        total.append(system.energy(memory.state.y, memory.state.v).total)
    return np.linspace(0.0, scene.duration, steps + 1), np.array(total) - total[0]


def main() -> None:
    """Compute and write the figure beside this file."""
    swings = {joint: fm.simulate_scene(KNEE.scene(joint)) for joint in ("spline", "hinge")}
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), width_ratios=(0.85, 1, 1))
    image = picture(swings["spline"], time=0.3, color_by="stretch", size=(1400, 1400))
    image[:170, :400] = image[1180:, :230] = image[:, 1180:] = 255  # words, axes, scale
    inked = np.argwhere((image < 250).any(axis=2))
    (top, left), (bottom, right) = inked.min(axis=0), inked.max(axis=0)
    axes[0].imshow(image[top:bottom, left:right])
    axes[0].axis("off")
    axes[0].set_title("at 0.3 s; color: stretch of the muscle", loc="left", fontsize=10)
    for (joint, result), color in zip(swings.items(), (BLUE, ORANGE), strict=True):
        axes[1].plot(result.time, np.degrees(result.coordinate("knee")), color=color, label=joint)
    axes[1].set_title("knee angle", loc="left", fontsize=10)
    axes[1].set(xlabel="time [s]", ylabel="angle [°]")
    for steps, color in ((250, ORANGE), (1000, BLUE), (4000, "#009E73")):
        time, change = energy_change(steps)
        axes[2].semilogy(time[1:], np.abs(change[1:]), color=color, label=f"{steps} steps")
    axes[2].set_title("change of the total energy; up to 4 J are kinetic", loc="left", fontsize=10)
    axes[2].set(xlabel="time [s]", ylabel="energy [J]", ylim=(1e-9, 1e-1))
    for one in axes[1:]:
        one.legend(frameon=False)
        one.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "spline_knee.png", dpi=110)


if __name__ == "__main__":
    main()
