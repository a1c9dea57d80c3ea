"""Fibers on meshes of bones: tangent, reaction, invariance, and what the mesh stands for."""

import _meshes
import numpy as np
import pytest
from _wrenches import bone_wrenches
from numpy.testing import assert_allclose
from scenes_of_tests import apply, independent, rubber
from tangents import along, moving_state

import fibermsk as fm
from fibermsk.system.contact.distance_grid import signed_distance

FORMULATIONS = ["half_pass", "variational"]


def turned(angle, axis):
    """Rotation about an axis."""
    n = np.array(axis) / np.linalg.norm(axis)
    cross = np.cross(np.eye(3), -n)
    return np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * np.outer(n, n)


def rod(**options):
    """Mesh of a capsule along -z, from 0 to -0.25, off the axes of its body."""
    mesh = _meshes.capsule(0.02, 0.25, 20, **options)
    return mesh.placed(turned(np.pi, (1, 0.02, 0)), (0.0, 0.001, 0.0))


def arm(formulation="variational", shape=None, motion=None):
    """Two fibers from the ground to a link on a chain of two hinges, across a mesh that it carries.

    motion: rotation and position that everything is moved by.
    """
    R, p = motion or (np.eye(3), np.zeros(3))
    model = fm.Model("arm", gravity=R @ (0.3, -0.2, -9.81))
    upper = fm.Body(
        "upper", mass=1.2, com=(0.01, 0, -0.12), inertia=(0.01, 0.012, 0.003), shapes=shape or rod()
    )
    lower = fm.Body("lower", mass=0.8, com=(0, 0.01, -0.1), inertia=(0.006, 0.007, 0.002))
    frame = fm.Body("frame")
    model.add(frame, upper, lower)
    model.add(fm.Weld(model.ground, frame, at=p, rotation=R))
    model.add(
        fm.Hinge("shoulder", frame, upper, at=(0, 0, 0.1), axis=(0.1, 1, 0.2), damping=0.1),
        fm.Hinge("elbow", upper, lower, at=(0, 0, -0.25), axis=(1, 0.3, 0), value=0.2),
    )
    fibers = [
        fm.Fiber(
            f"fiber_{i}",
            attach=(frame.at(0.0255, y, 0.12), lower.at(0.0255, y, -0.08)),
            radius=lambda s: 0.005 + 0.004 * s * (1 - s),
            n_elements=6,
            tissue=rubber(300.0, prestress=2e4),
        )
        for i, y in enumerate((-0.0048, 0.0048))
    ]
    model.add(*fibers)
    law = fm.PenaltyContact(stiffness=400.0, limit=3.0)
    model.add(fm.Contact(fibers, [upper], law, formulation=formulation))
    return model


@pytest.fixture(scope="module", params=FORMULATIONS)
def system(request):
    return fm.build(arm(request.param))


@pytest.mark.parametrize("beta, alpha", [(0.0, 0.0), (50.0, 70.0)])
def test_coupled_tangent_agrees_with_central_differences(system, rng, beta, alpha):
    y, v, a = moving_state(system, rng, 1e-3)
    evaluation = system.evaluate(0.1, y, v, a, beta, alpha)
    assert system.contact.n_closed()[1] > 10
    residual = along(system, y, v, a, beta, alpha)
    free = independent(system)
    h = 1e-6
    for k in range(6):
        d = rng.normal(size=system.n) * system.scale * free
        if k >= 4:  # each joint alone
            d = np.eye(system.n)[k - 6]
        ahead, behind = (residual(system.retract(0.0, y, s * h * d)) for s in (1.0, -1.0))
        slope, exact = (ahead - behind) / (2.0 * h), apply(evaluation.tangent, d) * free
        for part in (slice(0, -2), slice(-2, None)):
            assert_allclose(exact[part], slope[part], rtol=0, atol=1e-6 * np.abs(slope[part]).max())


def test_taylor_remainder_falls_as_h_squared(system, rng):
    y, v, a = moving_state(system, rng, 1e-3)
    evaluation = system.evaluate(0.1, y, v, a, 50.0, 70.0)
    residual = along(system, y, v, a, 50.0, 70.0)
    free = independent(system)
    d = 1e-3 * rng.normal(size=system.n) * system.scale * free
    slope = apply(evaluation.tangent, d) * free
    steps = 2.0 ** -np.arange(7, 13)
    rest = [
        np.linalg.norm(residual(system.retract(0.0, y, h * d)) - evaluation.residual - h * slope)
        for h in steps
    ]
    assert_allclose(np.log2(np.array(rest[:-1]) / np.array(rest[1:])), 2.0, atol=0.15)


def test_contact_does_not_depend_on_the_candidates(system, rng):
    y, v, a = moving_state(system, rng, 1e-3)
    near = system.evaluate(0.1, y, v, a, tangent=False).residual
    system.contact._search(10.0)
    everything = system.evaluate(0.1, y, v, a, tangent=False).residual
    assert sum(part.runs.element.size for part in system.contact.sets.bones) == 12
    assert_allclose(everything, near, atol=1e-13 * np.abs(near).max(), rtol=0)
    system.contact.candidates.forget()


def contact_forces(system, rng):
    """Sum of contact forces and moments on the fibers about the origin, and on the bones."""
    y, v, a = moving_state(system, rng, 1e-3)
    system.evaluate(0.1, y, v, a, tangent=False)
    contact, total = system.contact, np.zeros(6)
    for part in contact.sets.bones:
        for run, e in enumerate(part.runs.element):
            own = slice(part.runs.point_start[run], part.runs.point_start[run + 1])
            weight = system.partners.weight[part.runs.law[run]] * system.cables.h[e]
            force = weight[:, None] * part.points.force[own]
            total[:3] += force.sum(axis=0)
            total[3:] += np.cross(part.points.x[own], force).sum(axis=0)
    return total, bone_wrenches(system).sum(axis=0)


def test_reaction_is_the_opposite(system, rng):
    """What the joints feel is the opposite of what the fibers feel: the rows of the residual."""
    on_fibers, on_bones = contact_forces(system, rng)
    assert np.linalg.norm(on_fibers[:3]) > 1.0
    assert_allclose(on_bones, -on_fibers, rtol=0, atol=1e-13 * np.abs(on_fibers).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_rigid_motion_of_everything_changes_nothing(formulation):
    R, p = turned(1.1, (0.3, -1.0, 0.5)), np.array([0.4, -0.7, 0.2])
    systems = [fm.build(arm(formulation, motion=motion)) for motion in (None, (R, p))]
    found = []
    for system in systems:
        y, v = system.initial_state()
        evaluation = system.evaluate(0.0, y, v, 0.0 * y, tangent=False)
        nodes, q = system.split(evaluation.residual)
        found.append((nodes[:, :3], q, bone_wrenches(system)[0, :3]))
    size = np.abs(found[0][0]).max()
    assert size > 0.01
    assert_allclose(found[1][0], found[0][0] @ R.T, rtol=0, atol=1e-11 * size)
    assert_allclose(found[1][1], found[0][1], rtol=0, atol=1e-11)
    assert_allclose(found[1][2], R @ found[0][2], rtol=0, atol=1e-11 * size)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_mesh_of_a_capsule_acts_as_the_capsule(formulation):
    """Forces on the joints approach those of the capsule as triangles and grid become finer."""
    ends = (np.zeros(3), np.array([0.0, 0.0, -0.25]))
    exact = None
    error = []
    R = turned(np.pi, (1, 0, 0))
    meshes = [_meshes.capsule(0.02, 0.25, n).placed(R, (0, 0, 0)) for n in (12, 24, 48)]
    for shape in (fm.Capsule(*ends, 0.02), *meshes):
        system = fm.build(arm(formulation, shape))
        y, v = system.initial_state()
        system.evaluate(0.0, y, v, 0.0 * y, tangent=False)
        wrench = bone_wrenches(system)[0]
        if exact is None:
            exact = wrench
        else:
            error.append(np.linalg.norm(wrench - exact) / np.linalg.norm(exact))
    # second order in the size of the triangles
    assert error[-1] < 0.015 and error[0] > 8.0 * error[-1]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_it_moves(formulation):
    """A swing with the mesh under the fibers is that with the capsule, nearly."""
    mesh = _meshes.capsule(0.02, 0.25, 48).placed(turned(np.pi, (1, 0, 0)), (0, 0, 0))
    found = []
    for shape in (fm.Capsule((0, 0, 0), (0, 0, -0.25), 0.02), mesh):
        result = fm.simulate(
            fm.build(arm(formulation, shape)),
            t_end=0.02,
            dt=1e-3,
            method=fm.BackwardEuler(),
            control=fm.FixedSteps(),
        )
        found.append([result.coordinates[name][-1] for name in ("shoulder", "elbow")])
    assert_allclose(found[1], found[0], rtol=2e-2)
    shape = result.bodies["upper"].shapes[0]
    assert shape.kind == "mesh" and shape.vertices.shape[1] == 3 and shape.radius == 0.02


def test_meshes_are_part_of_a_systems_identity():
    """A checkpoint of one mesh is refused with another."""
    times = np.array([0.0, 1.0])
    meshes = [rod(), rod(), _meshes.capsule(0.02, 0.25, 21).placed(np.eye(3), (0, 0, -0.25))]
    first, same, other = (fm.build(arm(shape=mesh)).identity(times) for mesh in meshes)
    assert first == same
    assert [part for part in first if first[part] != other[part]] == ["the contacts"]


def test_visuals_are_not_touched():
    model = fm.Model("seen")
    mesh = _meshes.sphere(0.02, 1)
    body = fm.Body("bone", visuals=mesh)
    assert body.visuals == (mesh,) and body.shapes == ()
    model.add(body)
    model.add(fm.Weld(model.ground, body))
    assert fm.Body("both", shapes=[mesh], visuals=[mesh]).shapes == (mesh,)


def test_a_fiber_that_starts_too_deep_is_refused():
    with pytest.raises(fm.ModelError, match="fiber 'fiber_0'.*body 'upper'"):
        fm.build(arm(shape=_meshes.sphere(0.05, 2).placed(np.eye(3), (0.03, 0, -0.1))))


def dragged_over(mesh, formulation="variational", n_fibers=3):
    """Fibers beside each other, bent over a bone by their ends, which move down within 1 s."""
    vertices = mesh.vertices
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    ring = vertices[np.abs(vertices[:, 1] - middle[1]) < 0.03]
    center, top = ring.mean(axis=0), ring[:, 2].max()
    model = fm.Model("dragged", gravity=(0, 0, 0))
    bone = model.add(fm.Body("bone", shapes=mesh))
    model.add(fm.Weld(model.ground, bone))
    fibers = []
    for i in range(n_fibers):
        y = center[1] + 0.0045 * (i - 0.5 * (n_fibers - 1))

        def end(t, side, y=y):
            s = min(t, 1.0)
            return center[0] + side * (0.06 - 0.01 * s), y, top + 0.004 - 0.05 * s

        fibers.append(
            fm.Fiber(
                f"fiber_{i}",
                attach=[
                    fm.MovingPoint(lambda t, side=side, end=end: end(t, side)) for side in (-1, 1)
                ],
                radius=2e-3,
                n_elements=24,
                tissue=rubber(200.0, prestress=2e4),
            )
        )
    model.add(*fibers)
    law = fm.PenaltyContact(1000.0, 3.0)
    model.add(fm.Contact(fibers, bone, law, formulation=formulation))
    model.add(fm.Contact(fibers, fibers, law, formulation=formulation))
    return fm.build(model)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_fibers_are_dragged_over_a_humerus(shared_models, formulation):
    file = shared_models / "opensim-models" / "Geometry" / "arm_r_humerus.vtp"
    if not file.exists():
        pytest.skip(f"no {file}")
    mesh = fm.read_mesh(file)
    assert not mesh.report.watertight and mesh.report.open_edges > 0
    system = dragged_over(mesh, formulation)
    result = fm.simulate(
        system, t_end=1.5, dt=0.05, method=fm.BackwardEuler(), control=fm.FixedSteps()
    )
    assert result.time.size == 31 and result.min_admissibility.min() > 0.3
    assert result.newton_iterations.mean() < 12.0
    y, _ = fm.equilibrium(system, system.initial_state(), t=0.0)
    for t in np.linspace(0.1, 1.0, 10):
        y, _ = fm.equilibrium(system, (y, 0.0 * y), t=float(t))
    evaluation = system.evaluate(1.0, y, 0.0 * y, 0.0 * y, tangent=False)
    wrench, pulls = bone_wrenches(system)[0], evaluation.reactions
    assert system.contact.n_closed()[1] > 50
    # at rest, what holds the ends carries what the bone receives
    size = np.abs(pulls).sum()
    assert np.linalg.norm(wrench[:3]) > 0.3 * size
    assert_allclose(wrench[:3], pulls.reshape(-1, 3).sum(axis=0), rtol=0, atol=1e-7 * size)
    ends = system.split(y)[0][system.cables.attached_nodes, :3]
    moment = np.cross(ends, pulls.reshape(-1, 3)).sum(axis=0)
    # half passes between fibers leave a small moment
    assert_allclose(wrench[3:], moment, rtol=0, atol=1e-3 * size * 0.2)
    # no fiber comes closer to the surface than the admissible part of its radius
    phi, _ = signed_distance(mesh)(system.split(y)[0][:, :3])
    assert -0.002 < phi.min() < 0.002


def test_no_shortened_update_leaves_the_admissible_range(system, rng):
    """Long updates of fibers and joints, followed all along: 1 + gamma g keeps its part."""
    free, keep, shortened = independent(system), 0.3, 0
    for size in (0.02, 0.1, 0.3) * 4:
        y, _, _ = moving_state(system, rng, 1e-3)
        start = system.evaluate(0.0, y, 0.0 * y, 0.0 * y, tangent=False).admissibility
        d = size * rng.normal(size=system.n) * system.scale * free
        nodes, _ = system.split(d)
        nodes[:, :3] += size * 0.2 * rng.normal(size=3)  # all of them together
        d *= free
        fraction = system.step_fraction(y, d, keep)
        shortened += fraction < 1.0
        for part in np.linspace(0.0, 1.0, 21):
            at = system.retract(0.0, y, part * fraction * d)
            found = system.evaluate(0.0, at, 0.0 * at, 0.0 * at, tangent=False)
            assert found.admissibility >= keep * start * (1.0 - 1e-9)
    assert shortened > 4
