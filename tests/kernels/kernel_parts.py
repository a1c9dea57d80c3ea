"""Curved, tapered fibers on graded meshes, once as kernel arrays and once as plain reference."""

import warnings

import numpy as np
from reference import cable as reference

import fibermsk as fm
from fibermsk.errors import ModelWarning
from fibermsk.system import build

STEP = 1e-30
ACTIVE = fm.ActiveStress(3.0e5, optimal_stretch=1.15, width=0.4, exponent=4.0)
TISSUE = fm.Tissue(
    density=1060.0,
    muscle=fm.KelvinVoigt(2.0e4, 1.0e4),
    tendon=fm.KelvinVoigt(1.0e6, 3.0e4),
    active=ACTIVE,
    prestress=1.6e4,
)
PASSIVE = fm.Tissue(density=1060.0, muscle=fm.KelvinVoigt(2.0e4, 0.0))


def belly(theta):
    """Muscle fraction, 0 at both ends and 1 in the middle."""
    return 16.0 * (1.0 - theta) ** 2 * theta**2


def spindle(thickness, ratio=1.0):
    """Radius with a belly: a quartic in theta, which the kernels hold exactly."""
    return lambda theta: thickness * (1.0 + ratio * belly(theta))


def bow(start, end, sag=(0.0, 0.0, 0.0), twist=(0.0, 0.0, 0.0)):
    """Path from start to end, a quadratic bend and a cubic one beside the chord."""
    start, end = np.asarray(start, float), np.asarray(end, float)

    def path(s):
        bend = 4.0 * s * (1.0 - s)
        straight = start + s[:, None] * (end - start)
        return straight + bend[:, None] * sag + (bend * (2.0 * s - 1.0))[:, None] * np.array(twist)

    return path


def graded(rng, n_elements):
    """Node positions whose neighbors differ by up to a factor of three in length."""
    steps = rng.uniform(0.5, 1.5, n_elements)
    nodes = np.r_[0.0, np.cumsum(steps)] / steps.sum()
    nodes[-1] = 1.0
    return nodes


def fiber(name, path, rng=None, **fields):
    """Free fiber; graded nodes where random numbers are given."""
    defaults = {
        "radius": spindle(0.008),
        "n_elements": 4,
        "tissue": TISSUE,
        "muscle_fraction": belly,
    }
    fields = {**defaults, **fields}
    if rng is not None:
        fields["nodes"] = graded(rng, fields["n_elements"])
    return fm.Fiber(name, path, **fields)


def system_of(fibers, bodies=(), joints=(), contacts=(), gravity=(0.0, 0.0, 0.0)):
    """Build a model of these parts."""
    model = fm.Model("test", gravity=gravity)
    for part in (*bodies, *joints, *fibers, *contacts):
        model.add(part)
    return build_sparse(model)


def build_sparse(model):
    """Build a model, whose contact points may lie farther apart than a simulation wants them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return build(model)


def parameters(tissue):
    """Tissue as the reference's numbers."""
    tendon = tissue.tendon or tissue.muscle
    active = tissue.active or fm.ActiveStress(0.0)
    return {
        "density": tissue.density,
        "mu_M": tissue.muscle.shear_modulus,
        "mu_T": tendon.shear_modulus,
        "eta_M": tissue.muscle.viscosity,
        "eta_T": tendon.viscosity,
        "S_max": active.max_stress,
        "lambda_opt": active.optimal_stretch,
        "width": active.width,
        "nu": active.exponent,
        "prestress": tissue.prestress,
        "bending": tissue.bending,
        "quadrature": 5,
    }


def plain_cable(system, f):
    """Fiber f of a system as the reference's cable, on the same nodes."""
    cables, item = system.cables, system.model.fibers[f]
    own = slice(cables.node_start[f], cables.node_start[f + 1])
    return reference.Cable(
        cables.theta[own],
        cables.reference[own].copy(),
        item.radius_at if not callable(item.radius) else item.radius,
        item.muscle_fraction_at if not callable(item.muscle_fraction) else item.muscle_fraction,
        parameters(item.tissue),
    )


def deform(rng, nodes, size):
    """Nodes moved by `size` times their spacing, and stretched by a tenth."""
    moved = 1.1 * nodes
    spread = np.linalg.norm(np.diff(nodes[:, :3], axis=0), axis=1).min()
    moved[:, :3] += size * spread * rng.normal(size=(len(nodes), 3))
    tangents = np.linalg.norm(nodes[:, 3:], axis=1, keepdims=True)
    moved[:, 3:] += size * tangents * rng.normal(size=(len(nodes), 3))
    return moved


def rotation(rng):
    """Random rotation matrix (3, 3)."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


def turn(nodes, R, shift=(0.0, 0.0, 0.0)):
    """Rigid motion of nodal values: positions and tangents turn, positions move."""
    moved = nodes.reshape(-1, 2, 3) @ R.T
    moved[:, 0] += shift
    return moved.reshape(-1, 6)
