"""A parameter study: speed of shortening of a muscle under several loads.

Runs the isotonic experiment of the scene `contracting_fiber` under several loads, evaluates the
speed of the muscle's belly in each run, always at the same stretch, and plots speed and power over
the load: the force-velocity relation. New here: a study as a script, `fm.make_scene` and
`fm.simulate_scene` in a loop. ``python scenes/load_study.py`` runs all loads and writes a picture
and a table into results; ``fibermsk run load_study --set load=0.5`` runs one.
"""

from pathlib import Path

import numpy as np

import fibermsk as fm

LOADS = (0.15, 0.3, 0.45, 0.6, 0.75)
STRETCH = 0.85  # at which speeds are compared


def scene(load: float = 0.3, steps: int = 300, duration: float = 1.0) -> fm.Scene:
    """Describe the scene of one load.

    Parameters
    ----------
    load : float
        Weight that the muscle lifts, relative to its isometric force.
    steps : int
        Frames; a tolerance sets the time steps in between.
    duration : float
        Simulated time [s].
    """
    return fm.make_scene(
        "contracting_fiber", experiment="isotonic", load=load, steps=steps, duration=duration
    )


def measure(result):
    """Speed [1/s] and nominal stress [N/m^2] of the belly when it passes `STRETCH`."""
    muscle = result.fibers["muscle"]
    middle = muscle.theta.size // 2
    stretch = muscle.stretch[:, middle]
    if stretch.min() > STRETCH:
        raise fm.ModelError(f"the muscle shortens to {stretch.min():.3f} only: lower the load")
    speed = -np.gradient(stretch, result.time)
    area = np.pi * (muscle.radius[0, middle] ** 2 * stretch[0])
    at = np.argmax(stretch < STRETCH)
    ways = stretch[[at, at - 1]]
    found = [
        np.interp(STRETCH, ways, values[[at, at - 1]])
        for values in (speed, muscle.axial_force[:, middle] / area)
    ]
    return found[0], found[1]


def law(tissue, stress):
    """Speed [1/s] at which the viscous stress balances the activated tissue and a stress."""
    x, active, mu = STRETCH, tissue.active, tissue.muscle.shear_modulus
    bell = np.exp(-(np.abs((x / active.optimal_stretch - 1.0) / active.width) ** active.exponent))
    own = mu * (x - x**-2) + (active.max_stress * bell + tissue.prestress) / x
    return (own - stress) * x**2 / (3.0 * tissue.muscle.viscosity)


def study(loads=LOADS):
    """Runs under all loads: their results, and a table (n_loads, 3) of load, stress and speed."""
    results, rows = [], []
    for load in loads:
        results.append(fm.simulate_scene(scene(load)))
        speed, stress = measure(results[-1])
        rows.append((load, stress, speed))
        print(f"load {load:.2f}: {stress / 1e3:5.1f} kPa, {speed:.3f} lengths a second")
    return results, np.array(rows)


def draw(results, table):
    """Picture of the study."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    runs, speeds, powers = figure.subplots(1, 3)
    shades = np.linspace(0.85, 0.25, len(results))
    for result, load, shade in zip(results, table[:, 0], shades, strict=True):
        muscle = result.fibers["muscle"]
        stretch = muscle.stretch[:, muscle.theta.size // 2]
        runs.plot(result.time, stretch, color=(shade, 0.15, 0.2), label=f"{load:g}")
    runs.axhline(STRETCH, color="0.7", lw=0.8)
    runs.set(xlabel="time [s]", ylabel="stretch of the belly [-]")
    runs.legend(title="load", fontsize="small")
    _, stress, speed = table.T
    line = np.linspace(0.0, 1.05 * stress.max(), 50)
    exact = law(scene().model.fibers[0].tissue, line)
    speeds.plot(line / 1e3, exact, color="0.6", label="law")
    speeds.plot(stress / 1e3, speed, "o", color="#c03a3f", label="runs")
    speeds.set(xlabel="stress [kPa]", ylabel="speed of shortening [1/s]", ylim=(0.0, None))
    speeds.legend()
    powers.plot(line / 1e3, line * exact / 1e3, color="0.6")
    powers.plot(stress / 1e3, stress * speed / 1e3, "o", color="#c03a3f")
    powers.set(xlabel="stress [kPa]", ylabel="power by volume [kW/m³]", ylim=(0.0, None))
    return figure


def main(folder="results"):
    """Run the study and write its picture and its table."""
    results, table = study()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    draw(results, table).savefig(folder / "load_study.png", dpi=150)
    header = "load [1],stress [N/m^2],speed [1/s]"
    np.savetxt(folder / "load_study.csv", table, "%.6g", ",", header=header, comments="")
    print(f"written to {folder / 'load_study.png'} and {folder / 'load_study.csv'}")


if __name__ == "__main__":
    main()
