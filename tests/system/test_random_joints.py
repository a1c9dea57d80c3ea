"""Random trees of all joints against plain references of their descriptions.

Poses, mass matrix and C to rounding, by the complex step; the bias and the derivative of C by
differences of those.
"""

import numpy as np
import pytest
import reference.joints as reference
from joint_cases import GRAVITY, a_body, placed
from numpy.testing import assert_allclose

import fibermsk as fm

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 8))]


def spline(rng):
    x = np.sort(rng.uniform(-1.5, 1.5, 5)) + 0.2 * np.arange(5)
    kind = fm.SimmSpline if rng.random() < 0.5 else fm.NaturalSpline
    return kind(x, 0.4 * rng.normal(size=5))


def random_joint(rng, name, parent, body, earlier):
    """Joint of a random kind; a functional one may use coordinates of those before."""
    place, axes = placed(rng), rng.normal(size=(2, 3))
    kinds = ["weld", "hinge", "slider", "universal", "planar", "ball", "free"]
    kind = rng.choice(kinds + 5 * ["functional"])
    if kind == "weld":
        return fm.Weld(parent, body, **place)
    if kind == "hinge":
        return fm.Hinge(name, parent, body, axis=axes[0], value=rng.normal(), **place)
    if kind == "slider":
        return fm.Slider(name, parent, body, axis=axes[0], value=0.2 * rng.normal(), **place)
    if kind == "universal":
        return fm.Universal(name, parent, body, first=axes[0], second=axes[1], **place)
    if kind == "planar":
        return fm.Planar(name, parent, body, normal=axes[0], along=axes[1], **place)
    if kind == "ball":
        return fm.Spherical(name, parent, body, quaternion=rng.normal(size=4), **place)
    if kind == "free":
        return fm.Free(name, parent, body, quaternion=rng.normal(size=4), **place)
    own = [f"{name}_{i}" for i in range(rng.integers(1, 4))]
    coordinates = [
        fm.Coordinate(n, value=0.5 * rng.normal(), locked=bool(rng.random() < 0.2)) for n in own
    ]
    chosen = []
    for i in range(6):
        names = [own[i % len(own)]]
        if rng.random() < 0.4 and earlier:
            names.append(str(rng.choice(earlier)))
        terms = [(n, spline(rng) if rng.random() < 0.6 else fm.Linear(0.7, 0.1)) for n in names]
        terms = terms if rng.random() < 0.85 or i < len(own) else []
        what = "translation" if rng.random() < 0.4 else "rotation"
        chosen.append(fm.Axis(what, rng.normal(size=3), terms, 0.2 * rng.normal()))
    return fm.FunctionalJoint(name, parent, body, coordinates, chosen, **place)


def random_model(rng, n):
    """Tree with branches, and couplings in chains."""
    model = fm.Model("random", gravity=GRAVITY)
    for i in range(n):
        body = model.add(a_body(rng, f"b{i}"))
        parent = model.bodies[int(rng.integers(0, i + 1))]
        earlier = [c.name for c in model.coordinates if c.kind != "quaternion"]
        model.add(random_joint(rng, f"j{i}", parent, body, earlier))
    plain = [c.name for c in model.coordinates if c.kind != "quaternion" and not c.locked]
    for dependent, independent in list(zip(plain[1:], plain, strict=False))[:2]:
        model.add(fm.Coupling(dependent, fm.Polynomial([0.1, 0.4, -0.2]), independent))
    return model


@pytest.mark.parametrize("seed", SEEDS)
def test_random_tree(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 2 + seed % 4)
    if not any(not c.locked for c in model.coordinates):
        pytest.skip("a tree of welds")
    skeleton = fm.skeleton(model)
    own, n = skeleton.independent, skeleton.n
    q, p, a = skeleton.start + 0.2 * rng.normal(size=n), *rng.normal(size=(2, n))
    poses = skeleton.poses(q)
    for name, (R, x) in reference.poses(model, own, q).items():
        assert_allclose(poses[name][0], R, atol=1e-13)
        assert_allclose(poses[name][1], x, atol=1e-13)
    M = reference.mass_matrix(model, own, q)
    lengths = np.zeros((n, n))
    skeleton.passive.add_inertia(q, lengths)
    assert_allclose(skeleton.mass_matrix(q) - lengths, M, atol=1e-12 * (1 + np.abs(M).max()))
    tau = M @ a + reference.bias(model, own, q, p)
    found = skeleton.inverse_dynamics(q, p, a)
    skeleton.passive.add_lengths(q, p, a, minus := np.zeros(n))
    # differences of fourth order with steps of 1e-4, of splines with jumps of third derivatives
    assert_allclose(found - minus, tau, atol=3e-7 * (1 + np.abs(tau).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_attached_points_of_a_random_tree(seed):
    """C by the complex step, and its derivative by differences of that."""
    rng = np.random.default_rng(100 + seed)
    model = random_model(rng, 2 + seed % 4)
    if not any(not c.locked for c in model.coordinates):
        pytest.skip("a tree of welds")
    ends = [(body, 0.2 * rng.normal(size=3)) for body in model.bodies[1:]]
    tissue = fm.Tissue(900.0, fm.KelvinVoigt(1e4, 10.0))
    for k, (body, local) in enumerate(ends):
        x = model.ground.at(*rng.normal(size=3))
        fiber = fm.Fiber(f"f{k}", attach=(x, body.at(local)), radius=1e-3, n_elements=1,
                         tissue=tissue)  # fmt: skip
        model.add(fiber)
    system = fm.build(model)
    skeleton, own = system.skeleton, system.skeleton.independent
    q = skeleton.start + 0.2 * rng.normal(size=skeleton.n)
    motion = skeleton.at(q)
    C = system.attached.jacobian(motion, system.attached.place(motion))
    hessian = system.attachment_hessian(q).todense().reshape(-1, 3, skeleton.n, skeleton.n)
    h, on_bodies = 1e-5, system.cables.point_link >= 0
    bodies = [i for i in range(C.shape[0]) if system.cables.end_side[i] == 1]
    assert np.all(C[[i for i in range(C.shape[0]) if i not in bodies]] == 0.0)
    assert on_bodies[bodies].any()
    for i in bodies:
        body, local = ends[system.cables.point_fiber[i]]
        jacobian = lambda q, b=body, x=local: reference.point_jacobian(model, own, q, b.name, x)  # noqa: E731
        assert_allclose(C[i], jacobian(q), atol=1e-13 * (1 + np.abs(C).max()))
        for k, e in enumerate(np.eye(skeleton.n)):
            slope = (jacobian(q + h * e) - jacobian(q - h * e)) / (2 * h)
            assert_allclose(hessian[i, :, :, k], slope, atol=1e-6 * (1 + np.abs(slope).max()))
