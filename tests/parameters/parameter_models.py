"""Models with numbers of every kind, and what two systems of them have in common."""

from dataclasses import fields, is_dataclass

import numpy as np
from joint_cases import functional_arm
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.solvers.newton.condense import bordered


def limb(
    mass=1.5, damping=0.2, modulus=2e4, prestress=2e4, radius=0.006, origin=0.05, level=0.1,
    stiffness=700.0, limit=3.0, gravity=-9.81, bone=0.03, rest_length=0.1,
):  # fmt: skip
    """An elbow with two fibers over a bone, a spring and a load."""
    model = fm.Model("limb", gravity=(0.0, 0.0, gravity))
    upper = model.add(fm.Body("upper", shapes=fm.Capsule((0, 0, 0), (0, 0, -0.3), bone)))
    shin = fm.Capsule((0, 0, 0), (0, 0, -0.2), 0.02)
    lower = model.add(fm.Body("lower", mass, (0, 0, -0.1), (0.02, 0.02, 0.01), shin))
    model.add(fm.Weld(model.ground, upper))
    model.add(fm.Hinge("elbow", upper, lower, (0, 0, -0.3), (0, -1, 0), damping=damping))
    signal = fm.Table((0.0, 0.1, 0.2), (0.0, level, 0.05))
    own = [
        model.add(
            fm.Fiber(
                name,
                attach=(upper.at(origin if side else 0.05, y, -0.02), lower.at(0.04, y, -0.06)),
                radius=radius if side else (0.005, 0.008, 0.005),
                n_elements=4,
                tissue=fm.Tissue(
                    1000.0,
                    fm.KelvinVoigt(modulus if side else 2e4, 5e3),
                    active=fm.ActiveStress(3e5),
                    prestress=prestress if side else 2e4,
                    stiffening=fm.Stiffening(1e3, 3.0),
                ),
                muscle_fraction=lambda s: 4 * s * (1 - s),
                activation=signal if side else fm.Ramp(0.0, 0.3, 0.2),
            )
        )
        for side, (name, y) in enumerate((("outer", 0.0), ("inner", 0.011)))
    ]
    model.add(fm.Contact(own, own, fm.PenaltyContact(stiffness, limit), name="muscles"))
    model.add(fm.Contact(own, (upper, lower), fm.PenaltyContact(700.0, 3.0)))
    ends = upper.at(0.1, 0, 0), lower.at(0, 0, -0.1)
    model.add(fm.PointSpring("cord", *ends, stiffness=50.0, rest_length=rest_length, damping=1.0))
    model.add(fm.ExternalForce("load", lower, (0, 0, -2.0), (0, 0, -0.2)))
    model.add(fm.CoordinateController("drive", "elbow", fm.NaturalSpline((0, 1), (0, 1)), 2.0, 0.1))
    return model


def with_functions():
    """Splines, couplings, quaternions and laws of coordinates."""
    return functional_arm()


def with_paths():
    """Fibers that run along points, on a body that is a mesh, and a line muscle."""
    model = fm.Model("paths")
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.02
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [part for a, b, c, d in quads for part in ((a, b, c), (a, c, d))]
    bone = fm.Mesh(corners, faces, name="block", spacing=0.005)
    block = model.add(fm.Body("block", 1.0, inertia=(1e-3,) * 3, shapes=bone))
    model.add(fm.Slider("height", model.ground, block, (0, 0, 0), (0, 0, 1), damping=1.0))
    path = [(-0.05, 0, 0.03), (0.0, 0, 0.034), (0.05, 0, 0.03)]
    passive = fm.KelvinVoigt(2e4, 5e3), fm.KelvinVoigt(1e5, 5e3)
    tissue = fm.Tissue(1000.0, *passive, prestress=2e4)
    fiber = model.add(
        fm.Fiber(
            "over", path, (model.ground.at(path[0]), None), radius=0.004, n_elements=4,
            tissue=tissue, line_load=(0, 0, -1.0), muscle_fraction=0.8,
        )
    )  # fmt: skip
    model.add(fm.Contact(fiber, block, fm.PenaltyContact(500.0, 3.0)))
    wrap = fm.WrapCylinder("roll", block, radius=0.01, length=0.1)
    points = [fm.PathPoint(f"p{k}", block.at(0.02, 0.0, 0.1 * k)) for k in range(2)]
    model.add(
        fm.LineMuscle(
            "over_line", points, wraps=(fm.PathWrap(wrap),), max_isometric_force=100.0,
            optimal_fiber_length=0.05, tendon_slack_length=0.04,
            law=fm.HillLaw(), activation=fm.ActivationDynamics(0.3),
        )
    )  # fmt: skip
    model.meant = ("muscle force",)
    return model


MODELS = {
    "limb": limb,
    "arm": lambda: two_link_arm(elements=3),
    "functions": with_functions,
    "paths": with_paths,
}


def arrays(value):
    """All arrays, numbers and names below a value, in order, as bytes and texts."""
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.shape, value.tobytes()]
    if is_dataclass(value):
        return [part for f in fields(value) for part in arrays(getattr(value, f.name))]
    if isinstance(value, tuple | list):
        return [part for one in value for part in arrays(one)]
    if isinstance(value, dict):
        return [part for key, one in value.items() for part in (key, *arrays(one))]
    return [repr(value)]


def numbers_of(system, times=(0.0, 0.13)):
    """Everything that a run of a system depends on."""
    skeleton, cables, partners = system.configuration.parts
    y, v = system.initial_state()
    rng = np.random.default_rng(3)
    y = system.retract(0.1, y, 1e-4 * rng.normal(size=y.size) * system.scale)
    v = system.enforce(y, v + 1e-2 * rng.normal(size=y.size) * system.scale)
    found = system.evaluate(0.1, y, v, rng.normal(size=y.size), 50.0, 50.0)
    matrix = bordered(found.tangent)
    parts = {
        name: part
        for one in system.contributions
        if hasattr(one, "fingerprint")
        for name, part in one.fingerprint(np.array(times)).items()
    }
    return arrays(
        [skeleton.tree, skeleton.map, skeleton.start, skeleton.start_speed, cables, partners]
        + [system.breakpoints, system.scale, parts, found.residual, found.reactions]
        + [matrix.A.data, matrix.B, matrix.R, matrix.D]
    )
