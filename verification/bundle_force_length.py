"""A bundle of fibers has the isometric force of the Hill muscle that it replaces.

Two muscles of an arm model (long head of the biceps, without pennation and initially long; lateral
head of the triceps, pennate and initially short) become bundles of three fibers along a straight
path. Their ends are moved to a length and held, and the bundle is brought to static equilibrium,
with activations of 1, 0.5 and 0. The force of all fibers on the origin is compared with the
equilibrium force of the Hill muscle of the same length: the root of F_0 (a f_L + f_P) cos(alpha) =
F_0 f_T, with the curves of De Groote et al. (2016).

Expected differences: the stretch varies smoothly from stiff tendon to soft muscle, and 1 % of
tension is added. A Hill muscle is one spring, a fiber is many in series: on the descending limb, at
full activation, a uniform stretch is unstable. Part of the muscle then shortens, the passive stress
limits the stretch of the rest, and the force stays on a plateau between the Hill muscle's peak and
its dip. This is a property of the continuum, the instability of the descending limb (Hill 1953),
not of the mesh. Muscle next to a tendon stays near a stretch of one. In the biceps, which is
initially long, this is beyond the optimum, and the plateau begins there, a sixth below the peak;
the triceps nearly reaches the peak. So full activation is compared with a small tolerance on the
ascending limb, and a large one beyond it.
"""

import warnings
from dataclasses import replace

import numpy as np

import fibermsk as fm
from fibermsk.laws import hill
from fibermsk.verify import Expected

MUSCLES = {
    # F_0 [N], l_0 [m], slack length [m], pennation [rad], muscle length at the start over l_0
    "biceps": (624.3, 0.1157, 0.2723, 0.0, 1.28),
    "triceps": (624.3, 0.1138, 0.0980, 0.15707963, 0.62),
}
SHORTEST, LONGEST, ASCENDING = 0.6, 1.4, 0.9
ACTIVATIONS = {"full": 1.0, "half": 0.5, "passive": 0.0}
LARGEST_STEP = 0.1  # of the optimal length, from one equilibrium to the next


def bundle(name: str, fibers: int, elements: int):
    """Bundle along a straight path of initial length, and that length [m]."""
    strength, optimum, slack, angle, start = MUSCLES[name]
    length = slack + start * optimum * np.cos(angle)
    model = fm.Model(name, gravity=(0.0, 0.0, 0.0))
    block = model.add(fm.Body("block", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.Slider("pull", model.ground, block, at=(length, 0.0, 0.0), axis=(1.0, 0.0, 0.0)))
    points = [
        fm.PathPoint("origin", model.ground.at(0.0, 0.0, 0.0)),
        fm.PathPoint("insertion", block.at(0.0, 0.0, 0.0)),
    ]
    muscle = model.add(
        fm.LineMuscle(
            name,
            points,
            max_isometric_force=strength,
            optimal_fiber_length=optimum,
            tendon_slack_length=slack,
            pennation_angle=angle,
        )
    )
    return fm.fibers_from_muscle(muscle, fibers, model=model, n_elements=elements), length


def held(made, length: float, activation: float):
    """System of the fibers alone; at time t the insertions are displaced by t along the path."""
    model = fm.Model("held", gravity=(0.0, 0.0, 0.0))
    for fiber, curve in zip(made.fibers, made.curves, strict=True):
        start, end = curve.nodal[0], curve.nodal[-2]

        def pulled(t: float, end=end) -> np.ndarray:
            return end + np.array([t, 0.0, 0.0])

        attach = (model.ground.at(start), fm.MovingPoint(pulled))
        model.add(replace(fiber, attach=attach, activation=activation))
    return fm.build(model)


def lengths_for(name: str, x: np.ndarray, activation: float) -> np.ndarray:
    """Lengths of muscle and tendon with the fibers near x optimal lengths [m]."""
    _, optimum, slack, angle, _ = MUSCLES[name]
    return slack * (1.0 + hill.TENDON_STRAIN * activation) + x * optimum * np.cos(angle)


def pulls(made, start: float, lengths: np.ndarray, activation: float) -> np.ndarray:
    """Static force of the bundle on its origins at increasing lengths, (n,) [N]."""
    system = held(made, start, activation)
    optimum = made.muscle.optimal_fiber_length
    found = np.empty(lengths.size)
    below = np.flatnonzero(lengths < start)[::-1]
    for way in (below, np.flatnonzero(lengths >= start)):
        (y, v), last = system.initial_state(), start
        for i in way:
            n_steps = int(np.ceil(abs(lengths[i] - last) / (LARGEST_STEP * optimum))) or 1
            for length in np.linspace(last, lengths[i], n_steps + 1)[1:]:
                with warnings.catch_warnings():
                    # cubic elements oscillate from tendon to muscle, at single points into
                    # compression
                    warnings.simplefilter("ignore", fm.ModelWarning)
                    y, v = fm.equilibrium(system, (y, v), t=float(length - start))
            last = lengths[i]
            now = system.evaluate(last - start, y, v, 0.0 * v, tangent=False)
            found[i] = -now.reactions[::2, 0].sum()
    return found


def reference(name: str, lengths: np.ndarray, activation: float) -> np.ndarray:
    """Force of the Hill muscle [N]."""
    strength, optimum, slack, angle, _ = MUSCLES[name]
    return hill.isometric_force(lengths, activation, strength, optimum, slack, angle)[0]


def sweep(name: str, fibers: int, elements: int, lengths: int):
    """Fiber lengths over optimum, and by activation forces of Hill muscle and bundle, over F_0."""
    made, start = bundle(name, fibers, elements)
    x = np.linspace(SHORTEST, LONGEST, lengths)
    strength = MUSCLES[name][0]
    curves = {}
    for key, activation in ACTIVATIONS.items():
        at = lengths_for(name, x, activation)
        curves[key] = (
            reference(name, at, activation) / strength,
            pulls(made, start, at, activation) / strength,
        )
    return made, x, curves


def rms(values: np.ndarray) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(values**2)))


def run(fibers: int = 3, elements: int = 12, lengths: int = 9) -> dict[str, float]:
    """Differences of the bundle's force from the Hill muscle's, over F_0.

    Parameters
    ----------
    fibers : int
        Fibers of each bundle.
    elements : int
        Finite elements of each fiber.
    lengths : int
        Number of lengths from 0.6 to 1.4 optimal fiber lengths.
    """
    if lengths < 3:
        raise fm.ModelError(f"lengths = {lengths}; must be 3 or more")
    values = {}
    for name in MUSCLES:
        _, x, curves = sweep(name, fibers, elements, lengths)
        difference = {key: ours - theirs for key, (theirs, ours) in curves.items()}
        theirs, ours = curves["full"]
        values[f"{name}_peak"] = float(ours[x <= 1.0].max() / theirs.max())
        values[f"{name}_ascending_rms"] = rms(difference["full"][x <= ASCENDING])
        values[f"{name}_full_rms"] = rms(difference["full"])
        values[f"{name}_half_rms"] = rms(difference["half"])
        values[f"{name}_passive_rms"] = rms(difference["passive"])
    return values


def expected(fibers: int = 3, elements: int = 12, lengths: int = 9) -> dict[str, Expected]:
    """The Hill muscle."""
    peak = "plateau already before the optimum, since the tendon holds muscle beyond it"
    ascending = "muscle beside the tendon that is longer than the rest, and the plateau"
    full = "plateau in place of the dip of the descending limb"
    half = "muscle held by the transitions, and a plateau where the sum falls"
    passive = "1 % of tension at rest, and muscle held by the transitions"
    coarse = 0.25 / elements  # elements that stretch smoothly from tendon to muscle
    hill_muscle = {"kind": "comparison", "source": "Hill muscle of De Groote et al. (2016)"}
    values = {}
    for name in MUSCLES:
        values[f"{name}_peak"] = Expected(1.0, 0.2, peak, **hill_muscle)
        values[f"{name}_ascending_rms"] = Expected(0.0, 0.09 + coarse, ascending, **hill_muscle)
        values[f"{name}_full_rms"] = Expected(0.0, 0.14 + 2.0 * coarse, full, **hill_muscle)
        values[f"{name}_half_rms"] = Expected(0.0, 0.05 + 2.5 * coarse, half, **hill_muscle)
        values[f"{name}_passive_rms"] = Expected(0.0, 0.01 + 2.0 * coarse, passive, **hill_muscle)
    return values


def even(name: str, made, activation: float) -> tuple[np.ndarray, np.ndarray]:
    """Path length over optimal lengths, as in `sweep`, and force / F_0, at uniform stretch."""
    strength, optimum, slack, angle, _ = MUSCLES[name]
    along = optimum * np.cos(angle)
    stretch = np.linspace(0.5, 1.5, 201) * along / made.calibration.muscle_length
    force = made.calibration.force(stretch, activation) / strength
    tendon = slack * (1.0 + np.log1p(force / hill.TENDON_TOE) / hill.TENDON_SHAPE)
    total = tendon + stretch * made.calibration.muscle_length
    return (total - slack * (1.0 + hill.TENDON_STRAIN * activation)) / along, force


def study(fine: bool = False) -> dict:
    """Force against length for both muscles.

    Parameters
    ----------
    fine : bool
        33 instead of 17 lengths.
    """
    tables, data = {}, {}
    for name in MUSCLES:
        made, x, curves = sweep(name, 3, 12, 33 if fine else 17)
        data[name] = made, x, curves
        rows = [
            [x[k], *(forces[k] for key in ACTIVATIONS for forces in curves[key])]
            for k in range(0, x.size, 2)
        ]
        heads = [f"{key}, {what}" for key in ACTIVATIONS for what in ("Hill", "bundle")]
        tables[f"Force over F_0, {name}"] = {
            "columns": ["length over the optimum", *heads],
            "rows": rows,
        }
    return {"tables": tables, "data": data}


def plot(numbers: dict):
    """Force against length: Hill muscle, static bundle, and the bundle's law at uniform stretch."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    colors = {"full": "C3", "half": "C1", "passive": "C0"}
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (name, (made, x, curves)) in zip(panels, numbers["data"].items(), strict=True):
        for key, (theirs, ours) in curves.items():
            axes.plot(x, theirs, color="0.7", lw=4, label="Hill muscle" if key == "full" else None)
            label = "uniform stretch" if key == "full" else None
            axes.plot(*even(name, made, ACTIVATIONS[key]), color=colors[key], lw=1, ls="--",
                      label=label)  # fmt: skip
            axes.plot(x, ours, "o", color=colors[key], ms=4, label=f"bundle, {key}")
        axes.set(
            title=f"{name}: starts at {MUSCLES[name][4]:g} of the optimum",
            xlabel="fiber length over the optimum",
            xlim=(0.55, 1.45),
            ylim=(0.0, 1.15),
        )
    panels[0].set_ylabel("force over $F_0$")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure
