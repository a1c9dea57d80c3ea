"""Figure of the guide to identification: ``python make_identification.py``; takes ten minutes.

Errors of the scene identify_arm from five guesses; needs the folder FIBERMSK_MODELS.
"""

import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fibermsk as fm
from fibermsk.identification.study import physical

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "scenes"))
import identify_arm  # noqa: E402

COLORS = {"M1": "#D55E00", "M2": "#009E73"}
SEEDS = range(1, 6)
KINDS = {
    "max_isometric_force": "F₀", "optimal_fiber_length": "l₀", "tendon_slack_length": "lₜₛ",
    "pennation_angle": "φ₀", "max_fiber_velocity": "V",
}  # fmt: skip


def runs(method: str, records: list[fm.Recording]) -> tuple[list, tuple[str, ...]]:
    """Steps and relative errors [%] of all numbers, of each guess; and their names."""
    found, names = [], ()
    for seed in SEEDS:
        study = identify_arm.scene(method=method, seed=seed)
        seen = None if method == "M2" else identify_arm.SUPERFICIAL
        own = [
            one._replace(emg={k: v for k, v in one.emg.items() if not seen or k in (*seen, "time")})
            for one in records
        ]  # fmt: skip
        done = fm.IdentificationStudy(
            study.model, study.common, lambda tell, own=own: own, study.options,
            scored=study.scored, seed=seed, frames=10,
        ).solve()  # fmt: skip
        names, exact = physical(done.problem, done.problem.guess)
        steps = [0, *(one.iteration for one in done.found.solved.history)]
        points = [done.found.problem.guess, *(one.z for one in done.found.solved.history)]
        off = [100 * np.abs(physical(done.problem, z)[1] / exact - 1.0) for z in points]
        found.append((steps, np.array(off)))
        told = done.result.stats["identification"]
        print(method, seed, told["cr2"], told["seconds"], told["restarts"], flush=True)
    return found, names


def main() -> None:
    """Draw errors against the steps, and by kind of number."""
    warnings.simplefilter("ignore", fm.ModelWarning)
    records = identify_arm.scene(method="M2").record(lambda line: print(line, file=sys.stderr))
    figure, panels = plt.subplots(2, 4, figsize=(12.0, 5.6), layout="constrained")
    first, rest = panels.ravel()[0], panels.ravel()[1:]
    groups: dict[str, dict[str, list]] = {}
    for method, color in COLORS.items():
        found, names = runs(method, records)
        kinds = [KINDS.get(name.rpartition("/")[2], "") for name in names]
        for k, name in enumerate(names):
            if not kinds[k]:
                kinds[k] = "EMG" if name.startswith("emg") or "time" in name else "base"
        for steps, off in found:
            first.semilogy(steps, off.mean(axis=1), color=color, lw=1.0)
            for kind in dict.fromkeys(kinds):
                own = off[:, [one == kind for one in kinds]]
                groups.setdefault(kind, {}).setdefault(method, []).append((steps, own))
    first.set(xlabel="step [-]", ylabel="mean error [%]", title="all numbers, each guess")
    first.plot([], color=COLORS["M1"], label="M1, deep EMG unused")
    first.plot([], color=COLORS["M2"], label="M2, all EMG")
    first.legend(fontsize=7, loc="lower left")
    for axes, (kind, by_method) in zip(rest, groups.items(), strict=False):
        for method, several in by_method.items():
            last = max(steps[-1] for steps, _ in several)
            at = np.linspace(0, last, 80)
            logs = np.concatenate([
                [np.interp(at, steps, np.log10(np.maximum(column, 1e-12))) for column in own.T]
                for steps, own in several
            ])  # fmt: skip
            low, middle, high = 10.0 ** np.quantile(logs, (0.25, 0.5, 0.75), axis=0)
            axes.semilogy(at, middle, color=COLORS[method])
            axes.fill_between(at, low, high, color=COLORS[method], alpha=0.2, lw=0)
        title = {"base": "base inertial parameters", "EMG": "filter, delay, activation"}
        axes.set(xlabel="step [-]", ylabel="error [%]", title=title.get(kind, kind))
    for axes in panels.ravel():
        axes.grid(True, color="0.9", lw=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in rest[len(groups) :]:
        axes.set_axis_off()
    figure.savefig(HERE / "identification.png", dpi=120)


if __name__ == "__main__":
    main()
