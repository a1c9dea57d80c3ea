"""Energies of double pendulums with massive muscles, with and without quadratic velocity terms."""

import numpy as np
from _pictures import COLORS, finish, new_figure
from scipy.integrate import solve_ivp

import fibermsk as fm
from fibermsk.scene_files import find
from fibermsk.solvers import accelerations

FINE, COARSE = 2.0, 0.8
"""Simulated time [s]."""
TITLES = {"I": "straight", "II": "via point", "III": "cylinder", "group": "cylinders of 5 radii"}
FRAMES = 401


class Pendulum:
    """A double pendulum whose muscles may be without quadratic velocity terms."""

    def __init__(self, muscle, terms=True, **options):
        model = find("double_pendulum").make({"muscle": muscle, **options}).model
        self.system, self.terms = fm.build(model), terms
        bones = model.edit(remove=model.muscles)
        self.bones = fm.build(bones)

    def force(self, system, q, p, a):
        """Generalized forces of a motion."""
        return system.evaluate(0.0, q, p, a, tangent=False).residual.copy()

    def rate(self, t, z):
        """Speeds and accelerations."""
        q, p = z[:2].copy(), z[2:].copy()
        a = accelerations(self.system, 0.0, q, p)
        if not self.terms:
            still, unit = np.zeros(2), np.eye(2)
            rest = self.force(self.system, q, still, still)
            M = np.array([self.force(self.system, q, still, e) - rest for e in unit])
            own = self.force(self.system, q, p, still) - rest
            bones = self.force(self.bones, q, p, still) - self.force(self.bones, q, still, still)
            a = a + np.linalg.solve(M, own - bones)
        return np.r_[p, a]

    def energies(self, duration, tolerance=1e-9):
        """Times, and kinetic, potential and total energy [J]."""
        start, times = np.concatenate(self.system.initial_state()), np.linspace(0, duration, FRAMES)
        found = solve_ivp(
            self.rate, (0.0, duration), start, method="DOP853", t_eval=times, rtol=tolerance,
            atol=tolerance,
        )  # fmt: skip
        each = [self.system.energy(z[:2].copy(), z[2:].copy()) for z in found.y.T]
        kinetic, total = (np.array([getattr(one, f) for one in each]) for f in ("kinetic", "total"))
        return times, kinetic, total - kinetic, total


def switched(duration, steps=400):
    """Times and energies [J] of type III without a blend, by fixed steps of SDIRK4."""
    own = Pendulum("III", blend=0.0).system
    result = fm.simulate(
        own, t_end=duration, dt=duration / steps, method=fm.SDIRK4(), control=fm.FixedSteps(),
        time_error=False,
    )  # fmt: skip
    each = [
        own.energy(np.array(q), np.array(p))
        for q, p in zip(
            np.transpose([result.coordinates[name] for name in ("q1", "q2")]),
            np.transpose([result.speeds[name] for name in ("q1", "q2")]),
            strict=True,
        )
    ]
    return result.time, np.array([one.total for one in each])


def study(fine: bool = False) -> dict:
    """Largest changes of the energy, and curves."""
    rows, curves = [], {}
    duration = FINE if fine else COARSE
    for muscle in TITLES:
        changes = []
        for terms in (True, False):
            curves[muscle, terms] = Pendulum(muscle, terms).energies(duration)
            total = curves[muscle, terms][-1]
            changes.append(float(np.abs(total - total[0]).max()))
        rows.append([TITLES[muscle], duration, float(curves[muscle, True][1].max()), *changes])
    curves["refracted"] = switched(duration)
    time, *_, total = Pendulum("III", blend=0.0).energies(duration, 1e-7)
    curves["switched"] = time, total
    for key, name in (("refracted", "cylinder, refracted"), ("switched", "cylinder, switched")):
        total = curves[key][1]
        rows.append([name, duration, "", float(np.abs(total - total[0]).max()), ""])
    columns = ["muscle", "time [s]", "kinetic [J]", "change [J]", "change without terms [J]"]
    return {"tables": {"Energy": {"columns": columns, "rows": rows}}, "curves": curves}


def plot(numbers):
    """Kinetic, potential and total energy, and the total one with a path that switches."""
    curves = numbers["curves"]
    figure = new_figure(11.0, 5.6)
    axes = figure.subplots(2, 3).ravel()
    lines = {}
    for place, muscle in zip(axes, TITLES, strict=False):
        time, kinetic, potential, total = curves[muscle, True]
        for values, color, name in (
            (kinetic, COLORS[0], "kinetic"),
            (potential - potential[0], COLORS[2], "potential"),
            (total - total[0], COLORS[6], "total"),
            (curves[muscle, False][-1] - total[0], COLORS[1], "total, terms left out"),
        ):
            style = "--" if "left out" in name else "-"
            (lines[name],) = place.plot(time, values, style, color=color)
        finish(place, TITLES[muscle], "time [s]", "energy [J]")
    time, *_, total = curves["III", True]
    axes[4].plot(time, total - total[0], color=COLORS[6], label="blended")
    for key, color, style in (("refracted", COLORS[0], "--"), ("switched", COLORS[1], "-")):
        time, total = curves[key]
        axes[4].plot(time, total - total[0], style, color=color, label=key)
    axes[4].set_ylim(-1.2, 0.8)
    finish(axes[4], "cylinder: total energy", "time [s]", "energy [J]")
    axes[5].axis("off")
    axes[5].legend(lines.values(), lines, frameon=False, loc="center left")
    return figure
