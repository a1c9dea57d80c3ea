"""Long motions of a free tree: what discrete mechanics keeps, and what it does not let drift."""

from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("casadi", reason="optimal control needs CasADi: pip install fibermsk[control]")

from control.marching import march
from scenes_of_tests import load_scene

import fibermsk as fm
from fibermsk.control.mechanics.directors import Directors
from fibermsk.control.mechanics.discrete import Discrete, Node
from fibermsk.control.mechanics.tree import LinkTree


def free_arms():
    """The two arms of the scene on a free torso, without gravity, torques and damping."""
    scene: Any = load_scene("upper_body")
    model = fm.Model("free arms", gravity=(0, 0, 0))
    torso = model.add(fm.Body("torso", 33.0, (0.0, 0.0, 0.25), (1.0, 0.8, 0.35)))
    model.add(fm.Free("base", model.ground, torso))
    for side, s in scene.SIDES.items():
        bodies = [
            model.add(fm.Body(f"{name}_{side}", *numbers[:3]))
            for name, numbers in scene.BODIES.items()
        ]
        upper, ulna, radius, hand = bodies
        model.add(
            fm.Spherical(f"shoulder_{side}", torso, upper, (0, 0.19 * s, 0.42)),
            fm.Hinge(f"elbow_{side}", upper, ulna, (0, 0, -0.29), (0, -1, 0)),
            fm.Hinge(f"forearm_{side}", ulna, radius, (0, 0, -0.02), (0, 0, -s)),
            fm.Hinge(f"wrist_{side}", radius, hand, (0, 0, -0.24), (-s, 0, 0)),
        )
    return model


class Kept(NamedTuple):
    """What a motion keeps.

    Attributes
    ----------
    momenta : (n, 6) float array
        Linear [N s] and angular [N m s], about the origin of the ground, after each interval.
    energy : (n,) float array
        Kinetic energy of each interval about the common center of mass [J].
    constraints : (n + 1,) float array
        Largest violation at each node [- or m].
    """

    momenta: np.ndarray
    energy: np.ndarray
    constraints: np.ndarray


def moved(n, h):
    """The arms over n steps of h, from random speeds of about 2 rad/s in a random pose.

    Momenta are D_2 L_d = M (q_1 - q_0) / h, pulled by translations and rotations of the whole: no
    joints, no null space.
    """
    rng, model = np.random.default_rng(3), free_arms()
    own = Discrete(Directors(LinkTree.of(model)))
    directors = own.directors
    start = Node(0.3 * rng.normal(size=directors.degrees), np.tile(np.eye(3), len(directors.balls)))
    speeds = rng.normal(size=directors.degrees)
    speeds[:6] *= [0, 0, 0, 0.3, 0.3, 0.3]  # of the torso, which stays near; the arms are fast
    motion = march(own, start, 2.0 * speeds, h, n)
    q = np.array([np.array(directors.place(*node)).ravel() for node in motion.nodes])
    violations = [np.abs(np.array(directors.constraints(one))).max() for one in q]
    rates = np.diff(q, axis=0) / h
    p = rates @ np.array(directors.mass)
    vectors, at = p.reshape(n, -1, 4, 3), q[1:].reshape(n, -1, 4, 3)
    # a translation moves the centers, a rotation all vectors
    linear, angular = vectors[:, :, 0].sum(axis=1), np.cross(at, vectors).sum(axis=(1, 2))
    mass = sum(body.mass or 0.0 for body in model.bodies)
    energy = 0.5 * np.einsum("ni,ni->n", rates, p) - 0.5 * (linear**2).sum(axis=1) / mass
    return Kept(np.hstack([linear, angular]), energy, np.array(violations))


def test_a_free_torso_with_arms_keeps_its_momenta():
    """Two lengths of steps: momenta and constraints to round-off, the energy to order two."""
    waves = []
    for n in (60, 120):
        own = moved(n, 0.6 / n)
        assert np.abs(own.momenta - own.momenta[0]).max() < 2e-11  # of 11 N s, round-off by h
        assert own.constraints.max() < 1e-13
        waves.append(np.ptp(own.energy))
    assert waves[1] < 1e-3 * own.energy[0]
    assert np.log2(waves[0] / waves[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.slow
def test_a_motion_of_8000_steps_does_not_drift():
    """The energy swings by one or two percent where limbs pass fast, and comes back to a tenth.

    When it does is up to round-off, which a motion of arms that turn over amplifies.
    """
    own = moved(8000, 0.01)
    assert np.linalg.norm(own.momenta[0, :3]) == pytest.approx(11.5, abs=0.1)
    # 3.3e-9: round-off of positions of some meters, times mass over h, summed up
    assert np.abs(own.momenta - own.momenta[0]).max() < 1e-8
    assert own.constraints[:2001].max() < 1e-13
    assert own.constraints.max() < 2e-13
    off = np.abs(own.energy / own.energy[0] - 1.0).reshape(8, -1)
    assert off.max() < 0.05 and (off.min(axis=1) < 2e-3).all()
