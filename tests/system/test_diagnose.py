"""What is said of states that cannot be evaluated, or from which a step fails."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scenes_of_tests import rubber, two_link_arm

import fibermsk as fm
from fibermsk.solvers import State


def bent_arm():
    system = fm.build(two_link_arm())
    return system, *system.initial_state()


STRESS = {"passive elastic": 0, "passive viscous": 1, "active": 2, "prestress": 6}


@pytest.mark.parametrize("part", STRESS)
def test_stress_that_is_not_finite_is_named(part):
    system, y, v = bent_arm()
    cables = system.cables
    row = cables.row_of[cables.element_start[1] + 2]
    cables.rows.law[row, 3, STRESS[part]] = np.nan
    flaw = system.evaluate(0.0, y, v, 0.0 * v).flaw
    element = np.flatnonzero(cables.row_of == row)[0]  # the first of those that share the row
    name, start = cables.names[cables.fiber[element]], cables.theta[cables.elements[element, 0]]
    theta = start + cables.h[element] * cables.xi[3]
    assert flaw == f"the {part} stress of fiber {name!r} at theta = {theta:.3g}"


def test_other_terms_that_are_not_finite_are_named():
    system, y, v = bent_arm()
    assert system.evaluate(0.0, y, v, 0.0 * v).flaw == ""
    rate = 0.0 * v
    rate[6 * 2 + 1] = np.nan
    assert system.evaluate(0.0, y, v, rate).flaw == "the acceleration of fiber_0 node 2, y"
    system.cables.rows.bending[1] = np.inf
    assert "bending" in system.evaluate(0.0, y, v, 0.0 * v).flaw
    system, y, v = bent_arm()
    system.loads.at(0.0)[0][3, 2] = np.nan
    assert system.evaluate(0.0, y, v, 0.0 * v).flaw == "the load at fiber_0 node 3, x"
    system, y, v = bent_arm()
    system.partners.constants[1, 0] = np.nan
    assert re.fullmatch(
        "the contact force between fiber 'fiber_.' and body '(upper|lower)'",
        system.evaluate(0.0, y, v, 0.0 * v).flaw,
    )
    system, y, v = bent_arm()
    system.tree.bodies.gravity[2] = np.inf
    assert system.evaluate(0.0, y, v, 0.0 * v).flaw == "the equation of motion of shoulder"


def test_newton_stops_at_once_and_names_the_term():
    system, y, v = bent_arm()
    memory = fm.BackwardEuler().start(system, State(0.0, y, v))
    system.cables.rows.law[:, :, 2] = np.nan
    report = fm.BackwardEuler().step(system, fm.Newton(), memory, 0.01).reports[-1]
    assert not report.converged and not report.history
    assert report.reason.startswith("NaN or infinity in the active stress of fiber 'fiber_0'")
    with pytest.raises(fm.ConvergenceError, match="at t = 0 s: NaN or infinity in the active"):
        fm.simulate(system, t_end=0.1, dt=0.05, method=fm.BackwardEuler(), control=fm.FixedSteps())


def fiber_along(points, bending=0.0):
    """A system of one fiber, straight at first, and the state with its nodes at these points."""
    length = 0.1 * (len(points) - 1)
    model = fm.Model("one", gravity=(0, 0, 0))
    ends = model.ground.at(0, 0, 0), model.ground.at(length, 0, 0)
    tissue = replace(rubber(), bending=bending)
    model.add(fm.Fiber("f", attach=ends, radius=5e-3, n_elements=len(points) - 1, tissue=tissue))
    system = fm.build(model)
    y, v = system.initial_state()
    system.split(y)[0][:, :3] = points
    return system, y, v


def test_slack_fiber_is_suspected():
    """Squeezed to 0.8 of its length everywhere: the force of the law."""
    points = [(0.08 * i, 0, 0) for i in range(4)]
    for bending in (0.0, 1.0):
        system, y, v = fiber_along(points, bending)
        system.split(y)[0][:, 3:] = (0.24, 0, 0)
        force, theta = system.least_tension(0.0, y, v)
        exact = np.pi * 5e-3**2 * 5e4 * (0.8 - 0.8**-2)
        np.testing.assert_allclose(force, exact, rtol=1e-12)
        (text,) = system.suspects(0.0, y, v)
        assert f"fiber 'f' is compressed by {-exact:.3g} N at theta = {theta[0]:.2f}" in text
        assert ("bending" in text) == (bending == 0.0)


def test_folded_and_overstretched_fibers_are_suspected():
    system, y, v = fiber_along([(0, 0, 0), (0.3, 0.05, 0), (0.3, 0.2, 0), (0, 0.3, 0)])
    nodes = system.split(y)[0]
    nodes[:, 3:] = [(0.9, 0, 0), (0.9, 0, 0), (-0.9, 0, 0), (-0.9, 0, 0)]
    texts = system.suspects(0.0, y, v)
    assert any("fiber 'f' folds within an element" in text for text in texts)
    assert any("the stretch of fiber 'f' goes from" in text for text in texts)


def test_a_deep_contact_is_suspected():
    system, y, v = bent_arm()
    nodes = system.split(y)[0]
    assert not any("contact" in text for text in system.suspects(0.0, y, v))
    own = slice(system.cables.node_start[1], system.cables.node_start[2])
    for shift in np.linspace(0.0, 0.004, 400):
        moved = y.copy()
        system.split(moved)[0][own, 1] = nodes[own, 1] + shift
        found = [text for text in system.suspects(0.0, moved, v) if "contact" in text]
        if found:
            break
    assert "% of its depth left: use a stiffer contact" in found[0]


def test_tension_without_fibers():
    model = fm.Model("bare")
    body = model.add(fm.Body("b", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.Hinge("h", model.ground, body, at=(0, 0, 0), axis=(0, 1, 0)))
    system = fm.build(model)
    y, v = system.initial_state()
    force, theta = system.least_tension(0.0, y, v)
    assert force.size == theta.size == 0 and system.suspects(0.0, y, v) == []
