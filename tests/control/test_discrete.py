"""Discrete mechanics: orders, what it keeps, and constraints with multipliers as the reference."""

import numpy as np
import pytest

pytest.importorskip("casadi", reason="optimal control needs CasADi: pip install fibermsk[control]")

import casadi as ca
from control.marching import march
from control.trees import random_node, random_tree

import fibermsk as fm
from fibermsk.control.mechanics.directors import Directors
from fibermsk.control.mechanics.discrete import Discrete, Node
from fibermsk.control.mechanics.tree import LinkTree


def arm(damping=0.0):
    model = fm.Model("arm", gravity=(0, 0, -9.81))
    first = model.add(fm.Body("first", 1.0, (0.02, 0.01, -0.15), (1e-2, 1.1e-2, 2e-3)))
    second = model.add(fm.Body("second", 0.7, (0, 0.02, -0.12), (5e-3, 5e-3, 5e-4)))
    axis = (0.1, 1, 0.2)
    model.add(
        fm.Hinge("h", model.ground, first, (0, 0, 0), axis, value=0.7, speed=1.0, damping=damping),
        fm.Universal("u", first, second, (0, 0, -0.3), (0, 1, 0), (1, 0.2, 0), damping=damping),
    )
    return model


def discrete(model):
    return Discrete(Directors(LinkTree.of(model)))


@pytest.mark.parametrize("damping", [pytest.param(0.0, marks=pytest.mark.slow), 0.1])
def test_order_is_two_towards_the_packages_own_motion(damping):
    model = arm(damping)
    exact = fm.simulate(
        fm.build(model), t_end=0.5, dt=0.5, method=fm.SDIRK4(), control=fm.FixedSteps(1000)
    )
    end = np.array([exact.coordinate(name)[-1] for name in ("h", "u_1", "u_2")])
    own, start = discrete(model), Node(np.array([0.7, 0.0, 0.0]), np.zeros((3, 0)))
    errors = []
    for n in (50, 100):
        motion = march(own, start, np.array([1.0, 0.0, 0.0]), 0.5 / n, n)
        errors.append(np.abs(motion.nodes[-1].s - end).max())
    assert errors[1] < 1e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


def test_a_free_tree_keeps_its_momenta(rng):
    model = random_tree(rng, ("free", "spherical", "hinge", "universal"), gravity=(0, 0, 0))
    own = discrete(model)
    directors, h, n = own.directors, 5e-3, 100
    start = Node(*random_node(rng, directors))
    motion = march(own, start, rng.normal(size=directors.degrees), h, n)
    q = np.array([np.array(directors.place(*node)).ravel() for node in motion.nodes])
    assert max(np.abs(np.array(directors.constraints(one))).max() for one in q) < 1e-13
    rates, M = np.diff(q, axis=0) / h, np.array(directors.mass)
    p, at = (rates @ M).reshape(n, -1, 4, 3), q[1:].reshape(n, -1, 4, 3)
    linear, angular = p[:, :, 0].sum(axis=1), np.cross(at, p).sum(axis=(1, 2))
    assert np.abs(linear - linear[0]).max() < 1e-11 * np.abs(linear[0]).max()
    assert np.abs(angular - angular[0]).max() < 1e-11 * np.abs(angular[0]).max()
    energy = 0.5 * np.einsum("ni,ij,nj->n", rates, M, rates)
    assert np.abs(energy - energy[0]).max() < 1e-2 * energy[0]


def test_the_reduced_equations_are_those_with_multipliers(rng):
    """D_2 L_d + D_1 L_d = h G^T lambda, g = 0, in all director coordinates."""
    own = discrete(random_tree(rng, ("spherical", "hinge", "slider")))
    directors, h = own.directors, 0.01
    motion = march(
        own, Node(*random_node(rng, directors)), rng.normal(size=directors.degrees), h, 6
    )
    nodes = [np.array(directors.place(*node)).ravel() for node in motion.nodes]
    symbol = ca.SX.sym("q", directors.n)
    g = directors.constraints(symbol)
    slope = ca.Function("G", [symbol], [ca.jacobian(g, symbol)])
    M, weight = np.array(directors.mass), np.array(directors.weight).ravel()
    for before, here, expected in zip(nodes[:-2], nodes[1:-1], nodes[2:], strict=True):
        G = np.array(slope(here))
        q, multipliers = 2.0 * here - before, np.zeros(G.shape[0])
        for _ in range(20):
            balance = M @ (here - before) / h - M @ (q - here) / h + h * weight
            rest = np.r_[
                balance - h * G.T @ multipliers, np.array(directors.constraints(q)).ravel()
            ]
            there = np.array(slope(q))
            matrix = np.block([[-M / h, -h * G.T], [there, np.zeros((G.shape[0],) * 2)]])
            change = np.linalg.lstsq(matrix, rest)[0]
            q, multipliers = q - change[: q.size], multipliers - change[q.size :]
        np.testing.assert_allclose(q, expected, atol=1e-12)


def test_torques_do_work(rng):
    """A torque of 0.3 N m turns 0.03 kg m^2 by 0.5 rad in 0.316 s: exact, as it is constant."""
    model = fm.Model("wheel", gravity=(0, 0, 0))
    wheel = model.add(fm.Body("wheel", 1.0, (0, 0, 0), (0.02, 0.03, 0.04)))
    model.add(fm.Hinge("turn", model.ground, wheel, (0, 0, 0), (0, 1, 0)))
    own, n, h = discrete(model), 40, 2.5e-3
    start = Node(np.zeros(1), np.zeros((3, 0)))
    motion = march(own, start, np.zeros(1), h, n, np.full((n, 1), 0.3))
    assert motion.momenta[-1, 0] == pytest.approx(0.3 * n * h, rel=1e-4)
    assert motion.nodes[-1].s[0] == pytest.approx(0.5 * 10.0 * (n * h) ** 2, rel=1e-5)
