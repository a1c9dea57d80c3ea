"""Small models at random: fibers in layers across each other, and a chain of bones below them.

A case is a dict of plain numbers, from which `describe` makes the model and `model_checks` judges
what came of it.
"""

import contextlib
import warnings

import numpy as np
from solving import CONTROLS, FORMULATIONS, METHODS

import fibermsk as fm


def _log(rng, low, high):
    """A number between two powers of ten."""
    return float(10.0 ** rng.uniform(low, high))


def _direction(rng):
    way = rng.normal(size=3)
    return way / np.linalg.norm(way)


def draw(rng, *, conservative=False, still=False, contact=True, bodies=True):
    """Numbers of one case.

    conservative: nothing takes energy out or brings it in. still: nothing depends on time.
    """
    n_fibers = int(rng.integers(1, 5))
    case = {
        "gravity": [(0.0, 0.0, -9.81), tuple(9.81 * _direction(rng)), (0.0, 0.0, 0.0)][
            rng.choice(3, p=[0.6, 0.3, 0.1])
        ],
        "fibers": [],
        "bodies": _draw_bodies(rng, conservative, still) if bodies else [],
        "fiber_law": None,
        "bone_law": None,
        "method": list(METHODS)[rng.integers(4)],
        "control": CONTROLS[rng.integers(4)],
        "dt": _log(rng, -2.7, -1.8),
        "frames": int(rng.integers(6, 12)),
    }
    fan = np.deg2rad(60.0 if rng.random() < 0.5 else 5.0)
    z, before = 0.0, 0.0
    for number in range(n_fibers):
        fiber = _draw_fiber(rng, f"fiber_{number}", conservative, still)
        spare = 0.25 * abs(fiber["bulge"][2]) + 0.1 * abs(fiber["skew"][2])
        thick = fiber["radius"] * (1.0 + fiber["belly"]) + spare
        if number:
            z += (before + thick) * rng.uniform(0.97, 1.2)
        angle = rng.uniform(-fan, fan)
        way = fiber["length"] * np.array([np.cos(angle), np.sin(angle), 0.0])
        middle = np.array([*rng.uniform(-0.02, 0.02, 2), z])
        fiber["ends"] = middle - 0.5 * way, middle + 0.5 * way
        fiber["attach"] = tuple(_draw_end(rng, case, fiber, conservative, still) for _ in range(2))
        if fiber["attach"].count("free") == 2:
            fiber["attach"] = ("ground", "free")
        # towards the neighbors
        fiber["line_load"][2] = abs(fiber["line_load"][2]) * (-1.0 if number else 1.0)
        if number == 0:
            case["below"] = thick
        before = thick
        case["fibers"].append(fiber)
    if contact and n_fibers > 1 and rng.random() < 0.8:
        case["fiber_law"] = draw_law(rng)
    if contact and case["bodies"] and rng.random() < 0.7:
        case["bone_law"] = draw_law(rng)
        case["touched"] = int(rng.integers(len(case["bodies"])))
    _place_bodies(rng, case)
    return case


def draw_law(rng):
    """Numbers of a contact."""
    return {
        "stiffness": _log(rng, 1.5, 3.0),
        "limit": float(rng.uniform(2.0, 5.0)),
        "points": int(rng.integers(3, 7)),
        "formulation": FORMULATIONS[rng.integers(2)],
    }


def _draw_fiber(rng, name, conservative, still):
    length = float(rng.uniform(0.1, 0.25))
    shear = _log(rng, 4.3, 5.7)
    curved = rng.random() < 0.5
    n_elements = int(rng.integers(2, 7))
    inner = (np.arange(1, n_elements) + rng.uniform(-0.2, 0.2, n_elements - 1)) / n_elements
    even = rng.random() < 0.6
    active = not conservative and rng.random() < 0.5
    return {
        "name": name,
        "length": length,
        "bulge": length * rng.uniform(-0.3, 0.3, 3) * (1.0, 1.0, 0.3) * curved,
        "skew": length * rng.uniform(-0.3, 0.3, 3) * (1.0, 1.0, 0.3) * curved,
        "elements": n_elements,
        "nodes": np.linspace(0.0, 1.0, n_elements + 1) if even else np.r_[0.0, inner, 1.0],
        "radius": float(rng.uniform(1.5e-3, 5e-3)),
        "belly": float(rng.choice([0.0, rng.uniform(0.2, 1.0)])),
        "density": float(rng.uniform(900.0, 1200.0)),
        "shear": shear,
        "tendon": shear * float(rng.choice([1.0, 5.0])),
        "fraction": float(rng.uniform(0.0, 1.0)),
        "viscosity": 0.0 if conservative else shear * float(rng.choice([0.0, 1e-3, 1e-2])),
        "prestress": shear * float(rng.uniform(0.1, 0.5)),
        "bending": float(rng.choice([0.0, rng.uniform(0.05, 1.0)])),
        "max_stress": shear * float(rng.uniform(0.2, 1.0)) if active else 0.0,
        "activation": float(rng.uniform(0.1, 1.0)) if active else 0.0,
        "rise": 0.0 if still or rng.random() < 0.5 else float(rng.uniform(20.0, 100.0)),
        "line_load": rng.uniform(-2.0, 2.0, 3) * (rng.random() < 0.5),
    }


def _draw_end(rng, case, fiber, conservative, still):
    """What an end is pinned to: "ground", the number of a body, a moving point, or nothing.

    A free end makes prestress let go at once, in waves that no step of a test of energy resolves.
    """
    kind = rng.random()
    if case["bodies"] and kind < 0.45:
        return int(rng.integers(len(case["bodies"])))
    if not still and kind < 0.6:
        way = fiber["length"] * rng.uniform(-0.25, 0.25, 3)
        return {"way": way, "rate": float(rng.uniform(10.0, 60.0))}
    return "free" if kind > 0.95 and not conservative else "ground"


def _draw_bodies(rng, conservative, still):
    """Bones of a chain, each at a hinge or a slider with a spring."""
    bodies = []
    for number in range(int(rng.integers(0, 4))):
        slides = rng.random() < 0.3
        mass = float(rng.uniform(0.05, 0.5))
        radius = float(rng.uniform(5e-3, 15e-3))
        bodies.append(
            {
                "name": f"bone_{number}",
                "slides": slides,
                "axis": _direction(rng),
                "mass": mass,
                "radius": radius,
                "com": rng.uniform(-0.01, 0.01, 3),
                "inertia": mass * rng.uniform(0.8, 1.2, 3) * 1e-3,
                "spring": _log(rng, 1.7, 2.7) if slides else _log(rng, -0.3, 0.7),
                "damping": 0.0 if conservative else float(rng.choice([0.0, 0.01])),
                "speed": 0.0 if still else float(rng.uniform(-1.0, 1.0)) * (0.1 if slides else 1.0),
            }
        )
    return bodies


def _place_bodies(rng, case):
    """A straight chain under the lowest fiber, its axes all at zero."""
    angle = rng.uniform(0.0, 2.0 * np.pi)
    widest = max((body["radius"] for body in case["bodies"]), default=0.0)
    case["step"] = 0.08 * np.array([np.cos(angle), np.sin(angle), 0.0])
    below = rng.uniform(0.97, 1.2) * (widest + case["below"])
    start = np.array([*rng.uniform(-0.02, 0.02, 2), -below])
    case["base"] = start - case["step"] * rng.uniform(0.0, len(case["bodies"]))


def path_of(fiber):
    """Reference centerline of a fiber."""
    (a, b), bulge, skew = fiber["ends"], fiber["bulge"], fiber["skew"]

    def path(theta):
        s = np.asarray(theta, float)[:, None]
        return a + s * (b - a) + s * (1.0 - s) * (bulge + (1.0 - 2.0 * s) * skew)

    return path


def radius_of(fiber, theta):
    """Reference radius of a fiber."""
    return fiber["radius"] * (1.0 + fiber["belly"] * 16.0 * theta**2 * (1.0 - theta) ** 2)


def motion_of(fiber, side):
    """Motion of the moving point at an end."""
    end, moving = fiber["ends"][side], fiber["attach"][side]
    return lambda t: end + 0.5 * (1.0 - np.cos(moving["rate"] * t)) * moving["way"]


def velocity_of(fiber, side):
    """Velocity of the moving point at an end."""
    moving = fiber["attach"][side]
    return lambda t: 0.5 * moving["rate"] * np.sin(moving["rate"] * t) * moving["way"]


def _attachment(fiber, side, model, case, bones):
    end, to = fiber["ends"][side], fiber["attach"][side]
    if to == "free":
        return None
    if to == "ground":
        return model.ground.at(*end)
    if isinstance(to, dict):
        return fm.MovingPoint(motion_of(fiber, side), velocity=velocity_of(fiber, side))
    return bones[to].at(*(end - case["base"] - to * case["step"]))


def _describe_fiber(fiber, model, case, bones):
    active = fm.ActiveStress(fiber["max_stress"]) if fiber["max_stress"] else None
    tissue = fm.Tissue(
        fiber["density"],
        fm.KelvinVoigt(fiber["shear"], fiber["viscosity"]),
        fm.KelvinVoigt(fiber["tendon"], fiber["viscosity"]),
        active,
        prestress=fiber["prestress"],
        bending=fiber["bending"],
    )
    full, rise = fiber["activation"], fiber["rise"]
    return fm.Fiber(
        fiber["name"],
        path_of(fiber),
        [_attachment(fiber, side, model, case, bones) for side in range(2)],
        radius=lambda theta: radius_of(fiber, theta),
        n_elements=fiber["elements"],
        tissue=tissue,
        muscle_fraction=fiber["fraction"],
        activation=(lambda t: full * 0.5 * (1.0 - np.cos(rise * t))) if rise else full,
        line_load=fiber["line_load"],
        nodes=fiber["nodes"],
    )


def describe(case):
    """The model of a case."""
    model = fm.Model("random", gravity=case["gravity"])
    bones = []
    for body in case["bodies"]:
        shape = fm.Capsule(0.1 * case["step"], 0.9 * case["step"], body["radius"])
        bone = fm.Body(body["name"], body["mass"], body["com"], body["inertia"], shapes=shape)
        joint = fm.Slider if body["slides"] else fm.Hinge
        kind = "translation" if body["slides"] else "rotation"
        coordinate = fm.Coordinate(
            f"{body['name']}_moves",
            kind,
            speed=body["speed"],
            forces=(fm.Spring(body["spring"]), fm.Damper(body["damping"])),
        )
        parent, at = (bones[-1], case["step"]) if bones else (model.ground, case["base"])
        bones.append(model.add(bone))
        model.add(joint(coordinate.name, parent, bone, at, body["axis"], coordinate=coordinate))
    fibers = [model.add(_describe_fiber(fiber, model, case, bones)) for fiber in case["fibers"]]
    for law, second in (
        (case["fiber_law"], fibers),
        (case["bone_law"], bones[case.get("touched", 0) :][:1]),
    ):
        if law:
            penalty = fm.PenaltyContact(law["stiffness"], law["limit"])
            points, formulation = law["points"], law["formulation"]
            model.add(
                fm.Contact(
                    fibers,
                    second,
                    penalty,
                    points_per_element=points,
                    formulation=formulation,
                    refine=law.get("refine", True),
                )
            )
    return model


@contextlib.contextmanager
def _silence():
    """Slack fibers, coarse contact points and unstable states are no business of these tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ModelWarning)
        yield


def build(case):
    """System of a case, or the error with which it is refused."""
    with _silence():
        try:
            return fm.build(describe(case))
        except fm.ModelError as error:
            return error


def run(case, system, start=None, *, refine=1):
    """Result of a case, whether or not it got to its end; refine: frames are closer so often."""
    with _silence():
        return fm.simulate(
            system,
            start,
            t_end=case["frames"] * case["dt"],
            dt=case["dt"] / refine,
            method=case.get("integrator") or METHODS[case["method"]],
            control=case["control"],
            throw=False,
        )


def rest(system):
    """Result of a moment in equilibrium, or the error if none is found."""
    with _silence():
        try:
            at_rest = fm.equilibrium(system)
            return fm.simulate(system, at_rest, t_end=1e-6, dt=1e-6, throw=False)
        except fm.ConvergenceError as error:
            return error


def plucked(rng, case, system):
    """Start of a run with fibers that swing: the reference configuration, each fiber moving across.

    Sets dt to a part of the time that a wave takes through the shortest element.
    """
    y, v = system.initial_state()
    v, at, quickest = v.copy(), 0, np.inf
    for fiber in case["fibers"]:
        theta, n = fiber["nodes"], len(fiber["nodes"])
        way = np.cross(fiber["ends"][1] - fiber["ends"][0], _direction(rng))
        way *= float(rng.uniform(0.2, 2.0)) / fiber["length"]
        own = v[at : at + 6 * n].reshape(n, 6)
        own[1:-1, :3] += np.sin(np.pi * theta[1:-1, None]) * way
        own[:, 3:] += np.pi * np.cos(np.pi * theta[:, None]) * way
        at += 6 * n
        wave = np.sqrt(3.0 * fiber["tendon"] / fiber["density"])
        quickest = min(quickest, fiber["length"] * np.diff(theta).min() / wave)
    case["dt"] = 0.1 * quickest
    return y, v
