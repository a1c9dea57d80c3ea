"""Small valid objects that the tests of the model change one field of."""

import numpy as np

from fibermsk.laws.penalty import PenaltyContact
from fibermsk.laws.stress import ActiveStress, KelvinVoigt
from fibermsk.model import Body, Capsule, Contact, Fiber, Hinge, Model, Ramp, Tissue, Weld

NAN, INF = float("nan"), float("inf")
PASSIVE = KelvinVoigt(shear_modulus=2.0e5, viscosity=1.0e4)
TISSUE = Tissue(density=1060.0, muscle=PASSIVE)
LAW = PenaltyContact(stiffness=768.0, limit=3.0)
LINE = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
INERTIA = (0.02, 0.002, 0.021)


def body(name="ulna", **fields):
    return Body(name, **{"mass": 1.5, "inertia": INERTIA, **fields})


def fiber(name="biceps", **fields):
    defaults = {"path": LINE, "radius": 0.006, "n_elements": 4, "tissue": TISSUE}
    return Fiber(name, **{**defaults, **fields})


def parabola(theta):
    return 0.006 * (1.0 + 16.0 * (1.0 - theta) ** 2 * theta**2)


def muscle_belly(theta):
    return 16.0 * (1.0 - theta) ** 2 * theta**2


def arc(theta):
    return np.column_stack((np.cos(theta), np.sin(theta), 0.0 * theta))


def buoyancy(theta, t):
    return np.column_stack((0.0 * theta, 0.0 * theta, t + theta))


def arm():
    """A model with one of everything, and its parts by name."""
    model = Model("arm")
    humerus = model.add(Body("humerus", shapes=Capsule((0, 0, 0), (0, 0, -0.35), 0.035)))
    ulna = model.add(body("ulna", shapes=[Capsule((0, 0, 0), (0, 0, -0.28), 0.035)]))
    model.add(Weld(model.ground, humerus))
    elbow = model.add(Hinge("elbow", humerus, ulna, at=(0, 0, -0.35), axis=(0, -2, 0), damping=0.2))
    tissue = Tissue(1060.0, PASSIVE, KelvinVoigt(1e7, 1e4), ActiveStress(3e5), prestress=1e4)
    biceps = model.add(
        fiber(
            "biceps",
            path=None,
            attach=(humerus.at(0.05, 0, -0.01), ulna.at((0.045, 0, -0.045))),
            radius=parabola,
            muscle_fraction=muscle_belly,
            activation=Ramp(0.1, 0.4, 0.6),
            tissue=tissue,
        )
    )
    strand = model.add(fiber("strand", path=arc, line_load=buoyancy))
    contact = model.add(Contact([biceps, strand], [biceps, strand, humerus], LAW))
    return model, {
        "humerus": humerus,
        "ulna": ulna,
        "elbow": elbow,
        "biceps": biceps,
        "strand": strand,
        "contact": contact,
    }
