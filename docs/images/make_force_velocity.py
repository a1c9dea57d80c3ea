"""Figure of the guide: force-velocity curves against the cat soleus of Scott et al. (1996)."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize_scalar

import fibermsk as fm

HERE = Path(__file__).parent
MEASURED = np.loadtxt(
    HERE.parents[1] / "verification/data/scott1996_fig4_force_velocity.csv",
    delimiter=",",
    skiprows=1,
)
BLUE, ORANGE = "#0072B2", "#D55E00"


def rms(curve: object, fastest: float) -> float:
    """Root mean square difference from the measured forces, over F_0."""
    found = [curve.factor(v)[0] for v in MEASURED[:, 0] / fastest]
    return float(np.sqrt(np.mean((np.array(found) - MEASURED[:, 1]) ** 2)))


def main() -> None:
    """Draw the figure."""
    cat, de_groote = fm.HillForceVelocity(0.19, 1.38, 6.7), fm.DeGrooteForceVelocity()
    best = minimize_scalar(lambda v: rms(de_groote, v), bounds=(2.0, 10.0), method="bounded").x
    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    axes.plot(*MEASURED.T, ".", color="0.5", label="cat soleus, Scott et al. (1996)")
    v = np.linspace(-6.0, 4.5, 1001)
    for curve, fastest, color, name in (
        (cat, 4.67, BLUE, "HillForceVelocity(0.19, 1.38, 6.7)"),
        (de_groote, best, ORANGE, "DeGrooteForceVelocity()"),
    ):
        label = f"{name}, v_max {fastest:.2f}: rms {rms(curve, fastest):.3f}"
        axes.plot(v, [curve.factor(x / fastest)[0] for x in v], color=color, label=label)
    axes.set_xlabel("velocity [optimal lengths / s], lengthening positive")
    axes.set_ylabel("force over isometric force [-]")
    axes.legend(fontsize=8)
    figure.savefig(HERE / "force_velocity.png", dpi=150)


if __name__ == "__main__":
    main()
