"""A transverse load weakens a packed muscle.

A muscle of parallel fibers in a hexagonal packing lies on a fixed plate; its ends are held. A
second plate, free to move along the normal, presses on the active belly with a constant load.
Static; no weight, no friction. The loss is the difference of the force without and with the load,
over the force without.

Measured: Siebert et al. (2018, Front. Physiol. 9, 1148). A sling around the calf of 15 persons,
with loads of 59.4 and 108.4 N, lowered the largest force of a double twitch of the calf muscles by
3.2 (standard deviation 4.8) and 4.8 (7.0) percent. It is a sling and not a plate: it presses from
all sides.

What is assumed. The muscle is the medial gastrocnemius of man with the numbers of Ward et al.
(2009, Clin. Orthop. Relat. Res. 467, 1074-1082), cross-section 21.1 cm^2 and fibers of 51 mm, its
pennation of 10 degrees neglected, and 0.3 MPa. It takes the share of the load that it has of the
cross-section of the triceps surae, 21.1 of 82.6 cm^2. A double twitch is taken as half of full
activation, since the abstract of the measurement states no force. Nothing is fitted.

Independent of these numbers, the loss is that of a machine with the gearing of the muscle: with the
energy Pi(L, W) of muscle and load W, the force is dPi/dL and the height of the plate is h = dPi/dW,
so that dF/dW at a fixed length is dh/dL under a fixed load (Maxwell's reciprocity). Both are
central differences, of 0.1 mm and 5 percent; active stress without velocity and contact have an
energy, so that it holds to the error of the differences.
"""

from functools import partial

import numpy as np

import fibermsk as fm
from fibermsk.verify import Expected

AREA, LENGTH = 21.1e-4, 0.051  # m^2, m: of the muscle
CALF = 82.6e-4  # m^2: soleus and both heads of the gastrocnemius
WHOLE = 0.1  # m: with its tendons
TENSION = 3.0e5  # N/m^2
OPTIMUM = 1.05  # the muscle starts on the ascending limb, so that every equilibrium is stable
SLENDER = 0.5  # radius of the tendons over that of the muscle
ROOM = 1.02  # distance of neighbors over their diameter, at the start
PLATE = (0.056, 0.14, 0.02)  # m: along, across and thick
LOADS = {"59": 59.4 * AREA / CALF, "108": 108.4 * AREA / CALF}  # N
MEASURED = {"59": (3.2, 4.8), "108": (4.8, 7.0)}  # percent: mean, standard deviation
PULL, PART = 1e-4, 0.05  # m, and part of the load: the differences
QUARTER = 0.5 * np.pi
TISSUE = fm.Tissue(
    density=1060.0,
    muscle=fm.KelvinVoigt(shear_modulus=1.0e4, viscosity=1.0e3),
    tendon=fm.KelvinVoigt(shear_modulus=2.0e7, viscosity=1.0e3),
    active=fm.HillStress(TENSION, optimal_stretch=OPTIMUM),
    stiffening=fm.Stiffening.of_muscle(TENSION, optimal_stretch=OPTIMUM),
    prestress=5.0e3,
    bending=0.1,
)
LAW = fm.PenaltyContact(stiffness=2.0e4, limit=3.0)


def smooth(x):
    """Smooth step from 0 to 1 over x in [0, 1]."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def muscle_fraction(theta):
    """Share of muscle: the middle LENGTH of the fiber, with smooth ends."""
    edge = 0.5 * (1.0 - LENGTH / WHOLE)
    return smooth((np.minimum(theta, 1.0 - theta) - edge) / 0.06 + 0.5)


def width(theta):
    """Radius of the fibers and of the whole muscle, relative to the middle."""
    theta = np.asarray(theta)
    return SLENDER + (1.0 - SLENDER) * smooth(np.minimum(theta, 1.0 - theta) / 0.3)


def plate() -> fm.Mesh:
    """Box."""
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7),
             (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip
    box = 0.5 * signs * PLATE
    return fm.Mesh(box, faces, name="plate", radius=0.5 * PLATE[2], spacing=2e-3)


def path(s, place):
    """Straight, but for the taper towards the tendons, (n, 3) [m]."""
    s = np.asarray(s)
    return np.column_stack([WHOLE * (s - 0.5), np.outer(width(s), place)])


class Muscle:
    """The muscle between plates.

    At a time t its one end is displaced by PULL sin t, and the load is W (1 + PART cos t): four
    times, a quarter turn apart, give both differences, and all on one system.
    """

    def __init__(self, load: float, fibers: int, elements: int, activation: float) -> None:
        radius = float(np.sqrt(AREA / np.pi / fibers))
        places = ROOM * radius * fm.pack_section(fibers)
        half = ROOM * (np.abs(places[:, 1]).max() + radius) + 0.5 * PLATE[2]
        model = fm.Model("transverse_load", gravity=(0.0, 0.0, 0.0))
        floor = model.add(fm.Body("floor", shapes=plate()))
        model.add(fm.Weld(model.ground, floor, (0.0, 0.0, -half)))
        touched = [floor]
        if load:
            weight = fm.Body("plate", 1.0, (0.0, 0.0, 0.0), (1e-3, 1e-3, 1e-3), shapes=plate())
            model.add(weight)
            model.add(fm.Slider("lift", model.ground, weight, (0.0, 0.0, half), (0.0, 0.0, 1.0)))
            model.add(
                fm.ExternalForce(
                    "load", weight, lambda t: (0.0, 0.0, -load * (1.0 + PART * np.cos(t)))
                )
            )
            touched.append(weight)
        for i, place in enumerate(places, start=1):
            first, last = path([0.0, 1.0], place)

            def pulled(t: float, last=last):
                return last + (PULL * np.sin(t), 0.0, 0.0)

            model.add(
                fm.Fiber(
                    f"fiber_{i}",
                    partial(path, place=place),
                    attach=(model.ground.at(first), fm.MovingPoint(pulled)),
                    radius=lambda s: radius * width(s),
                    muscle_fraction=muscle_fraction,
                    n_elements=elements,
                    tissue=TISSUE,
                    activation=activation,
                )
            )
        model.add(fm.Contact(model.fibers, model.fibers, LAW, points_per_element=6))
        model.add(fm.Contact(model.fibers, touched, LAW, points_per_element=6))
        self.load, self.system = load, fm.build(model)
        self.state = self.system.initial_state()

    def settle(self, t: float) -> tuple[float, float]:
        """Force of the muscle [N] and height of the plate [m] at a time, from the last one."""
        y, v = self.state = fm.equilibrium(self.system, self.state, t=t)
        now = self.system.evaluate(t, y, v, 0.0 * v, tangent=False)
        at = self.system.moment(t, y, v, now.reactions)
        height = at.coordinate("lift") if self.load else np.nan
        return float(now.reactions[1::2, 0].sum()), height

    def force(self) -> float:
        """Force without displacement at the load itself [N]; the differences are second order."""
        return float(np.mean([self.settle(t)[0] for t in (0.0, 2.0 * QUARTER)]))

    def gearing(self) -> tuple[float, float]:
        """Force lost per load, and height lost per length: -dF/dW and -dh/dL."""
        heavy, longer, light, shorter = (self.settle(k * QUARTER) for k in range(4))
        by_load = (light[0] - heavy[0]) / (2.0 * PART * self.load)
        return by_load, (shorter[1] - longer[1]) / (2.0 * PULL)


def run(fibers: int = 19, elements: int = 8, activation: float = 0.5) -> dict[str, float]:
    """Loss of force under the loads of the measurement, and the gearing of the muscle.

    Parameters
    ----------
    fibers : int
        Fibers of the muscle; 7, 19 and 37 fill hexagons.
    elements : int
        Finite elements of each fiber, 6 or more.
    activation : float
        Activation, 0.1 to 1.
    """
    check(fibers, elements, activation)
    free = Muscle(0.0, fibers, elements, activation).settle(0.0)[0]
    values = {"force_N": free}
    for name, load in LOADS.items():
        muscle = Muscle(load, fibers, elements, activation)
        values[f"loss_{name}_percent"] = 100.0 * (1.0 - muscle.force() / free)
    values["least_loss_percent"] = min(values[f"loss_{name}_percent"] for name in LOADS)
    by_load, by_length = muscle.gearing()
    return values | {"gearing": by_length, "reciprocity": by_load / by_length}


def check(fibers: int, elements: int, activation: float) -> None:
    """Refuse settings out of range."""
    if fibers < 7 or elements < 6 or not 0.1 <= activation <= 1.0:
        raise fm.ModelError(
            f"transverse_load: fibers = {fibers}, elements = {elements}, activation = {activation};"
            " must be 7 or more fibers, 6 or more elements and an activation of 0.1 to 1"
        )


def expected(fibers: int = 19, elements: int = 8, activation: float = 0.5) -> dict[str, Expected]:
    """The measurement, and reciprocity."""
    check(fibers, elements, activation)
    sling = {"kind": "measurement", "source": "Siebert et al. (2018), n = 15, with a sling"}
    values = {
        f"loss_{name}_percent": Expected(
            mean, deviation, "standard deviation of 15 persons", **sling
        )
        for name, (mean, deviation) in MEASURED.items()
    }
    # the measured deviations include no loss at all
    values["least_loss_percent"] = Expected(
        4.15, 3.85, "a loss of 0.3 to 8 percent, the size of the means", **sling
    )
    values["reciprocity"] = Expected(
        1.0,
        0.01,
        "central differences of 0.1 mm and 5 %",
        kind="consistency",
        source="Maxwell's reciprocity",
    )
    return values


def study(fine: bool = False) -> dict:
    """Loss against the load, half and fully activated, and with seven fibers.

    Parameters
    ----------
    fine : bool
        No difference: the loss is nearly linear in the load.
    """
    loads = np.array([7.5, 15.17, 21.0, 33.0])
    cases = {
        "19 fibers, half activated": (19, 8, 0.5),
        "19 fibers, fully activated": (19, 8, 1.0),
        "7 fibers, half activated": (7, 12, 0.5),
    }
    curves = {}
    for key, case in cases.items():
        free = Muscle(0.0, *case).settle(0.0)[0]
        curves[key] = [100.0 * (1.0 - Muscle(load, *case).force() / free) for load in loads]
    rows = [[load, *values] for load, *values in zip(loads, *curves.values(), strict=True)]
    table = {"columns": ["load [N]", *curves], "rows": rows}
    return {"tables": {"Loss of force [%]": table}, "data": (loads, curves)}


def plot(numbers: dict):
    """Loss against the load on this muscle, with the measurement at its share of the load."""
    from _pictures import COLORS, finish, new_figure

    loads, curves = numbers["data"]
    figure = new_figure(5.5, 3.8)
    axes = figure.subplots()
    mean, deviation = np.transpose(list(MEASURED.values()))
    axes.errorbar(LOADS.values(), mean, deviation, fmt="ko", capsize=3,
                  label="measured (standard deviation)")  # fmt: skip
    for (key, values), color in zip(curves.items(), COLORS, strict=False):
        axes.plot([0.0, *loads], [0.0, *values], color=color, label=key)
    finish(axes, "Force lost under a transverse load", "load on the muscle [N]", "loss [%]")
    return figure
