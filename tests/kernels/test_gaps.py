"""Slots of many fibers: what they do not depend on, and what open ones hold."""

import numpy as np
import pytest
from contact_parts import KAPPA
from kernel_parts import build_sparse, fiber, spindle
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import fibermsk as fm
from fibermsk.elements import hermite, hermite_d1
from fibermsk.kernels.contact_arrays import FiberUpdate
from fibermsk.kernels.fibers.shape import bezier_hull
from fibermsk.kernels.search import safeguard

GAMMA = 3.0
FORMULATIONS = ["half_pass", "variational"]


def bundle(formulation, n=7, taper=0.05):
    """Fibers around one in the middle, in contact, and their system."""
    model = fm.Model("bundle")
    turn = 2.0 * np.pi * np.arange(n - 1) / (n - 1)
    centers = np.r_[[[0.0, 0.0]], 0.0115 * np.c_[np.cos(turn), np.sin(turn)]]
    fibers = [
        model.add(
            fiber(f"f{i}", [(0, y, z), (0.2, y, z)], radius=spindle(0.006, taper), n_elements=12)
        )
        for i, (y, z) in enumerate(centers)
    ]
    law = fm.PenaltyContact(KAPPA, GAMMA)
    model.add(fm.Contact(fibers, fibers, law, formulation=formulation))
    return build_sparse(model)


def deformed(rng, system, size=1.0):
    """Nodes with scatter of a part of the radius and uneven tangents."""
    nodes = system.cables.reference.copy()
    nodes[:, :3] += size * 4e-4 * rng.normal(size=(len(nodes), 3))
    nodes[:, 3:] *= 1.0 + size * 0.05 * rng.normal(size=(len(nodes), 1))
    nodes[:, 3:] += size * 0.01 * rng.normal(size=(len(nodes), 3))
    return nodes


def evaluate(system, nodes):
    """Least 1 + gamma g, and copies of all that the slots hold."""
    zero = np.zeros((3, 0))
    least = system.contact.evaluate(nodes, system.tree.evaluate(*zero))
    part = max(system.contact.sets.fibers, key=lambda part: part.points.xi.size)
    held = getattr(part, "_held", np.zeros(0, bool))
    points = part.points._replace(force=part.forces(system.contact.geometry))
    return least, [a.copy() for a in (*points, held)], part


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slots_depend_on_the_configuration_alone(rng, formulation):
    """Bitwise identical, independent of earlier contents."""
    system = bundle(formulation)
    nodes = deformed(rng, system)
    least, first, part = evaluate(system, nodes)
    assert least < 0.95
    for size in (0.3, 1.0):
        evaluate(system, deformed(rng, system, size))
        for values in (part.points.xi, part.points.state):
            values[:] = np.nan
        part.points.element[:] = -9
        again, second, _ = evaluate(system, nodes)
        assert again == least
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_open_slots_hold_a_lower_bound(rng, formulation):
    """Within a part of 1e-4 of the distance to the nearest sample of the candidates."""
    system = bundle(formulation)
    nodes = deformed(rng, system)
    _, (element, at, state, force, *_), part = evaluate(system, nodes)
    c, runs = system.cables, part.runs
    xi = np.linspace(0.0, 1.0, 201)
    widest = system.contact.geometry.widest if formulation == "variational" else np.zeros(c.h.size)
    is_open = state[:, 0] >= state[:, 1]
    radii = part.radii()
    assert 100 < is_open.sum() < is_open.size - 100
    assert np.all(force[is_open] == 0.0)
    assert np.all(np.any(force[~is_open] != 0.0, axis=1))
    for run in rng.choice(runs.element.size, 60, replace=False):
        e = runs.element[run]
        candidates = runs.candidates[runs.start[run] : runs.start[run + 1]]
        control = nodes[c.elements[candidates]].reshape(-1, 4, 3)
        h = c.h[candidates]
        N = np.array([np.stack(np.broadcast_arrays(*hermite(xi, step))) for step in h])
        points = np.einsum("eak,eai->eki", N, control).reshape(-1, 3)
        longest = np.linalg.norm(np.diff(points, axis=0), axis=1).max()
        for k in range(5):
            s = runs.point_start[run] + k
            x = np.array(hermite(c.xi[k], c.h[e])) @ nodes[c.elements[e]].reshape(4, 3)
            sampled = np.linalg.norm(points - x, axis=1).min()
            if is_open[s]:
                # within reach of the widest section a slot holds the least gap, not the distance
                far = state[s, 0] >= radii[s] + widest[candidates[0]]
                if far:
                    assert state[s, 0] <= sampled * (1.0 + 1e-12)
                else:
                    other = nodes[c.elements[element[s]]].reshape(4, 3)
                    y = np.array(hermite(at[s], c.h[element[s]])) @ other
                    assert_allclose(state[s, 0], np.linalg.norm(y - x), rtol=1e-13)
                # half a cell beside the sample; the bound
                assert state[s, 0] >= (sampled - longest**2 / sampled) * (1.0 - 2e-4)
            assert element[s] in candidates or not is_open[s]


def plain_fraction(system, part, update, keep):
    """The safeguard's estimate for every slot, one by one, by root finding."""
    c, runs = system.cables, part.runs
    hull = np.empty((c.h.size, 4, 3))
    bezier_hull(update, c.elements, c.h, hull)
    slopes = np.linalg.norm(3.0 * np.diff(hull, axis=1), axis=2).max(axis=1) / c.h
    fraction = 1.0
    for run, e in enumerate(runs.element):
        candidates = runs.candidates[runs.start[run] : runs.start[run + 1]]
        control = update[c.elements[e]].reshape(4, 3)
        dy = slopes[candidates].max()
        for k in range(5):
            d, R, y_length = part.points.state[runs.point_start[run] + k]
            admissibility = 1.0 + GAMMA * (d / R - 1.0)
            r_x, length = part.quadrature.values[part.quadrature.of_run[run], k, 6:]
            dx = np.array(hermite(c.xi[k], c.h[e])) @ control
            dt = np.linalg.norm(np.array(hermite_d1(c.xi[k], c.h[e])) @ control)
            s = np.linalg.norm(hull[candidates] - dx, axis=2).max()

            bound = keep * min(admissibility, 1.0)

            def left(f, d=d, r=(r_x, R - r_x), t=(length, y_length), s=s, dt=(dt, dy), bound=bound):
                shorter = [1.0 - f * b / a for a, b in zip(t, dt, strict=True)]
                if min(shorter) <= 0.0:
                    return -np.inf
                R = sum(a / np.sqrt(b) for a, b in zip(r, shorter, strict=True))
                return 1.0 + GAMMA * ((d - f * s) / R - 1.0) - bound

            if left(fraction) < 0.0:
                high = fraction
                while not np.isfinite(left(high)):
                    high *= 0.99
                fraction = brentq(left, 0.0, high, xtol=1e-15, rtol=1e-14)
    return fraction


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("size", [1e-5, 1e-4, 1e-3, 1e-2])
def test_safeguard_against_every_slot(rng, formulation, size):
    """Neither the balls nor the sample nor the threads change what the slots allow."""
    system = bundle(formulation)
    nodes = deformed(rng, system, 0.5)
    _, _, part = evaluate(system, nodes)
    c, p, runs = system.cables, system.partners, part.runs
    update = size * rng.normal(size=nodes.shape)
    update[:, 3:] *= 10.0
    update[: c.node_start[1], 2] += size
    hull = np.empty((c.h.size, 4, 3))
    bezier_hull(update, c.elements, c.h, hull)
    arguments = (
        c.elements, c.h, FiberUpdate(update, hull, np.zeros(c.h.size)), runs, p.laws,
        part.quadrature, part.points.state, 1.0, 0.3, np.empty((c.h.size, safeguard.N_WAYS)),
        np.empty((runs.element.size, 2)),
    )  # fmt: skip
    loop = safeguard.fiber_fraction
    found = [compiled(*arguments) for compiled in (loop.alone, loop.shared)]
    assert found[0] == found[1]
    expected = plain_fraction(system, part, update, 0.3)
    assert (expected < 1.0) == (size > 1e-4)
    assert found[0] <= expected * (1.0 + 1e-13)
    assert_allclose(found[0], expected, rtol=2e-12)  # cut by 1e-12 to be on the safe side


def test_common_motions_are_free(rng):
    """Every fiber shifted and, with a remainder, only what that takes."""
    system = bundle("variational")
    _, _, part = evaluate(system, deformed(rng, system, 0.5))
    c, p, runs = system.cables, system.partners, part.runs
    update = np.zeros_like(c.reference)
    update[:, :3] = [1.0, -2.0, 3.0]
    hull = np.empty((c.h.size, 4, 3))
    bezier_hull(update, c.elements, c.h, hull)
    for remainder, free in ((0.0, True), (1e-7, True), (0.01, False)):
        fraction = safeguard.fiber_fraction(
            c.elements, c.h, FiberUpdate(update, hull, np.full(c.h.size, remainder)), runs, p.laws,
            part.quadrature, part.points.state, 1.0, 0.3, np.empty((c.h.size, safeguard.N_WAYS)),
            np.empty((runs.element.size, 2)),
        )  # fmt: skip
        assert (fraction == 1.0) == free


def test_forces_afterwards_are_those_of_the_search(rng):
    """Bitwise: where `find_gaps` has room for forces, it fills what `fill_forces` computes."""
    system = bundle("variational")
    nodes = deformed(rng, system)
    _, (*_, expected, _, _), part = evaluate(system, nodes)
    room = np.full((part.points.xi.size, 3), np.nan)
    part.points = part.points._replace(force=room)
    system.contact.evaluate(nodes, system.tree.evaluate(*np.zeros((3, 0))))
    assert np.array_equal(room, expected)
    assert np.any(expected != 0.0)
