"""Mass matrix, bias and stiffness of random trees of bodies agree with Pinocchio.

Trees of 1 to `hinges` hinges, built from the package's bodies, hinges and welds, with random
branches, axes, positions and orientations of joints, masses and inertias. Joint centers differ from
the origins of the bodies, and some bodies are welded to others. Compared at random coordinates,
speeds and accelerations:

- the mass matrix M(q), column by column from the residual of the equations of motion, with the
  composite rigid body algorithm of Pinocchio (crba);
- the bias: Coriolis and centrifugal forces and weight, with nonLinearEffects;
- the inverse dynamics of a random motion, with rnea;
- the derivatives of the inverse dynamics in the coordinates, which Newton's method uses, with
  computeRNEADerivatives, at constant speeds and accelerations.

Both sides are exact up to round-off in sums over chains of at most `hinges` links, so that the
largest relative differences must be below 1e-12 (1e-11 for the derivatives, whose terms are larger
than their sums). A wrong sign or factor anywhere causes differences of 1e-3 and more.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.verify import Expected, Unavailable

GRAVITY = (0.7, -1.3, -9.81)


def pinocchio():
    """The library; an error that says how to install it if it is missing."""
    try:
        import pinocchio as pin
    except ImportError as error:
        raise Unavailable(
            "rigid_trees: Pinocchio is not installed; must be importable as `pinocchio`; install "
            'it with `pip install pin`, or everything for the tests with `pip install -e ".[test]"`'
        ) from error
    return pin


def describe(rng: np.random.Generator, hinges: int) -> list[dict]:
    """Bodies of a random tree, each with its parent's index (-1: ground) and its joint."""
    bodies = []
    kinds = [True] * hinges + [False] * (1 + hinges // 3)
    rng.shuffle(kinds)
    for b, turns in enumerate(kinds):
        chain = rng.random() < 0.6
        mass = rng.uniform(0.5, 3.0)
        size = rng.uniform(0.05, 0.3, 3) ** 2
        axes = Rotation.random(random_state=rng).as_matrix()
        bodies.append(
            {
                "name": f"body_{b}",
                "parent": b - 1 if chain else int(rng.integers(-1, b)),
                "mass": mass,
                "com": 0.2 * rng.normal(size=3),
                "inertia": axes @ np.diag(mass * (size.sum() - size)) @ axes.T,
                "at": 0.4 * rng.normal(size=3),
                "child_at": 0.2 * rng.normal(size=3),
                "rotation": Rotation.random(random_state=rng).as_matrix(),
                "axis": rng.normal(size=3) if turns else None,
            }
        )
    return bodies


def ours(bodies: list[dict]):
    """System of a tree."""
    model = fm.Model("tree", gravity=GRAVITY)
    made = []
    for b in bodies:
        body = fm.Body(b["name"], mass=b["mass"], com=b["com"], inertia=b["inertia"])
        parent = model.ground if b["parent"] < 0 else made[b["parent"]]
        place = {key: b[key] for key in ("at", "child_at", "rotation")}
        model.add(body)
        if b["axis"] is None:
            model.add(fm.Weld(parent, body, **place))
        else:
            model.add(fm.Hinge(f"q_{b['name']}", parent, body, axis=b["axis"], **place))
        made.append(body)
    return fm.build(model)


def theirs(pin, bodies: list[dict]):
    """The same tree for Pinocchio, with its data, and the names of its coordinates in order.

    Pinocchio numbers joints branch after branch, so bodies are added depth first.
    """
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY)
    names: list[str] = []

    def add(b: int, joint: int, place) -> None:
        """Add body b, whose parent's frame is at `place` in the frame of `joint`."""
        body = bodies[b]
        place = place * pin.SE3(body["rotation"], np.asarray(body["at"]))
        if body["axis"] is not None:
            # fibermsk gives the axis in the parent, Pinocchio in the joint's own frame
            axis = body["rotation"].T @ body["axis"]
            axis /= np.linalg.norm(axis)
            name = f"q_{body['name']}"
            joint = model.addJoint(joint, pin.JointModelRevoluteUnaligned(*axis), place, name)
            names.append(name)
            place = pin.SE3.Identity()
        place = place * pin.SE3(np.eye(3), -np.asarray(body["child_at"]))
        if joint > 0:
            inertia = pin.Inertia(body["mass"], body["com"], body["inertia"])
            model.appendBodyToJoint(joint, inertia, place)
        for child in range(b + 1, len(bodies)):
            if bodies[child]["parent"] == b:
                add(child, joint, place)

    for b, body in enumerate(bodies):
        if body["parent"] < 0:
            add(b, 0, pin.SE3.Identity())
    return model, model.createData(), names


def compare(pin, rng: np.random.Generator, hinges: int) -> dict[str, float]:
    """Largest differences on one random tree, each relative to the largest entry."""
    bodies = describe(rng, hinges)
    system = ours(bodies)
    model, data, names = theirs(pin, bodies)
    y, v = system.initial_state()
    start, n = y.size - hinges, hinges
    own = list(system.skeleton.independent)
    order = np.array([own.index(name) for name in names])  # ours in their order
    q, p, a = rng.normal(size=(3, n))

    def residual(q, p, a, tangent: bool = False):
        state, speed, rate = y.copy(), v.copy(), 0.0 * v
        state[start + order], speed[start + order], rate[start + order] = q, p, a
        found = system.evaluate(0.0, state, speed, rate, tangent=tangent)
        if tangent:
            return found.tangent.D[np.ix_(order, order)]
        return found.residual[start + order]

    at_rest, none = residual(q, 0.0 * p, 0.0 * a), np.zeros(n)
    mass = np.array([residual(q, none, e) - at_rest for e in np.eye(n)]).T
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    tau = pin.rnea(model, data, q, p, a)
    bias = pin.nonLinearEffects(model, data, q, p)
    stiffness, *_ = pin.computeRNEADerivatives(model, data, q, p, a)
    size = np.abs(tau).max()

    def difference(found, want, scale=None):
        return float(np.abs(found - want).max() / (scale or np.abs(want).max()))

    return {
        "mass_matrix": difference(mass, M),
        "bias": difference(residual(q, p, none), bias, max(size, np.abs(bias).max())),
        "inverse_dynamics": difference(residual(q, p, a), tau),
        "stiffness": difference(residual(q, p, a, True), stiffness),
    }


def run(hinges: int = 12, trees: int = 3, seed: int = 2021) -> dict[str, float]:
    """Largest relative differences over all trees.

    Parameters
    ----------
    hinges : int
        Hinges of the largest trees; there are `trees` trees of each number from 1 to this.
    trees : int
        Trees of each size.
    seed : int
        Seed of the random numbers.
    """
    pin = pinocchio()
    rng = np.random.default_rng(seed)
    worst: dict[str, float] = {}
    for n in range(1, hinges + 1):
        for _ in range(trees):
            for name, difference in compare(pin, rng, n).items():
                worst[name] = max(worst.get(name, 0.0), difference)
    return {f"{name}_difference": value for name, value in worst.items()}


def expected(hinges: int = 12, trees: int = 3, seed: int = 2021) -> dict[str, Expected]:
    """No difference except round-off."""
    why = "both exact up to round-off in sums over chains of links; relative to the largest entry"
    other = {"kind": "independent", "source": "Pinocchio"}
    return {
        "mass_matrix_difference": Expected(0.0, 1e-12, why, **other),
        "bias_difference": Expected(0.0, 1e-12, why, **other),
        "inverse_dynamics_difference": Expected(0.0, 1e-12, why, **other),
        "stiffness_difference": Expected(
            0.0, 1e-11, why + "; terms larger than their sums", **other
        ),
    }


def study(fine: bool = False) -> dict:
    """Differences by the number of hinges.

    Parameters
    ----------
    fine : bool
        20 trees of each size instead of 3.
    """
    pin = pinocchio()
    rng = np.random.default_rng(1)
    rows = []
    for n in (1, 2, 4, 8, 12):
        found = [compare(pin, rng, n) for _ in range(20 if fine else 3)]
        rows.append([n, *(max(one[name] for one in found) for name in found[0])])
    columns = ["hinges", "mass matrix", "bias", "inverse dynamics", "stiffness"]
    title = "Random trees: largest relative difference from Pinocchio"
    return {"tables": {title: {"columns": columns, "rows": rows}}}
