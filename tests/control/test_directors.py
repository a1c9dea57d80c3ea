"""Director coordinates of trees: rigid links, joints that hold, null space, kinematics."""

import numpy as np
import pytest

pytest.importorskip("casadi", reason="optimal control needs CasADi: pip install fibermsk[control]")

import casadi as ca
from control.trees import KINDS, random_node, random_tree
from scipy.spatial.transform import Rotation

import fibermsk as fm
from fibermsk.control.mechanics.directors import Directors
from fibermsk.control.mechanics.tree import LinkTree

CHAINS = [(kind, "hinge") for kind in KINDS] + [KINDS, tuple(reversed(KINDS))]


@pytest.mark.parametrize("kinds", CHAINS, ids="-".join)
def test_links_stay_rigid_and_the_null_space_is_that_of_the_constraints(rng, kinds):
    own = Directors(LinkTree.of(random_tree(rng, kinds)))
    q = own.place(*random_node(rng, own))
    assert np.abs(np.array(own.constraints(q))).max() < 1e-13
    stepped = own.step(rng.normal(size=own.degrees), q)
    assert np.abs(np.array(own.constraints(stepped))).max() < 1e-13
    P, symbol = np.array(own.null_space(q)), ca.SX.sym("q", own.n)
    slope = ca.jacobian(own.constraints(symbol), symbol)
    G = np.array(ca.Function("G", [symbol], [slope])(q))
    assert np.abs(G @ P).max() < 1e-13
    assert np.linalg.matrix_rank(P) == own.degrees
    assert np.linalg.matrix_rank(G) == own.n - own.degrees
    w = rng.normal(size=own.n)
    np.testing.assert_allclose(np.array(own.pull(q, w)).ravel(), P.T @ w, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kinds", CHAINS, ids="-".join)
def test_bodies_are_where_the_model_has_them(rng, kinds):
    """Places and kinetic energy, by the package's own kinematics."""
    model = random_tree(rng, kinds)
    system, own = fm.build(model), Directors(LinkTree.of(model))
    s, references = random_node(rng, own)
    y, v = system.initial_state()
    (_, q), (_, p) = system.split(y), system.split(v)
    names, rates = system.skeleton.independent, rng.normal(size=own.degrees)
    for k, (link, at) in enumerate(zip(own.tree.links, own.tree.slots(), strict=True)):
        if link.degrees == 1:
            q[names.index(link.coordinate)] = s[at][0]
            p[names.index(link.coordinate)] = rates[at][0] / link.slope
        elif link.degrees == 3:
            ball = own.balls.index(k)
            R = references[:, 3 * ball : 3 * ball + 3]
            s[at] = 0.0
            x, yy, z, w = Rotation.from_matrix(R).as_quat()
            own_names = [f"{link.coordinate}_{part}" for part in "wxyz"]
            for name, value in zip(own_names, (w, x, yy, z), strict=True):
                q[names.index(name)] = value
            # the rate of a unit quaternion under an angular velocity in the parent's frame
            rate = (
                0.5
                * np.r_[-rates[at] @ (x, yy, z), w * rates[at] + np.cross(rates[at], (x, yy, z))]
            )
            for name, value in zip(own_names, rate, strict=True):
                p[names.index(name)] = value
    placed = np.array(own.place(s, references)).reshape(-1, 4, 3)
    links = system.skeleton.at(q).links
    for body in model.bodies:
        if body is model.ground:
            continue
        number, R, x = system.tree.frames[body.name]
        turn = R if number < 0 else links.rotation[number] @ R
        origin = x if number < 0 else links.rotation[number] @ x + links.position[number]
        found = placed[own.tree.of_body[body.name]]
        np.testing.assert_allclose(found[1:].T, turn, atol=1e-12)
        np.testing.assert_allclose(found[0], origin + turn @ np.asarray(body.com), atol=1e-12)
    P = np.array(own.null_space(own.place(s, references)))
    energy = 0.5 * (P @ rates) @ np.array(own.mass) @ (P @ rates)
    assert energy == pytest.approx(system.energy(y, v).kinetic, rel=1e-10)


def test_a_locked_coordinate_is_fixed(rng):
    model = random_tree(rng, ("hinge", "slider"))
    turn, slide = model.coordinates
    held = model.edit({turn: {"value": 0.4, "locked": True}, slide: {"value": 0.2, "locked": True}})
    own = Directors(LinkTree.of(held))
    assert own.degrees == 0
    free = Directors(LinkTree.of(model))
    none = np.zeros((3, 0))
    np.testing.assert_allclose(
        np.array(own.place(np.zeros(0), none)), np.array(free.place([0.4, 0.2], none)), atol=1e-14
    )


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda m: m.edit({m.coordinates[0]: {"prescribed": fm.Polynomial([0.0, 1.0])}}),
         "must be free or locked"),
        (lambda m: _bent(m), "axis = .*must be linear in one coordinate"),
        (lambda m: _impossible(m), "inertia with|must have no principal moment above"),
        (lambda m: "model", "must be a Model"),
    ],
)  # fmt: skip
def test_what_cannot_be_transcribed_is_refused(rng, change, words):
    with pytest.raises(fm.ModelError, match=words):
        LinkTree.of(change(random_tree(rng, ("hinge", "hinge"))))


def _bent(model):
    body = model.add(fm.Body("last", 1.0, (0, 0, 0), (1e-3,) * 3))
    axes = [fm.Axis("rotation", (1, 0, 0), (("bent", fm.Polynomial([0.0, 1.0, 0.5])),))]
    model.add(fm.FunctionalJoint("bend", model.bodies[1], body, [fm.Coordinate("bent")], axes))
    return model


def _impossible(model):
    body = model.add(fm.Body("last", 1.0, (0, 0, 0), (1e-3, 1e-3, 3e-3), strict=False))
    model.add(fm.Hinge("odd", model.ground, body, (0, 0, 0), (1, 0, 0)))
    return model
