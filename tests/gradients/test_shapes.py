"""Numbers of shapes, bodies and contacts, found together, against whole equations one by one."""

import re

import numpy as np
import own_laws
import pytest
from forces.test_reported_fields import Odd
from gradients.test_gradients_at_corners import rope_over_a_drum
from gradients.test_inside import check_one_by_one, crowd, kept_run
from gradients.test_run_gradients import TIGHT, closed, prescribed, rubbing
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.gradients.changes.bones import Masses
from fibermsk.gradients.changes.chained import ChainedShapes
from fibermsk.gradients.changes.contact import ContactNumbers
from fibermsk.gradients.changes.entries import entries_of, size_of, values_with
from fibermsk.gradients.changes.rows import RowSlopes
from fibermsk.gradients.changes.variations import changes_of
from fibermsk.solvers.adjoint import sweeps
from fibermsk.solvers.adjoint.variation import Variation
from fibermsk.system import FiberSystem


def thick():
    """The arm with contact, whose fibers have radii that are numbers."""
    model = two_link_arm()
    table = np.array([5e-3, 6e-3, 4.5e-3])
    radii = dict(zip(model.fibers, (table, 6e-3, 5.5e-3), strict=True))
    return model.edit({fiber: {"radius": one} for fiber, one in radii.items()})


def coupled():
    """The same, with an elbow that follows the shoulder."""
    model = thick()
    model.add(fm.Coupling("elbow", fm.Polynomial([0.1, 0.5, -0.2]), "shoulder"))
    return model


def rubbing_potential():
    """Fibers with one energy for each pair, by a law of a user, that rub."""
    model = thick()
    law = own_laws.PenaltyTwin(300.0, 3.0)
    rub = {"friction": fm.Friction(0.3, 0.02), "formulation": "variational", "law": law}
    return model.edit({contact: rub for contact in model.contacts})


def smooth():
    """The arm in contact with friction whose coefficient is zero between the fibers."""
    model = rubbing()
    return model.edit({model.contacts[0]: {"friction": fm.Friction(0.0, 0.02)}})


def meshes(spacing=None):
    """The arm on a bone that is a mesh, whose grid follows its radius or is given."""
    model = two_link_arm(formulation="variational")
    turns, sizes = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False), np.linspace(0.02, -0.25, 6)
    ring = 0.019 * np.column_stack([np.cos(turns), np.sin(turns), 0.0 * turns])
    points = np.vstack(
        [*(ring + [0.0, 0.0, z] for z in sizes), np.outer(sizes[[0, -1]], [0, 0, 1])]
    )
    own, ahead = np.arange(12), np.roll(np.arange(12), -1)
    faces = [
        *(12 * k + np.column_stack([own, ahead, own + 12]) for k in range(5)),
        *(12 * k + np.column_stack([ahead, ahead + 12, own + 12]) for k in range(5)),
        np.column_stack([own, ahead, 0 * own + 72]),
        np.column_stack([60 + own, 60 + ahead, 0 * own + 73]),
    ]  # fmt: skip
    bone = fm.Mesh(points, np.vstack(faces), name="bone", radius=0.02, spacing=spacing)
    return model.edit({model.body("upper"): {"shapes": (bone,)}})


MODELS = {
    "smooth": (smooth, 0.036, "initial"),
    "own law": (rubbing_potential, 0.036, "initial"),
    "contact": (thick, 0.036, "initial"),
    "potential": (lambda: two_link_arm(formulation="variational"), 0.036, "initial"),
    "equilibrium": (thick, 0.012, "equilibrium"),
    "coupled": (coupled, 0.036, "initial"),
    "rope": (lambda: rope_over_a_drum(0.045), 0.05, "initial"),
    "states": (crowd, 0.03, "initial"),
    "closed": (closed, 0.03, "initial"),
    "prescribed": (prescribed, 0.03, "initial"),
    "friction": (rubbing, 0.036, "initial"),
}  # fmt: skip
FIELDS = re.compile("(contacts|[a-z_0-9]+/(attach|radius|mass|com|inertia|damping|shapes))(/|$)")
MOST = 16
"""Numbers of a model that are compared."""

APART = {"closed": ["mass", "com", "inertia"], "prescribed": ["mass", "com", "inertia"]}
"""Fields whose numbers may change more in a model, so that each is found by itself."""


def entries_in(system, rng):
    """Some of the numbers of a model, of all kinds."""
    fixed = [f"{fiber.name}/attach" for fiber in system.model.fibers if fiber.path is not None]
    every = [
        path for path in system.parameters
        if FIELDS.match(path) and not path.startswith(tuple(fixed))
    ]  # fmt: skip
    few = rng.choice(every, min(MOST, len(every)), replace=False)
    return entries_of(system, few.tolist())


@pytest.mark.filterwarnings("ignore:compressed fibers")
@pytest.mark.parametrize("case", MODELS)
def test_together_as_one_by_one(case, rng):
    make, until, start = MODELS[case]
    system, kept = kept_run(make(), until, start)
    entries = entries_in(system, rng)
    changes = changes_of(system, entries)
    apart = [entries[one.number].path for one in changes if isinstance(one, Variation)]
    allowed = APART.get(case, [])
    assert all(any(field in path for field in allowed) for path in apart)
    assert any(isinstance(one, ChainedShapes | ContactNumbers | RowSlopes) for one in changes)
    size = np.array([size_of(system, one) for one in entries])
    check_one_by_one(system, kept, entries, changes, size, 1e-8, start == "equilibrium", rng)


def test_one_pass_over_contact_points_for_all_numbers(monkeypatch, rng):
    """Those of laws, radii, ends of capsules and shapes of fibers, at each point of a sweep."""
    calls, found = [], FiberSystem.contact_slopes
    monkeypatch.setattr(
        FiberSystem, "contact_slopes", lambda *given: calls.append(0) or found(*given)
    )
    system, kept = kept_run(thick(), 0.036)
    weights, counts = rng.normal(size=(2, system.n)), {}
    for paths in ("contacts/0/stiffness", ("contacts/*", "*/attach", "*/radius", "*/shapes")):
        entries = entries_of(system, paths)
        calls.clear()
        sweeps.pull(system, kept, {4: tuple(weights)}, changes_of(system, entries), len(entries))
        counts[len(entries)] = len(calls)
    assert max(counts) > 30
    assert set(counts.values()) == {counts[1]}


@pytest.mark.parametrize("spacing", [None, 0.004])
def test_radii_of_meshes(spacing, rng):
    """Without a spacing that is given the grid, and with it the surface, follows the radius."""
    system, kept = kept_run(meshes(spacing), 0.036)
    entries = entries_of(system, ["upper/shapes/0/radius", "contacts/1/stiffness"])
    changes = changes_of(system, entries)
    assert any(isinstance(one, RowSlopes) for one in changes) == (spacing is None)
    size = np.array([size_of(system, one) for one in entries])
    check_one_by_one(system, kept, entries, changes, size, 1e-6, False, rng)


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_friction_begins_at_zero(friction, rng):
    """Its coefficient has a derivative there, also where no other contact rubs."""
    model = two_link_arm()
    laws = (fm.Friction(0.0, 0.02), fm.Friction(friction, 0.02))
    rub = zip(model.contacts, laws, strict=True)
    model = model.edit({contact: {"friction": one} for contact, one in rub})
    system, kept = kept_run(model, 0.036)
    entries = entries_of(system, "contacts/*/friction/coefficient")
    changes, ones = changes_of(system, entries), np.ones(2)
    check_one_by_one(system, kept, entries, changes, ones, 1e-8, False, rng)
    found = sweeps.pull(system, kept, {4: (np.ones(system.n),) * 2}, changes, 2)[2]
    assert np.abs(found).min() > 0.0


def test_a_number_named_twice_is_one():
    """By its own path and by that of its array."""
    system = fm.build(thick())
    paths = ["fiber_0/attach/insertion/z", "fiber_0/attach/insertion", "lower/com/x", "lower/com"]
    entries = entries_of(system, paths)
    assert len(entries) == 6
    assert {one.path for one in entries} == {"fiber_0/attach/insertion", "lower/com"}
    new = values_with(system, entries, np.arange(6.0))
    assert sorted(map(len, new.values())) == [3, 3]
    np.testing.assert_allclose(new["fiber_0/attach/insertion"][2], 0.0)


def test_a_coordinate_of_an_end_beside_a_joint_that_moves_it(rng):
    """Both change the shape of the fiber, by numbers of one array."""
    system, kept = kept_run(thick(), 0.036)
    entries = entries_of(system, ["fiber_1/attach/insertion/z", "elbow/at/z", "elbow/value"])
    changes = changes_of(system, entries)
    size = np.array([size_of(system, one) for one in entries])
    check_one_by_one(system, kept, entries, changes, size, 1e-8, False, rng)


def test_the_damping_of_an_element_is_no_passive_force_of_a_joint():
    model = crowd()
    spring = fm.PointSpring(
        "spring", model.ground.at(0.1, 0.1, 0.0), model.body("bone").at(0.0, -0.1, 0.0),
        stiffness=50.0, rest_length=0.1, damping=2.0,
    )  # fmt: skip
    model.add(spring)
    system = fm.build(model)
    (alone,) = changes_of(system, entries_of(system, "spring/damping"))
    assert isinstance(alone, Variation)
    (apart,) = changes_of(system, entries_of(system, "bone/mass"))
    assert isinstance(apart, Masses)
    model.add(Odd((), {}))
    (whole,) = changes_of(fm.build(model), entries_of(fm.build(model), "bone/mass"))
    assert isinstance(whole, Variation)  # a user's element may read it


def test_a_flat_body_has_derivatives_in_its_inertia():
    """Its largest moment is the sum of the others, and cannot grow alone."""
    model = fm.Model("plate", gravity=(3.0, -9.81, 1.0))
    plate = model.add(fm.Body("plate", 1.0, (0.02, -0.2, 0.01), (5e-3, 1e-3, 4e-3)))
    model.add(fm.Spherical("ball", model.ground, plate, at=(0.0, 0.0, 0.0)))
    end = {"x": plate.at(0.1, -0.3, 0.2)}
    aim = fm.Objective(lambda time, x: x[-1] @ np.array([1.0, 2.0, 3.0]), end)

    def runs(model):
        return fm.Simulation(model, 0.1, 0.01, newton=TIGHT)

    paths = {"plate/inertia/xx": (5e-3, -1), "plate/inertia/yy": (1e-3, 1),
             "plate/inertia/zz": (4e-3, 1)}  # fmt: skip
    found = fm.gradient(runs(model), aim, list(paths)).gradient
    for own, (path, (base, side)) in zip(found, paths.items(), strict=True):
        h = 1e-6 * side
        at = [
            fm.gradient(runs(fm.with_parameters(model, {path: base + k * h})), aim, path).value
            for k in range(3)
        ]
        assert own == pytest.approx((-1.5 * at[0] + 2.0 * at[1] - 0.5 * at[2]) / h, rel=1e-5)
