"""Derivatives of the work of contact in shapes, laws and bones, against differences of rows."""

import numpy as np
import pytest
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.system.contact.slopes import law_steps, shape_of
from fibermsk.system.varying import CONTACT

KINDS = [(own, rub) for own in ("variational", "half_pass") for rub in (0.0, 0.4)]
TABLE = np.array([5.6e-3, 6.1e-3, 6.5e-3, 5.9e-3])
STEPS = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))


def arm(formulation, friction):
    """The arm in contact, whose fibers have tables of radii and bones an axis along no other."""
    model = two_link_arm(formulation=formulation)
    rub = {"friction": fm.Friction(friction, 0.03)}
    edits = {one: rub for one in model.contacts} if friction else {}
    edits |= {fiber: {"radius": TABLE} for fiber in model.fibers}
    short = fm.Capsule((0.001, 0.0, 0.02), (-0.002, 0.003, -0.03), 0.0205)
    edits[model.body("lower")] = {"shapes": (short,)}
    return model.edit(edits)


def moved(model, what, k, step):
    """The model with one number changed."""
    fiber, law = model.fibers[1], model.contacts[0].law
    capsule = model.body("lower").shapes[0]
    if what == "node":
        nodes = np.array(fiber.nodes)
        nodes[k] += step
        return model.edit({fiber: {"nodes": nodes}})
    if what == "radius":
        return model.edit({fiber: {"radius": TABLE + step * np.eye(TABLE.size)[k]}})
    if what == "law":
        numbers = [law.stiffness, law.limit]
        numbers[k] += step
        return model.edit({model.contacts[0]: {"law": fm.PenaltyContact(*numbers)}})
    if what == "friction":
        numbers = [0.4, 0.03]
        numbers[k] += step
        return model.edit({model.contacts[1]: {"friction": fm.Friction(*numbers)}})
    ends = np.array([capsule.start, capsule.end])
    if what == "end":
        ends[k] += step * (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    size = capsule.radius + (step if what == "bone" else 0.0)
    return model.edit({model.body("lower"): {"shapes": (fm.Capsule(*ends, size),)}})


CASES = [("node", 1, 1e-5), ("node", 2, 1e-5), *(("radius", k, 1e-8) for k in range(4)),
         ("law", 0, 1e-2), ("law", 1, 1e-4), ("friction", 0, 1e-4), ("friction", 1, 1e-6),
         ("bone", 0, 1e-7), ("end", 0, 1e-7), ("end", 1, 1e-7)]  # fmt: skip


@pytest.mark.parametrize(("formulation", "friction"), KINDS)
def test_every_number_by_itself(formulation, friction, rng):
    """Also numbers of single elements, which runs change together."""
    model = arm(formulation, friction)
    system = fm.build(model)
    y, _ = system.initial_state()
    y = system.retract(0.0, y, 1e-4 * rng.normal(size=y.size))
    v = system.enforce(y, 0.1 * rng.normal(size=y.size), 0.0)
    weight = rng.normal(size=system.n) * np.where(np.arange(system.n) % 6 < 3, 1.0, 0.1)
    point = 0.0, y, v, np.zeros(system.n)
    partners = system.configuration.partners
    found = system.contact_slopes(point, weight, law_steps(partners.constants))
    at = system.configuration.kinematics(*point)
    assert min(system.configuration.contact.n_closed()) > 30
    largest = {}
    for what, k, step in CASES:
        if what == "friction" and not friction:
            continue
        slope, shape = 0.0, 0.0
        for side, share in STEPS:
            other = fm.build(moved(model, what, k, side * step))
            slope += share / (12.0 * step) * (weight @ other.rows_of(CONTACT, at, system))
            shape = shape + share / (12.0 * step) * shape_of(other.cables)
        own = {
            "node": (found.shape * shape).sum(),
            "radius": (found.shape * shape).sum(),
            "law": found.constants[0, k % 2],
            "friction": found.friction[1, k % 2],
            "bone": found.radius[-1],
            "end": found.ends[-1, k % 2],
        }[what]
        assert own == pytest.approx(slope, rel=1e-6, abs=1e-9 * abs(found.shape).max())
        largest[what] = max(largest.get(what, 0.0), abs(slope))
    assert all(largest.values())
