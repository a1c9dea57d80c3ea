"""Least axial force of fibers against the stress law, element by element."""

import numpy as np
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.elements import gauss_rule
from fibermsk.elements.hermite import hermite_d1
from fibermsk.laws.stress import nominal_stress
from fibermsk.system.fibers.tension import TensionProbe


def test_least_tension_is_the_least_weighted_mean_of_an_element(rng):
    system = fm.build(two_link_arm(elements=3, contact=False))
    y, _ = system.initial_state()
    y = system.retract(0.0, y, 0.01 * rng.normal(size=system.n))
    v = system.enforce(y, 0.1 * rng.normal(size=system.n))
    force, theta = system.least_tension(0.0, y, v)
    cables = system.cables
    nodes, velocity = system.split(y)[0], system.split(v)[0]
    xi, weight = gauss_rule(5)
    for f in range(3):
        found = []
        for e in range(cables.element_start[f], cables.element_start[f + 1]):
            mean = 0.0
            for k in range(5):
                slopes = np.array(hermite_d1(xi[k], cables.h[e]))
                a, b = (
                    slopes @ part[cables.elements[e]].reshape(4, 3) for part in (nodes, velocity)
                )
                stretch = np.linalg.norm(a) / cables.G0[e, k]
                rate = a @ b / np.linalg.norm(a) / cables.G0[e, k]
                P, _, _ = nominal_stress(stretch, rate, 0.3, *cables.rows.law[cables.row_of[e], k])
                mean += weight[k] * 6.0 * xi[k] * (1.0 - xi[k]) * cables.area[e, k] * P
            found.append((mean, cables.theta[cables.elements[e, 0]] + 0.5 * cables.h[e]))
        np.testing.assert_allclose((force[f], theta[f]), min(found), rtol=1e-12)


def test_a_force_that_is_no_number_is_the_least():
    system = fm.build(two_link_arm(elements=3, contact=False))
    y, v = system.initial_state()
    nodes = system.split(y)[0].copy()
    nodes[system.cables.node_start[1] + 3] = np.nan
    force, theta = system.tension.least(nodes, system.split(v)[0], np.full(3, 0.3))
    assert np.isnan(force[1]) and np.isfinite(force[[0, 2]]).all()
    assert 0.0 <= theta[1] <= 1.0


def test_no_fiber_no_tension():
    model = fm.Model("rod")
    rod = model.add(fm.Body("rod", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1)))
    model.add(fm.Hinge("q", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    system = fm.build(model)
    force, theta = system.least_tension(0.0, np.zeros(1), np.zeros(1))
    assert force.shape == theta.shape == (0,)
    assert isinstance(system.tension, TensionProbe)
