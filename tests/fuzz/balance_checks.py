"""Balance of forces and of energy of a random model, from its result and the drawn numbers alone.

A misfit is a sum of forces that should vanish over the sum of their sizes.
"""

import numpy as np
from contact_energy import contact_energy
from model_checks import Line, nodal
from random_models import velocity_of


class Misfit:
    """Sums that should vanish, over the sum of the sizes of their parts."""

    def __init__(self):
        self.worst, self.seen, self.where = 0.0, 0, ""

    def add(self, where, parts, floor=0.0):
        """Vectors whose sum is zero up to round-off of a size `floor`."""
        parts = [np.asarray(part, float) for part in parts]
        size = sum(float(np.linalg.norm(part)) for part in parts)
        left = max(float(np.linalg.norm(np.sum(parts, axis=0))) - floor, 0.0)
        self.seen += 1
        if size > 0.0 and not left / size <= self.worst:
            self.worst, self.where = left / size, where


def _wrench(force, at):
    """Force and its moment about the origin (6,)."""
    return np.r_[force, np.cross(at, force)]


def _given(case, line, x):
    """Wrenches of weight and line load on a fiber."""
    at = line.at(x)
    weight = line.mass[:, None] * np.array(case["gravity"])
    load = line.length[:, None] * line.fiber["line_load"]
    return [np.r_[f.sum(axis=0), np.cross(at, f).sum(axis=0)] for f in (weight, load)]


def _pulls(history, x, i):
    """Wrenches of the attachments on a fiber at frame i."""
    return [
        _wrench(-history.force_origin[i], x[0]),
        _wrench(-history.force_insertion[i], x[-2]),
    ]


def static_misfits(case, result):
    """Misfits of fibers alone, of all fibers that touch each other, and of the joints."""
    alone, together, joints = Misfit(), Misfit(), Misfit()
    among = case["fiber_law"]
    gone = among is None or among["formulation"] == "variational"
    everything = []
    for fiber in case["fibers"]:
        line, history = Line(fiber), result.fibers[fiber["name"]]
        x = nodal(history)[0]
        parts = _pulls(history, x, 0) + _given(case, line, x)
        everything += parts
        if among is None and case["bone_law"] is None:
            size = [1.0] * 3 + [1.0 / fiber["length"]] * 3
            alone.add(fiber["name"], [part * size for part in parts])
    if among and gone and case["bone_law"] is None:
        size = [1.0] * 3 + [5.0] * 3  # an arm of 0.2 m
        together.add("all fibers", [part * size for part in everything])
    if case["bodies"] and (case["bone_law"] is None or gone):
        on_bone = -np.sum(everything, axis=0) if case["bone_law"] else np.zeros(6)
        _add_joints(case, result, joints, -on_bone)
    return alone, together, joints


def _add_joints(case, result, misfit, touch):
    """Weights, pulls and contact beyond every joint against its spring; touch: on the bone."""
    wrenches = []
    for number, body in enumerate(case["bodies"]):
        pose = result.bodies[body["name"]]
        com = pose.position[0] + pose.rotation[0] @ body["com"]
        parts = [_wrench(body["mass"] * np.array(case["gravity"]), com)]
        if case["bone_law"] and number == case["touched"]:
            parts.append(touch)
        for fiber in case["fibers"]:
            history = result.fibers[fiber["name"]]
            for side, force in enumerate((history.force_origin, history.force_insertion)):
                if fiber["attach"][side] == number:
                    parts.append(_wrench(force[0], history.position[0, -side]))
        wrenches.append(parts)
    for number, body in enumerate(case["bodies"]):
        line = _joint_line(case, result, number, 0)
        beyond = [part @ line for parts in wrenches[number:] for part in parts]
        q = result.coordinates[f"{body['name']}_moves"][0]
        # where nothing acts, the coordinate is zero to round-off
        floor = 1e-11 * body["spring"]
        misfit.add(body["name"], [np.array([p]) for p in (*beyond, -body["spring"] * q)], floor)


def _joint_line(case, result, number, i):
    """What a wrench is multiplied by to give the force on a coordinate (6,)."""
    body = case["bodies"][number]
    pose = result.bodies[body["name"]]
    turn = np.eye(3)
    if number:
        turn = result.bodies[case["bodies"][number - 1]["name"]].rotation[i]
    axis = turn @ body["axis"]
    if body["slides"]:
        return np.r_[axis, np.zeros(3)]
    return np.r_[np.cross(axis, -pose.position[i]), axis]


def _end_velocities(case, result, fiber):
    """Velocities of both ends where joints and motions give them, else None (2, (n_frames, 3))."""
    found = []
    for side, to in enumerate(fiber["attach"]):
        if to == "ground":
            found.append(np.zeros((len(result.time), 3)))
            continue
        if not isinstance(to, int):
            led = velocity_of(fiber, side) if isinstance(to, dict) else None
            found.append(None if led is None else np.array([led(t) for t in result.time]))
            continue
        x = result.fibers[fiber["name"]].position[:, -side]
        v = np.zeros_like(x)
        for number in range(to + 1):
            speed = result.speeds[f"{case['bodies'][number]['name']}_moves"]
            for i in range(len(x)):
                line = _joint_line(case, result, number, i)
                v[i] += speed[i] * (line[:3] + np.cross(line[3:], x[i]))
        found.append(v)
    return found


def step_misfits(case, result, method):
    """Misfit of momentum in every step of backward Euler or BDF2, by the method's own differences.

    Of each fiber where none touches, of all together where they touch each other alone.
    """
    misfit = Misfit()
    h = result.time[1]
    single = case["fiber_law"] is None
    first = 1 if method == "backward_euler" else 4
    frames = range(first, len(result.time))
    total = {i: [] for i in frames}
    floors = 0.0
    for fiber in case["fibers"]:
        line, history = Line(fiber), result.fibers[fiber["name"]]
        x = nodal(history)
        v = _rates(x, h, method, np.zeros_like(x[0]))
        for side, known in enumerate(_end_velocities(case, result, fiber)):
            if known is not None:
                v[:, -2 * side] = known
        rate = _rates(v, h, method, None)
        # two differences of positions that are known to round-off
        floor = 100.0 * np.finfo(float).eps * np.abs(x).max() * line.mass.sum() / h**2
        floors += floor
        for i in frames:
            inertia = -(line.mass[:, None] * line.at(rate[i])).sum(axis=0)
            forces = [part[:3] for part in _pulls(history, x[i], i) + _given(case, line, x[i])]
            total[i] += [*forces, inertia]
            if single:
                misfit.add(f"{fiber['name']}, frame {i}", [*forces, inertia], floor)
    if not single:
        for i in frames:
            misfit.add(f"all fibers, frame {i}", total[i], floors)
    return misfit


def _rates(x, h, method, first):
    """Rates of nodal values by the method's difference formula, `first` at the start."""
    rate = np.full_like(x, np.nan)
    if method == "backward_euler":
        rate[1:] = (x[1:] - x[:-1]) / h
    else:
        rate[2:] = (3.0 * x[2:] - 4.0 * x[1:-1] + x[:-2]) / (2.0 * h)
    if first is not None:
        rate[0] = first
    return rate


def _central(x, h):
    """Rates by central differences of fourth order (n_frames - 4, ...)."""
    return (x[:-4] - 8.0 * x[1:-3] + 8.0 * x[3:-1] - x[4:]) / (12.0 * h)


def momentum_misfit(case, result, every):
    """Largest misfit of the rate of momentum [N] of any fiber, at every so manieth frame.

    The rate is the second difference of the first moment of mass, of fourth order.
    """
    h, worst, seen = result.time[1], 0.0, 0
    for fiber in case["fibers"]:
        line, history = Line(fiber), result.fibers[fiber["name"]]
        x = nodal(history)
        moment = np.array([(line.mass[:, None] * line.at(one)).sum(axis=0) for one in x])
        rate = (
            -moment[:-4] + 16.0 * moment[1:-3] - 30.0 * moment[2:-2] + 16.0 * moment[3:-1]
        ) - moment[4:]
        rate /= 12.0 * h * h
        for i in range(2 * every, len(x) - 2 * every, every):
            forces = [part[:3] for part in _pulls(history, x[i], i) + _given(case, line, x[i])]
            worst = max(worst, float(np.linalg.norm(np.sum(forces, axis=0) - rate[i - 2])))
            seen += 1
    return worst, seen


def energies(case, result, *, backward=False):
    """Kinetic energy and total energy over the frames but the first and last two [J].

    Velocities are central differences of fourth order; backward: of one step, from the first frame
    on (which says nothing of bodies).
    """
    h = result.time[1]
    own = slice(1, None) if backward else slice(2, -2)
    kinetic, stored = np.zeros((2, len(result.time) - (1 if backward else 4)))
    for fiber in case["fibers"]:
        line = Line(fiber)
        x = nodal(result.fibers[fiber["name"]])
        v = (x[1:] - x[:-1]) / h if backward else _central(x, h)
        weight = line.mass[:, None] * np.array(case["gravity"])
        weight += line.length[:, None] * fiber["line_load"]
        kinetic += np.array(
            [0.5 * (line.mass * (line.at(one) ** 2).sum(axis=1)).sum() for one in v]
        )
        stored += np.array([line.stored(one) - (weight * line.at(one)).sum() for one in x[own]])
    if case["fiber_law"]:
        nodes = [nodal(result.fibers[fiber["name"]])[own] for fiber in case["fibers"]]
        stored += np.array([contact_energy(case, parts) for parts in zip(*nodes, strict=True)])
    for body in case["bodies"]:
        pose = result.bodies[body["name"]]
        com = pose.position + pose.rotation @ body["com"]
        v = _central(com, h)
        turn = _central(pose.rotation, h) @ pose.rotation[2:-2].transpose(0, 2, 1)
        spin = 0.5 * np.stack(
            [turn[:, k, j] - turn[:, j, k] for j, k in ((1, 2), (2, 0), (0, 1))], axis=1
        )
        spin = np.einsum("nji,nj->ni", pose.rotation[2:-2], spin)
        kinetic += 0.5 * (body["mass"] * (v**2).sum(axis=1) + (spin**2) @ body["inertia"])
        q = result.coordinates[f"{body['name']}_moves"][own]
        stored += 0.5 * body["spring"] * q**2 - body["mass"] * com[own] @ case["gravity"]
    return kinetic, kinetic + stored


def least_tension(case, result):
    """Least axial force of any fiber in any frame [N]."""
    return min(
        Line(fiber).tension(x)
        for fiber in case["fibers"]
        for x in nodal(result.fibers[fiber["name"]])
    )
