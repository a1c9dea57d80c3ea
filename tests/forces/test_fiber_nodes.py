"""The port to a fiber's nodes: springs and dampers on all of them, tangents and an exact answer."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scenes_of_tests import rubber, two_link_arm

import fibermsk as fm
from fibermsk.system.fibers.nodes import FiberNodes


class Foundation(NamedTuple):
    """Springs and dampers from every node to its place in the reference configuration."""

    name: str
    fiber: str
    stiffness: float
    damping: float

    bodies, coordinates, signals = (), (), ()

    def contribute(self, configuration):
        return Bed(self, FiberNodes(configuration, self.fiber))


class Bed:
    def __init__(self, element, nodes):
        self.element, self.nodes, self.rest = element, nodes, None
        self.by = np.zeros((nodes.n, 6, 6))
        self.by[:, :3, :3] = -np.eye(3)

    def add(self, at, sums):
        (x, v), (_, _, k, c) = self.nodes.at(at), self.element
        self.rest = x.copy() if self.rest is None else self.rest
        force = np.zeros_like(x)
        force[:, :3] = -k * (x - self.rest)[:, :3] - c * v[:, :3]
        self.nodes.push(sums, force, k * self.by, c * self.by)

    def follow_ends(self, at, velocity, acceleration, columns):
        self.nodes.follow_ends(velocity, self.element.damping * self.by, columns)


def test_tangents_with_moving_ends():
    """All ends of the second fiber move with bodies, in positions and velocities."""
    model = two_link_arm(elements=3, contact=False)
    model.add(Foundation("bed", "fiber_1", 30.0, 2.0))
    assert fm.check_contribution(fm.build(model), "bed") < 1e-6


def test_springs_and_ends_carry_the_weight():
    """Half of it each, about: the balance is exact."""
    model = fm.Model("bed", gravity=(0, 0, -9.81))
    ends = model.ground.at(0, 0, 0), model.ground.at(0.1, 0, 0)
    tissue = rubber(10.0, prestress=2e4)
    model.add(fm.Fiber("f", attach=ends, radius=4e-3, n_elements=6, tissue=tissue))
    model.add(Foundation("bed", "f", 30.0, 0.0))
    system = fm.build(model)
    y, v = system.initial_state()
    system.evaluate(0.0, y, v, 0.0 * v)  # takes the reference
    y, v = fm.equilibrium(system)
    nodes, _ = system.configuration.split(y)
    springs = -30.0 * nodes.reshape(-1, 6)[:, 2].sum()
    held = system.evaluate(0.0, y, v, 0.0 * v).reactions[:, 2].sum()
    weight = 1000.0 * np.pi * 4e-3**2 * 0.1 * 9.81
    assert_allclose(springs + held, weight, rtol=1e-8)
    assert 0.2 < springs / weight < 0.8


def test_other_names_are_refused():
    model = two_link_arm(elements=2, contact=False)
    model.add(Foundation("bed", "fibre", 1.0, 0.0))
    with pytest.raises(fm.ModelError, match="FiberNodes: fiber = 'fibre'; must be one of"):
        fm.build(model)
